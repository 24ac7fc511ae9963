/* SPDX-License-Identifier: BSD-3-Clause */
/* Our own variables in the mirror, and when to refresh. mirror_host.c has the MPI library's. */
#include "mirror.h"

#include "../calls/copies.h"
#include "../calls/watching.h"
#include "../tables/events.h"
#include "../tables/settings.h"
#include "../tracker/registry.h"
#include "category.h"
#include "cvar.h"
#include "event_type.h"
#include "mirror_host.h"
#include "mirror_table.h"
#include "mirror_type.h"
#include "object.h"
#include "pvar.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>

enum { OBJECTS_MAX = 256 };

static int wanted_seconds;
static const char *cause; /* of the last refresh */
static bool is_loaded;    /* the settings have been read */

/* ---- ours ---------------------------------------------------------------------------------------------- */

static void list_cvars(void)
{
	for (int i = 0; i < mpit_n_own_cvars; i++) {
		const struct mpit_own_cvar *own = &mpit_own_cvars[i];
		struct trk_cvar *r = mpit_row(MPIT_CVARS, i);
		if (!r)
			return;
		mpit_row_change(r);
		r->value_state = TRK_VALUE_KNOWN;
		r->type = own->text ? TRK_VAR_CHAR : own->large ? TRK_VAR_UNSIGNED_LONG_LONG : TRK_VAR_INT;
		r->name = (uintptr_t)own->name;
		r->description = (uintptr_t)own->desc;
		r->bind = TRK_BIND_NO_OBJECT;
		r->verbosity = mpit_mirror_verbosity(own->verbosity);
		r->scope = mpit_mirror_scope(own->scope);
		r->count = own->text ? (uint32_t)own->text_bytes : 1;
		r->enumeration = (uintptr_t)own->enum_name;
		r->place = own->text    ? (uintptr_t)own->text
			   : own->large ? (uintptr_t)own->large
					: (uintptr_t)own->number;
		mpit_row_changed(r);
	}
}

/* Store the addresses of the counters, for an outside reader. */
static void list_cells(struct trk_pvar *r, const struct mpit_own_pvar *own)
{
	struct mpit_cells c = own->cells ? own->cells() : (struct mpit_cells){ 0 };

	r->cells = (uintptr_t)c.first;
	r->minus = (uintptr_t)c.minus;
	r->in_use = (uintptr_t)c.in_use;
	r->cell_bytes = c.bytes;
	r->n_cells = c.n;
	r->cell_stride = c.stride;
	r->divisor = c.divisor;
	r->counting = own->watch ? (uintptr_t)&m2d_watching : 0;
	r->counting_mask = own->watch;
}

static void list_pvars(void)
{
	for (int i = 0; i < mpit_n_own_pvars; i++) {
		const struct mpit_own_pvar *own = &mpit_own_pvars[i];
		struct trk_pvar *r = mpit_row(MPIT_PVARS, i);
		if (!r)
			return;
		mpit_row_change(r);
		r->type = mpit_mirror_own_type(own->type);
		r->name = (uintptr_t)own->name;
		r->description = (uintptr_t)own->desc;
		r->bind = mpit_mirror_bind(own->bind);
		r->verbosity = mpit_mirror_verbosity(own->verbosity);
		r->var_class = mpit_mirror_class(own->var_class);
		r->count = 1;
		r->readonly = own->continuous;
		r->continuous = own->continuous;
		r->atomic = !own->continuous;
		r->enumeration = (uintptr_t)own->enum_name;
		r->worked_out = own->worked_out;
		list_cells(r, own);
		mpit_row_changed(r);
	}
}

