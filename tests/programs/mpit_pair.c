/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpit_pair, on two ranks or more: what connected processes say of equal names. Rank
 * 0 starts MPI_T after MPI_Init, the others before it, so that their indices differ.
 * Each tells rank 0 all that it knows, a line for each name, and rank 0 compares.
 */
#include "mpit_common.h"

enum { ROOM = 1 << 22 };

static char text[ROOM];
static size_t n_text;

/* One line: what the kind of thing is, its name, and what must be identical; then its description. */
static void emit(const char *kind, const struct said *s, const char *properties)
{
	char desc[sizeof s->desc];

	snprintf(desc, sizeof desc, "%s", s->desc);
	for (char *c = desc; *c; c++)
		if (*c == '\n')
			*c = ' ';
	n_text += (size_t)snprintf(text + n_text, ROOM - n_text, "%s %s\t%s\t%s\n", kind, s->name, properties, desc);
}

static void name_of_type(MPI_Datatype type, char *name)
{
	int length;

	MPI_Type_get_name(type, name, &length);
}

/* Name and items: the handle is another one in each process. */
static void emit_enum(MPI_T_enum e, char *ret, size_t room)
{
	char name[256];
	int n = 0, value, length = sizeof name;
	size_t at = 0;

	ret[0] = '\0';
	if (e == MPI_T_ENUM_NULL || MPI_T_enum_get_info(e, &n, name, &length) != MPI_SUCCESS)
		return;
	at += (size_t)snprintf(ret, room, "%s:", name);
	for (int i = 0; i < n && at < room; i++) {
		length = sizeof name;
		MPI_T_enum_get_item(e, i, &value, name, &length);
		at += (size_t)snprintf(ret + at, room - at, " %d=%s", value, name);
	}
}

static void emit_all(void)
{
	static struct said s;
	static char properties[16384], items[8192];
	char type[MPI_MAX_OBJECT_NAME];
	int n;

	MPI_T_cvar_get_num(&n);
	for (int i = 0; i < n; i++) {
		ask_cvar(i, &s);
		name_of_type(s.datatype, type);
		emit_enum(s.enumtype, items, sizeof items);
		snprintf(properties, sizeof properties, "%d %s bind %d scope %d %s", s.verbosity, type, s.bind, s.scope,
			 items);
		emit("cvar", &s, properties);
	}
	MPI_T_pvar_get_num(&n);
	for (int i = 0; i < n; i++) {
		ask_pvar(i, &s);
		name_of_type(s.datatype, type);
		emit_enum(s.enumtype, items, sizeof items);
		snprintf(properties, sizeof properties, "%d %s bind %d %d%d%d %s", s.verbosity, type, s.bind,
			 s.readonly, s.continuous, s.atomic, items);
		snprintf(s.name + strlen(s.name), 32, "/%d", s.var_class);
		emit("pvar", &s, properties);
	}
	MPI_T_event_get_num(&n);
	for (int i = 0; i < n; i++) {
		ask_event(i, &s);
		size_t at = (size_t)snprintf(properties, sizeof properties, "%d bind %d:", s.verbosity, s.bind);
		for (int k = 0; k < s.n_elements; k++) {
			name_of_type(s.elements[k], type);
			at += (size_t)snprintf(properties + at, sizeof properties - at, " %s", type);
		}
		emit("event", &s, properties);
	}
	MPI_T_category_get_num(&n);
	for (int i = 0; i < n; i++) {
		ask_category(i, &s);
		emit("category", &s, "");
	}
}

/* ---- rank 0 ----------------------------------------------------------------------------------------------------- */

struct line {
	char *name, *properties, *desc;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct line *)a)->name, ((const struct line *)b)->name);
}

static struct line *lines_of(char *from, int *n)
{
	struct line *lines = calloc(1 << 14, sizeof *lines);

	*n = 0;
	for (char *save = NULL, *l = strtok_r(from, "\n", &save); l && *n < 1 << 14; l = strtok_r(NULL, "\n", &save)) {
		char *properties = strchr(l, '\t'), *desc = properties ? strchr(properties + 1, '\t') : NULL;
		if (!desc)
			continue;
		*properties = *desc = '\0';
		lines[(*n)++] = (struct line){ l, properties + 1, desc + 1 };
	}
	qsort(lines, (size_t)*n, sizeof *lines, by_name);
	return lines;
}

static bool starts(const char *name, const char *kind)
{
	return strncmp(name, kind, strlen(kind)) == 0;
}

