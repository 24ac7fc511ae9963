/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpit_bad: bad input to every function of MPI_T in every state, made from a table. A row is a function and what each
 * of its arguments is; each argument in turn gets each bad value of its kind, with good ones beside it, and then
 * everything at random. The code is the one that the standard names; no error handler of MPI is called; nothing
 * crashes. States: MPI_T never started, started before MPI_Init, during, after MPI_Finalize; ended in each.
 */
#include "mpit_common.h"

#include <limits.h>
#include <sys/mman.h>

/* All arguments are numbers and pointers and are passed as such; a function ignores those beyond its parameters. */
typedef int function(intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t,
		     intptr_t, intptr_t, intptr_t);
enum { N_ARGUMENTS = 13 };

/*
 * Kinds of arguments: indices c(var) p(var) g (category) s(ource) e(vent) x (item of an enumeration); handles
 * C(var) P(var) S(ession) R(egistration) E(num) V (event instance: there is none here), and pointers to them: H Q T;
 * o optional output, O optional output that is an info object; m output that must be there, M that is an info object;
 * b buffer to read; n name; l length of the array a; k class; y level; t thread level; i info; j object; u anything.
 */
static struct row {
	const char *name;
	function *call;
	const char *kinds;
} rows[51];
static int n_rows;

/* At run time: the linker takes a weak function that it does not know for NULL where it is a constant. */
static void fill_rows(void)
{
#define ROW(name, kinds) rows[n_rows++] = (struct row){ #name, (function *)(void (*)(void))MPI_T_##name, kinds };
	/* clang-format off */
	ROW(init_thread, "to") ROW(finalize, "")
	ROW(enum_get_info, "Eooo") ROW(enum_get_item, "Exooo")
	ROW(cvar_get_num, "m") ROW(cvar_get_info, "cooooooooo") ROW(cvar_get_index, "nm")
	ROW(cvar_handle_alloc, "cumm") ROW(cvar_handle_free, "H") ROW(cvar_read, "Cm") ROW(cvar_write, "Cb")
	ROW(pvar_get_num, "m") ROW(pvar_get_info, "poooooooooooo") ROW(pvar_get_index, "nkm")
	ROW(pvar_session_create, "m") ROW(pvar_session_free, "T")
	ROW(pvar_handle_alloc, "Spumm") ROW(pvar_handle_free, "SQ")
	ROW(pvar_start, "SA") ROW(pvar_stop, "SA") ROW(pvar_read, "SPm") ROW(pvar_write, "SPb") ROW(pvar_reset, "SA")
	ROW(pvar_readreset, "SPm")
	ROW(source_get_num, "m") ROW(source_get_info, "soooooooO") ROW(source_get_timestamp, "sm")
	ROW(event_get_num, "m") ROW(event_get_info, "eoooooooOooo") ROW(event_get_index, "nm")
	ROW(event_handle_alloc, "euim") ROW(event_handle_set_info, "Ri") ROW(event_handle_get_info, "RM")
	ROW(event_register_callback, "Ryiuu") ROW(event_callback_set_info, "Ryi") ROW(event_callback_get_info, "RyM")
	ROW(event_handle_free, "Ruu") ROW(event_set_dropped_handler, "Ru")
	ROW(event_read, "Vxm") ROW(event_copy, "Vm") ROW(event_get_timestamp, "Vm") ROW(event_get_source, "Vm")
	ROW(category_get_num, "m") ROW(category_get_info, "gooooooo") ROW(category_get_num_events, "go")
	ROW(category_get_index, "nm") ROW(category_get_cvars, "gla") ROW(category_get_pvars, "gla")
	ROW(category_get_events, "gla") ROW(category_get_categories, "gla")
	ROW(category_changed, "m")
	/* clang-format on */
#undef ROW
}

/*
 * ---- valid arguments ----------------------------------------------------------------------------------------------
 */

/* Output buffers, one for each argument; an info object created in one is freed. */
static union room {
	MPI_Info info;
	int length;
	char bytes[1 << 12];
} rooms[N_ARGUMENTS];

