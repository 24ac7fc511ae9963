/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Raising events: which callbacks are called, at which level, and what is dropped; and reading an event in a callback.
 */
#include "registration.h"

#include "object.h"
#include "ordered.h"

#include <stdint.h>
#include <string.h>

/* An event while its callbacks or a dropped handler run; on the stack of the raising thread. */
struct instance {
	const struct instance *outer; /* the event in whose callback an MPI call raised this one */
	const struct mpit_registration *registration;
	const struct mpit_event_type *type; /* NULL: a dropped handler, which has no event to read */
	const uint64_t *values;
	int64_t time;
};

uint64_t mpit_n_delivered, mpit_n_lost;

static __thread const struct instance *current __attribute__((tls_model("initial-exec")));

/* The callback with the lowest registered safety level that is allowed in the context; NULL: none. */
static const struct mpit_callback *choose(const struct mpit_registration *r, MPI_T_cb_safety context)
{
	for (int level = (int)context; level < MPIT_LEVELS; level++) {
		const struct mpit_callback *c = __atomic_load_n(&r->levels[level], __ATOMIC_SEQ_CST);
		if (c && c->function)
			return c;
	}
	return NULL;
}

static void count_loss(struct mpit_registration *r, enum mpit_source source)
{
	int64_t lost = __atomic_load_n(&r->lost, __ATOMIC_RELAXED);

	__atomic_add_fetch(&r->record->dropped, 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&mpit_n_lost, 1, __ATOMIC_RELAXED);
	if (!__atomic_load_n(&r->dropped, __ATOMIC_ACQUIRE))
		return;
	while (lost < INT64_MAX &&
	       !__atomic_compare_exchange_n(&r->lost, &lost, lost + 1, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
	__atomic_store_n(&mpit_source_has_lost[source], 1, __ATOMIC_RELEASE);
}

/*
 * Is a callback or the dropped handler of this registration on this thread's stack? Without this check it could raise
 * its own event forever.
 */
static bool is_inside(const struct mpit_registration *r)
{
	for (const struct instance *i = current; i; i = i->outer)
		if (i->registration == r)
			return true;
	return false;
}

static void begin_callback(struct mpit_registration *r)
{
	__atomic_add_fetch(&r->running, 1, __ATOMIC_SEQ_CST);
}

static void end(struct mpit_registration *r, MPI_T_cb_safety context)
{
	__atomic_sub_fetch(&r->running, 1, __ATOMIC_SEQ_CST);
	mpit_registration_finish(r, context);
}

/* Before the next event of a source, report lost events to the dropped handlers. */
static void emit_losses(enum mpit_source source, MPI_T_cb_safety context)
{
	if (!__atomic_exchange_n(&mpit_source_has_lost[source], 0, __ATOMIC_ACQ_REL))
		return;
	for (int event = 0; event < MPIT_N_EVENTS; event++) {
		if (mpit_event_type(event)->source != source)
			continue;
		struct mpit_registration *r = __atomic_load_n(&mpit_registrations[event], __ATOMIC_ACQUIRE);
		for (; r; r = __atomic_load_n(&r->next, __ATOMIC_ACQUIRE)) {
			begin_callback(r);
			mpit_dropped_cb tell = __atomic_load_n(&r->dropped, __ATOMIC_ACQUIRE);
			const struct mpit_callback *c = choose(r, context);
			int64_t lost = __atomic_load_n(&r->lost, __ATOMIC_RELAXED);
			if (lost && tell && c && !is_inside(r) && !__atomic_load_n(&r->freed, __ATOMIC_SEQ_CST)) {
				lost = __atomic_exchange_n(&r->lost, 0, __ATOMIC_RELAXED);
				struct instance handler = { .outer = current, .registration = r };
				current = &handler;
				if (lost)
					tell((MPI_Count)lost, (MPI_T_event_registration)r->handle, (int)source, context,
					     c->user_data);
				current = handler.outer;
			} else if (lost && tell) {
				__atomic_store_n(&mpit_source_has_lost[source], 1, __ATOMIC_RELEASE); /* try later */
			}
			end(r, context);
		}
	}
}

static bool was_inside(const struct mpit_raised *raised, const struct mpit_registration *r)
{
	for (int i = 0; i < MPIT_INSIDE_MAX; i++)
		if (raised->inside[i] == r->handle)
			return true;
	return false;
}

static void call(struct mpit_registration *r, const struct mpit_callback *c, struct instance *event,
		 MPI_T_cb_safety context)
{
	__atomic_add_fetch(&r->record->raised, 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&mpit_n_delivered, 1, __ATOMIC_RELAXED);
	event->outer = current;
	event->registration = r;
	current = event;
	c->function((MPI_T_event_instance)event, (MPI_T_event_registration)r->handle, context, c->user_data);
	current = event->outer;
}

/* Is the registration bound to this object, not to an earlier one with the same handle? */
static bool is_of(const struct mpit_registration *r, const struct mpit_raised *raised)
{
	return r->object == raised->object && (!r->number || !raised->number || r->number == raised->number);
}

/* For each registration of the event: call the callback, or, if none is allowed (or @p full), count a loss. */
static void for_each(const struct mpit_raised *raised, struct instance *event, MPI_T_cb_safety context, bool full)
{
	struct mpit_registration *r = __atomic_load_n(&mpit_registrations[raised->event], __ATOMIC_ACQUIRE);

	for (; r; r = __atomic_load_n(&r->next, __ATOMIC_ACQUIRE)) {
		if (event->type->bind != MPI_T_BIND_NO_OBJECT && !is_of(r, raised))
			continue;
		begin_callback(r);
		const struct mpit_callback *c = choose(r, context);
		bool any = c || choose(r, MPI_T_CB_REQUIRE_NONE);
		if (any && !__atomic_load_n(&r->freed, __ATOMIC_SEQ_CST)) {
			if (!c || full || is_inside(r) || was_inside(raised, r))
				count_loss(r, event->type->source);
			else
				call(r, c, event, context);
		}
		end(r, context);
	}
}

static void notify(const struct mpit_raised *raised, MPI_T_cb_safety context, bool full)
{
	const struct mpit_event_type *type = mpit_event_type((int)raised->event);
	struct instance instance = { .type = type, .values = raised->values, .time = raised->time };
	int level = mpit_callback_level;

	/* between the last MPI_T_finalize and the next MPI_T_init_thread no callback runs */
	if (mpit_enter_anywhere() != MPI_SUCCESS)
		return;
	mpit_raising_begins();
	mpit_callback_level = (int)context;
	if (!full)
		emit_losses(type->source, context);
	for_each(raised, &instance, context, full);
	mpit_callback_level = level;
	mpit_raising_ends();
}

static void deliver(const struct mpit_raised *raised, MPI_T_cb_safety context)
{
	notify(raised, context, false);
}

void mpit_raise(enum mpit_event event, MPI_T_cb_safety context, uint64_t object, const uint64_t *values)
{
	const struct mpit_event_type *type = mpit_event_type((int)event);
	struct mpit_raised raised = { .event = event, .object = object, .time = mpit_now() };
	int n = 0;

	/* An event raised inside a callback allows at most what the callback itself is allowed. */
	if ((int)context < mpit_callback_level)
		context = (MPI_T_cb_safety)mpit_callback_level;
	raised.context = context;
	if (type->bind != MPI_T_BIND_NO_OBJECT)
		raised.number = event == MPIT_EVENT_COMM_FREED || event == MPIT_EVENT_FILE_CLOSED
					? mpit_object_number_freed(type->bind, object)
					: mpit_object_number(type->bind, object);
	memcpy(raised.values, values, (size_t)mpit_event_n_elements(type) * sizeof(values[0]));
	if (type->source != MPIT_SOURCE_ORDERED) {
		notify(&raised, context, false);
		return;
	}
	for (const struct instance *i = current; i && n < MPIT_INSIDE_MAX; i = i->outer)
		raised.inside[n++] = i->registration->handle;
	if (!mpit_ordered_put(&raised))
		notify(&raised, context, true);
	mpit_ordered_deliver(context, deliver);
}

/* ---- in a callback ------------------------------------------------------------------------------------- */

static const struct instance *find_instance(MPI_T_event_instance event)
{
	for (const struct instance *i = current; i; i = i->outer)
		if ((const void *)i == (const void *)event && i->type)
			return i;
	return NULL;
}

/* Store one element in its type: the low bytes of the number. */
static size_t put_element(const struct instance *i, int element, char *to)
{
	size_t bytes, at = mpit_event_element(i->type, element, &bytes);
	uint64_t value = i->values[element];

	if (bytes == 8) {
		memcpy(to, &value, 8);
	} else if (bytes == 4) {
		uint32_t narrow = (uint32_t)value;
		memcpy(to, &narrow, 4);
	} else {
		*to = (char)value;
	}
	return at;
}

MPIT(event_read, (MPI_T_event_instance event_instance, int element_index, void *buffer))
{
	int rc = mpit_enter_anywhere();
	const struct instance *i = find_instance(event_instance);

	if (rc != MPI_SUCCESS)
		return rc;
	if (!i)
		return MPI_T_ERR_INVALID_HANDLE;
	if (element_index < 0 || element_index >= mpit_event_n_elements(i->type))
		return MPI_T_ERR_INVALID_INDEX;
	if (!buffer)
		return MPI_T_ERR_INVALID;
	put_element(i, element_index, buffer);
	return MPI_SUCCESS;
}

MPIT(event_copy, (MPI_T_event_instance event_instance, void *buffer))
{
	int rc = mpit_enter_anywhere();
	const struct instance *i = find_instance(event_instance);

	if (rc != MPI_SUCCESS)
		return rc;
	if (!i)
		return MPI_T_ERR_INVALID_HANDLE;
	if (!buffer)
		return MPI_T_ERR_INVALID;
	for (int element = 0; element < mpit_event_n_elements(i->type); element++) {
		char value[8];
		size_t bytes, at = mpit_event_element(i->type, element, &bytes);
		put_element(i, element, value);
		memcpy((char *)buffer + at, value, bytes);
	}
	return MPI_SUCCESS;
}

MPIT(event_get_timestamp, (MPI_T_event_instance event_instance, MPI_Count *event_timestamp))
{
	int rc = mpit_enter_anywhere();
	const struct instance *i = find_instance(event_instance);

	if (rc != MPI_SUCCESS)
		return rc;
	if (!i || !event_timestamp)
		return i ? MPI_T_ERR_INVALID : MPI_T_ERR_INVALID_HANDLE;
	*event_timestamp = (MPI_Count)i->time;
	return MPI_SUCCESS;
}

MPIT(event_get_source, (MPI_T_event_instance event_instance, int *source_index))
{
	int rc = mpit_enter_anywhere();
	const struct instance *i = find_instance(event_instance);

	if (rc != MPI_SUCCESS)
		return rc;
	if (!i || !source_index)
		return i ? MPI_T_ERR_INVALID : MPI_T_ERR_INVALID_HANDLE;
	*source_index = (int)i->type->source;
	return MPI_SUCCESS;
}