static void compare_with(char *theirs_text, struct line *mine, int n_mine)
{
	int n_theirs, n_common = 0;
	bool desc = true, cvar = true, event = true, category = true, any = true;
	struct line *theirs = lines_of(theirs_text, &n_theirs);

	for (int i = 0; i < n_mine; i++) {
		struct line *t = bsearch(&mine[i], theirs, (size_t)n_theirs, sizeof *theirs, by_name);
		if (!t)
			continue;
		n_common++;
		bool same_desc = strcmp(t->desc, mine[i].desc) == 0,
		     same_rest = !strcmp(t->properties, mine[i].properties);
		if (!same_desc || !same_rest)
			printf("note: %s: \"%s\" and \"%s\"; \"%.80s\" and \"%.80s\"\n", t->name, t->properties,
			       mine[i].properties, t->desc, mine[i].desc);
		desc = desc && same_desc;
		any = any && same_rest;
		if (starts(t->name, "cvar"))
			cvar = cvar && same_rest && same_desc;
		else if (starts(t->name, "event"))
			event = event && same_rest && same_desc;
		else if (starts(t->name, "category"))
			category = category && same_desc;
	}
	printf("note: %d names here, %d there, %d common\n", n_mine, n_theirs, n_common);
	rule("C7", desc && n_common > 0, "two strings that must be equivalent are not");
	rule("C26", any && n_common > 0, "one name means two things");
	rule("000.12", cvar, "a control variable says different things");
	rule("001.18", event, "an event type says different things");
	rule("002.11", category, "a category says different things");
	free(theirs);
}

/* A name that exists since MPI_Init is found by a caller that has requested nothing else since then. */
static void look_up(int rank, int n_ranks)
{
	static struct said s;
	int n, index = -1, found;

	memset(&s, 0, sizeof s);
	if (rank == 0) {
		MPI_T_cvar_get_num(&n);
		ask_cvar(n - 1, &s);
	}
	MPI_Bcast(s.name, sizeof s.name, MPI_CHAR, 0, MPI_COMM_WORLD);
	found = MPI_T_cvar_get_index(s.name, &index) == MPI_SUCCESS;
	int least = found;
	MPI_Reduce(&found, &least, 1, MPI_INT, MPI_MIN, 0, MPI_COMM_WORLD);
	int *indices = calloc((size_t)n_ranks, sizeof *indices);
	MPI_Gather(&index, 1, MPI_INT, indices, 1, MPI_INT, 0, MPI_COMM_WORLD);
	if (rank == 0) {
		printf("note: %s is number %d here, %d in rank 1\n", s.name, indices[0], indices[n_ranks - 1]);
		rule("000.14", least, "a variable is not known by its name as soon as it is there");
		/* another index is no fault: names are what processes have in common */
		rule("000.4", least, "an index of another process was needed");
	}
	free(indices);
}

/* A variable of all processes, set in all of them to the same value. */
static void set_together(int rank)
{
	static struct said s;
	int n, count, wrong = 0, n_set = 0, all[2], sum[2];
	MPI_T_cvar_handle h;

	MPI_T_cvar_get_num(&n);
	for (int i = 0; i < n && n_set < 10; i++) {
		ask_cvar(i, &s);
		if ((s.scope != MPI_T_SCOPE_ALL && s.scope != MPI_T_SCOPE_ALL_EQ && s.scope != MPI_T_SCOPE_GROUP_EQ) ||
		    s.datatype != MPI_INT || s.bind != MPI_T_BIND_NO_OBJECT ||
		    MPI_T_cvar_handle_alloc(i, NULL, &h, &count) != MPI_SUCCESS)
			continue;
		int old = 0, value, got = -1;
		if (MPI_T_cvar_read(h, &old) == MPI_SUCCESS) {
			value = old + 1;
			int rc = MPI_T_cvar_write(h, &value);
			MPI_T_cvar_read(h, &got);
			wrong += rc == MPI_SUCCESS ? got != value : got != old;
			n_set++;
			MPI_T_cvar_write(h, &old);
		}
		MPI_T_cvar_handle_free(&h);
	}
	all[0] = wrong;
	all[1] = n_set;
	MPI_Reduce(all, sum, 2, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
	if (rank == 0) {
		printf("note: %d set in all processes\n", n_set);
		rule("000.24", sum[0] == 0, "a variable of several processes has not the value that all of them set");
	}
}

int main(int argc, char **argv)
{
	int rank, size, provided, n, length;
	const char *late = getenv("MPIT_PAIR_LATE");

	if (!late) {
		MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
		/* before MPI_Init no rank is known: those with an odd process number look now, the others later */
		const char *local = getenv("OMPI_COMM_WORLD_RANK");
		local = local ? local : getenv("PMI_RANK");
		if (local && atoi(local) != 0)
			MPI_T_cvar_get_num(&n);
	}
	MPI_Init(&argc, &argv);
	if (late)
		MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (size < 2) {
		puts("fail C26: two ranks are needed");
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	look_up(rank, size);
	emit_all();
	length = (int)n_text + 1;
	if (rank != 0) {
		MPI_Send(&length, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
		MPI_Send(text, length, MPI_CHAR, 0, 2, MPI_COMM_WORLD);
	} else {
		struct line *mine = lines_of(text, &n);
		for (int r = 1; r < size; r++) {
			MPI_Recv(&length, 1, MPI_INT, r, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			char *theirs = malloc((size_t)length);
			MPI_Recv(theirs, length, MPI_CHAR, r, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			compare_with(theirs, mine, n);
			free(theirs);
		}
	}
	set_together(rank);
	MPI_T_finalize();
	MPI_Finalize();
	return n_bad != 0;
}
