/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpit_pvars WHEN: the rules of performance variables, P1 to P11. WHEN: before (MPI_Init), during, after
 * (MPI_Finalize), all.
 */
#include "mpit_common.h"

static char value[1 << 16], value2[1 << 16];

static bool is_one_of(MPI_Datatype type, const MPI_Datatype *types, int n)
{
	for (int i = 0; i < n; i++)
		if (types[i] == type)
			return true;
	return false;
}

/* The types that a class allows. */
static bool class_is_right(const struct said *s)
{
	const MPI_Datatype numbers[] = { MPI_UNSIGNED, MPI_UNSIGNED_LONG, MPI_UNSIGNED_LONG_LONG, MPI_DOUBLE };

	switch (s->var_class) {
	case MPI_T_PVAR_CLASS_STATE:
		return s->datatype == MPI_INT;
	case MPI_T_PVAR_CLASS_COUNTER:
		return is_one_of(s->datatype, numbers, 3);
	case MPI_T_PVAR_CLASS_LEVEL:
	case MPI_T_PVAR_CLASS_SIZE:
	case MPI_T_PVAR_CLASS_HIGHWATERMARK:
	case MPI_T_PVAR_CLASS_LOWWATERMARK:
	case MPI_T_PVAR_CLASS_AGGREGATE:
	case MPI_T_PVAR_CLASS_TIMER:
		return is_one_of(s->datatype, numbers, 4);
	case MPI_T_PVAR_CLASS_PERCENTAGE:
		return s->datatype == MPI_DOUBLE;
	default:
		return s->var_class == MPI_T_PVAR_CLASS_GENERIC;
	}
}

static void information(void)
{
	static struct said a, b;
	bool all = true, stable = true, inverse = true, classes = true, flags = true;
	int n = -1, index;

	rule("P1", MPI_T_pvar_get_num(&n) == MPI_SUCCESS && n > 0, "no performance variables");
	char **list = calloc((size_t)n, sizeof *list);
	for (int i = 0; i < n; i++) {
		char *key = malloc(1100);
		all = all && ask_pvar(i, &a) == MPI_SUCCESS && ask_pvar(i, &b) == MPI_SUCCESS && *a.name;
		stable = stable && same(&a, &b);
		classes = classes && class_is_right(&a);
		flags = flags && (a.readonly | 1) == 1 && (a.continuous | 1) == 1 && (a.atomic | 1) == 1;
		if (!classes)
			printf("note: %s\n", a.name);
		inverse = inverse && MPI_T_pvar_get_index(a.name, a.var_class, &index) == MPI_SUCCESS && index == i;
		snprintf(key, 1100, "%s of class %d", a.name, a.var_class);
		list[i] = key;
	}
	rule("P1", all && inverse && unique(list, n), "the index of a name and class is another one");
	rule("P2", classes, "a class, or a type that it does not allow");
	rule("P3", stable && flags, "what a variable says of itself changes");
	rule("C13",
	     MPI_T_pvar_get_index("none", MPI_T_PVAR_CLASS_LEVEL, &index) == MPI_T_ERR_INVALID_NAME &&
		     MPI_T_pvar_get_index("mpi2dd_event_listeners", -5, &index) == MPI_T_ERR_INVALID_NAME,
	     "an unknown name, or class, is known");
}

/* A handle, on MPI_COMM_WORLD where the variable is bound to a communicator. */
static bool handle_on(MPI_T_pvar_session session, int i, const struct said *s, MPI_T_pvar_handle *h, int *count)
{
	static MPI_Comm world;

	world = MPI_COMM_WORLD;
	if (s->bind == MPI_T_BIND_NO_OBJECT)
		return MPI_T_pvar_handle_alloc(session, i, (void *)(uintptr_t)5, h, count) == MPI_SUCCESS;
	return s->bind == MPI_T_BIND_MPI_COMM && is_up() &&
	       MPI_T_pvar_handle_alloc(session, i, &world, h, count) == MPI_SUCCESS;
}

/* As an object that is none; or the variable itself cannot be had. */
static bool is_refused(int rc)
{
	return rc == MPI_T_ERR_INVALID || rc == MPI_T_ERR_INVALID_HANDLE || rc == MPI_T_ERR_NOT_ACCESSIBLE;
}

static bool frozen = true, running = true, named = true, written = true, atomic = true;
static int n_read, n_stopped;

