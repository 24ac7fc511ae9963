/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * include/mpi2dd.h against the numbers of the interface: requirements 4, 5, 11, 20, 22, 23 and 30 of docs/mpi2dd.md.
 * What the header says of other word sizes, a compiler for this one can check as well.
 */
#include "../../include/mpi2dd.h"
#include "../support/suite.h"

#include <check.h>
#include <string.h>

/* structure, field, then offset and size for 64-bit and for 32-bit targets */
#define FIELDS(X)                                                                                                      \
	X(INFO, magic, 0, 5, 0, 5)                                                                                     \
	X(INFO, version, 5, 1, 5, 1)                                                                                   \
	X(INFO, variant, 6, 1, 6, 1)                                                                                   \
	X(INFO, debug_state, 7, 1, 7, 1)                                                                               \
	X(INFO, debugger_flags, 8, 4, 8, 4)                                                                            \
	X(INFO, mpi_flags, 12, 4, 12, 4)                                                                               \
	X(INFO, dll_name_32, 16, 8, 16, 4)                                                                             \
	X(INFO, dll_name_64, 24, 8, 20, 4)                                                                             \
	X(INFO, meta_host_name, 32, 8, 24, 4)                                                                          \
	X(INFO, meta_executable_name, 40, 8, 28, 4)                                                                    \
	X(INFO, abort_string, 48, 8, 32, 4)                                                                            \
	X(INFO, proctable, 56, 8, 36, 4)                                                                               \
	X(INFO, directory_table, 64, 8, 40, 4)                                                                         \
	X(INFO, metadirectory_table, 72, 8, 44, 4)                                                                     \
	X(INFO, proctable_size, 80, 4, 48, 4)                                                                          \
	X(INFO, directory_size, 84, 4, 52, 4)                                                                          \
	X(INFO, metadirectory_size, 88, 4, 56, 4)                                                                      \
	X(INFO, meta_pid, 92, 4, 60, 4)                                                                                \
	X(INFO, padding, 96, 32, 64, 32)                                                                               \
	X(PROCDESC, host_name, 0, 8, 0, 4)                                                                             \
	X(PROCDESC, executable_name, 8, 8, 4, 4)                                                                       \
	X(PROCDESC, spawn_desc, 16, 8, 8, 4)                                                                           \
	X(PROCDESC, comm_world_id, 24, 8, 12, 4)                                                                       \
	X(PROCDESC, pid, 32, 4, 16, 4)                                                                                 \
	X(PROCDESC, rank, 36, 4, 20, 4)                                                                                \
	X(SPAWNDESC, parent_comm_world_id, 0, 8, 0, 4)                                                                 \
	X(SPAWNDESC, parent_rank, 8, 4, 4, 4)                                                                          \
	X(SPAWNDESC, sequence, 12, 4, 8, 4)                                                                            \
	X(DIRECTORYENTRY, host_name, 0, 8, 0, 4)                                                                       \
	X(DIRECTORYENTRY, executable_name, 8, 8, 4, 4)                                                                 \
	X(DIRECTORYENTRY, pid, 16, 4, 8, 4)

