/* SPDX-License-Identifier: BSD-3-Clause */
/* Called by the Fortran programs to compare the registry with what they did. Arguments are Fortran's. */
#include "../track_object.h"

void check_open_(void)
{
	registry_open();
}

/* MPICH's Fortran functions create these by MPIX_Comm_create_errhandler_x and similar since 5.0 (docs/limits.md). */
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION >= 50000000
enum { FORTRAN_CALLBACKS_ARE_HIDDEN = 1 };
#else
enum { FORTRAN_CALLBACKS_ARE_HIDDEN = 0 };
#endif

/** Does the object have the index that the program has? kind: enum trk_kind. */
void check_index_(const int *kind, const int *index)
{
	uint64_t handle = 0;

	switch (*kind) {
	case TRK_COMM:
		handle = BITS(MPI_Comm_f2c(*index));
		break;
	case TRK_GROUP:
		handle = BITS(MPI_Group_f2c(*index));
		break;
	case TRK_DATATYPE:
		handle = BITS(MPI_Type_f2c(*index));
		break;
	case TRK_ERRHANDLER:
		handle = BITS(MPI_Errhandler_f2c(*index));
		break;
	case TRK_FILE:
		handle = BITS(MPI_File_f2c(*index));
		break;
	case TRK_INFO:
		handle = BITS(MPI_Info_f2c(*index));
		break;
	case TRK_OP:
		handle = BITS(MPI_Op_f2c(*index));
		break;
	case TRK_WIN:
		handle = BITS(MPI_Win_f2c(*index));
		break;
	}
	const struct registry_head *r = registry_find((enum trk_kind) * kind, handle, TRK_LIVE);
	if (!r && FORTRAN_CALLBACKS_ARE_HIDDEN && (*kind == TRK_ERRHANDLER || *kind == TRK_OP))
		return;
	if (!r)
		fprintf(stderr, "no record of kind %d\n", *kind);
	REQUIRE(r);
	EXPECT(r->has_fortran);
	EXPECT_IS(r->fortran, *index);
}

void check_keyval_(const int *kind, const int *key, const void *copy, const void *delete, const MPI_Aint *extra)
{
	const struct trk_keyval *r = KEYVAL(*key);

	REQUIRE(r);
	EXPECT_IS(r->object_kind, *kind);
	EXPECT_IS(r->copy_function, (uintptr_t)copy);
	EXPECT_IS(r->delete_function, (uintptr_t) delete);
	EXPECT_IS(r->language, 2);
#ifdef OPEN_MPI
	EXPECT_IS(r->extra_state, *extra);
#else
	EXPECT(extra && r->extra_state != 0); /* MPICH hands an address on */
#endif
}

void check_attribute_(const int *comm, const int *key, const MPI_Aint *value)
{
	const struct trk_comm *r = COMM(MPI_Comm_f2c(*comm));

	REQUIRE(r);
	const struct trk_attribute *a = attribute_of(r->attributes, *key);
	REQUIRE(a);
	EXPECT_IS(a->value, *value);
	EXPECT_IS(a->language, 2);
	EXPECT(KEYVAL(*key) && a->keyval == KEYVAL(*key)->id);
}

void check_no_attribute_(const int *comm, const int *key)
{
	const struct trk_comm *r = COMM(MPI_Comm_f2c(*comm));

	REQUIRE(r);
	EXPECT(!attribute_of(r->attributes, *key));
}

void check_errhandler_(const int *kind, const int *index, const void *function)
{
	const struct trk_errhandler *r = ERRHANDLER(MPI_Errhandler_f2c(*index));

	if (!r && FORTRAN_CALLBACKS_ARE_HIDDEN)
		return;
	REQUIRE(r);
	EXPECT_IS(r->object_kind, *kind);
	EXPECT_IS(r->language, 2);
	EXPECT_IS(r->function, (uintptr_t)function);
}

void check_op_(const int *index, const void *function, const int *commutes)
{
	const struct trk_op *r = OP(MPI_Op_f2c(*index));

	if (!r && FORTRAN_CALLBACKS_ARE_HIDDEN)
		return;
	REQUIRE(r);
	EXPECT_IS(r->function, (uintptr_t)function);
	EXPECT_IS(r->commutative, *commutes);
	EXPECT_IS(r->language, 2);
}

void check_close_(void)
{
	int bad = registry_close();

	if (bad)
		exit(bad);
}