static int n_of[128]; /* of each kind of index */
static MPI_T_cvar_handle cvar;
static MPI_T_pvar_session session;
static MPI_T_pvar_handle pvar;
static MPI_T_event_registration registration;
static MPI_T_enum enumeration;
static char stack_like[64];
static void *no_access;
/* handles that were freed */
static intptr_t old_cvar, old_pvar, old_session, old_registration;

static void on_event(MPI_T_event_instance i, MPI_T_event_registration r, MPI_T_cb_safety s, void *user)
{
	(void)i;
	(void)r;
	(void)s;
	(void)user;
}

static void make_handles(void)
{
	static struct said s;
	int index, count;
	MPI_T_cvar_handle c;
	MPI_T_pvar_handle p;
	MPI_T_pvar_session o;
	MPI_T_event_registration r;

	MPI_T_cvar_get_num(&n_of['c']);
	MPI_T_pvar_get_num(&n_of['p']);
	MPI_T_category_get_num(&n_of['g']);
	MPI_T_source_get_num(&n_of['s']);
	MPI_T_event_get_num(&n_of['e']);
	MPI_T_cvar_get_index("MPI2DD_VERSION", &index);
	MPI_T_cvar_handle_alloc(index, NULL, &cvar, &count);
	MPI_T_cvar_handle_alloc(index, NULL, &c, &count);
	MPI_T_pvar_get_index("mpi2dd_event_listeners", MPI_T_PVAR_CLASS_LEVEL, &index);
	MPI_T_pvar_session_create(&session);
	MPI_T_pvar_session_create(&o);
	MPI_T_pvar_handle_alloc(session, index, NULL, &pvar, &count);
	MPI_T_pvar_handle_alloc(o, index, NULL, &p, &count);
	MPI_T_event_handle_alloc(0, NULL, MPI_INFO_NULL, &registration);
	MPI_T_event_handle_alloc(0, NULL, MPI_INFO_NULL, &r);
	MPI_T_event_register_callback(registration, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, NULL, on_event);
	enumeration = MPI_T_ENUM_NULL;
	for (int i = 0; i < n_of['c'] && enumeration == MPI_T_ENUM_NULL; i++)
		if (ask_cvar(i, &s) == MPI_SUCCESS)
			enumeration = s.enumtype;
	n_of['x'] = 1;
	if (enumeration != MPI_T_ENUM_NULL)
		MPI_T_enum_get_info(enumeration, &n_of['x'], NULL, NULL);
	old_cvar = (intptr_t)c;
	old_pvar = (intptr_t)p;
	old_session = (intptr_t)o;
	old_registration = (intptr_t)r;
	MPI_T_cvar_handle_free(&c);
	MPI_T_pvar_handle_free(o, &p);
	MPI_T_pvar_session_free(&o);
	MPI_T_event_handle_free(r, NULL, NULL);
}

static void free_handles(void)
{
	MPI_T_cvar_handle_free(&cvar);
	MPI_T_pvar_session_free(&session);
	MPI_T_event_handle_free(registration, NULL, NULL);
}

static intptr_t good(char kind, int argument)
{
	switch (kind) {
	case 'C':
		return (intptr_t)cvar;
	case 'P':
	case 'A':
		return (intptr_t)pvar;
	case 'S':
		return (intptr_t)session;
	case 'R':
		return (intptr_t)registration;
	case 'E':
		return (intptr_t)enumeration;
	case 'n':
		return (intptr_t) "MPI2DD";
	case 'k':
		return MPI_T_PVAR_CLASS_LEVEL;
	case 't':
		return MPI_THREAD_SINGLE;
	case 'y':
		return MPI_T_CB_REQUIRE_NONE;
	case 'i':
		return (intptr_t)MPI_INFO_NULL;
	case 'l':
		return 2;
	case 'u':
		return 0;
	case 'H':
	case 'Q':
	case 'T':
		/* of a null handle: freeing the good ones would leave none for the next call */
		memset(&rooms[argument], 0, sizeof rooms[argument]);
		return (intptr_t)&rooms[argument];
	default:
		if (strchr("cpgsex", kind))
			return 0;
		memset(&rooms[argument], 0, sizeof rooms[argument]);
		return (intptr_t)&rooms[argument];
	}
}