static void list_events(void)
{
	for (int i = 0; i < MPIT_N_EVENTS; i++) {
		const struct mpit_event_type *type = mpit_event_type(i);
		struct trk_event *r = mpit_row(MPIT_EVENTS, i);
		uint8_t elements[MPIT_ELEMENTS_MAX];
		bool ordered;
		int n = mpit_event_n_elements(type);
		if (!r)
			return;
		for (int k = 0; k < n; k++)
			elements[k] = (uint8_t)mpit_mirror_own_type((enum mpit_type)type->elements[k]);
		mpit_row_change(r);
		r->name = (uintptr_t)type->name;
		r->description = (uintptr_t)type->desc;
		r->source = (uintptr_t)mpit_source_name(type->source, &ordered);
		r->ordered = ordered;
		r->bind = mpit_mirror_bind(type->bind);
		mpit_list(&r->elements, elements, (size_t)n, 1);
		mpit_row_changed(r);
	}
}

/* Our own elements come first in each index space, in the order of our tables, even before MPI_T is used. */
static int cvar_number(const char *name)
{
	for (int i = 0; i < mpit_n_own_cvars; i++)
		if (strcmp(mpit_own_cvars[i].name, name) == 0)
			return i;
	return -1;
}

static int pvar_number(const char *name)
{
	for (int i = 0; i < mpit_n_own_pvars; i++)
		if (strcmp(mpit_own_pvars[i].name, name) == 0)
			return i;
	return -1;
}

static void list_members(struct trk_span *list, const char *const *names, int (*number)(const char *))
{
	int32_t members[256];
	size_t n = 0;

	for (; names && *names && n < sizeof(members) / sizeof(members[0]); names++) {
		int index = number(*names);
		if (index >= 0)
			members[n++] = index;
	}
	mpit_list(list, members, n, sizeof(members[0]));
}

static int parent_of(int i)
{
	const char *parent = mpit_own_categories[i].parent;

	for (int k = 0; parent && k < i; k++)
		if (strcmp(mpit_own_categories[k].name, parent) == 0)
			return k;
	return -1;
}

static void list_categories(void)
{
	for (int i = 0; i < mpit_n_own_categories; i++) {
		const struct mpit_own_category *own = &mpit_own_categories[i];
		struct trk_category *r = mpit_row(MPIT_CATEGORIES, i);
		int32_t below[256];
		size_t n = 0;
		if (!r)
			return;
		for (int k = i + 1; k < mpit_n_own_categories && n < sizeof(below) / sizeof(below[0]); k++)
			if (parent_of(k) == i)
				below[n++] = k;
		mpit_row_change(r);
		r->name = (uintptr_t)own->name;
		r->description = (uintptr_t)own->desc;
		r->parent = parent_of(i);
		list_members(&r->cvars, own->cvars, cvar_number);
		list_members(&r->pvars, own->pvars, pvar_number);
		list_members(&r->events, own->events, mpit_event_index);
		mpit_list(&r->categories, below, n, sizeof(below[0]));
		mpit_row_changed(r);
	}
}

/* ---- values of ours -------------------------------------------------------------------------------------- */

/*
 * Store the value and its name in the enumeration. A reader that
 * uses `place` compares `value` to know whether the name applies.
 */
static void read_cvar(int i)
{
	const struct mpit_own_cvar *own = &mpit_own_cvars[i];
	struct trk_cvar *r = mpit_row(MPIT_CVARS, i);

	if (!r || !own->items || !own->number)
		return;
	int now = *own->number;
	const char *item = NULL;
	for (int k = 0; k < own->n_items; k++)
		if (own->items[k].value == now)
			item = own->items[k].name;
	mpit_row_change(r);
	r->value = (uint64_t)(int64_t)now;
	r->item = (uintptr_t)item;
	mpit_row_changed(r);
}

/* A variable that is counted only at times has no value. */
static bool is_counting(const struct mpit_own_pvar *own)
{
	return (__atomic_load_n(&m2d_watching, __ATOMIC_RELAXED) & own->watch) == own->watch;
}

