/* SPDX-License-Identifier: BSD-3-Clause */
/* readers/jobs/mpi2dd_fields.def: the reader's numbers are those of include/mpi2dd.h. */
#include "../../readers/jobs/mpi2dd_layout.h"
#include "../support/demo.h"
#include "../support/fake_mpi2dd.h"
#include "../support/suite.h"

#include <check.h>

/* The extension has fixed widths. */
#define MPI2DD_EXTENSION_64 MPI2DD_EXTENSION
#define MPI2DD_EXTENSION_32 MPI2DD_EXTENSION

static const struct {
	struct fake_mpi2dd_field header;
	enum rd_mpi2dd_field ours;
} rows[] = {
#define RD_MPI2DD(type, field, at64, bytes64, at32, bytes32) { FAKE_FIELD(type, field), RD_##type##_##field },
#include "../../readers/jobs/mpi2dd_fields.def"
#undef RD_MPI2DD
};

START_TEST(test_each_field)
{
	ck_assert_uint_eq(sizeof(rows) / sizeof(rows[0]), RD_MPI2DD_N_FIELDS);

	const struct fake_mpi2dd_field *header = &rows[_i].header;
	const struct rd_mpi2dd_row *ours = &rd_mpi2dd_rows[rows[_i].ours];
	ck_assert_str_eq(ours->name, header->name);
	ck_assert_uint_eq(ours->wide.at, header->at64);
	ck_assert_uint_eq(ours->wide.bytes, header->bytes64);
	ck_assert_uint_eq(ours->narrow.at, header->at32);
	ck_assert_uint_eq(ours->narrow.bytes, header->bytes32);
}
END_TEST

/* Every field of the header is in the table: the fields of a structure fill it. */
START_TEST(test_each_struct)
{
	static const struct {
		enum rd_mpi2dd_struct type;
		size_t wide, narrow;
	} structs[] = {
		{ RD_MPI2DD_INFO, sizeof(struct MPI2DD_INFO_64), sizeof(struct MPI2DD_INFO_32) },
		{ RD_MPI2DD_PROCDESC, sizeof(struct MPI2DD_PROCDESC_64), sizeof(struct MPI2DD_PROCDESC_32) },
		{ RD_MPI2DD_SPAWNDESC, sizeof(struct MPI2DD_SPAWNDESC_64), sizeof(struct MPI2DD_SPAWNDESC_32) },
		{ RD_MPI2DD_DIRECTORYENTRY, sizeof(struct MPI2DD_DIRECTORYENTRY_64),
		  sizeof(struct MPI2DD_DIRECTORYENTRY_32) },
		{ RD_MPI2DD_EXTENSION, sizeof(struct MPI2DD_EXTENSION), sizeof(struct MPI2DD_EXTENSION) },
	};
	struct fake *f = demo_fake(_i);
	struct acc_space sp;

	ck_assert_int_eq(fake_space(f, &sp), ACC_OK);
	ck_assert_uint_eq(sizeof(structs) / sizeof(structs[0]), RD_MPI2DD_N_STRUCTS);
	for (size_t i = 0; i < RD_MPI2DD_N_STRUCTS; i++) {
		size_t wanted = f->word_bytes == 8 ? structs[i].wide : structs[i].narrow, sum = 0;

		for (unsigned k = 0; k < RD_MPI2DD_N_FIELDS; k++)
			if (rd_mpi2dd_rows[k].type == structs[i].type)
				sum += rd_mpi2dd_place(&sp, (enum rd_mpi2dd_field)k).bytes;
		ck_assert_uint_eq(rd_mpi2dd_bytes(&sp, structs[i].type), wanted);
		ck_assert_uint_eq(sum, wanted);
		ck_assert_uint_le(wanted, RD_MPI2DD_BYTES_MAX);
	}
	acc_space_deinit(&sp);
	fake_destroy(f);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("mpi2dd_layout");
	TCase *tc = tcase_create("mpi2dd_layout");

	tcase_add_loop_test(tc, test_each_field, 0, RD_MPI2DD_N_FIELDS);
	tcase_add_loop_test(tc, test_each_struct, 0, DEMO_N_TARGETS);
	suite_add_tcase(s, tc);
	return s;
}

int main(void)
{
	return suite_run(suite());
}