/* One that can be started and stopped. */
static void start_stop(MPI_T_pvar_session session, MPI_T_pvar_handle h, size_t bytes)
{
	running = running && MPI_T_pvar_start(session, h) == MPI_SUCCESS &&
		  MPI_T_pvar_read(session, h, value) == MPI_SUCCESS && MPI_T_pvar_stop(session, h) == MPI_SUCCESS;
	memset(value2, 0, sizeof value2);
	frozen = frozen && MPI_T_pvar_read(session, h, value) == MPI_SUCCESS;
	if (is_up())
		MPI_Barrier(MPI_COMM_SELF);
	frozen = frozen && MPI_T_pvar_read(session, h, value2) == MPI_SUCCESS && memcmp(value, value2, bytes) == 0;
	n_stopped++;
}

static void try_one(MPI_T_pvar_session session, MPI_T_pvar_handle h, const struct said *s, size_t bytes)
{
	memset(value, 0x5a, sizeof value);
	n_read += MPI_T_pvar_read(session, h, value) == MPI_SUCCESS;
	named = named && value[bytes] == 0x5a;
	if (s->continuous)
		running = running && MPI_T_pvar_start(session, h) == MPI_T_ERR_PVAR_NO_STARTSTOP &&
			  MPI_T_pvar_stop(session, h) == MPI_T_ERR_PVAR_NO_STARTSTOP;
	else if (is_own(s))
		start_stop(session, h, bytes);
	if (s->readonly)
		written = written && MPI_T_pvar_write(session, h, value) == MPI_T_ERR_PVAR_NO_WRITE &&
			  MPI_T_pvar_reset(session, h) == MPI_T_ERR_PVAR_NO_WRITE;
	else if (is_own(s))
		written = written && MPI_T_pvar_reset(session, h) == MPI_SUCCESS;
	int rc = MPI_T_pvar_readreset(session, h, value);
	if (!s->atomic)
		atomic = atomic && rc == MPI_T_ERR_PVAR_NO_ATOMIC;
	else if (is_own(s))
		atomic = atomic && rc == (s->readonly ? MPI_T_ERR_PVAR_NO_WRITE : MPI_SUCCESS);
}

static void each(void)
{
	static struct said s;
	int n, count;
	bool allocated = true, freed = true;
	MPI_Comm null = MPI_COMM_NULL, dead = MPI_COMM_NULL, world = MPI_COMM_WORLD;
	MPI_T_pvar_session session;
	MPI_T_pvar_handle h;

	MPI_T_pvar_get_num(&n);
	MPI_T_pvar_session_create(&session);
	if (is_up()) {
		MPI_Comm freed_comm;
		MPI_Comm_dup(MPI_COMM_SELF, &freed_comm);
		dead = freed_comm;
		MPI_Comm_free(&freed_comm);
	}
	for (int i = 0; i < n; i++) {
		MPI_T_pvar_handle copy;
		ask_pvar(i, &s);
		if (s.bind != MPI_T_BIND_NO_OBJECT)
			allocated = allocated && is_refused(MPI_T_pvar_handle_alloc(session, i, NULL, &h, &count)) &&
				    is_refused(MPI_T_pvar_handle_alloc(session, i, (void *)(uintptr_t)8, &h, &count)) &&
				    (s.bind != MPI_T_BIND_MPI_COMM ||
				     (is_refused(MPI_T_pvar_handle_alloc(session, i, &null, &h, &count)) &&
				      (!is_up() ||
				       is_refused(MPI_T_pvar_handle_alloc(session, i, &dead, &h, &count)))));
		/* there is no communicator before MPI_Init and after MPI_Finalize */
		if (s.bind == MPI_T_BIND_MPI_COMM && !is_up() && !is_own(&s))
			allocated = allocated && is_refused(MPI_T_pvar_handle_alloc(session, i, &world, &h, &count));
		if (!handle_on(session, i, &s, &h, &count)) {
			allocated = allocated && (!is_own(&s) || s.bind != MPI_T_BIND_NO_OBJECT);
			continue;
		}
		copy = h;
		allocated = allocated && count >= (is_own(&s) ? 1 : 0);
		try_one(session, h, &s, (size_t)count * bytes_of_host(s.datatype));
		if (!(running && frozen && named && written && atomic))
			printf("note: %s\n", s.name);
		freed = freed && MPI_T_pvar_handle_free(session, &h) == MPI_SUCCESS && h == MPI_T_PVAR_HANDLE_NULL &&
			MPI_T_pvar_read(session, copy, value) == MPI_T_ERR_INVALID_HANDLE;
	}
	/* what is continuous, or runs already, is passed over */
	rule("P5", running && MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES) == MPI_SUCCESS, "starting or stopping");
	printf("note: %d variables, %d read, %d started and stopped\n", n, n_read, n_stopped);
	rule("P4", allocated && named && n_read > 0, "a handle, or more is read than was counted");
	rule("P6", frozen && n_stopped >= 0, "a variable that is stopped goes on");
	rule("P7", written, "writing");
	rule("P8", atomic, "reading and resetting at once");
	rule("P10", freed && MPI_T_pvar_session_free(&session) == MPI_SUCCESS, "a handle is good after it was freed");
}

