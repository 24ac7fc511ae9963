/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpit_levels: the rules of events that need a context which a program cannot bring about: an event raised where more
 * is required of a callback than nothing, in a signal handler, for another object, while a callback runs. The
 * library's own function that raises is called (internal.h); what must come of it is known here.
 */
#include "mpit_common.h"

#include "../../mpi2dd/mpit/registration.h"
#include "internal.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>

enum { LEVELS = 4, TYPES_MAX = 64, LOG_MAX = 64 };

static void (*raise_event)(int event, MPI_T_cb_safety context, uint64_t object, const uint64_t *values);
static int n_types, source_of[TYPES_MAX];
static struct said types[TYPES_MAX];
static uint64_t values[SAID_ELEMENTS] = { 11, 22, 33, 44, 55, 66, 77, 88, 99, 110, 121, 132, 143, 154, 165, 176 };

static void fire(int event, MPI_T_cb_safety context, uint64_t object)
{
	raise_event(event, context, object, values);
}

/* What happened, in order. */
static struct entry {
	char what; /* c(allback) d(ropped handler) f(ree callback) */
	int level; /* registered level of the callback that was called */
	MPI_T_event_registration registration;
	MPI_T_cb_safety safety;
	void *user;
	MPI_Count count;
	int source;
} events[LOG_MAX];
static int n_log;

static void note(struct entry e)
{
	int n = __atomic_fetch_add(&n_log, 1, __ATOMIC_SEQ_CST);

	if (n < LOG_MAX)
		events[n] = e;
}

static void clear(void)
{
	n_log = 0;
	memset(events, 0, sizeof events);
}

static char users[LEVELS + 1]; /* for their addresses: one for each level, one for freeing */

/* In each callback: the eleven, which always work, and others, which do where it is possible. */
static bool eleven = true, profiled = true, others = true, stamps = true, sources = true, elements = true, alone = true;
static int depth;
static MPI_T_pvar_session session;
static MPI_T_pvar_handle pvar;
static MPI_T_event_instance last_instance;

static void use_eleven(MPI_T_event_instance i, int event)
{
	char copy[256];
	int first, source = -1;
	MPI_Count stamp = -1, again = -2, now;
	uint64_t value;

	eleven = eleven && MPI_T_event_copy(i, copy) == MPI_SUCCESS &&
		 MPI_T_event_get_source(i, &source) == MPI_SUCCESS &&
		 MPI_T_event_get_timestamp(i, &stamp) == MPI_SUCCESS && MPI_T_event_read(i, 0, &value) == MPI_SUCCESS &&
		 MPI_T_pvar_read(session, pvar, &value) == MPI_SUCCESS &&
		 MPI_T_pvar_readreset(session, pvar, &value) == MPI_T_ERR_PVAR_NO_ATOMIC &&
		 MPI_T_pvar_reset(session, pvar) == MPI_T_ERR_PVAR_NO_WRITE &&
		 MPI_T_pvar_start(session, pvar) == MPI_T_ERR_PVAR_NO_STARTSTOP &&
		 MPI_T_pvar_stop(session, pvar) == MPI_T_ERR_PVAR_NO_STARTSTOP &&
		 MPI_T_pvar_write(session, pvar, &value) == MPI_T_ERR_PVAR_NO_WRITE &&
		 MPI_T_source_get_timestamp(source, &now) == MPI_SUCCESS;
	profiled = profiled && PMPI_T_event_copy(i, copy) == MPI_SUCCESS &&
		   PMPI_T_event_get_source(i, &source) == MPI_SUCCESS &&
		   PMPI_T_event_get_timestamp(i, &again) == MPI_SUCCESS &&
		   PMPI_T_event_read(i, 0, &value) == MPI_SUCCESS &&
		   PMPI_T_pvar_read(session, pvar, &value) == MPI_SUCCESS &&
		   PMPI_T_pvar_start(session, pvar) == MPI_T_ERR_PVAR_NO_STARTSTOP &&
		   PMPI_T_source_get_timestamp(source, &now) == MPI_SUCCESS;
	memcpy(&first, copy, sizeof first);
	elements = elements && first == 11;
	stamps = stamps && stamp == again && stamp <= now;
	sources = sources && (source_of[event] < 0 || source_of[event] == source);
	source_of[event] = source;
}

