/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpit_rules WHEN: the rules of MPI_T for control variables, performance variables, enumerations and categories, tried
 * in this process. WHEN: before (MPI_Init), during, after (MPI_Finalize), all. Prints a line per rule, "pass NUMBER" or
 * "fail NUMBER: what"; the numbers are those of docs/mpi_t.md. Exits 1 when a rule is broken.
 */
#include <mpi.h>

#include "../../include/mpi2dd_mpit.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int n_bad;

static void rule(const char *number, bool holds, const char *what)
{
	if (holds)
		printf("pass %s\n", number);
	else
		printf("fail %s: %s\n", number, what);
	n_bad += !holds;
}

/* ---- what a variable says of itself ----------------------------------------------------------------------- */

struct said {
	char name[1024], desc[8192];
	int verbosity, bind, scope, var_class, readonly, continuous, atomic;
	MPI_Datatype datatype;
	MPI_T_enum enumtype;
};

static int ask_cvar(int i, struct said *s)
{
	int name = sizeof s->name, desc = sizeof s->desc;

	memset(s, 0, sizeof *s);
	return MPI_T_cvar_get_info(i, s->name, &name, &s->verbosity, &s->datatype, &s->enumtype, s->desc, &desc,
				   &s->bind, &s->scope);
}

static int ask_pvar(int i, struct said *s)
{
	int name = sizeof s->name, desc = sizeof s->desc;

	memset(s, 0, sizeof *s);
	return MPI_T_pvar_get_info(i, s->name, &name, &s->verbosity, &s->var_class, &s->datatype, &s->enumtype, s->desc,
				   &desc, &s->bind, &s->readonly, &s->continuous, &s->atomic);
}

