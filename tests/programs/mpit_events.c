/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpit_events: the rules of MPI_T for events, tried with events of this process: each call that returns an error raises
 * one. Prints a line per rule, "pass NUMBER" or "fail NUMBER: what"; the numbers are those of docs/mpi_t.md.
 */
#include "mpit_common.h"

#include <malloc.h>

#if __GLIBC_PREREQ(2, 33)
#define used_bytes() mallinfo2().uordblks
#else
#define used_bytes() (size_t) mallinfo().uordblks /* an int, which is enough here */
#endif

static int event = -1;

/* A call that returns an error: what raises the event. */
static int fail(void)
{
	int value = 0;

	return MPI_Send(&value, 1, MPI_INT, 1 << 20, 0, MPI_COMM_WORLD);
}

/* What the callbacks saw last. */
static struct {
	int n, level, n_freed, n_drops_reported, free_during_callback;
	MPI_Count n_lost;
	bool read_is_right, edges_refused, stamps_are_right, source_is_right, copy_is_right, seen_before;
	MPI_T_event_registration registration;
	MPI_T_event_instance instance;
	MPI_T_cb_safety safety;
	void *user;
	int lost_source;
	void *lost_user;
} saw;

static char here, there; /* for their addresses */

static void look(MPI_T_event_instance instance, MPI_T_event_registration registration, MPI_T_cb_safety safety,
		 void *user)
{
	static MPI_Count last;
	MPI_Count stamp = -1, again = -2, now = -3;
	int call = -1, code = -1, beyond, source = -1, both[4] = { -7, -7, -7, -7 }, class;

	saw.n++;
	saw.registration = registration;
	saw.instance = instance;
	saw.safety = safety;
	saw.user = user;
	saw.read_is_right = MPI_T_event_read(instance, 0, &call) == MPI_SUCCESS &&
			    MPI_T_event_read(instance, 1, &code) == MPI_SUCCESS && call >= 0 &&
			    MPI_Error_class(code, &class) == MPI_SUCCESS && class == MPI_ERR_RANK;
	saw.edges_refused = MPI_T_event_read(instance, -1, &beyond) == MPI_T_ERR_INVALID_INDEX &&
			    MPI_T_event_read(instance, 2, &beyond) == MPI_T_ERR_INVALID_INDEX;
	saw.copy_is_right = MPI_T_event_copy(instance, both) == MPI_SUCCESS && both[0] == call && both[1] == code &&
			    both[2] == -7;
	saw.source_is_right = MPI_T_event_get_source(instance, &source) == MPI_SUCCESS && source >= 0;
	saw.stamps_are_right = MPI_T_event_get_timestamp(instance, &stamp) == MPI_SUCCESS &&
			       MPI_T_event_get_timestamp(instance, &again) == MPI_SUCCESS && stamp == again &&
			       MPI_T_source_get_timestamp(source, &now) == MPI_SUCCESS && now >= stamp && stamp >= last;
	last = stamp;
}

static void on_none(MPI_T_event_instance i, MPI_T_event_registration r, MPI_T_cb_safety s, void *user)
{
	saw.level = MPI_T_CB_REQUIRE_NONE;
	look(i, r, s, user);
}

static void on_async(MPI_T_event_instance i, MPI_T_event_registration r, MPI_T_cb_safety s, void *user)
{
	saw.level = MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE;
	look(i, r, s, user);
}

static void on_freed(MPI_T_event_registration r, MPI_T_cb_safety s, void *user)
{
	(void)s;
	saw.n_freed += r == saw.registration && user == &there;
}

static void free_it(MPI_T_event_instance i, MPI_T_event_registration r, MPI_T_cb_safety s, void *user)
{
	look(i, r, s, user);
	saw.free_during_callback = MPI_T_event_handle_free(r, &there, on_freed);
	saw.seen_before = saw.n_freed != 0; /* freed while we still run? */
}

static void fail_again(MPI_T_event_instance i, MPI_T_event_registration r, MPI_T_cb_safety s, void *user)
{
	int n = saw.n_drops_reported;

	look(i, r, s, user);
	saw.seen_before = n > 0;
	if (saw.n == 1) {
		fail();
		fail();
	}
}

static void on_dropped(MPI_Count count, MPI_T_event_registration r, int source, MPI_T_cb_safety s, void *user)
{
	(void)r;
	(void)s;
	saw.n_drops_reported++;
	saw.n_lost = count;
	saw.lost_source = source;
	saw.lost_user = user;
}

/* A handler whose own calls raise the event whose loss it is informed about. */
static int n_nested, n_nested_most;