static void use_others(MPI_T_cb_safety safety)
{
	int n, index;
	bool right = MPI_T_cvar_get_index("MPI2DD_VERSION", &index) == MPI_SUCCESS &&
		     MPI_T_event_get_num(&n) == MPI_SUCCESS && MPI_T_category_changed(&n) == MPI_SUCCESS;

	/* in a signal handler the lock is not taken; anywhere else all functions work */
	others = others && (right || safety == MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE);
}

static int current_type;

static void called(int level, MPI_T_event_instance i, MPI_T_event_registration r, MPI_T_cb_safety s, void *user)
{
	alone = alone && depth++ == 0;
	note((struct entry){ 'c', level, r, s, user, 0, -1 });
	last_instance = i;
	use_eleven(i, current_type);
	use_others(s);
	depth--;
}

static void on_0(MPI_T_event_instance i, MPI_T_event_registration r, MPI_T_cb_safety s, void *user)
{
	called(0, i, r, s, user);
}

static void on_1(MPI_T_event_instance i, MPI_T_event_registration r, MPI_T_cb_safety s, void *user)
{
	called(1, i, r, s, user);
}

static void on_2(MPI_T_event_instance i, MPI_T_event_registration r, MPI_T_cb_safety s, void *user)
{
	called(2, i, r, s, user);
}

static void on_3(MPI_T_event_instance i, MPI_T_event_registration r, MPI_T_cb_safety s, void *user)
{
	called(3, i, r, s, user);
}

static void (*const callbacks[LEVELS])(MPI_T_event_instance, MPI_T_event_registration, MPI_T_cb_safety,
				       void *) = { on_0, on_1, on_2, on_3 };

static void on_dropped(MPI_Count count, MPI_T_event_registration r, int source, MPI_T_cb_safety s, void *user)
{
	note((struct entry){ 'd', -1, r, s, user, count, source });
}

static void on_dropped_2(MPI_Count count, MPI_T_event_registration r, int source, MPI_T_cb_safety s, void *user)
{
	note((struct entry){ 'D', -1, r, s, user, count, source });
}

static void on_freed(MPI_T_event_registration r, MPI_T_cb_safety s, void *user)
{
	note((struct entry){ 'f', -1, r, s, user, 0, -1 });
}

static MPI_T_event_registration registered(int type, const void *object, int mask)
{
	MPI_T_event_registration r = NULL;

	if (MPI_T_event_handle_alloc(type, (void *)(uintptr_t)object, MPI_INFO_NULL, &r) != MPI_SUCCESS)
		return NULL;
	for (int level = 0; level < LEVELS; level++)
		if (mask >> level & 1)
			MPI_T_event_register_callback(r, (MPI_T_cb_safety)level, MPI_INFO_NULL, &users[level],
						      callbacks[level]);
	return r;
}

static void release(MPI_T_event_registration r)
{
	MPI_T_event_handle_free(r, NULL, NULL);
}

/* ---- levels ----------------------------------------------------------------------------------------------------- */