static bool same(const struct said *a, const struct said *b)
{
	return strcmp(a->name, b->name) == 0 && strcmp(a->desc, b->desc) == 0 && a->verbosity == b->verbosity &&
	       a->bind == b->bind && a->scope == b->scope && a->datatype == b->datatype && a->enumtype == b->enumtype;
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool unique(char **names, int n)
{
	bool ret = true;

	qsort(names, (size_t)n, sizeof *names, compare);
	for (int i = 1; i < n; i++)
		ret = ret && strcmp(names[i - 1], names[i]) != 0;
	for (int i = 0; i < n; i++)
		free(names[i]);
	free(names);
	return ret;
}

/* ---- the rules -------------------------------------------------------------------------------------------- */

static void strings(void)
{
	char whole[1024], cut[8];
	int n = sizeof whole, length;
	int rc = MPI_T_cvar_get_info(0, whole, &n, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
	int full = (int)strlen(whole) + 1;

	rule("C1", rc == MPI_SUCCESS && full > 6, "the first name is too short for this test");
	rule("C4", n == full, "length is not that of the text and its end");
	memset(cut, 'x', sizeof cut);
	length = 5;
	MPI_T_cvar_get_info(0, cut, &length, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
	rule("C2", cut[5] == 'x', "more was written than there was room for");
	rule("C3", cut[4] == '\0' && strncmp(cut, whole, 4) == 0, "not cut as it should be");
	rule("C4", length == full || length == 5, "neither the full nor the cut length");
	length = 0;
	memset(cut, 'x', sizeof cut);
	rc = MPI_T_cvar_get_info(0, cut, &length, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
	rule("C5", rc == MPI_SUCCESS && cut[0] == 'x' && length == full, "length 0: only the length is asked for");
	length = 99;
	rc = MPI_T_cvar_get_info(0, NULL, &length, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
	rule("C5", rc == MPI_SUCCESS && length == full, "no buffer: only the length is asked for");
	memset(cut, 'x', sizeof cut);
	rc = MPI_T_cvar_get_info(0, cut, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
	rule("C6", rc == MPI_SUCCESS && cut[0] == 'x', "no length: the buffer is left alone");
}

static bool known_scope(int scope)
{
	return scope == MPI_T_SCOPE_CONSTANT || scope == MPI_T_SCOPE_READONLY || scope == MPI_T_SCOPE_LOCAL ||
	       scope == MPI_T_SCOPE_GROUP || scope == MPI_T_SCOPE_GROUP_EQ || scope == MPI_T_SCOPE_ALL ||
	       scope == MPI_T_SCOPE_ALL_EQ;
}

static bool enum_is_right(MPI_T_enum e)
{
	char name[256];
	int n, length = sizeof name, value;

	if (MPI_T_enum_get_info(e, &n, name, &length) != MPI_SUCCESS || n < 1 || length < 2)
		return false;
	for (int i = 0; i < n; i++) {
		length = sizeof name;
		if (MPI_T_enum_get_item(e, i, &value, name, &length) != MPI_SUCCESS || length < 2)
			return false;
	}
	return MPI_T_enum_get_item(e, -1, &value, NULL, NULL) == MPI_T_ERR_INVALID_INDEX &&
	       MPI_T_enum_get_item(e, n, &value, NULL, NULL) == MPI_T_ERR_INVALID_INDEX &&
	       MPI_T_enum_get_info(e, NULL, NULL, NULL) == MPI_SUCCESS;
}

static void cvars(void)
{
	static struct said a, b;
	bool all = true, stable = true, names = true, scopes = true, enums = true, inverse = true;
	int n = -1, index, again;

	rule("000.1", MPI_T_cvar_get_num(&n) == MPI_SUCCESS && n > 0, "no control variables");
	char **list = calloc((size_t)n, sizeof *list);
	for (int i = 0; i < n; i++) {
		all = all && ask_cvar(i, &a) == MPI_SUCCESS && ask_cvar(i, &b) == MPI_SUCCESS;
		stable = stable && same(&a, &b);
		names = names && *a.name;
		scopes = scopes && known_scope(a.scope);
		enums = enums &&
			(a.enumtype == MPI_T_ENUM_NULL || (a.datatype == MPI_INT && enum_is_right(a.enumtype)));
		inverse = inverse && MPI_T_cvar_get_index(a.name, &index) == MPI_SUCCESS && index == i;
		list[i] = strdup(a.name);
	}
	rule("000.1", all, "an index below the number is refused");
	rule("000.5", stable, "a variable says different things of itself");
	rule("000.6", MPI_T_cvar_get_info(0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL) == MPI_SUCCESS,
	     "NULL is not ignored");
	rule("000.7", names && unique(list, n), "a name is empty or there twice");
	rule("000.8", enums, "an enumeration of something else than MPI_INT, or not right in itself");
	rule("C24", enums, "an enumeration that is not right in itself");
	rule("000.10", scopes, "an unknown scope");
	rule("000.13", inverse, "the index of a name is another one");
	rule("000.13", MPI_T_cvar_get_index("no variable has this name", &index) == MPI_T_ERR_INVALID_NAME,
	     "an unknown name is known");
	rule("000.15",
	     MPI_T_cvar_get_info(-1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL) == MPI_T_ERR_INVALID_INDEX &&
		     MPI_T_cvar_get_info(n, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL) ==
			     MPI_T_ERR_INVALID_INDEX,
	     "get_info outside of the range");
	MPI_T_cvar_get_num(&again);
	rule("000.2", again >= n, "variables have vanished");
}

static void access_cvars(void)
{
	static struct said a;
	static char value[1 << 16], value2[1 << 16];
	bool reads = true, refusals = true, frees = true, unchanged = true;
	int n, count, n_read = 0;
	MPI_T_cvar_handle h, copy, second;

	MPI_T_cvar_get_num(&n);
	for (int i = 0; i < n; i++) {
		ask_cvar(i, &a);
		if (a.bind != MPI_T_BIND_NO_OBJECT || MPI_T_cvar_handle_alloc(i, NULL, &h, &count) != MPI_SUCCESS)
			continue;
		copy = h;
		memset(value, 0x5a, sizeof value);
		int rc = MPI_T_cvar_read(h, value);
		n_read += rc == MPI_SUCCESS;
		reads = reads && (rc == MPI_SUCCESS || rc == MPI_T_ERR_NOT_ACCESSIBLE) && count >= 1;
		if (a.scope == MPI_T_SCOPE_CONSTANT || a.scope == MPI_T_SCOPE_READONLY) {
			int refused = MPI_T_cvar_write(h, value);
			refusals = refusals &&
				   (refused == MPI_T_ERR_CVAR_SET_NEVER || refused == MPI_T_ERR_CVAR_SET_NOT_NOW);
			if (rc == MPI_SUCCESS && a.datatype == MPI_INT && count == 1)
				unchanged = unchanged && MPI_T_cvar_read(h, value2) == MPI_SUCCESS &&
					    memcmp(value, value2, sizeof(int)) == 0;
		}
		frees = frees && MPI_T_cvar_handle_free(&h) == MPI_SUCCESS && h == MPI_T_CVAR_HANDLE_NULL;
		frees = frees && MPI_T_cvar_read(copy, value) == MPI_T_ERR_INVALID_HANDLE;
	}
	rule("000.20", reads && n_read > 0, "a variable cannot be read");
	rule("000.22", refusals && unchanged, "a read-only variable is not refused, or has changed");
	rule("000.19", frees, "a handle is not null after it was freed, or still read");
	rule("000.15",
	     MPI_T_cvar_handle_alloc(-1, NULL, &h, &count) == MPI_T_ERR_INVALID_INDEX &&
		     MPI_T_cvar_handle_alloc(n, NULL, &h, &count) == MPI_T_ERR_INVALID_INDEX,
	     "handle_alloc outside of the range");
	rule("000.25",
	     MPI_T_cvar_read(MPI_T_CVAR_HANDLE_NULL, value) == MPI_T_ERR_INVALID_HANDLE &&
		     MPI_T_cvar_write(MPI_T_CVAR_HANDLE_NULL, value) == MPI_T_ERR_INVALID_HANDLE,
	     "the null handle is taken");
	h = MPI_T_CVAR_HANDLE_NULL;
	rule("000.25", MPI_T_cvar_handle_free(&h) == MPI_T_ERR_INVALID_HANDLE, "the null handle is freed");
	h = (MPI_T_cvar_handle)(void *)&n;
	rule("000.25", MPI_T_cvar_read(h, value) == MPI_T_ERR_INVALID_HANDLE,
	     "a foreign pointer is taken for a handle");
	int index;
	bool two = MPI_T_cvar_get_index("MPI2DD_VERSION", &index) == MPI_SUCCESS &&
		   MPI_T_cvar_handle_alloc(index, &n, &h, &count) == MPI_SUCCESS &&
		   MPI_T_cvar_handle_alloc(index, NULL, &second, &count) == MPI_SUCCESS && h != second &&
		   MPI_T_cvar_handle_free(&h) == MPI_SUCCESS && MPI_T_cvar_read(second, value) == MPI_SUCCESS &&
		   (int)strlen(value) < count && MPI_T_cvar_handle_free(&second) == MPI_SUCCESS;
	rule("000.18", two, "two handles of one variable are not independent");
	rule("C23", two, "a text does not end within its count");
}

static void pvars(void)
{
	static struct said a;
	bool all = true, inverse = true;
	int n = -1, index, count;
	MPI_T_pvar_session session = MPI_T_PVAR_SESSION_NULL, other = MPI_T_PVAR_SESSION_NULL, gone;
	MPI_T_pvar_handle h = MPI_T_PVAR_HANDLE_NULL, bad = (MPI_T_pvar_handle)(void *)&n;
	unsigned long long value = 77;

	rule("P1", MPI_T_pvar_get_num(&n) == MPI_SUCCESS && n > 0, "no performance variables");
	for (int i = 0; i < n; i++) {
		all = all && ask_pvar(i, &a) == MPI_SUCCESS && *a.name;
		inverse = inverse && MPI_T_pvar_get_index(a.name, a.var_class, &index) == MPI_SUCCESS && index == i;
	}
	rule("P1", all && inverse, "the index of a name and class is another one");
	rule("C13",
	     MPI_T_pvar_get_info(-1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL) ==
			     MPI_T_ERR_INVALID_INDEX &&
		     MPI_T_pvar_get_info(n, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL) ==
			     MPI_T_ERR_INVALID_INDEX,
	     "get_info outside of the range");
	rule("C13",
	     MPI_T_pvar_get_index("none", MPI_T_PVAR_CLASS_LEVEL, &index) == MPI_T_ERR_INVALID_NAME &&
		     MPI_T_pvar_get_index("mpi2dd_event_listeners", -5, &index) == MPI_T_ERR_INVALID_NAME,
	     "an unknown name, or class, is known");
	bool made = MPI_T_pvar_session_create(&session) == MPI_SUCCESS &&
		    MPI_T_pvar_session_create(&other) == MPI_SUCCESS;
	rule("P4", made && session != other, "two sessions are one");
	made = MPI_T_pvar_get_index("mpi2dd_event_listeners", MPI_T_PVAR_CLASS_LEVEL, &index) == MPI_SUCCESS &&
	       MPI_T_pvar_handle_alloc(session, index, NULL, &h, &count) == MPI_SUCCESS && count == 1;
	rule("P4", made && MPI_T_pvar_read(session, h, &value) == MPI_SUCCESS && value == 0, "cannot be read");
	rule("P4", MPI_T_pvar_read(other, h, &value) == MPI_T_ERR_INVALID_HANDLE,
	     "a handle is good in another session");
	rule("P5",
	     MPI_T_pvar_start(session, h) == MPI_T_ERR_PVAR_NO_STARTSTOP &&
		     MPI_T_pvar_stop(session, h) == MPI_T_ERR_PVAR_NO_STARTSTOP,
	     "a continuous variable can be started or stopped");
	rule("P5", MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES) == MPI_SUCCESS,
	     "starting all does not pass it over");
	rule("P7",
	     MPI_T_pvar_write(session, h, &value) == MPI_T_ERR_PVAR_NO_WRITE &&
		     MPI_T_pvar_reset(session, h) == MPI_T_ERR_PVAR_NO_WRITE,
	     "a read-only variable can be written");
	rule("P8", MPI_T_pvar_readreset(session, h, &value) == MPI_T_ERR_PVAR_NO_ATOMIC, "read and reset at once");
	rule("P9",
	     MPI_T_pvar_read(session, MPI_T_PVAR_ALL_HANDLES, &value) == MPI_T_ERR_INVALID_HANDLE &&
		     MPI_T_pvar_write(session, MPI_T_PVAR_ALL_HANDLES, &value) == MPI_T_ERR_INVALID_HANDLE &&
		     MPI_T_pvar_readreset(session, MPI_T_PVAR_ALL_HANDLES, &value) == MPI_T_ERR_INVALID_HANDLE,
	     "all handles can be read or written at once");
	rule("C14",
	     MPI_T_pvar_read(session, bad, &value) == MPI_T_ERR_INVALID_HANDLE &&
		     MPI_T_pvar_read(session, MPI_T_PVAR_HANDLE_NULL, &value) == MPI_T_ERR_INVALID_HANDLE &&
		     MPI_T_pvar_read(MPI_T_PVAR_SESSION_NULL, h, &value) == MPI_T_ERR_INVALID_SESSION &&
		     MPI_T_pvar_start(MPI_T_PVAR_SESSION_NULL, MPI_T_PVAR_ALL_HANDLES) == MPI_T_ERR_INVALID_SESSION,
	     "foreign or null handles and sessions");
	rule("C14",
	     MPI_T_pvar_handle_alloc(session, -1, NULL, &bad, &count) == MPI_T_ERR_INVALID_INDEX &&
		     MPI_T_pvar_handle_alloc(session, n, NULL, &bad, &count) == MPI_T_ERR_INVALID_INDEX,
	     "handle_alloc outside of the range");
	gone = session;
	rule("P10",
	     MPI_T_pvar_session_free(&session) == MPI_SUCCESS && session == MPI_T_PVAR_SESSION_NULL &&
		     MPI_T_pvar_read(gone, h, &value) == MPI_T_ERR_INVALID_SESSION,
	     "a freed session is good");
	rule("P11",
	     MPI_T_pvar_read(other, h, &value) == MPI_T_ERR_INVALID_HANDLE &&
		     MPI_T_pvar_session_free(&other) == MPI_SUCCESS,
	     "freeing one session has hurt the other");
	rule("P10", MPI_T_pvar_session_free(&other) == MPI_T_ERR_INVALID_SESSION, "the null session is freed");
}

static bool acyclic(int category, int depth)
{
	int below[1024], n = 0;

	if (depth > 50 || MPI_T_category_get_info(category, NULL, NULL, NULL, NULL, NULL, NULL, &n) != MPI_SUCCESS ||
	    n > 1024)
		return false;
	MPI_T_category_get_categories(category, n, below);
	for (int i = 0; i < n; i++)
		if (!acyclic(below[i], depth + 1))
			return false;
	return true;
}

static void categories(void)
{
	bool all = true, members = true, tree = true;
	int n = -1, index, stamp = -1, later = -1, n_cvars, n_vars;

	MPI_T_cvar_get_num(&n_vars);
	rule("002.1", MPI_T_category_get_num(&n) == MPI_SUCCESS && n > 0, "no categories");
	char **list = calloc((size_t)n, sizeof *list);
	for (int i = 0; i < n; i++) {
		char name[512];
		int length = sizeof name;
		all = all &&
		      MPI_T_category_get_info(i, name, &length, NULL, NULL, &n_cvars, NULL, NULL) == MPI_SUCCESS &&
		      MPI_T_category_get_index(name, &index) == MPI_SUCCESS && index == i && *name;
		list[i] = strdup(name);
		int *v = malloc(((size_t)n_cvars + 1) * sizeof *v);
		v[n_cvars] = -7;
		members = members && MPI_T_category_get_cvars(i, n_cvars + 1, v) == MPI_SUCCESS && v[n_cvars] == -7;
		for (int k = 0; k < n_cvars; k++)
			members = members && v[k] >= 0 && v[k] < n_vars;
		if (n_cvars > 1) {
			v[1] = -7;
			members = members && MPI_T_category_get_cvars(i, 1, v) == MPI_SUCCESS && v[1] == -7;
		}
		free(v);
		tree = tree && acyclic(i, 0);
	}
	rule("002.4", all && unique(list, n), "a name is empty, there twice, or of another index");
	rule("002.7", members, "members are not those that were counted, or more is written than asked for");
	rule("002.3", tree, "a category contains itself");
	rule("002.7", MPI_T_category_get_cvars(0, 0, NULL) == MPI_SUCCESS, "nothing asked for is refused");
	rule("002.6", MPI_T_category_get_index("no category", &index) == MPI_T_ERR_INVALID_NAME,
	     "an unknown name is known");
	rule("002.12",
	     MPI_T_category_get_info(-1, NULL, NULL, NULL, NULL, NULL, NULL, NULL) == MPI_T_ERR_INVALID_INDEX &&
		     MPI_T_category_get_cvars(n, 0, NULL) == MPI_T_ERR_INVALID_INDEX,
	     "an index outside of the range");
	rule("002.10",
	     MPI_T_category_changed(&stamp) == MPI_SUCCESS && MPI_T_category_changed(&later) == MPI_SUCCESS &&
		     stamp == later,
	     "nothing has changed, but the number");
}

static void all_of_it(void)
{
	int provided = -1, n;

	rule("C17", MPI_T_cvar_get_num(&n) == MPI_T_ERR_NOT_INITIALIZED, "works before MPI_T_init_thread");
	rule("C18", MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided) == MPI_SUCCESS && provided == MPI_THREAD_MULTIPLE,
	     "no start");
	provided = -1;
	rule("C18", MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS && provided >= 0, "no second start");
	int status = -1;
	pid_t child = fork();
	if (child == 0) {
		/* also in a child of the child */
		pid_t grandchild = fork();
		if (grandchild == 0)
			_exit(MPI_T_cvar_get_index("MPI2DD_VERSION", &n) == MPI_SUCCESS ? 7 : 1);
		waitpid(grandchild, &status, 0);
		_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
	}
	waitpid(child, &status, 0);
	rule("C18", WIFEXITED(status) && WEXITSTATUS(status) == 7, "does not work after fork");
	strings();
	cvars();
	access_cvars();
	pvars();
	categories();
	rule("C12", MPI_T_enum_get_info(MPI_T_ENUM_NULL, &n, NULL, NULL) != MPI_SUCCESS, "the null enumeration is one");
	rule("C19", MPI_T_finalize() == MPI_SUCCESS && MPI_T_cvar_get_num(&n) == MPI_SUCCESS, "ended too soon");
	rule("C19", MPI_T_finalize() == MPI_SUCCESS && MPI_T_cvar_get_num(&n) == MPI_T_ERR_NOT_INITIALIZED,
	     "did not end");
	rule("C19", MPI_T_finalize() == MPI_T_ERR_NOT_INITIALIZED, "ended twice");
}

int main(int argc, char **argv)
{
	const char *when = argc > 1 ? argv[1] : "all";
	bool all = strcmp(when, "all") == 0;
	int provided, level;

	if (all || strcmp(when, "before") == 0)
		all_of_it();
	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
	MPI_Query_thread(&level);
	if (all || strcmp(when, "during") == 0) {
		int after;
		all_of_it();
		MPI_Query_thread(&after);
		rule("C21", after == level, "MPI_T has changed MPI's thread level");
	}
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	if (all || strcmp(when, "after") == 0)
		all_of_it();
	return n_bad != 0;
}