static void drop_more(MPI_Count count, MPI_T_event_registration r, int source, MPI_T_cb_safety s, void *user)
{
	on_dropped(count, r, source, s, user);
	if (++n_nested > n_nested_most)
		n_nested_most = n_nested;
	for (int i = 0; i < 3; i++)
		fail();
	n_nested--;
}

static MPI_T_event_registration registered(MPI_T_cb_safety level,
					   void (*function)(MPI_T_event_instance, MPI_T_event_registration,
							    MPI_T_cb_safety, void *))
{
	MPI_T_event_registration r = NULL;
	int rc = MPI_T_event_handle_alloc(event, NULL, MPI_INFO_NULL, &r);

	memset(&saw, 0, sizeof saw);
	rule("001.21", rc == MPI_SUCCESS && r, "no registration");
	rule("001.24", MPI_T_event_register_callback(r, level, MPI_INFO_NULL, &here, function) == MPI_SUCCESS,
	     "no callback");
	return r;
}

static void sources(void)
{
	char name[64], again[64];
	int n = -1, length, n_keys = -1;
	bool said = true, info_right = true, times = true, ordered = false;
	MPI_T_source_order order;

	rule("001.1", MPI_T_source_get_num(&n) == MPI_SUCCESS && n > 0, "no sources");
	for (int i = 0; i < n; i++) {
		MPI_Count ticks = 0, most = 0, now = -1, later = -1;
		MPI_Info info = MPI_INFO_NULL;
		length = sizeof name;
		said = said &&
		       MPI_T_source_get_info(i, name, &length, NULL, NULL, &order, &ticks, &most, NULL) ==
			       MPI_SUCCESS &&
		       length > 1 && ticks > 0 && most > 0 &&
		       (order == MPI_T_SOURCE_ORDERED || order == MPI_T_SOURCE_UNORDERED);
		length = sizeof again;
		said = said &&
		       MPI_T_source_get_info(i, again, &length, NULL, NULL, NULL, NULL, NULL, NULL) == MPI_SUCCESS &&
		       strcmp(name, again) == 0 &&
		       MPI_T_source_get_info(i, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL) == MPI_SUCCESS;
		ordered = ordered || order == MPI_T_SOURCE_ORDERED;
		info_right = info_right &&
			     MPI_T_source_get_info(i, NULL, NULL, NULL, NULL, NULL, NULL, NULL, &info) == MPI_SUCCESS &&
			     info != MPI_INFO_NULL && MPI_Info_get_nkeys(info, &n_keys) == MPI_SUCCESS && n_keys == 0 &&
			     MPI_Info_free(&info) == MPI_SUCCESS;
		times = times && MPI_T_source_get_timestamp(i, &now) == MPI_SUCCESS && now >= 0 && now <= most &&
			MPI_T_source_get_timestamp(i, &later) == MPI_SUCCESS && later >= now;
	}
	rule("001.2", said, "what a source says of itself");
	rule("001.3", ordered, "no source is ordered");
	rule("001.4", info_right, "no info object of its own");
	MPI_Count now;
	rule("001.5",
	     times && MPI_T_source_get_timestamp(n, &now) == MPI_T_ERR_INVALID_INDEX &&
		     MPI_T_source_get_timestamp(-1, &now) == MPI_T_ERR_INVALID_INDEX,
	     "the time of a source");
	rule("001.51", n <= 8, "many sources");
}

/* Arrays that are too short, or not there. */
static bool elements_are_right(int i, const struct said *s)
{
	MPI_Datatype datatypes[SAID_ELEMENTS];
	MPI_Aint places[SAID_ELEMENTS];
	bool right = true;

	for (int room = 0; room <= s->n_elements + 1; room++) {
		int n = room;
		for (int k = 0; k < SAID_ELEMENTS; k++) {
			datatypes[k] = MPI_DATATYPE_NULL;
			places[k] = -5;
		}
		right = right &&
			MPI_T_event_get_info(i, NULL, NULL, NULL, datatypes, places, &n, NULL, NULL, NULL, NULL,
					     NULL) == MPI_SUCCESS &&
			n == s->n_elements;
		for (int k = 0; k < SAID_ELEMENTS; k++)
			right = right &&
				(k < room && k < n ? datatypes[k] == s->elements[k] && places[k] == s->places[k]
						   : datatypes[k] == MPI_DATATYPE_NULL && places[k] == -5);
		n = room;
		right = right &&
			MPI_T_event_get_info(i, NULL, NULL, NULL, NULL, places, &n, NULL, NULL, NULL, NULL, NULL) ==
				MPI_SUCCESS &&
			n == s->n_elements;
	}
	places[0] = -5;
	return right &&
	       MPI_T_event_get_info(i, NULL, NULL, NULL, datatypes, places, NULL, NULL, NULL, NULL, NULL, NULL) ==
		       MPI_SUCCESS &&
	       places[0] == -5;
}