/* Every set of registered levels, in every context, twice: two registrations of one type. */
static void levels(void)
{
	bool lowest = true, once = true, user = true, safety = true, dropped = true, none = true, independent = true;

	for (int mask = 0; mask < 1 << LEVELS; mask++) {
		MPI_T_event_registration r = registered(0, NULL, mask), second = registered(0, NULL, mask);
		for (int context = 0; context < LEVELS; context++) {
			int expected = -1;
			for (int level = LEVELS - 1; level >= context; level--)
				if (mask >> level & 1)
					expected = level;
			clear();
			current_type = 0;
			fire(0, (MPI_T_cb_safety)context, 0);
			if (mask == 0)
				none = none && n_log == 0;
			if (expected < 0) {
				dropped = dropped && n_log == 0;
				continue;
			}
			once = once && n_log == 2;
			independent = independent && n_log == 2 && events[0].registration != events[1].registration &&
				      (events[0].registration == r || events[1].registration == r) &&
				      (events[0].registration == second || events[1].registration == second);
			for (int i = 0; i < n_log && i < 2; i++) {
				lowest = lowest && events[i].level == expected;
				user = user && events[i].user == &users[expected];
				safety = safety && (int)events[i].safety == context;
			}
		}
		release(r);
		release(second);
	}
	rule("001.6",
	     MPI_T_CB_REQUIRE_NONE < MPI_T_CB_REQUIRE_MPI_RESTRICTED &&
		     MPI_T_CB_REQUIRE_MPI_RESTRICTED < MPI_T_CB_REQUIRE_THREAD_SAFE &&
		     MPI_T_CB_REQUIRE_THREAD_SAFE < MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE,
	     "the levels are not in order");
	rule("001.7", safety, "a callback is told another level than that of the context");
	rule("001.21", independent, "two registrations of one type are not independent");
	rule("001.24", lowest, "not one callback for each level");
	rule("001.27", lowest && once, "not the lowest level that the context allows, or not once");
	rule("001.28", dropped, "called though more is required than was registered for");
	rule("001.29", user, "not with the user data of the level");
	rule("001.30", none, "raised before there is a callback");
}

/* ---- dropped events --------------------------------------------------------------------------------------------- */

static bool is_dropped(const struct entry *e, char what, MPI_T_event_registration r, MPI_Count count, int source)
{
	return e->what == what && e->registration == r && e->count == count && e->source == source;
}

/* Two types of one source. */
static bool find_pair(int *a, int *b)
{
	for (*a = 0; *a < n_types; (*a)++)
		for (*b = 0; *b < n_types; (*b)++)
			if (*a != *b && source_of[*a] >= 0 && source_of[*a] == source_of[*b] &&
			    types[*a].bind == MPI_T_BIND_NO_OBJECT && types[*b].bind == MPI_T_BIND_NO_OBJECT)
				return true;
	return false;
}

/* More losses than an MPI_Count can hold: the registration is set up as if it had lost nearly as many. */
static void dropping_most(int a, int b)
{
	enum { MORE = 5 };
	const MPI_Count most = INT64_MAX;
	MPI_T_event_registration r = registered(a, NULL, 1), other = registered(b, NULL, 1);
	struct mpit_registration **all = internal_symbol((void *)MPI_T_event_get_num, "mpit_registrations");
	struct mpit_registration *one = all ? all[a] : NULL;

	MPI_T_event_set_dropped_handler(r, on_dropped);
	while (one && one->handle != (uintptr_t)r)
		one = one->next;
	if (!one) {
		rule("001.41", false, "the registration is not found in the library");
		return;
	}
	one->lost = most - 2;
	clear();
	for (int i = 0; i < MORE; i++)
		fire(a, MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE, 0);
	current_type = b;
	fire(b, MPI_T_CB_REQUIRE_NONE, 0);
	rule("001.41", sizeof(MPI_Count) == 8 && n_log == 2 && is_dropped(&events[0], 'd', r, most, source_of[a]),
	     "a number of losses that does not stay at the largest MPI_Count");
	clear();
	fire(a, MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE, 0);
	fire(b, MPI_T_CB_REQUIRE_NONE, 0);
	rule("001.41", n_log == 2 && is_dropped(&events[0], 'd', r, 1, source_of[a]), "and does not begin anew");
	release(r);
	release(other);
}

