/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups of every kind, on 4 ranks or more; members as MPI_Group_translate_ranks says. */
#include "track_object.h"

static int rank, size;
static MPI_Group world;

static const struct trk_group *check(MPI_Group group, const char *call, MPI_Group parent)
{
	const struct trk_group *r = GROUP(group);
	int own[64], ranks[64], n, me;

	REQUIRE(r);
	EXPECT_AT_REST(r);
	EXPECT_CALL(r, call);
	MPI_Group_size(group, &n);
	MPI_Group_rank(group, &me);
	for (int i = 0; i < n; i++)
		own[i] = i;
	MPI_Group_translate_ranks(group, n, own, world, ranks);
	EXPECT_IS(r->size, n);
	EXPECT_IS(r->rank, me == MPI_UNDEFINED ? -1 : me);
	EXPECT_IS(r->fortran, MPI_Group_c2f(group));
	EXPECT(members_are(r->members, n, ranks));
	if (parent != MPI_GROUP_NULL) {
		REQUIRE(GROUP(parent));
		EXPECT_IS(r->parent, GROUP(parent)->id);
	}
	return r;
}

static void references(void)
{
	MPI_Group again, was;
	MPI_Comm dup;

	/* the same group comes again: one record, and it is freed with the last */
	MPI_Comm_group(MPI_COMM_WORLD, &again);
	if (again == world) {
		EXPECT_IS(GROUP(world)->references, 2);
		MPI_Group_free(&again);
		REQUIRE(GROUP(world));
		EXPECT_IS(GROUP(world)->references, 1);
	} else {
		MPI_Group_free(&again);
	}
	MPI_Comm_dup(MPI_COMM_SELF, &dup);
	MPI_Comm_group(dup, &again);
	const struct trk_group *r = check(again, "MPI_Comm_group", MPI_GROUP_NULL);
	EXPECT_IS(r->parent, ((const struct trk_comm *)COMM(dup))->id);
	was = again;
	MPI_Group_free(&again);
	EXPECT(!GROUP(was) || GROUP(was)->predefined);
	EXPECT_IS(r->state, TRK_FREED);
	MPI_Comm_free(&dup);
}

int main(int argc, char *argv[])
{
	MPI_Group a, b, c;
	MPI_Win win;
	void *base;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	registry_open();
	const struct trk_group *empty = GROUP(MPI_GROUP_EMPTY), *null = GROUP(MPI_GROUP_NULL);
	REQUIRE(empty);
	REQUIRE(null);
	EXPECT_NAME(empty, "MPI_GROUP_EMPTY");
	EXPECT_NAME(null, "MPI_GROUP_NULL");
	EXPECT(empty->predefined && null->predefined && empty->size == 0);
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	check(world, "MPI_Comm_group", MPI_GROUP_NULL);
	EXPECT_IS(GROUP(world)->members.total, 0);
	references();

	int some[] = { size - 1, 1 }, others[] = { 0, size - 1 }, ranges[][3] = { { size - 1, 0, -2 } };
	MPI_Group_incl(world, 2, some, &a);
	check(a, "MPI_Group_incl", world);
	MPI_Group_excl(world, 2, others, &b);
	check(b, "MPI_Group_excl", world);
	MPI_Group_union(a, b, &c);
	EXPECT_IS(check(c, "MPI_Group_union", a)->second_parent, GROUP(b)->id);
	MPI_Group_free(&c);
	MPI_Group_union(b, a, &c);
	check(c, "MPI_Group_union", b);
	MPI_Group_free(&c);
	MPI_Group_intersection(a, b, &c);
	check(c, "MPI_Group_intersection", a);
	MPI_Group_free(&c);
	MPI_Group_difference(world, a, &c);
	EXPECT_IS(check(c, "MPI_Group_difference", world)->second_parent, GROUP(a)->id);
	MPI_Group_free(&c);
	MPI_Group_range_incl(world, 1, ranges, &c);
	check(c, "MPI_Group_range_incl", world);
	MPI_Group_free(&c);
	MPI_Group_range_excl(world, 1, ranges, &c);
	check(c, "MPI_Group_range_excl", world);
	MPI_Group_free(&c);
	MPI_Group_incl(b, 0, some, &c); /* nothing of it */
	EXPECT(c == MPI_GROUP_EMPTY);
	EXPECT_IS(empty->references, 1);
	MPI_Group_incl(a, 1, (int[]){ 1 }, &c); /* of a group that is not the world */
	check(c, "MPI_Group_incl", a);
	MPI_Group_free(&c);
	MPI_Group_free(&b);
	MPI_Group_free(&a);

	MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
	MPI_Win_get_group(win, &a);
	EXPECT(GROUP(a) && GROUP(a)->size == size);
	EXPECT(members_are(GROUP(a)->members, 2, (int[]){ 0, 1 }));
	MPI_Group_free(&a);
	MPI_Win_free(&win);
	MPI_Group_free(&world);
	EXPECT_IS(registry_slab(TRK_GROUP)->n_live, 2);
	MPI_Finalize();
	return registry_close();
}