static void types(void)
{
	static struct said a, b;
	int n = -1, again, index;
	MPI_T_event_registration r = NULL;
	bool inverse = true, stable = true, named = true, elements = true, enums = true, binds = true, bound = true;
	bool info_right = true;

	rule("001.11", MPI_T_event_get_num(&n) == MPI_SUCCESS && n > 0, "no events");
	char **list = calloc((size_t)n, sizeof *list);
	for (int i = 0; i < n; i++) {
		MPI_Info info = MPI_INFO_NULL;
		stable = stable && ask_event(i, &a) == MPI_SUCCESS && ask_event(i, &b) == MPI_SUCCESS && same(&a, &b) &&
			 MPI_T_event_get_info(i, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL) ==
				 MPI_SUCCESS;
		inverse = inverse && MPI_T_event_get_index(a.name, &index) == MPI_SUCCESS && index == i;
		named = named && *a.name;
		list[i] = strdup(a.name);
		elements = elements && elements_are_right(i, &a);
		enums = enums && (a.enumtype == MPI_T_ENUM_NULL ||
				  MPI_T_enum_get_info(a.enumtype, &index, NULL, NULL) == MPI_SUCCESS);
		binds = binds && is_verbosity(a.verbosity) && is_bind(a.bind);
		info_right = info_right &&
			     MPI_T_event_get_info(i, NULL, NULL, NULL, NULL, NULL, NULL, NULL, &info, NULL, NULL,
						  NULL) == MPI_SUCCESS &&
			     info != MPI_INFO_NULL && MPI_Info_free(&info) == MPI_SUCCESS;
		/* an object where one is needed; anything where none is */
		if (a.bind != MPI_T_BIND_NO_OBJECT)
			bound = bound && MPI_T_event_handle_alloc(i, NULL, MPI_INFO_NULL, &r) == MPI_T_ERR_INVALID &&
				MPI_T_event_handle_alloc(i, (void *)(uintptr_t)8, MPI_INFO_NULL, &r) ==
					MPI_T_ERR_INVALID;
		else
			bound = bound &&
				MPI_T_event_handle_alloc(i, (void *)(uintptr_t)8, MPI_INFO_NULL, &r) == MPI_SUCCESS &&
				MPI_T_event_handle_free(r, NULL, NULL) == MPI_SUCCESS;
	}
	MPI_T_event_get_num(&again);
	rule("001.11", again >= n, "event types have vanished");
	rule("001.12", stable, "a type says different things of itself, or NULL is not ignored");
	rule("001.13", unique(list, n) && named, "a name is empty, or there twice");
	rule("001.14", elements, "more elements are written than there is room for, or not all are counted");
	rule("001.16", enums && info_right, "an enumeration, or no info object");
	rule("001.17", binds, "verbosity or binding");
	rule("001.21", bound, "an object is not looked at, or where none is needed");
	rule("C25", bound, "binding");
	rule("001.20", inverse && MPI_T_event_get_index("no event", &index) == MPI_T_ERR_INVALID_NAME,
	     "names and indices");
	rule("001.20", MPI_T_event_get_index("mpi2dd_error_returned", &event) == MPI_SUCCESS, "the event is not there");
	rule("001.19",
	     MPI_T_event_get_info(n, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL) ==
			     MPI_T_ERR_INVALID_INDEX &&
		     MPI_T_event_handle_alloc(-1, NULL, MPI_INFO_NULL, &r) == MPI_T_ERR_INVALID_INDEX &&
		     MPI_T_event_handle_alloc(n, NULL, MPI_INFO_NULL, &r) == MPI_T_ERR_INVALID_INDEX,
	     "an index outside of the range");
	/* the first type takes anything for an object: public programs give it a handle, and not its address */
	ask_event(0, &a);
	rule("001.21", a.bind == MPI_T_BIND_NO_OBJECT, "the first type is bound to an object");
}

/* In a callback at level NONE anything may be called, MPI too. */
static bool mpi_works;

static void call_mpi(MPI_T_event_instance i, MPI_T_event_registration r, MPI_T_cb_safety s, void *user)
{
	int sent = 5, got = 0;

	(void)i;
	(void)r;
	(void)user;
	mpi_works = s == MPI_T_CB_REQUIRE_NONE &&
		    MPI_Sendrecv(&sent, 1, MPI_INT, 0, 9, &got, 1, MPI_INT, 0, 9, MPI_COMM_SELF, MPI_STATUS_IGNORE) ==
			    MPI_SUCCESS &&
		    got == 5 && MPI_Wtime() >= 0;
}

