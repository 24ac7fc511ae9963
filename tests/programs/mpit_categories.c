/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpit_categories WHEN: the rules of categories, 002.1 to 002.13. WHEN: before
 * (MPI_Init), during, after (MPI_Finalize), all; across: what was there before
 * MPI_Init is there during and after, and the update number tells what came.
 */
#include "mpit_common.h"

#include "internal.h"

#include <limits.h>

enum { PARTS = 4, DEEPEST = 50 };

static int (*const get[PARTS])(int, int, int *) = { MPI_T_category_get_cvars, MPI_T_category_get_pvars, NULL,
						    MPI_T_category_get_categories };

static int get_part(int part, int category, int len, int *indices)
{
	return part == 2 ? MPI_T_category_get_events(category, len, indices) : get[part](category, len, indices);
}

static bool count_parts(int category, int n[PARTS])
{
	return MPI_T_category_get_info(category, NULL, NULL, NULL, NULL, &n[0], &n[1], &n[3]) == MPI_SUCCESS &&
	       MPI_T_category_get_num_events(category, &n[2]) == MPI_SUCCESS;
}

/* Is it what the function that the index is for knows? */
static bool is_index(int part, int index)
{
	static struct said s;

	return (part == 0   ? ask_cvar(index, &s)
		: part == 1 ? ask_pvar(index, &s)
		: part == 2 ? ask_event(index, &s)
			    : ask_category(index, &s)) == MPI_SUCCESS;
}

/* Members of one kind: all, one more place than there are, one, none. */
static bool members_are_right(int part, int category, int n)
{
	int *v = malloc(((size_t)n + 2) * sizeof *v);
	bool right;

	v[n] = v[n + 1] = -7;
	right = get_part(part, category, n + 2, v) == MPI_SUCCESS && v[n] == -7 && v[n + 1] == -7;
	for (int i = 0; i < n; i++) {
		right = right && is_index(part, v[i]);
		for (int k = 0; k < i; k++)
			right = right && v[k] != v[i];
	}
	if (n > 1) {
		int first = v[0];
		v[0] = v[1] = -7;
		right = right && get_part(part, category, 1, v) == MPI_SUCCESS && v[0] == first && v[1] == -7;
		v[0] = -7;
	}
	right = right && get_part(part, category, 0, v) == MPI_SUCCESS && (n < 2 || v[0] == -7) &&
		get_part(part, category, 0, NULL) == MPI_SUCCESS;
	free(v);
	return right;
}

static bool acyclic(int category, int depth)
{
	int n[PARTS];

	if (depth > DEEPEST || !count_parts(category, n))
		return false;
	int *below = malloc(((size_t)n[3] + 1) * sizeof *below);
	bool right = MPI_T_category_get_categories(category, n[3], below) == MPI_SUCCESS;
	for (int i = 0; i < n[3]; i++)
		right = right && acyclic(below[i], depth + 1);
	free(below);
	return right;
}

static void bad_indices(int n)
{
	int bad[] = { -1, n, n + 1000, INT_MAX, INT_MIN };
	bool right = true;
	int v[2];

	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		right = right &&
			MPI_T_category_get_info(bad[i], NULL, NULL, NULL, NULL, NULL, NULL, NULL) ==
				MPI_T_ERR_INVALID_INDEX &&
			MPI_T_category_get_num_events(bad[i], v) == MPI_T_ERR_INVALID_INDEX;
		for (int part = 0; part < PARTS; part++)
			right = right && get_part(part, bad[i], 2, v) == MPI_T_ERR_INVALID_INDEX;
	}
	rule("002.12", right, "an index outside of the range");
}

static void rules(void)
{
	static struct said a, b;
	bool all = true, inverse = true, events = true, members = true, tree = true;
	int n = -1, index, again, stamp = -1, later = -1, parts[PARTS], n_events, total_events = 0;

	rule("002.1", MPI_T_category_get_num(&n) == MPI_SUCCESS && n > 0, "no categories");
	MPI_T_category_changed(&stamp);
	char **list = calloc((size_t)n, sizeof *list);
	for (int i = 0; i < n; i++) {
		all = all && ask_category(i, &a) == MPI_SUCCESS && ask_category(i, &b) == MPI_SUCCESS && same(&a, &b) &&
		      *a.name && MPI_T_category_get_info(i, NULL, NULL, NULL, NULL, NULL, NULL, NULL) == MPI_SUCCESS;
		inverse = inverse && MPI_T_category_get_index(a.name, &index) == MPI_SUCCESS && index == i;
		list[i] = strdup(a.name);
		events = events && count_parts(i, parts) && MPI_T_category_get_num_events(i, NULL) == MPI_SUCCESS;
		total_events += parts[2];
		for (int part = 0; part < PARTS; part++)
			members = members && members_are_right(part, i, parts[part]);
		tree = tree && acyclic(i, 0);
	}
	MPI_T_event_get_num(&n_events);
	rule("002.3", tree, "a category contains itself");
	rule("002.4", unique(list, n) && all, "a name is empty, or there twice");
	rule("002.5", events && total_events >= n_events, "the number of events");
	rule("002.6", inverse && MPI_T_category_get_index("no category", &index) == MPI_T_ERR_INVALID_NAME,
	     "names and indices");
	rule("002.7", members, "more is written than asked for, or twice the same");
	rule("002.8", members, "not as many as were counted");
	rule("002.9", members, "a member that is none");
	rule("002.10", MPI_T_category_changed(&later) == MPI_SUCCESS && stamp >= 0 && stamp == later,
	     "nothing has changed, but the number");
	bad_indices(n);
	MPI_T_category_get_num(&again);
	rule("002.1", again >= n, "a category has vanished");
	/* a variable need not be in a category */
	rule("002.13", MPI_T_cvar_get_index("MPI2DD_VERSION", &index) == MPI_SUCCESS, "a variable of the tree");
}