static void read_bound(struct trk_pvar *r, const struct mpit_own_pvar *own)
{
	uint64_t objects[OBJECTS_MAX];
	struct trk_object_value values[OBJECTS_MAX];
	struct trk_object_cell cells[OBJECTS_MAX];
	size_t there = mpit_live_objects(r->bind, objects, OBJECTS_MAX, NULL), n = 0;

	for (size_t i = 0; i < there && i < OBJECTS_MAX; i++) {
		struct trk_object_value v = { .object = objects[i], .count = 1 };
		uint64_t value = 0;
		if (!own->fetch(v.object, &value))
			continue;
		v.value = mpit_mirror_number((enum trk_var_type)r->type, &value);
		cells[n] = (struct trk_object_cell){ 0 };
		if (own->cell)
			cells[n].cell = (uintptr_t)own->cell(v.object, &cells[n].id);
		values[n++] = v;
	}
	r->value_state = own->watch && (!n || !is_counting(own)) ? TRK_VALUE_STOPPED
			 : n                                     ? TRK_VALUE_KNOWN
								 : TRK_VALUE_BOUND;
	mpit_list(&r->objects, values, n, sizeof(values[0]));
	mpit_list(&r->object_cells, cells, own->cell ? n : 0, sizeof(cells[0]));
	if (there > OBJECTS_MAX)
		r->objects.total = (uint32_t)(n + there - OBJECTS_MAX);
}

static const char *item_of(const struct mpit_own_pvar *own, int value)
{
	int n = 0;
	const struct mpit_enum_item *items = own->items ? own->items(&n) : NULL;

	for (int i = 0; items && i < n; i++)
		if (items[i].value == value)
			return items[i].name;
	return NULL;
}

static void read_pvar(int i, uint64_t now)
{
	const struct mpit_own_pvar *own = &mpit_own_pvars[i];
	struct trk_pvar *r = mpit_row(MPIT_PVARS, i);
	uint64_t value = 0;

	if (!r)
		return;
	mpit_row_change(r);
	if (own->of_thread) {
		r->value_state = TRK_VALUE_OF_THREAD;
	} else if (r->bind != TRK_BIND_NO_OBJECT) {
		read_bound(r, own);
	} else if (own->fetch(0, &value)) {
		r->value = mpit_mirror_number((enum trk_var_type)r->type, &value);
		r->item = (uintptr_t)item_of(own, (int)r->value);
		r->value_state = is_counting(own) ? TRK_VALUE_KNOWN : TRK_VALUE_STOPPED;
	} else {
		r->value_state = TRK_VALUE_GONE;
	}
	r->read_at = now;
	r->read_for = (uintptr_t)cause;
	mpit_row_changed(r);
}

/* ---- refresh --------------------------------------------------------------------------------------------- */

void mpit_mirror_list_own(void)
{
	static bool listed;

	if (listed || !mpit_tables())
		return;
	listed = true;
	list_cvars();
	list_pvars();
	list_events();
	list_categories();
}

static void refresh(const char *why, bool host)
{
	uint64_t now = trk_now();

	if (!mpit_tables())
		return;
	cause = why;
	mpit_mirror_list_own();
	for (int i = 0; i < mpit_n_own_cvars; i++)
		read_cvar(i);
	for (int i = 0; i < mpit_n_own_pvars; i++)
		read_pvar(i, now);
	if (host)
		mpit_mirror_host(now, why, mpit_mpi_is_up());
	MPI2DD_registry.vars_why = (uintptr_t)why;
	MPI2DD_registry.vars_read_at = now;
	TRK_PUT(MPI2DD_registry.n_vars_refreshes, MPI2DD_registry.n_vars_refreshes + 1);
}

/*
 * May the calling thread be in a signal handler, where the host must not be called? A handler runs with its signal
 * blocked, unless it was installed with SA_NODEFER. Our own threads block all signals.
 */
static bool may_be_in_handler(void)
{
	sigset_t now;

	/* the kernel fills in 64 of its 1024 signals, and up to glibc 2.31 sigisemptyset() looks at all of them */
	sigemptyset(&now);
	return pthread_sigmask(SIG_SETMASK, NULL, &now) != 0 || !sigisemptyset(&now);
}

/* @return false: MPI_T's lock was taken */
static bool try_refresh(const char *why, bool host_too)
{
	int saved = errno;
	bool done = mpit_vars == MPIT_VARS_NONE;

	if (!done && mpit_try_lock()) {
		refresh(why, host_too && (mpit_vars == MPIT_VARS_HOST || mpit_host_known()) && mpit_mpi_is_up());
		mpit_leave(MPI_SUCCESS);
		done = true;
	}
	errno = saved;
	return done;
}