/*
 * ---- invalid arguments --------------------------------------------------------------------------------------------
 */

enum { BAD_MAX = 24 };

struct bad {
	int n, code; /* the code that each of them must give */
	intptr_t values[BAD_MAX];
};

static void add(struct bad *b, intptr_t value)
{
	if (b->n < BAD_MAX)
		b->values[b->n++] = value;
}

/* What is no handle of any kind: null, pointers to memory of all sorts, numbers, another kind's handle. */
static void foreign(struct bad *b, char kind)
{
	static MPI_Comm world;

	world = MPI_COMM_WORLD;
	add(b, 0);
	add(b, 1);
	add(b, -2);
	add(b, INTPTR_MIN);
	add(b, (intptr_t)stack_like);
	add(b, (intptr_t)&world);
	add(b, (intptr_t)no_access);
	add(b, (intptr_t)(uintptr_t)0x1000000000000011);
	if (kind != 'C' && kind != 'H')
		add(b, (intptr_t)cvar);
	if (!strchr("PAQ", kind))
		add(b, (intptr_t)pvar);
	if (kind != 'S' && kind != 'T')
		add(b, (intptr_t)session);
	if (kind != 'R')
		add(b, (intptr_t)registration);
	if (kind != 'E')
		add(b, (intptr_t)enumeration);
	if (kind == 'P' || kind == 'Q') /* not for reading, writing, freeing */
		add(b, (intptr_t)MPI_T_PVAR_ALL_HANDLES);
	add(b, old_cvar);
	add(b, old_pvar);
	add(b, old_session);
	add(b, old_registration);
}

/* Bad values of a kind of argument; none for what may be anything. */
static struct bad bad_of(char kind)
{
	struct bad b = { .code = MPI_T_ERR_INVALID };

	switch (kind) {
	case 'c':
	case 'p':
	case 'g':
	case 's':
	case 'e':
	case 'x':
		b.code = MPI_T_ERR_INVALID_INDEX;
		add(&b, -1);
		add(&b, n_of[(int)kind]);
		add(&b, n_of[(int)kind] + 100000);
		add(&b, INT_MAX);
		add(&b, INT_MIN);
		break;
	case 'C':
	case 'P':
	case 'A':
	case 'R':
	case 'V':
	case 'E':
		b.code = MPI_T_ERR_INVALID_HANDLE;
		foreign(&b, kind);
		break;
	case 'S':
		b.code = MPI_T_ERR_INVALID_SESSION;
		foreign(&b, kind);
		break;
	case 'm':
	case 'M':
	case 'b':
	case 'H':
	case 'Q':
	case 'T':
	case 'n':
		add(&b, 0);
		break;
	case 'l':
		add(&b, -1);
		add(&b, INT_MIN);
		break;
	case 'a':
		add(&b, 0);
		break;
	case 'y':
		add(&b, -1);
		add(&b, 4);
		add(&b, INT_MAX);
		add(&b, INT_MIN);
		break;
	case 't':
		add(&b, -7);
		add(&b, 99);
		break;
	default:
		break;
	}
	return b;
}

/* ---- trying ----------------------------------------------------------------------------------------------------- */

static int n_calls, n_handler, wrong;

static int call(const struct row *r, const intptr_t *a)
{
	n_calls++;
	return r->call(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12]);
}