static const struct field {
	const char *name;
	size_t seen[4], expected[4];
} fields[] = {
#define X(type, field, offset64, size64, offset32, size32)                                                             \
	{ #type "." #field,                                                                                            \
	  { offsetof(struct MPI2DD_##type##_64, field), sizeof(((struct MPI2DD_##type##_64 *)0)->field),               \
	    offsetof(struct MPI2DD_##type##_32, field), sizeof(((struct MPI2DD_##type##_32 *)0)->field) },             \
	  { offset64, size64, offset32, size32 } },
	FIELDS(X)
#undef X
};

START_TEST(test_req_22_23_offsets)
{
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
		for (int k = 0; k < 4; k++)
			ck_assert_msg(fields[i].seen[k] == fields[i].expected[k], "%s: %zu, not %zu", fields[i].name,
				      fields[i].seen[k], fields[i].expected[k]);
}
END_TEST

/* The structures for this very target are those of its word size. */
#define NATIVE(type, field, ...)                                                                                       \
	_Static_assert(offsetof(struct MPI2DD_##type, field) ==                                                        \
			       (sizeof(void *) == 8 ? offsetof(struct MPI2DD_##type##_64, field)                       \
						    : offsetof(struct MPI2DD_##type##_32, field)),                     \
		       #type "." #field);
FIELDS(NATIVE)

START_TEST(test_req_22_23_sizes)
{
	ck_assert_uint_eq(sizeof(struct MPI2DD_INFO_64), 128);
	ck_assert_uint_eq(sizeof(struct MPI2DD_INFO_32), 96);
	ck_assert_uint_eq(sizeof(struct MPI2DD_PROCDESC_64), 40);
	ck_assert_uint_eq(sizeof(struct MPI2DD_PROCDESC_32), 24);
	ck_assert_uint_eq(sizeof(struct MPI2DD_SPAWNDESC_64), 16);
	ck_assert_uint_eq(sizeof(struct MPI2DD_SPAWNDESC_32), 12);
	ck_assert_uint_eq(sizeof(struct MPI2DD_DIRECTORYENTRY_64), 20); /* packed */
	ck_assert_uint_eq(sizeof(struct MPI2DD_DIRECTORYENTRY_32), 12);
	ck_assert_uint_eq(sizeof(struct MPI2DD_INFO), sizeof(void *) == 8 ? 128 : 96);
	ck_assert_uint_eq(sizeof(struct MPI2DD_DIRECTORYENTRY), 4 + 2 * sizeof(void *));
}
END_TEST

/* Nothing but DIRECTORYENTRY depends on packing. */
START_TEST(test_only_directories_are_packed)
{
	struct natural_info {
		MPI2DD_INFO_FIELDS(uint64_t);
	};
	struct natural_process {
		MPI2DD_PROCDESC_FIELDS(uint64_t);
	};
	struct natural_spawn {
		MPI2DD_SPAWNDESC_FIELDS(uint64_t);
	};
	ck_assert_uint_eq(sizeof(struct natural_info), sizeof(struct MPI2DD_INFO_64));
	ck_assert_uint_eq(sizeof(struct natural_process), sizeof(struct MPI2DD_PROCDESC_64));
	ck_assert_uint_eq(sizeof(struct natural_spawn), sizeof(struct MPI2DD_SPAWNDESC_64));
}
END_TEST

START_TEST(test_req_04_06_11_values)
{
	ck_assert_uint_eq(sizeof(MPI2DD_MAGIC) - 1, MPI2DD_MAGIC_BYTES);
	ck_assert_int_eq(memcmp(MPI2DD_MAGIC, (const unsigned char[]){ 'M', 'P', 'I', '2', 0x7f }, 5), 0);
	ck_assert_int_eq(MPI2DD_VERSION, 1);
	ck_assert_int_eq(MPI2DD_VARIANT, 1);
	const int states[] = { MPI2DD_DEBUG_START,
			       MPI2DD_DEBUG_SPAWN,
			       MPI2DD_DEBUG_CONNECT,
			       MPI2DD_DEBUG_ACCEPT,
			       MPI2DD_DEBUG_JOIN,
			       MPI2DD_DEBUG_DIRECTORY_CHANGED,
			       MPI2DD_DEBUG_METADIRECTORY_CHANGED,
			       MPI2DD_DEBUG_ABORT };
	for (int i = 0; i < 8; i++)
		ck_assert_int_eq(states[i], i + 1);
	const int debugger[] = { MPI2DD_FLAG_GATE, MPI2DD_FLAG_BEING_DEBUGGED, MPI2DD_FLAG_REQUEST_DIRECTORY_EVENTS };
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(debugger[i], 1 << i);
	const int mpi[] = { MPI2DD_MPIFLAG_I_AM_METADIR,     MPI2DD_MPIFLAG_I_AM_DIR,
			    MPI2DD_MPIFLAG_I_AM_STARTER,     MPI2DD_MPIFLAG_FORCE_TO_MAIN,
			    MPI2DD_MPIFLAG_IGNORE_QUEUE,     MPI2DD_MPIFLAG_ACQUIRED_PRE_MAIN,
			    MPI2DD_MPIFLAG_PARTIAL_ATTACH_OK };
	for (int i = 0; i < 7; i++)
		ck_assert_int_eq(mpi[i], 1 << i);
}
END_TEST

START_TEST(test_req_20_extension_fits)
{
	ck_assert_uint_eq(sizeof(struct MPI2DD_EXTENSION), sizeof(((struct MPI2DD_INFO *)0)->padding));
	ck_assert_uint_eq(offsetof(struct MPI2DD_EXTENSION, registry), 8);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("check_mpi2dd_header");
	TCase *tc = tcase_create("header");
	tcase_add_test(tc, test_req_22_23_offsets);
	tcase_add_test(tc, test_req_22_23_sizes);
	tcase_add_test(tc, test_only_directories_are_packed);
	tcase_add_test(tc, test_req_04_06_11_values);
	tcase_add_test(tc, test_req_20_extension_fits);
	suite_add_tcase(suite, tc);
	return suite_run(suite);
}