static void all_handles(void)
{
	static struct said s;
	static MPI_T_pvar_handle handles[4096];
	int n, count, n_handles = 0;
	MPI_T_pvar_session session;
	bool right;

	MPI_T_pvar_get_num(&n);
	MPI_T_pvar_session_create(&session);
	for (int i = 0; i < n && n_handles < 4096; i++) {
		ask_pvar(i, &s);
		if (is_own(&s) && handle_on(session, i, &s, &handles[n_handles], &count))
			n_handles++;
	}
	right = n_handles > 0 && MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES) == MPI_SUCCESS &&
		MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES) == MPI_SUCCESS &&
		MPI_T_pvar_reset(session, MPI_T_PVAR_ALL_HANDLES) == MPI_SUCCESS &&
		MPI_T_pvar_stop(session, MPI_T_PVAR_ALL_HANDLES) == MPI_SUCCESS &&
		MPI_T_pvar_stop(session, MPI_T_PVAR_ALL_HANDLES) == MPI_SUCCESS;
	rule("P5", right, "all handles cannot be started, stopped or reset at once, or twice");
	MPI_T_pvar_handle every = MPI_T_PVAR_ALL_HANDLES;
	rule("P9",
	     MPI_T_pvar_read(session, MPI_T_PVAR_ALL_HANDLES, value) == MPI_T_ERR_INVALID_HANDLE &&
		     MPI_T_pvar_write(session, MPI_T_PVAR_ALL_HANDLES, value) == MPI_T_ERR_INVALID_HANDLE &&
		     MPI_T_pvar_readreset(session, MPI_T_PVAR_ALL_HANDLES, value) == MPI_T_ERR_INVALID_HANDLE &&
		     MPI_T_pvar_handle_free(session, &every) == MPI_T_ERR_INVALID_HANDLE,
	     "all handles can be read, written or freed at once");
	MPI_T_pvar_session gone = session;
	right = MPI_T_pvar_session_free(&session) == MPI_SUCCESS && session == MPI_T_PVAR_SESSION_NULL;
	for (int i = 0; i < n_handles; i++)
		right = right && MPI_T_pvar_read(gone, handles[i], value) == MPI_T_ERR_INVALID_SESSION;
	rule("P10", right && MPI_T_pvar_session_free(&session) == MPI_T_ERR_INVALID_SESSION,
	     "a session's handles outlive it, or the null session is freed");
}

static void sessions(void)
{
	MPI_T_pvar_session session = MPI_T_PVAR_SESSION_NULL, other = MPI_T_PVAR_SESSION_NULL;
	MPI_T_pvar_handle h = MPI_T_PVAR_HANDLE_NULL, theirs = MPI_T_PVAR_HANDLE_NULL;
	int index, count;
	bool made = MPI_T_pvar_session_create(&session) == MPI_SUCCESS &&
		    MPI_T_pvar_session_create(&other) == MPI_SUCCESS && session != other;

	made = made && MPI_T_pvar_get_index("mpi2dd_event_listeners", MPI_T_PVAR_CLASS_LEVEL, &index) == MPI_SUCCESS &&
	       MPI_T_pvar_handle_alloc(session, index, NULL, &h, &count) == MPI_SUCCESS &&
	       MPI_T_pvar_handle_alloc(other, index, NULL, &theirs, &count) == MPI_SUCCESS && h != theirs;
	rule("P4",
	     made && MPI_T_pvar_read(session, h, value) == MPI_SUCCESS &&
		     MPI_T_pvar_read(other, h, value) == MPI_T_ERR_INVALID_HANDLE &&
		     MPI_T_pvar_read(MPI_T_PVAR_SESSION_NULL, h, value) == MPI_T_ERR_INVALID_SESSION &&
		     MPI_T_pvar_handle_free(other, &h) == MPI_T_ERR_INVALID_HANDLE,
	     "a handle is good in another session");
	MPI_T_pvar_session gone = session;
	rule("P10",
	     MPI_T_pvar_session_free(&session) == MPI_SUCCESS &&
		     MPI_T_pvar_read(gone, h, value) == MPI_T_ERR_INVALID_SESSION,
	     "a freed session is good");
	rule("P11",
	     MPI_T_pvar_read(other, theirs, value) == MPI_SUCCESS &&
		     MPI_T_pvar_read(other, h, value) == MPI_T_ERR_INVALID_HANDLE &&
		     MPI_T_pvar_session_free(&other) == MPI_SUCCESS,
	     "freeing one session has hurt the other");
}