static void named(MPI_T_event_instance i, MPI_T_event_registration r, MPI_T_cb_safety s, void *user)
{
	(void)i;
	(void)r;
	(void)s;
	++*(int *)user;
}

/* An event of one communicator, and not of another. */
static void objects(void)
{
	MPI_Comm one, two;
	MPI_T_event_registration r = NULL;
	int type, n = 0;

	MPI_Comm_dup(MPI_COMM_SELF, &one);
	MPI_Comm_dup(MPI_COMM_SELF, &two);
	bool made = MPI_T_event_get_index("mpi2dd_comm_named", &type) == MPI_SUCCESS &&
		    MPI_T_event_handle_alloc(type, &one, MPI_INFO_NULL, &r) == MPI_SUCCESS &&
		    MPI_T_event_register_callback(r, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, &n, named) == MPI_SUCCESS;
	MPI_Comm_set_name(two, "two");
	int other = n;
	MPI_Comm_set_name(one, "one");
	rule("001.22", made && other == 0 && n == 1, "an event of another object, or none of this one");
	MPI_T_event_handle_free(r, NULL, NULL);
	MPI_Comm_free(&one);
	MPI_Comm_free(&two);
}

static void callbacks(void)
{
	MPI_T_event_registration r = registered(MPI_T_CB_REQUIRE_NONE, on_none);
	MPI_Info info = MPI_INFO_NULL;

	fail();
	rule("001.30", saw.n == 1, "the callback was not called once");
	rule("001.31", saw.registration == r && saw.safety == MPI_T_CB_REQUIRE_NONE,
	     "not with its registration and level");
	rule("001.29", saw.user == &here, "not with its user data");
	rule("001.47", saw.read_is_right && saw.edges_refused, "elements");
	rule("001.48", saw.copy_is_right, "the copy is not the elements, or longer");
	rule("001.49", saw.stamps_are_right, "timestamps");
	rule("001.50", saw.source_is_right, "the source");
	int value;
	rule("001.32", MPI_T_event_read(saw.instance, 0, &value) == MPI_T_ERR_INVALID_HANDLE,
	     "an event outlives its callback");
	rule("001.25",
	     MPI_T_event_register_callback(r, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, &there, on_none) == MPI_SUCCESS,
	     "no second callback");
	fail();
	rule("001.25", saw.n == 2 && saw.user == &there, "the second callback has not taken the place of the first");
	MPI_T_event_register_callback(r, MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE, MPI_INFO_NULL, &here, on_async);
	fail();
	rule("001.27", saw.n == 3 && saw.level == MPI_T_CB_REQUIRE_NONE, "not the lowest level that is allowed");
	MPI_T_event_register_callback(r, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, NULL, NULL);
	fail();
	rule("001.26", saw.n == 4 && saw.level == MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE && saw.user == &here,
	     "removing one callback has not left the other");
	rule("001.23",
	     MPI_T_event_handle_set_info(r, MPI_INFO_NULL) == MPI_SUCCESS &&
		     MPI_T_event_handle_get_info(r, &info) == MPI_SUCCESS && info != MPI_INFO_NULL &&
		     MPI_Info_free(&info) == MPI_SUCCESS,
	     "the info object of a registration");
	rule("001.33",
	     MPI_T_event_callback_get_info(r, MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE, &info) == MPI_SUCCESS &&
		     MPI_Info_free(&info) == MPI_SUCCESS,
	     "the info object of a callback");
	rule("001.34", MPI_T_event_callback_get_info(r, MPI_T_CB_REQUIRE_NONE, &info) == MPI_T_ERR_INVALID,
	     "the info object of a callback that is not there");
	MPI_T_event_handle_free(r, NULL, NULL);
	fail();
	rule("001.37", saw.n == 4, "called after it was freed");
	rule("001.35",
	     MPI_T_event_handle_free(r, NULL, NULL) == MPI_T_ERR_INVALID_HANDLE &&
		     MPI_T_event_handle_free(NULL, NULL, NULL) == MPI_T_ERR_INVALID_HANDLE &&
		     MPI_T_event_register_callback(r, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, NULL, on_none) ==
			     MPI_T_ERR_INVALID_HANDLE,
	     "a freed or null registration is taken");
}