/* ---- over the life of MPI --------------------------------------------------------------------------------------- */

static struct known {
	struct said *said;
	int n[PARTS], *members[PARTS];
} * known;
static int n_known, known_stamp, n_grown;

/* Earlier members are still there, in the same order; new ones are added to the list. */
static void compare(void)
{
	static struct said now;
	int n = -1, stamp = -1, counts[PARTS], n_changes = 0;
	bool stays = true, order = true;

	MPI_T_category_get_num(&n);
	MPI_T_category_changed(&stamp);
	known = realloc(known, (size_t)n * sizeof *known);
	for (int i = 0; i < n; i++) {
		struct known *k = &known[i];
		if (i >= n_known) {
			*k = (struct known){ .said = malloc(sizeof *k->said) };
			ask_category(i, k->said);
			n_changes++;
		}
		stays = stays && ask_category(i, &now) == MPI_SUCCESS && same(&now, k->said) && count_parts(i, counts);
		for (int part = 0; stays && part < PARTS; part++) {
			int *v = malloc(((size_t)counts[part] + 1) * sizeof *v);
			order = order && get_part(part, i, counts[part], v) == MPI_SUCCESS &&
				counts[part] >= k->n[part] &&
				(k->n[part] == 0 || memcmp(v, k->members[part], (size_t)k->n[part] * sizeof *v) == 0);
			n_changes += counts[part] != k->n[part];
			free(k->members[part]);
			k->members[part] = v;
			k->n[part] = counts[part];
		}
	}
	rule("002.1", n >= n_known && stays, "a category has vanished, or says something else");
	rule("002.2", order, "a member has gone, or its place has changed");
	rule("002.10", n_changes ? stamp > known_stamp || n_known == 0 : stamp >= known_stamp,
	     "something was added, and the number is the same");
	if (n_known && stamp == known_stamp)
		rule("002.10", n_changes == 0, "the number is the same, and something was added");
	printf("note: %d categories, number %d, %d changes\n", n, stamp, n_changes);
	n_grown += n_known && n_changes;
	n_known = n;
	known_stamp = stamp;
}

static bool is_stamp(int expected)
{
	int stamp = -1;

	return MPI_T_category_changed(&stamp) == MPI_SUCCESS && stamp == expected;
}

/* As if there had been nearly as many changes as an int can count. */
static void change_often(void)
{
	void *exported = (void *)MPI_T_category_changed;
	int *own = internal_symbol(exported, "own_stamp"), *host = internal_symbol(exported, "host_stamp");
	void (*change)(void) = (void (*)(void))internal_symbol(exported, "mpit_changed");

	if (!own || !host || !change) {
		rule("002.10", false, "the library is stripped: build it with symbols to run this");
		return;
	}
	*own = INT_MAX - *host - 2;
	bool ok = is_stamp(INT_MAX - 2);
	change();
	ok = ok && is_stamp(INT_MAX - 1);
	change();
	ok = ok && is_stamp(INT_MAX);
	rule("002.10", ok, "large numbers");
	for (int i = 0; i < 3; i++)
		change();
	ok = is_stamp(INT_MAX);
	*own = INT_MAX - 1;
	for (int i = 0; i < 3; i++)
		change();
	rule("002.10", ok && *own == INT_MAX && is_stamp(INT_MAX), "a number that does not stay at INT_MAX");
}

static int across(int *argc, char ***argv)
{
	int provided;

	MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
	compare();
	compare();
	MPI_Init(argc, argv);
	compare();
	MPI_T_finalize();
	MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
	compare();
	MPI_Finalize();
	compare();
	change_often();
	MPI_T_finalize();
	printf("note: grown %d times\n", n_grown);
	return n_bad != 0;
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "across") == 0)
		return across(&argc, &argv);
	return run_when(argc, argv, rules);
}