/* ---- handles whose object was freed ----------------------------------------------------------------------- */

enum { BOUND_MAX = 64 };

static struct bound {
	MPI_T_pvar_session session;
	MPI_T_pvar_handle handles[2 * BOUND_MAX]; /* on the object, and on MPI_COMM_WORLD */
	bool on_world[2 * BOUND_MAX], readonly[2 * BOUND_MAX];
	int n;
	MPI_Comm comm, world;
	MPI_Win win;
} bound;

static void bind_one(int i, const struct said *s, void *object, bool on_world)
{
	int count;

	if (bound.n < 2 * BOUND_MAX &&
	    MPI_T_pvar_handle_alloc(bound.session, i, object, &bound.handles[bound.n], &count) == MPI_SUCCESS) {
		bound.readonly[bound.n] = s->readonly;
		bound.on_world[bound.n++] = on_world;
	}
}

/* Operations on a handle whose object was freed: each returns the same error. */
static bool is_dead(int i)
{
	MPI_T_pvar_handle h = bound.handles[i];
	int writing = MPI_T_pvar_write(bound.session, h, value), reading = MPI_T_pvar_read(bound.session, h, value);

	return reading != MPI_SUCCESS && writing != MPI_SUCCESS &&
	       (writing == reading || (bound.readonly[i] && writing == MPI_T_ERR_PVAR_NO_WRITE));
}

/* Every variable that is bound to a communicator or a window; then these are freed. */
static void free_what_is_bound(void)
{
	static struct said s;
	bool dead = true, alive = true, can_write = true;
	void *base;
	int n;

	MPI_T_pvar_get_num(&n);
	MPI_T_pvar_session_create(&bound.session);
	MPI_Comm_dup(MPI_COMM_WORLD, &bound.comm);
	MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &bound.win);
	bound.world = MPI_COMM_WORLD;
	for (int i = 0; i < n; i++) {
		ask_pvar(i, &s);
		if (s.bind == MPI_T_BIND_MPI_WIN)
			bind_one(i, &s, &bound.win, false);
		if (s.bind == MPI_T_BIND_MPI_COMM) {
			bind_one(i, &s, &bound.comm, false);
			bind_one(i, &s, &bound.world, true);
		}
	}
	for (int i = 0; i < bound.n; i++) {
		alive = alive && MPI_T_pvar_read(bound.session, bound.handles[i], value) == MPI_SUCCESS;
		int rc = MPI_T_pvar_write(bound.session, bound.handles[i], value);
		can_write = can_write && (rc == MPI_T_ERR_PVAR_NO_WRITE || rc == MPI_SUCCESS);
	}
	rule("P7", can_write, "a bound variable cannot be written, nor does it say so");
	MPI_Comm_free(&bound.comm);
	MPI_Win_free(&bound.win);
	for (int i = 0; i < bound.n; i++) {
		if (bound.on_world[i])
			alive = alive && MPI_T_pvar_read(bound.session, bound.handles[i], value) == MPI_SUCCESS;
		else
			dead = dead && is_dead(i);
	}
	rule("P4", alive && dead && bound.n >= 2, "a handle whose object was freed is good");
}

/* After MPI_Finalize there is neither an invalid value nor a crash. */
static void outlive(void)
{
	bool dead = true;

	for (int i = 0; i < bound.n; i++)
		dead = dead && (bound.on_world[i] || is_dead(i));
	for (int i = 0; i < bound.n; i++)
		if (bound.on_world[i])
			MPI_T_pvar_read(bound.session, bound.handles[i], value);
	rule("P4", dead, "a handle whose object was freed is good after MPI_Finalize");
	rule("P10", MPI_T_pvar_session_free(&bound.session) == MPI_SUCCESS, "the session cannot be freed");
	bound.n = 0;
}

static void rules(void)
{
	information();
	each();
	all_handles();
	sessions();
	if (is_up())
		free_what_is_bound();
	else if (bound.n)
		outlive();
}

int main(int argc, char **argv)
{
	return run_when(argc, argv, rules);
}
