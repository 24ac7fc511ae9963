/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpit_rules WHEN: the common rules of MPI_T, C1 to C25: strings, codes, start and end, types, binding, enumerations.
 * WHEN: before (MPI_Init), during, after (MPI_Finalize), all.
 */
#include "mpit_common.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- strings ---------------------------------------------------------------------------------------------------- */

/* One string that a function returns: of which index (and item), which one of its strings. */
struct source {
	int (*get)(const struct source *s, char *buf, int *len);
	int index;
	MPI_T_enum enumtype;
};

static int cvar_name(const struct source *s, char *buf, int *len)
{
	return MPI_T_cvar_get_info(s->index, buf, len, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
}

static int cvar_desc(const struct source *s, char *buf, int *len)
{
	return MPI_T_cvar_get_info(s->index, NULL, NULL, NULL, NULL, NULL, buf, len, NULL, NULL);
}

static int pvar_name(const struct source *s, char *buf, int *len)
{
	return MPI_T_pvar_get_info(s->index, buf, len, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
}

static int pvar_desc(const struct source *s, char *buf, int *len)
{
	return MPI_T_pvar_get_info(s->index, NULL, NULL, NULL, NULL, NULL, NULL, buf, len, NULL, NULL, NULL, NULL);
}

static int category_name(const struct source *s, char *buf, int *len)
{
	return MPI_T_category_get_info(s->index, buf, len, NULL, NULL, NULL, NULL, NULL);
}

static int category_desc(const struct source *s, char *buf, int *len)
{
	return MPI_T_category_get_info(s->index, NULL, NULL, buf, len, NULL, NULL, NULL);
}

static int source_name(const struct source *s, char *buf, int *len)
{
	return MPI_T_source_get_info(s->index, buf, len, NULL, NULL, NULL, NULL, NULL, NULL);
}

static int source_desc(const struct source *s, char *buf, int *len)
{
	return MPI_T_source_get_info(s->index, NULL, NULL, buf, len, NULL, NULL, NULL, NULL);
}

static int event_name(const struct source *s, char *buf, int *len)
{
	return MPI_T_event_get_info(s->index, buf, len, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
}

static int event_desc(const struct source *s, char *buf, int *len)
{
	return MPI_T_event_get_info(s->index, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, buf, len, NULL);
}

static int enum_name(const struct source *s, char *buf, int *len)
{
	return MPI_T_enum_get_info(s->enumtype, NULL, buf, len);
}

static int item_name(const struct source *s, char *buf, int *len)
{
	return MPI_T_enum_get_item(s->enumtype, s->index, NULL, buf, len);
}

static int n_strings, n_empty;
static bool c1 = true, c2 = true, c3 = true, c4 = true, c5 = true, c6 = true, c8 = true;

static void try_string(const struct source *s)
{
	static char whole[16384], cut[16384];
	int n = sizeof whole, length;

	memset(whole, 'x', sizeof whole);
	c1 = c1 && s->get(s, whole, &n) == MPI_SUCCESS;
	int full = (int)strlen(whole) + 1;
	n_strings++;
	c4 = c4 && n == full;
	c2 = c2 && whole[full] == 'x';
	if (full == 1) {
		n_empty++;
		length = 7;
		c8 = c8 && whole[0] == '\0' && s->get(s, NULL, &length) == MPI_SUCCESS && length == 1;
	}
	for (int room = 1; room <= full + 1; room += full > 8 ? full / 3 : 1) {
		memset(cut, 'x', sizeof cut);
		length = room;
		int kept = room < full ? room - 1 : full - 1;
		c1 = c1 && s->get(s, cut, &length) == MPI_SUCCESS;
		c2 = c2 && cut[kept + 1] == 'x';
		c3 = c3 && cut[kept] == '\0' && memcmp(cut, whole, (size_t)kept) == 0;
		c4 = c4 && length == full;
	}
	memset(cut, 'x', sizeof cut);
	length = 0;
	c5 = c5 && s->get(s, cut, &length) == MPI_SUCCESS && cut[0] == 'x' && length == full;
	length = 99;
	c5 = c5 && s->get(s, NULL, &length) == MPI_SUCCESS && length == full;
	c6 = c6 && s->get(s, cut, NULL) == MPI_SUCCESS && cut[0] == 'x';
	c6 = c6 && s->get(s, NULL, NULL) == MPI_SUCCESS;
}

static void try_strings(int n, int (*name)(const struct source *, char *, int *),
			int (*desc)(const struct source *, char *, int *))
{
	for (int i = 0; i < n; i++) {
		try_string(&(struct source){ name, i, MPI_T_ENUM_NULL });
		try_string(&(struct source){ desc, i, MPI_T_ENUM_NULL });
	}
}

static void strings(void)
{
	int n_cvars, n_pvars, n_categories, n_sources, n_events, n_items;
	static struct said s;

	n_strings = 0;
	MPI_T_cvar_get_num(&n_cvars);
	MPI_T_pvar_get_num(&n_pvars);
	MPI_T_category_get_num(&n_categories);
	MPI_T_source_get_num(&n_sources);
	MPI_T_event_get_num(&n_events);
	try_strings(n_cvars, cvar_name, cvar_desc);
	try_strings(n_pvars, pvar_name, pvar_desc);
	try_strings(n_categories, category_name, category_desc);
	try_strings(n_sources, source_name, source_desc);
	try_strings(n_events, event_name, event_desc);
	for (int i = 0; i < n_cvars; i++) {
		ask_cvar(i, &s);
		if (s.enumtype == MPI_T_ENUM_NULL ||
		    MPI_T_enum_get_info(s.enumtype, &n_items, NULL, NULL) != MPI_SUCCESS)
			continue;
		try_string(&(struct source){ enum_name, 0, s.enumtype });
		for (int k = 0; k < n_items; k++)
			try_string(&(struct source){ item_name, k, s.enumtype });
	}
	rule("C1", c1 && n_strings > 2 * (n_cvars + n_pvars + n_categories + n_sources + n_events) - 1,
	     "a string is not returned");
	rule("C2", c2, "more was written than there was room for");
	rule("C3", c3, "not cut as it should be");
	rule("C4", c4, "the length is not that of the whole text and its end");
	rule("C5", c5, "only the length was asked for");
	rule("C6", c6, "no length was given: the buffer is left alone");
	rule("C8", c8, "a description that is not there");
}

/* ---- codes ------------------------------------------------------------------------------------------------------ */

static void codes(void)
{
	static const int tool[] = { MPI_T_ERR_CANNOT_INIT,
				    MPI_T_ERR_NOT_ACCESSIBLE,
				    MPI_T_ERR_NOT_INITIALIZED,
				    MPI_T_ERR_NOT_SUPPORTED,
				    MPI_T_ERR_MEMORY,
				    MPI_T_ERR_INVALID,
				    MPI_T_ERR_INVALID_INDEX,
				    MPI_T_ERR_INVALID_ITEM,
				    MPI_T_ERR_INVALID_SESSION,
				    MPI_T_ERR_INVALID_HANDLE,
				    MPI_T_ERR_INVALID_NAME,
				    MPI_T_ERR_OUT_OF_HANDLES,
				    MPI_T_ERR_OUT_OF_SESSIONS,
				    MPI_T_ERR_CVAR_SET_NOT_NOW,
				    MPI_T_ERR_CVAR_SET_NEVER,
				    MPI_T_ERR_PVAR_NO_WRITE,
				    MPI_T_ERR_PVAR_NO_STARTSTOP,
				    MPI_T_ERR_PVAR_NO_ATOMIC };
	static const int others[] = { MPI_ERR_BUFFER,       MPI_ERR_COUNT,    MPI_ERR_TYPE,       MPI_ERR_TAG,
				      MPI_ERR_COMM,         MPI_ERR_RANK,     MPI_ERR_REQUEST,    MPI_ERR_ROOT,
				      MPI_ERR_GROUP,        MPI_ERR_OP,       MPI_ERR_TOPOLOGY,   MPI_ERR_DIMS,
				      MPI_ERR_ARG,          MPI_ERR_UNKNOWN,  MPI_ERR_TRUNCATE,   MPI_ERR_OTHER,
				      MPI_ERR_INTERN,       MPI_ERR_PENDING,  MPI_ERR_IN_STATUS,  MPI_ERR_ACCESS,
				      MPI_ERR_FILE,         MPI_ERR_IO,       MPI_ERR_INFO,       MPI_ERR_INFO_KEY,
				      MPI_ERR_KEYVAL,       MPI_ERR_LOCKTYPE, MPI_ERR_NAME,       MPI_ERR_NO_MEM,
				      MPI_ERR_PORT,         MPI_ERR_SERVICE,  MPI_ERR_SPAWN,      MPI_ERR_WIN,
				      MPI_ERR_RMA_CONFLICT, MPI_ERR_RMA_SYNC, MPI_ERR_RMA_SHARED, MPI_ERR_RMA_FLAVOR };
	enum { N_TOOL = sizeof tool / sizeof tool[0], N_OTHERS = sizeof others / sizeof others[0] };
	bool right = MPI_SUCCESS == 0;

	for (int i = 0; i < N_TOOL; i++) {
		right = right && tool[i] > 0 && tool[i] <= MPI_ERR_LASTCODE;
		for (int k = 0; k < i; k++)
			right = right && tool[i] != tool[k];
		for (int k = 0; k < N_OTHERS; k++)
			right = right && tool[i] != others[k];
	}
	rule("C9", right, "two codes are equal, or one is out of range");
}

/* ---- enumerations, types, binding --------------------------------------------------------------------- */

static bool enum_is_right(MPI_T_enum e)
{
	char name[1024];
	int n, length = sizeof name, value;

	if (MPI_T_enum_get_info(e, &n, name, &length) != MPI_SUCCESS || n < 1 || length < 2)
		return false;
	char **list = calloc((size_t)n, sizeof *list);
	bool right = true;
	for (int i = 0; i < n; i++) {
		length = sizeof name;
		right = right && MPI_T_enum_get_item(e, i, &value, name, &length) == MPI_SUCCESS && length > 1;
		list[i] = strdup(name);
	}
	right = unique(list, n) && right;
	return right && MPI_T_enum_get_item(e, -1, &value, NULL, NULL) == MPI_T_ERR_INVALID_INDEX &&
	       MPI_T_enum_get_item(e, n, &value, NULL, NULL) == MPI_T_ERR_INVALID_INDEX &&
	       MPI_T_enum_get_item(e, 0, NULL, NULL, NULL) == MPI_SUCCESS &&
	       MPI_T_enum_get_info(e, NULL, NULL, NULL) == MPI_SUCCESS;
}

static void types(void)
{
	static struct said s;
	int n, n_others = 0, count, bad;
	bool known = true, enums = true, binds = true, garbage = true;
	MPI_T_cvar_handle h;

	MPI_T_cvar_get_num(&n);
	for (int i = 0; i < n; i++) {
		ask_cvar(i, &s);
		n_others += bytes_of(s.datatype) == 0;
		known = known && (is_own(&s) ? bytes_of(s.datatype) : bytes_of_host(s.datatype)) != 0;
		enums = enums &&
			(s.enumtype == MPI_T_ENUM_NULL || (s.datatype == MPI_INT && enum_is_right(s.enumtype)));
		binds = binds && is_bind(s.bind) && is_verbosity(s.verbosity);
		/* what an object's handle is, is not looked at when there is no object */
		if (s.bind == MPI_T_BIND_NO_OBJECT) {
			int plain = MPI_T_cvar_handle_alloc(i, NULL, &h, &count);
			if (plain == MPI_SUCCESS)
				MPI_T_cvar_handle_free(&h);
			bad = MPI_T_cvar_handle_alloc(i, (void *)(uintptr_t)0x11, &h, &count);
			if (bad == MPI_SUCCESS)
				MPI_T_cvar_handle_free(&h);
			garbage = garbage && bad == plain;
		}
	}
	MPI_T_pvar_get_num(&n);
	for (int i = 0; i < n; i++) {
		ask_pvar(i, &s);
		known = known && (is_own(&s) ? bytes_of(s.datatype) : bytes_of_host(s.datatype)) != 0;
		enums = enums &&
			(s.enumtype == MPI_T_ENUM_NULL || (s.datatype == MPI_INT && enum_is_right(s.enumtype)));
		binds = binds && is_bind(s.bind) && is_verbosity(s.verbosity);
	}
	MPI_T_event_get_num(&n);
	for (int i = 0; i < n; i++) {
		ask_event(i, &s);
		for (int k = 0; k < s.n_elements; k++)
			known = known && bytes_of(s.elements[k]) != 0;
		binds = binds && is_bind(s.bind);
	}
	printf("note: %d variables of the host have a type that the standard does not list\n", n_others);
	rule("C22", known, "a type that MPI_T does not know");
	rule("C24", enums, "an enumeration that is not right in itself");
	rule("C25", binds && garbage, "binding");
	rule("C12",
	     MPI_T_enum_get_info(MPI_T_ENUM_NULL, &n, NULL, NULL) == MPI_T_ERR_INVALID_HANDLE &&
		     MPI_T_enum_get_item(MPI_T_ENUM_NULL, 0, &n, NULL, NULL) == MPI_T_ERR_INVALID_HANDLE,
	     "the null enumeration is one");
}

static void texts(void)
{
	static struct said s;
	static char value[1 << 18];
	int n, count, n_read = 0;
	bool right = true;
	MPI_T_cvar_handle h;

	MPI_T_cvar_get_num(&n);
	for (int i = 0; i < n; i++) {
		ask_cvar(i, &s);
		if (s.datatype != MPI_CHAR || s.bind != MPI_T_BIND_NO_OBJECT ||
		    MPI_T_cvar_handle_alloc(i, NULL, &h, &count) != MPI_SUCCESS)
			continue;
		memset(value, 'x', sizeof value);
		if (MPI_T_cvar_read(h, value) == MPI_SUCCESS) {
			n_read++;
			right = right && memchr(value, '\0', (size_t)count) && value[count] == 'x';
		}
		MPI_T_cvar_handle_free(&h);
	}
	rule("C23", right && n_read > 0, "a text does not end within its count");
}

/* ---- start and end ---------------------------------------------------------------------------------------------- */

static bool works_in_children(void)
{
	int n, status = -1;
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
	return WIFEXITED(status) && WEXITSTATUS(status) == 7;
}

static void *in_a_thread(void *ret)
{
	int n, provided = -1;

	*(bool *)ret = MPI_T_init_thread(MPI_THREAD_SERIALIZED, &provided) == MPI_SUCCESS && provided >= 0 &&
		       MPI_T_cvar_get_num(&n) == MPI_SUCCESS && n > 0 && MPI_T_finalize() == MPI_SUCCESS;
	return NULL;
}

static bool is_level(int level)
{
	return level == MPI_THREAD_SINGLE || level == MPI_THREAD_FUNNELED || level == MPI_THREAD_SERIALIZED ||
	       level == MPI_THREAD_MULTIPLE;
}

static void all_of_it(void)
{
	int provided = -1, n, level = -1, level_after = -1, main_thread = -1, main_thread_after = -1;
	bool thread = false;
	pthread_t t;

	if (is_up()) {
		MPI_Query_thread(&level);
		MPI_Is_thread_main(&main_thread);
	}
	rule("C17", MPI_T_cvar_get_num(&n) == MPI_T_ERR_NOT_INITIALIZED, "works before MPI_T_init_thread");
	rule("C18", MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided) == MPI_SUCCESS && provided == MPI_THREAD_MULTIPLE,
	     "no start");
	for (int wanted = 0; wanted < 4; wanted++) {
		static const int levels[] = { MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED,
					      MPI_THREAD_MULTIPLE };
		provided = -1;
		rule("C18",
		     MPI_T_init_thread(levels[wanted], &provided) == MPI_SUCCESS && is_level(provided) &&
			     MPI_T_finalize() == MPI_SUCCESS,
		     "no second start, or no level");
	}
	provided = -1;
	rule("C18",
	     MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS && provided == MPI_THREAD_MULTIPLE &&
		     MPI_T_finalize() == MPI_SUCCESS,
	     "a level that was given is taken back");
	rule("C18", pthread_create(&t, NULL, in_a_thread, &thread) == 0 && pthread_join(t, NULL) == 0 && thread,
	     "does not work in a thread");
	rule("C18", works_in_children(), "does not work after fork");
	strings();
	codes();
	types();
	texts();
	MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
	rule("C19", MPI_T_finalize() == MPI_SUCCESS && MPI_T_cvar_get_num(&n) == MPI_SUCCESS, "ended too soon");
	rule("C19", MPI_T_finalize() == MPI_SUCCESS && MPI_T_cvar_get_num(&n) == MPI_T_ERR_NOT_INITIALIZED,
	     "did not end");
	rule("C19", MPI_T_finalize() == MPI_T_ERR_NOT_INITIALIZED, "ended twice");
	if (level >= 0) {
		MPI_Query_thread(&level_after);
		MPI_Is_thread_main(&main_thread_after);
		rule("C21", level_after == level && main_thread && main_thread_after, "MPI's threads are others now");
	}
}

int main(int argc, char **argv)
{
	const char *when = argc > 1 ? argv[1] : "all";
	bool all = strcmp(when, "all") == 0;
	int provided;

	if (!MPI_T_event_get_num) {
		puts("fail C17: no event functions");
		return 1;
	}
	if (all || strcmp(when, "before") == 0)
		all_of_it();
	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
	if (all || strcmp(when, "during") == 0)
		all_of_it();
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	if (all || strcmp(when, "after") == 0)
		all_of_it();
	return n_bad != 0;
}