/* Release what a call with valid arguments has created. */
static void undo(const struct row *r, const intptr_t *a, int rc)
{
	if (rc != MPI_SUCCESS)
		return;
	if (strcmp(r->name, "init_thread") == 0)
		MPI_T_finalize();
	else if (strcmp(r->name, "cvar_handle_alloc") == 0)
		MPI_T_cvar_handle_free((MPI_T_cvar_handle *)a[2]);
	else if (strcmp(r->name, "pvar_handle_alloc") == 0)
		MPI_T_pvar_handle_free(session, (MPI_T_pvar_handle *)a[3]);
	else if (strcmp(r->name, "pvar_session_create") == 0)
		MPI_T_pvar_session_free((MPI_T_pvar_session *)a[0]);
	else if (strcmp(r->name, "event_handle_alloc") == 0)
		MPI_T_event_handle_free(*(MPI_T_event_registration *)a[3], NULL, NULL);
	for (int i = 0; r->kinds[i]; i++)
		if ((r->kinds[i] == 'O' || r->kinds[i] == 'M') && a[i] && *(MPI_Info *)a[i] != MPI_INFO_NULL)
			MPI_Info_free((MPI_Info *)a[i]);
}

static void fill_good(const struct row *r, intptr_t *a)
{
	int n = (int)strlen(r->kinds);

	for (int i = 0; i < N_ARGUMENTS; i++)
		a[i] = i < n ? good(r->kinds[i], i) : 0;
}

static void expect(const struct row *r, int argument, intptr_t value, int rc, int code, const char *state)
{
	if (rc == code)
		return;
	if (wrong++ < 20)
		printf("note: %s, argument %d, %#lx, %s: code %d and not %d\n", r->name, argument, (long)value, state,
		       rc, code);
}

/* The functions that make an info object cannot before MPI_Init and after MPI_Finalize. */
static bool makes_info(const struct row *r)
{
	return strchr(r->kinds, 'O') || strchr(r->kinds, 'M');
}

static bool is(const struct row *r, const char *name)
{
	return strcmp(r->name, name) == 0;
}

/* MPI_T is started: each bad value alone. */
static void one_at_a_time(const char *state)
{
	for (const struct row *r = rows; r < rows + n_rows; r++) {
		if (is(r, "finalize") || (strchr(r->kinds, 'E') && enumeration == MPI_T_ENUM_NULL))
			continue;
		for (int i = 0; r->kinds[i]; i++) {
			struct bad b = bad_of(r->kinds[i]);
			/* the element of an event that there is not */
			if (strchr(r->kinds, 'V') && r->kinds[i] != 'V')
				continue;
			for (int k = 0; k < b.n; k++) {
				intptr_t a[N_ARGUMENTS];
				fill_good(r, a);
				a[i] = b.values[k];
				int rc = call(r, a);
				undo(r, a, rc);
				expect(r, i, b.values[k], rc, b.code, state);
			}
			/* what a pointer to a handle points to */
			if (strchr("HQT", r->kinds[i])) {
				b = (struct bad){ .code = r->kinds[i] == 'T' ? MPI_T_ERR_INVALID_SESSION
									     : MPI_T_ERR_INVALID_HANDLE };
				foreign(&b, r->kinds[i]);
				for (int k = 0; k < b.n; k++) {
					intptr_t a[N_ARGUMENTS];
					fill_good(r, a);
					*(intptr_t *)a[i] = b.values[k];
					expect(r, i, b.values[k], call(r, a), b.code, state);
				}
			}
		}
		if (strchr(r->kinds, 'n')) {
			intptr_t a[N_ARGUMENTS];
			fill_good(r, a);
			a[0] = (intptr_t) "no such name";
			expect(r, 0, 0, call(r, a), MPI_T_ERR_INVALID_NAME, state);
			a[0] = (intptr_t) "";
			expect(r, 0, 0, call(r, a), MPI_T_ERR_INVALID_NAME, state);
		}
	}
}

/* Every optional output is NULL, one by one and all together;
 * info outputs are NULL while MPI cannot create an info object. */
static void optional(const char *state)
{
	for (const struct row *r = rows; r < rows + n_rows; r++) {
		int n = (int)strlen(r->kinds);
		if (!strpbrk(r->kinds, "oO") || is(r, "finalize") ||
		    (strchr(r->kinds, 'E') && enumeration == MPI_T_ENUM_NULL))
			continue;
		for (int skip = -1; skip < n; skip++) {
			intptr_t a[N_ARGUMENTS];
			fill_good(r, a);
			bool info = false;
			for (int i = 0; i < n; i++)
				if (strchr("oO", r->kinds[i]) && i != skip)
					a[i] = 0;
				else if (r->kinds[i] == 'O')
					info = true;
			int rc = call(r, a);
			undo(r, a, rc);
			expect(r, skip, 0, rc, info && !is_up() ? MPI_T_ERR_NOT_ACCESSIBLE : MPI_SUCCESS, state);
		}
	}
}

