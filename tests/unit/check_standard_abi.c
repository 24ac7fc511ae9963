/* SPDX-License-Identifier: BSD-3-Clause */
/* readers/standard_abi.c: constants and handles of the ABI of MPI 5.0, converted to those of the model and of each MPI.
 */
#include "../../readers/standard_abi.h"
#include "../support/fake.h"
#include "../support/suite.h"

#include <check.h>

enum {
	ABI_COMM_WORLD = 0x101,
	ABI_COMM_NULL = 0x100,
	MPICH_COMM_WORLD = 0x44000000,
	MPICH_OWN = (int)0x84000005,
	OPENMPI_COMM_WORLD = 0x501000,
	OBJECT = 0x600000, /* of MPICH, which begins with its handle; the program's handle is its address */
	MAPPED = 0x1000
};

struct process {
	struct fake *f;
	struct acc_space sp;
};

static void start(struct process *p)
{
	p->f = fake_create(8, false, NULL);
	fake_map(p->f, OBJECT, MAPPED);
	fake_write_u(p->f, OBJECT, 4, (uint32_t)MPICH_OWN);
	fake_symbol(p->f, "ompi_mpi_comm_world", OPENMPI_COMM_WORLD);
	ck_assert_int_eq(fake_space(p->f, &p->sp), ACC_OK);
}

static void stop(struct process *p)
{
	acc_space_deinit(&p->sp);
	fake_destroy(p->f);
}

static void expect(struct process *p, const char *mpi, enum mdl_handle_kind kind, uint64_t handle, uint64_t expected)
{
	uint64_t native = 0;

	ck_assert_int_eq(rd_abi_native(&p->sp, mpi, kind, handle, &native), ACC_OK);
	ck_assert_uint_eq(native, expected);
}

START_TEST(test_handles)
{
	uint64_t native = 77;
	struct process p;

	start(&p);
	expect(&p, "MPICH", MDL_COMM, ABI_COMM_WORLD, MPICH_COMM_WORLD);
	expect(&p, "Open MPI", MDL_COMM, ABI_COMM_WORLD, OPENMPI_COMM_WORLD);
	/* an object of the program: its address */
	expect(&p, "MPICH", MDL_COMM, OBJECT, (uint32_t)MPICH_OWN);
	expect(&p, "Open MPI", MDL_COMM, OBJECT, OBJECT);
	/* a handle of the library itself stays */
	expect(&p, "MPICH", MDL_COMM, (uint32_t)MPICH_OWN, (uint32_t)MPICH_OWN);
	/* the value is of another kind, is none, cannot be read, or belongs to an MPI that is not known */
	ck_assert_int_eq(rd_abi_native(&p.sp, "MPICH", MDL_GROUP, ABI_COMM_WORLD, &native), ACC_NONE);
	ck_assert_int_eq(rd_abi_native(&p.sp, "MPICH", MDL_COMM, 0xfff, &native), ACC_NONE);
	ck_assert_int_eq(rd_abi_native(&p.sp, "Open MPI", MDL_COMM, ABI_COMM_NULL, &native), ACC_NONE);
	ck_assert_int_eq(rd_abi_native(&p.sp, "MPICH", MDL_COMM, 0x700000, &native), ACC_EREAD);
	ck_assert_int_eq(rd_abi_native(&p.sp, "Other", MDL_COMM, ABI_COMM_WORLD, &native), ACC_NONE);
	ck_assert_uint_eq(native, 77);
	ck_assert(!rd_abi_is_openmpi(&p.sp));
	fake_symbol(p.f, "ompi_convert_abi_obj_handle_intern_obj_handle", OBJECT);
	ck_assert(rd_abi_is_openmpi(&p.sp));
	stop(&p);
}
END_TEST

START_TEST(test_constants)
{
	ck_assert_int_eq(rd_abi_rank(3).value, 3);
	ck_assert_int_eq(rd_abi_rank(-1).known, MDL_ANY);
	ck_assert_int_eq(rd_abi_rank(-3).value, MDL_PROC_NULL);
	ck_assert_int_eq(rd_abi_rank(-4).value, MDL_ROOT);
	ck_assert_int_eq(rd_abi_tag(0).value, 0);
	ck_assert_int_eq(rd_abi_tag(-2).known, MDL_ANY);
	ck_assert_int_eq(rd_abi_combiner(101), MDL_NAMED);
	ck_assert_int_eq(rd_abi_combiner(110), MDL_STRUCT);
	ck_assert_int_eq(rd_abi_combiner(117), MDL_VALUE_INDEX);
	ck_assert_int_eq(rd_abi_combiner(100), -1);
	ck_assert_int_eq(rd_abi_combiner(118), -1);
	ck_assert_int_eq(rd_abi_win_model(321), MDL_WIN_UNIFIED);
	ck_assert_int_eq(rd_abi_win_model(322), MDL_WIN_SEPARATE);
	ck_assert_int_eq(rd_abi_win_model(0), -1);
	ck_assert_int_eq(rd_abi_win_flavor(311), MDL_WIN_CREATE);
	ck_assert_int_eq(rd_abi_win_flavor(314), MDL_WIN_SHARED);
	ck_assert_int_eq(rd_abi_win_flavor(315), -1);
	ck_assert_int_eq(rd_abi_file_mode(1 | 16 | 0x8000), MDL_MODE_APPEND | MDL_MODE_RDONLY);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("standard_abi");
	TCase *tcase = tcase_create("values");

	tcase_add_test(tcase, test_handles);
	tcase_add_test(tcase, test_constants);
	suite_add_tcase(suite, tcase);
	return suite_run(suite);
}