static void freeing(void)
{
	MPI_T_event_registration r = registered(MPI_T_CB_REQUIRE_NONE, free_it), other;

	fail();
	rule("001.31", saw.n == 1 && saw.free_during_callback == MPI_SUCCESS, "not freed in its callback");
	rule("001.36", saw.n_freed == 1 && !saw.seen_before, "not told once, after the callback, that it is freed");
	fail();
	rule("001.37", saw.n == 1, "called after it was freed");
	other = registered(MPI_T_CB_REQUIRE_NONE, on_none);
	rule("001.35", other != r, "the handle of a freed registration is used again");
	MPI_T_event_handle_free(other, NULL, NULL);
}

static void dropping(void)
{
	MPI_T_event_registration r = registered(MPI_T_CB_REQUIRE_NONE, fail_again);
	int source = 0;

	rule("001.40", MPI_T_event_set_dropped_handler(r, on_dropped) == MPI_SUCCESS, "no handler");
	fail();
	rule("001.39", saw.n == 1, "a callback's own calls call it again");
	/* Two were dropped; the handler does not run within the callback. */
	rule("001.45", saw.n_drops_reported == 0, "a loss is told within the callback");
	saw.seen_before = false;
	fail();
	rule("001.45", saw.n == 2 && saw.n_drops_reported == 1 && saw.seen_before, "not told before the next event");
	rule("001.41", saw.n_lost == 2, "not as many as were dropped");
	rule("001.42", saw.lost_source == source, "another source");
	rule("001.43", saw.lost_user == &here, "not with the user data of the callback");
	fail();
	rule("001.41", saw.n_drops_reported == 1, "told though nothing was lost");
	MPI_T_event_handle_free(r, NULL, NULL);
}

/* Events raised by a handler of dropped events are dropped, and reported later, never within the handler. */
static void dropping_in_a_handler(void)
{
	MPI_T_event_registration r = registered(MPI_T_CB_REQUIRE_NONE, fail_again);

	MPI_T_event_set_dropped_handler(r, drop_more);
	fail();
	fail();
	rule("001.45", n_nested_most == 1 && saw.n_drops_reported == 1 && saw.n == 2,
	     "a handler of dropped events runs within itself, or within its registration's callback");
	fail();
	rule("001.41", saw.n_drops_reported == 2 && saw.n_lost == 3, "what was dropped within the handler is not told");
	MPI_T_event_handle_free(r, NULL, NULL);
}

/* Replacing a callback takes no additional memory. */
static void replace_itself(MPI_T_event_instance i, MPI_T_event_registration r, MPI_T_cb_safety s, void *user)
{
	(void)i;
	(void)s;
	for (int k = 0; k < 1000; k++)
		MPI_T_event_register_callback(r, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, user, replace_itself);
}

static void replacing(void)
{
	enum { TIMES = 200000, SLACK = 1 << 20 };
	MPI_T_event_registration r = registered(MPI_T_CB_REQUIRE_NONE, replace_itself);

	fail();
	size_t before = used_bytes();
	for (int i = 0; i < TIMES; i++)
		MPI_T_event_register_callback(r, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, &here, replace_itself);
	for (int i = 0; i < TIMES / 1000; i++)
		fail();
	rule("001.25", used_bytes() < before + SLACK, "callbacks that were replaced are kept");
	MPI_T_event_handle_free(r, NULL, NULL);
}

/* Between the last MPI_T_finalize and the next start nobody is called. */
static void pausing(void)
{
	MPI_T_event_registration r = registered(MPI_T_CB_REQUIRE_NONE, on_none);
	int provided;

	fail();
	MPI_T_finalize();
	fail();
	int n = saw.n;
	MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
	rule("C17", n == 1, "a callback is called after the last MPI_T_finalize");
	fail();
	rule("001.21", saw.n == 2, "a registration has not outlived the pause");
	MPI_T_event_handle_free(r, NULL, NULL);
}

int main(int argc, char **argv)
{
	int provided, n = -1;

	MPI_Init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	if (!MPI_T_event_get_num) {
		puts("fail 001.11: no event functions");
		return 1;
	}
	rule("C17", MPI_T_event_get_num(&n) == MPI_T_ERR_NOT_INITIALIZED, "works before MPI_T_init_thread");
	MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
	sources();
	types();
	fail(); /* nobody listens */
	objects();
	MPI_T_event_registration calls = registered(MPI_T_CB_REQUIRE_NONE, call_mpi);
	fail();
	rule("001.7", mpi_works, "MPI cannot be called in a callback that nothing is required of");
	MPI_T_event_handle_free(calls, NULL, NULL);
	callbacks();
	freeing();
	dropping();
	dropping_in_a_handler();
	replacing();
	pausing();
	MPI_T_finalize();
	MPI_Finalize();
	return n_bad != 0;
}