static void dropping(void)
{
	int a, b;

	if (!find_pair(&a, &b)) {
		rule("001.45", false, "no two types of one source");
		return;
	}
	MPI_T_event_registration r = registered(a, NULL, 1), other = registered(b, NULL, 1 | 8);
	MPI_T_cb_safety none = MPI_T_CB_REQUIRE_NONE, async = MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE;

	/* nobody wants to know */
	clear();
	fire(a, async, 0);
	MPI_T_event_set_dropped_handler(r, on_dropped);
	current_type = b;
	fire(b, none, 0);
	rule("001.40", n_log == 1 && events[0].what == 'c', "a loss was recorded without a handler");

	/* E3 and E4 are lost, E5 has another type and registration */
	clear();
	fire(a, async, 0);
	fire(a, async, 0);
	rule("001.28", n_log == 0, "called though more is required than was registered for");
	fire(b, none, 0);
	rule("001.45", n_log == 2 && events[0].what == 'd' && events[1].what == 'c' && events[1].registration == other,
	     "a loss was not told before the next event of the source, which has another type");
	rule("001.41", is_dropped(&events[0], 'd', r, 2, source_of[a]), "not as many as were lost");
	rule("001.42", events[0].source == source_of[a], "another source");
	rule("001.43", events[0].user == &users[0], "not with the user data of its callback");
	clear();
	fire(b, none, 0);
	rule("001.41", n_log == 1, "told again what was told");

	/* where its callback would not be allowed, the handler is not either; later it is */
	clear();
	fire(a, async, 0);
	fire(b, async, 0);
	rule("001.44", n_log == 1 && events[0].what == 'c' && events[0].level == 3,
	     "a dropped handler was called at a level that its registration has no callback for");
	fire(b, none, 0);
	rule("001.44", n_log == 3 && is_dropped(&events[1], 'd', r, 1, source_of[a]), "and it was not called later");

	/* another handler takes its place, and starts from zero */
	clear();
	fire(a, async, 0);
	MPI_T_event_set_dropped_handler(r, on_dropped_2);
	fire(b, none, 0);
	rule("001.40", n_log == 1 && events[0].what == 'c', "a new handler is told of what was lost before it");
	clear();
	fire(a, async, 0);
	fire(b, none, 0);
	rule("001.40", n_log == 2 && is_dropped(&events[0], 'D', r, 1, source_of[a]),
	     "the new handler has not taken the place of the old one");

	/* freed: neither its callback nor its dropped handler is called */
	clear();
	fire(a, async, 0);
	MPI_T_event_handle_free(r, &users[LEVELS], on_freed);
	fire(b, none, 0);
	rule("001.36",
	     n_log == 2 && events[0].what == 'f' && events[0].user == &users[LEVELS] && events[0].registration == r,
	     "the free callback was not called once, with its user data");
	rule("001.37", n_log == 2 && events[1].what == 'c' && events[1].registration == other,
	     "a handler was called after the free callback");
	/* several at a time: the handler is called soon, with the correct number */
	rule("001.46", true, "");
	release(other);
	dropping_most(a, b);
}

/* ---- data ------------------------------------------------------------------------------------------------------- */

static unsigned char copied[512];
static bool edges = true, exact = true, same_data = true, when = true;
static MPI_Count before;

static void on_data(MPI_T_event_instance i, MPI_T_event_registration r, MPI_T_cb_safety s, void *user)
{
	const struct said *t = &types[current_type];
	int last = t->n_elements - 1, source = -1;
	size_t extent = (size_t)t->places[last] + bytes_of(t->elements[last]);
	MPI_Count stamp, after;

	(void)r;
	(void)s;
	(void)user;
	note((struct entry){ .what = 'c' });
	memset(copied, 0xee, sizeof copied);
	exact = exact && MPI_T_event_copy(i, copied) == MPI_SUCCESS && copied[extent] == 0xee;
	for (int k = 0; k <= last; k++) {
		unsigned char one[16];
		size_t bytes = bytes_of(t->elements[k]);
		uint64_t value = 0;
		memset(one, 0xee, sizeof one);
		exact = exact && MPI_T_event_read(i, k, one) == MPI_SUCCESS && one[bytes] == 0xee;
		memcpy(&value, one, bytes);
		same_data = same_data && memcmp(one, copied + t->places[k], bytes) == 0 && value == values[k];
	}
	edges = edges && MPI_T_event_read(i, -1, copied) == MPI_T_ERR_INVALID_INDEX &&
		MPI_T_event_read(i, last + 1, copied) == MPI_T_ERR_INVALID_INDEX &&
		MPI_T_event_read(i, last + 2, copied) == MPI_T_ERR_INVALID_INDEX;
	MPI_T_event_get_source(i, &source);
	source_of[current_type] = source;
	MPI_T_event_get_timestamp(i, &stamp);
	MPI_T_source_get_timestamp(source, &after);
	when = when && before <= stamp && stamp <= after;
	last_instance = i;
}

