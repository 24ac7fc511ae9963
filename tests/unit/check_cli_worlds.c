/* SPDX-License-Identifier: BSD-3-Clause */
/* The tree of worlds: order, depth, words, damaged parents. */
#include "../../cli/worlds.h"
#include "../support/suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct cmd_worlds worlds;

static void reset(void)
{
	cmd_worlds_deinit(&worlds);
}

static size_t world(const char *id)
{
	size_t i = cmd_worlds_add(&worlds, id);

	ck_assert_uint_lt(i, worlds.n);
	return i;
}

static void spawned(const char *id, const char *parent, int64_t rank, int64_t sequence)
{
	ck_assert(cmd_worlds_spawned(&worlds, world(id), parent, rank, sequence));
}

/* Ids in order, each after as many dots as its depth. */
static const char *arrange(const char *first)
{
	static char text[1024];
	size_t *place, n = worlds.n;
	char before[16][16];
	size_t at = first ? cmd_worlds_find(&worlds, first) : CMD_NO_WORLD;

	for (size_t i = 0; i < n; i++)
		snprintf(before[i], sizeof(before[i]), "%s", worlds.v[i].id);
	ck_assert(cmd_worlds_arrange(&worlds, at, &place));
	ck_assert_uint_eq(worlds.n, n);
	text[0] = '\0';
	for (size_t i = 0; i < n; i++) {
		const struct cmd_world *w = &worlds.v[i];
		size_t used = strlen(text);
		snprintf(text + used, sizeof(text) - used, "%s%.*s%s", i ? " " : "", (int)w->depth, "........", w->id);
		/* Every old index leads to the same world as before. */
		ck_assert_str_eq(worlds.v[place[i]].id, before[i]);
		ck_assert(w->parent == CMD_NO_WORLD || w->parent < i);
	}
	free(place);
	return text;
}

static const char *words(size_t i)
{
	static char text[256];

	cmd_world_words(&worlds, i, text, sizeof(text));
	return text;
}

START_TEST(test_none)
{
	size_t *place = (size_t[]){ 0 };

	reset();
	ck_assert(cmd_worlds_arrange(&worlds, CMD_NO_WORLD, &place));
	ck_assert_ptr_null(place);
	ck_assert_uint_eq(cmd_worlds_find(&worlds, "a"), CMD_NO_WORLD);
	reset();
}
END_TEST

START_TEST(test_tree)
{
	reset();
	world("a");
	spawned("d", "c", 0, 0); /* before its parent is known */
	spawned("c", "a", 1, 0);
	spawned("b", "a", 0, 1);
	spawned("e", "a", 0, 0);
	world("f");
	worlds.v[cmd_worlds_find(&worlds, "f")].met = cmd_worlds_find(&worlds, "d");
	ck_assert_str_eq(arrange("a"), "a .e .b .c ..d f");
	ck_assert_str_eq(words(0), "world 1");
	ck_assert_str_eq(words(2), "world 3: spawned by rank 0 of world 1, call 1");
	ck_assert_str_eq(words(4), "world 5: spawned by rank 0 of world 4, call 0");
	ck_assert_str_eq(words(5), "world 6: connected with world 5");
	reset();
}
END_TEST

/* The tree that the first one belongs to comes first, from its root on. */
START_TEST(test_first)
{
	reset();
	world("a");
	world("b");
	spawned("c", "b", 0, 0);
	ck_assert_str_eq(arrange("c"), "b .c a");
	reset();
	world("a");
	world("b");
	ck_assert_str_eq(arrange(NULL), "a b");
	reset();
}
END_TEST

START_TEST(test_cycles)
{
	reset();
	spawned("a", "a", 0, 0);
	ck_assert_str_eq(arrange("a"), "a");
	ck_assert_str_eq(words(0), "world 1: spawned by rank 0 of a world that is not listed, call 0");
	reset();
	spawned("a", "b", 0, 0);
	spawned("b", "c", 0, 0);
	spawned("c", "a", 0, 0);
	spawned("d", "c", 5, 5);
	ck_assert_str_eq(arrange("b"), "c .b ..a .d");
	reset();
}
END_TEST

/* The first word about a world's parent counts. */
START_TEST(test_first_word)
{
	reset();
	world("a");
	spawned("b", "a", 1, 2);
	spawned("b", "z", 3, 4);
	ck_assert_str_eq(arrange("a"), "a .b");
	ck_assert_int_eq(worlds.v[1].parent_rank, 1);
	ck_assert_int_eq(worlds.v[1].sequence, 2);
	ck_assert_str_eq(worlds.v[1].parent_id, "a");
	reset();
}
END_TEST

/* The names and numbers of jobs of Open MPI 4.1.4 and 5.0.7, as their processes had them; other names
 * are no numbers. */
START_TEST(test_number)
{
	static const struct {
		const char *name, *number;
	} jobs[] = { { "3571122177", "3571122177" },
		     { "prterun-vm-12@1", "3254124545" },
		     { "prterun-vm-12@2", "3254124546" },
		     { "prterun-vm-12@", NULL },
		     { "prterun-vm-12@x", NULL },
		     { "slurm.pmix.4711.0", NULL },
		     { "00000000000000000000000000000000", NULL },
		     { "", NULL } };

	for (size_t i = 0; i < sizeof(jobs) / sizeof(*jobs); i++) {
		char name[24];

		reset();
		world("a");
		cmd_world_number(&worlds.v[0], jobs[i].name);
		cmd_world_number(&worlds.v[0], "4711"); /* the first one counts, if it was one */
		cmd_world_name(&worlds, 0, name);
		ck_assert_str_eq(name, jobs[i].number ? jobs[i].number : "4711");
	}
	reset();
	world("a");
	char name[24];
	cmd_world_name(&worlds, 0, name);
	ck_assert_str_eq(name, "1"); /* its place */
	reset();
}
END_TEST

/* Ten thousand worlds, each spawned by the one before: no recursion, no waiting. */
START_TEST(test_many)
{
	enum { MANY = 10000 };
	char id[32], parent[32];
	size_t *place;

	reset();
	for (int i = 0; i < MANY; i++) {
		snprintf(id, sizeof(id), "w%d", i);
		snprintf(parent, sizeof(parent), "w%d", i - 1);
		if (i)
			spawned(id, parent, 0, 0);
		else
			world(id);
	}
	ck_assert(cmd_worlds_arrange(&worlds, 0, &place));
	ck_assert_uint_eq(worlds.v[MANY - 1].depth, MANY - 1);
	free(place);
	reset();
}
END_TEST

int main(void)
{
	Suite *s = suite_create("cli_worlds");
	TCase *tc = tcase_create("cli_worlds");
	tcase_set_timeout(tc, 20);
	tcase_add_test(tc, test_none);
	tcase_add_test(tc, test_tree);
	tcase_add_test(tc, test_first);
	tcase_add_test(tc, test_cycles);
	tcase_add_test(tc, test_first_word);
	tcase_add_test(tc, test_number);
	tcase_add_test(tc, test_many);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