void mpit_mirror_refresh(const char *why)
{
	try_refresh(why, !may_be_in_handler());
}

/*
 * Refresh from our own thread, with several attempts. The MPI library's variables are read only at MPI_THREAD_MULTIPLE.
 */
static void refresh_in_own_thread(const char *why)
{
	enum { TURNS = 100 };
	const struct timespec pause = { .tv_nsec = 1000 * 1000 };

	for (int turn = 0; turn < TURNS && !try_refresh(why, MPI2DD_registry.thread_level == 3); turn++)
		nanosleep(&pause, NULL);
}

/*
 * Install the callbacks of lower layers. Usually done by the constructor;
 * another library's may have initialized MPI or MPI_T before.
 */
static void install_callbacks(void)
{
	/* atomic, because other threads may read the pointers */
	__atomic_store_n(&m2d_events_before, mpit_mirror_refresh, __ATOMIC_RELEASE);
	__atomic_store_n(&mpit_refresh, refresh_in_own_thread, __ATOMIC_RELEASE);
}

void mpit_mirror_tool_started(void)
{
	int saved = errno;

	install_callbacks();
	if (is_loaded && mpit_vars != MPIT_VARS_NONE && !MPI2DD_registry.n_vars_refreshes)
		refresh("MPI_T_init_thread", false);
	errno = saved;
}

void mpit_mirror_counters(void)
{
	if (mpit_vars == MPIT_VARS_NONE || !mpit_tables())
		return;
	mpit_mirror_list_own();
	for (int i = 0; i < mpit_n_own_pvars; i++)
		if (mpit_own_pvars[i].cell)
			read_pvar(i, trk_now());
}

void mpit_mirror_started(void)
{
	install_callbacks();
	if (mpit_vars == MPIT_VARS_NONE)
		MPI2DD_registry.vars_host = TRK_VARS_OFF;
	mpit_mirror_refresh("MPI_Init");
	if (wanted_seconds && mpit_vars != MPIT_VARS_NONE)
		mpit_refresh_set(wanted_seconds);
}

__attribute__((constructor)) static void read_settings(void)
{
	int64_t n;

	if (m2d_copies_is_inactive())
		return;
	install_callbacks();
	if (m2d_setting("MPI2DD_VARS", &n))
		mpit_vars = (int)n;
	if (m2d_setting("MPI2DD_REFRESH_SECONDS", &n))
		wanted_seconds = (int)n;
	/* another library's constructor ran first and has initialized MPI_T */
	if (mpit_enter_anywhere() == MPI_SUCCESS && mpit_try_lock()) {
		is_loaded = true;
		mpit_mirror_tool_started();
		mpit_leave(MPI_SUCCESS);
	}
	is_loaded = true;
}

/*
 * Before MPI_Init, ask the host only if the program has initialized its MPI_T: Open MPI would remember that (host.c).
 */
static bool can_ask_host(void)
{
	return mpit_mpi_is_up() ||
	       (MPI2DD_registry.mpi_state == 0 && mpit_host_known() && mpit_enter_anywhere() == MPI_SUCCESS);
}

int MPI2DD_refresh(void)
{
	int saved = errno, n = 0;

	if (!mpit_try_lock())
		return -1;
	refresh("MPI2DD_refresh", can_ask_host());
	for (int i = 0; i < mpit_rows(MPIT_CVARS); i++) {
		const struct trk_cvar *r = mpit_row_known(MPIT_CVARS, i);
		n += r->state == TRK_LIVE && r->value_state == TRK_VALUE_KNOWN;
	}
	for (int i = 0; i < mpit_rows(MPIT_PVARS); i++) {
		const struct trk_pvar *r = mpit_row_known(MPIT_PVARS, i);
		n += r->state == TRK_LIVE && r->value_state == TRK_VALUE_KNOWN;
	}
	mpit_leave(MPI_SUCCESS);
	errno = saved;
	return n;
}