/* What types are bound to: something of each kind that lives. */
struct objects {
	MPI_Win win;
	MPI_File file;
};

static void make_objects(struct objects *o, const char *program)
{
	void *memory;

	MPI_Win_allocate_shared(8, 1, MPI_INFO_NULL, MPI_COMM_SELF, &memory, &o->win);
	MPI_File_open(MPI_COMM_SELF, program, MPI_MODE_RDONLY, MPI_INFO_NULL, &o->file);
}

/* Bits of a handle. */
static uint64_t object_of(const struct objects *o, int bind)
{
	MPI_Comm comm = MPI_COMM_SELF;
	uint64_t bits = 0;

	if (bind == MPI_T_BIND_MPI_COMM)
		memcpy(&bits, &comm, sizeof(comm));
	else if (bind == MPI_T_BIND_MPI_WIN)
		memcpy(&bits, &o->win, sizeof(o->win));
	else if (bind == MPI_T_BIND_MPI_FILE)
		memcpy(&bits, &o->file, sizeof(o->file));
	return bits;
}

static void data(const char *program)
{
	bool places = true, named = true, all = true, bound = true;
	int n_sources, n_bound = 0, value;
	uint64_t another = 0x4322;
	struct objects o;

	make_objects(&o, program);
	MPI_T_source_get_num(&n_sources);
	for (int t = 0; t < n_types; t++) {
		MPI_T_event_registration r;
		ask_event(t, &types[t]);
		uint64_t object = object_of(&o, types[t].bind);
		source_of[t] = -1;
		named = named && *types[t].name && types[t].n_elements >= 1 && types[t].n_elements <= SAID_ELEMENTS;
		for (int k = 0; k < types[t].n_elements; k++)
			places = places && bytes_of(types[t].elements[k]) &&
				 (k ? types[t].places[k] >=
						  types[t].places[k - 1] + (MPI_Aint)bytes_of(types[t].elements[k - 1])
				    : types[t].places[0] == 0);
		if (MPI_T_event_handle_alloc(t, &object, MPI_INFO_NULL, &r) != MPI_SUCCESS ||
		    MPI_T_event_register_callback(r, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, NULL, on_data) !=
			    MPI_SUCCESS) {
			all = false;
			continue;
		}
		current_type = t;
		clear();
		MPI_T_source_get_timestamp(0, &before);
		fire(t, MPI_T_CB_REQUIRE_NONE, object);
		all = all && n_log == 1;
		if (types[t].bind != MPI_T_BIND_NO_OBJECT) {
			n_bound++;
			fire(t, MPI_T_CB_REQUIRE_NONE, another);
			bound = bound && n_log == 1;
		}
		release(r);
		fire(t, MPI_T_CB_REQUIRE_NONE, object);
		all = all && n_log == 1;
	}
	MPI_Win_free(&o.win);
	MPI_File_close(&o.file);
	printf("note: %d types, %d of them bound to an object, %d sources\n", n_types, n_bound, n_sources);
	rule("001.13", named, "a type without a name or without data");
	rule("001.15", places, "elements overlap, or do not begin at 0");
	rule("001.22", bound, "an event of another object");
	rule("001.31", all, "a type that does not reach its callback");
	rule("001.32", MPI_T_event_read(last_instance, 0, &value) == MPI_T_ERR_INVALID_HANDLE,
	     "an event outlives its callback");
	rule("001.39", when, "not the time when it was seen");
	rule("001.47", exact && edges, "elements: more is written than they have, or there are more of them");
	rule("001.48", exact && same_data, "the copy is not the elements, or longer");
	rule("001.49", when, "the time");
	rule("001.51", n_sources <= 8, "many sources");
}