/* Two to all arguments at random among the good and the bad: some code, and no crash. */
static void at_random(void)
{
	static unsigned seed = 1;

	for (int n = 0; n < 20000; n++) {
		const struct row *r = &rows[rand_r(&seed) % (unsigned)n_rows];
		intptr_t a[N_ARGUMENTS];
		/* these end what the others need */
		if (is(r, "finalize") || is(r, "event_handle_free") || is(r, "init_thread") ||
		    (!is_up() && makes_info(r)))
			continue;
		fill_good(r, a);
		for (int i = 0; r->kinds[i]; i++) {
			struct bad b = bad_of(r->kinds[i]);
			if (b.n && rand_r(&seed) % 2)
				a[i] = b.values[rand_r(&seed) % (unsigned)b.n];
		}
		int rc = call(r, a);
		undo(r, a, rc);
		if (rc < 0 || rc > MPI_ERR_LASTCODE)
			expect(r, -1, 0, rc, MPI_T_ERR_INVALID, "at random");
	}
}

/* MPI_T is not started: nothing else matters. */
static void not_started(const char *state)
{
	int before = wrong;

	for (const struct row *r = rows; r < rows + n_rows; r++) {
		if (is(r, "init_thread"))
			continue;
		intptr_t a[N_ARGUMENTS];
		fill_good(r, a);
		expect(r, -1, 0, call(r, a), MPI_T_ERR_NOT_INITIALIZED, state);
		for (int i = 0; r->kinds[i]; i++) {
			struct bad b = bad_of(r->kinds[i]);
			for (int k = 0; k < b.n; k++) {
				fill_good(r, a);
				a[i] = b.values[k];
				expect(r, i, b.values[k], call(r, a), MPI_T_ERR_NOT_INITIALIZED, state);
			}
		}
	}
	rule("C17", wrong == before, "a function works, or says something else than that MPI_T is not started");
	rule("C11", wrong == before, "the code for what is not started");
}

static void started(const char *state)
{
	int provided, n;

	MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
	make_handles();
	wrong = 0;
	one_at_a_time(state);
	static const char *const numbers[] = { "C11",    "C12",   "C13",    "C14",    "C15",    "C16",   "000.15",
					       "000.25", "001.5", "001.19", "001.35", "001.47", "002.12" };
	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
		rule(numbers[i], wrong == 0, "another code than the standard's");
	wrong = 0;
	optional(state);
	rule("000.6", wrong == 0, "NULL is not ignored");
	rule("001.12", wrong == 0, "NULL is not ignored");
	rule("002.4", wrong == 0, "NULL is not ignored");
	wrong = 0;
	at_random();
	rule("C16", wrong == 0, "a code that is none");
	rule("C10", n_handler == 0, "an error handler of MPI was called");
	rule("C11", MPI_T_cvar_get_num(&n) == MPI_SUCCESS && n >= n_of['c'], "does not work any more");
	free_handles();
	MPI_T_finalize();
	wrong = 0;
	not_started(state);
}

static void on_error(MPI_Comm *comm, int *code, ...)
{
	(void)comm;
	(void)code;
	n_handler++;
}

int main(int argc, char **argv)
{
	MPI_Errhandler handler;

	if (!MPI_T_event_get_num) {
		puts("fail C17: no event functions");
		return 1;
	}
	fill_rows();
	no_access = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	not_started("never started");
	started("before MPI_Init");
	MPI_Init(&argc, &argv);
	MPI_Comm_create_errhandler(on_error, &handler);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
	MPI_Errhandler_free(&handler);
	started("during");
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
	MPI_Finalize();
	started("after MPI_Finalize");
	printf("note: %d calls\n", n_calls);
	return n_bad != 0;
}