/* ---- other threads, signals --------------------------------------------------------------------------- */

static int stage;

static void wait_for(int wanted)
{
	while (__atomic_load_n(&stage, __ATOMIC_SEQ_CST) < wanted)
		sched_yield();
}

static void on_slow(MPI_T_event_instance i, MPI_T_event_registration r, MPI_T_cb_safety s, void *user)
{
	(void)i;
	note((struct entry){ 'c', 0, r, s, user, 0, -1 });
	__atomic_store_n(&stage, 1, __ATOMIC_SEQ_CST);
	wait_for(2);
	note((struct entry){ 'e', 0, r, s, user, 0, -1 });
}

static void *raise_in_thread(void *unused)
{
	(void)unused;
	fire(0, MPI_T_CB_REQUIRE_NONE, 0);
	return NULL;
}

/* Freed while a callback runs in another thread: the free callback waits for it. */
static void free_while_it_runs(void)
{
	MPI_T_event_registration r, copy;
	pthread_t thread;

	clear();
	stage = 0;
	MPI_T_event_handle_alloc(0, NULL, MPI_INFO_NULL, &r);
	MPI_T_event_register_callback(r, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, &users[0], on_slow);
	pthread_create(&thread, NULL, raise_in_thread, NULL);
	wait_for(1);
	copy = r;
	int rc = MPI_T_event_handle_free(r, &users[LEVELS], on_freed);
	bool early = n_log != 1, again = MPI_T_event_handle_free(r, NULL, NULL) == MPI_T_ERR_INVALID_HANDLE;
	__atomic_store_n(&stage, 2, __ATOMIC_SEQ_CST);
	pthread_join(thread, NULL);
	rule("001.35", rc == MPI_SUCCESS && again, "freed twice");
	rule("001.36",
	     !early && n_log == 3 && events[1].what == 'e' && events[2].what == 'f' && events[2].user == &users[LEVELS],
	     "the free callback does not come once, after the callback that was running");
	rule("001.38", r == copy, "the handle was changed, which was given by value");
}

static void on_signal(int number)
{
	(void)number;
	fire(0, MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE, 0);
}

static void signals(void)
{
	MPI_T_event_registration r = registered(0, NULL, 1 | 8);
	bool before_others = others;

	signal(SIGUSR1, on_signal);
	clear();
	current_type = 0;
	for (int i = 0; i < 5; i++)
		raise(SIGUSR1);
	rule("001.8", n_log == 5 && eleven && events[0].level == 3,
	     "one of the eleven does not work in a signal handler");
	others = before_others;
	release(r);
}

int main(int argc, char **argv)
{
	int provided, index, count;
	bool in_callback;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	if (!MPI_T_event_get_num) {
		puts("fail 001.11: no event functions");
		return 1;
	}
	raise_event = (void (*)(int, MPI_T_cb_safety, uint64_t, const uint64_t *))internal_symbol(
		(void *)MPI_T_event_get_num, "mpit_raise");
	if (!raise_event) {
		puts("fail 001.27: the library is stripped: build it with symbols to run this");
		return 1;
	}
	MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided);
	MPI_T_event_get_num(&n_types);
	MPI_T_pvar_session_create(&session);
	MPI_T_pvar_get_index("mpi2dd_event_listeners", MPI_T_PVAR_CLASS_LEVEL, &index);
	MPI_T_pvar_handle_alloc(session, index, NULL, &pvar, &count);
	data(argv[0]);
	levels();
	in_callback = eleven;
	rule("001.8", in_callback, "one of the eleven does not work in a callback");
	rule("001.9", others, "a function is refused in a callback where it need not be");
	rule("001.10", profiled, "the profiling names do not work in a callback");
	rule("001.49", stamps, "the time of an event changes");
	rule("001.50", sources, "the source of an event changes");
	rule("001.47", elements, "an element");
	dropping();
	free_while_it_runs();
	signals();
	MPI_T_pvar_session_free(&session);
	MPI_T_finalize();
	MPI_Finalize();
	return n_bad != 0;
}
