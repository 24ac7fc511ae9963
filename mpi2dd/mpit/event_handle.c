/* SPDX-License-Identifier: BSD-3-Clause */
/* Handles of registrations: allocate, set callbacks, free. */
#include "registration.h"

#include "mirror.h"
#include "object.h"

#include <stdlib.h>
#include <string.h>

static struct mpit_registration *unlinked; /* freed; another thread may still be traversing them */
static struct mpit_registration *unused;

static void free_callbacks(struct mpit_callback *c)
{
	for (struct mpit_callback *older; c; c = older) {
		older = c->older;
		free(c);
	}
}

/* Freed registrations are reused only when no thread is raising. */
static void collect(void)
{
	if (__atomic_load_n(&mpit_n_raising, __ATOMIC_ACQUIRE) != 0)
		return;
	while (unlinked) {
		struct mpit_registration *r = unlinked;
		unlinked = r->next_free;
		for (int i = 0; i < MPIT_LEVELS; i++)
			free_callbacks(r->levels[i]);
		mpit_mirror_registration_unused(r->record);
		r->next_free = unused;
		unused = r;
	}
}

static struct mpit_registration *alloc_registration(void)
{
	struct mpit_registration *r;

	collect();
	r = unused;
	if (!r)
		return calloc(1, sizeof(*r));
	unused = r->next_free;
	memset(r, 0, sizeof(*r));
	return r;
}

static struct mpit_registration *find_registration(MPI_T_event_registration registration)
{
	return mpit_handle_find(MPIT_REGISTRATION, (uintptr_t)registration);
}

MPIT(event_handle_alloc,
     (int event_index, void *obj_handle, MPI_Info info, MPI_T_event_registration *event_registration))
{
	int rc = mpit_enter();

	(void)info; /* no hints are supported */
	if (rc != MPI_SUCCESS)
		return rc;
	const struct mpit_event_type *type = mpit_event_type(event_index);
	if (!type)
		return mpit_leave(MPI_T_ERR_INVALID_INDEX);
	if (!event_registration || !mpit_object_is_readable(type->bind, obj_handle))
		return mpit_leave(MPI_T_ERR_INVALID);
	/* null or freed: no event could ever be raised for it */
	if (!mpit_object_is_live(type->bind, obj_handle))
		return mpit_leave(MPI_T_ERR_INVALID_HANDLE);
	struct mpit_registration *r = alloc_registration();
	if (!r)
		return mpit_leave(MPI_T_ERR_MEMORY);
	r->event = (enum mpit_event)event_index;
	r->object = mpit_object_bits(type->bind, obj_handle);
	r->number = mpit_object_number(type->bind, r->object);
	r->handle = mpit_handle_make(MPIT_REGISTRATION, r);
	if (!r->handle) {
		r->next_free = unused;
		unused = r;
		return mpit_leave(MPI_T_ERR_OUT_OF_HANDLES);
	}
	r->record = mpit_mirror_registration(event_index, r->object, r->handle);
	r->next = mpit_registrations[event_index];
	__atomic_store_n(&mpit_registrations[event_index], r, __ATOMIC_RELEASE);
	*event_registration = (MPI_T_event_registration)r->handle;
	return mpit_leave(MPI_SUCCESS);
}

static bool has_callback(const struct mpit_registration *r)
{
	for (int i = 0; i < MPIT_LEVELS; i++)
		if (r->levels[i] && r->levels[i]->function)
			return true;
	return false;
}

MPIT(event_register_callback, (MPI_T_event_registration event_registration, MPI_T_cb_safety cb_safety, MPI_Info info,
			       void *user_data, mpit_event_cb event_cb_function))
{
	int rc = mpit_enter();

	(void)info;
	if (rc != MPI_SUCCESS)
		return rc;
	struct mpit_registration *r = find_registration(event_registration);
	if (!r)
		return mpit_leave(MPI_T_ERR_INVALID_HANDLE);
	if ((int)cb_safety < 0 || (int)cb_safety >= MPIT_LEVELS)
		return mpit_leave(MPI_T_ERR_INVALID);
	struct mpit_callback *c = malloc(sizeof(*c));
	if (!c)
		return mpit_leave(MPI_T_ERR_MEMORY);
	bool before = has_callback(r);
	*c = (struct mpit_callback){ event_cb_function, user_data, r->levels[cb_safety] };
	__atomic_store_n(&r->levels[cb_safety], c, __ATOMIC_SEQ_CST);
	/* This thread no longer uses the old callback; threads that start raising now find the new one. */
	if (!mpit_raising_elsewhere()) {
		free_callbacks(c->older);
		c->older = NULL;
	}
	mpit_mirror_callback(r->record, (int)cb_safety, (uintptr_t)event_cb_function);
	int more = has_callback(r) - before;
	__atomic_add_fetch(&mpit_n_listeners[r->event], more, __ATOMIC_RELEASE);
	mpit_listener_changed(r->event, more);
	return mpit_leave(MPI_SUCCESS);
}

static int set_info(MPI_T_event_registration registration, int level)
{
	int rc = mpit_enter();

	if (rc != MPI_SUCCESS)
		return rc;
	const struct mpit_registration *r = find_registration(registration);
	if (!r)
		return mpit_leave(MPI_T_ERR_INVALID_HANDLE);
	if (level < -1 || level >= MPIT_LEVELS || (level >= 0 && (!r->levels[level] || !r->levels[level]->function)))
		return mpit_leave(MPI_T_ERR_INVALID);
	return mpit_leave(MPI_SUCCESS);
}

static int get_info(MPI_T_event_registration registration, int level, MPI_Info *info_used)
{
	int rc = set_info(registration, level);

	if (rc != MPI_SUCCESS)
		return rc;
	return info_used ? mpit_new_info(info_used) : MPI_T_ERR_INVALID;
}

MPIT(event_handle_set_info, (MPI_T_event_registration event_registration, MPI_Info info))
{
	(void)info;
	return set_info(event_registration, -1);
}

MPIT(event_handle_get_info, (MPI_T_event_registration event_registration, MPI_Info *info_used))
{
	return get_info(event_registration, -1, info_used);
}

MPIT(event_callback_set_info, (MPI_T_event_registration event_registration, MPI_T_cb_safety cb_safety, MPI_Info info))
{
	(void)info;
	return set_info(event_registration, (int)cb_safety < 0 ? MPIT_LEVELS : (int)cb_safety);
}

MPIT(event_callback_get_info,
     (MPI_T_event_registration event_registration, MPI_T_cb_safety cb_safety, MPI_Info *info_used))
{
	return get_info(event_registration, (int)cb_safety < 0 ? MPIT_LEVELS : (int)cb_safety, info_used);
}

MPIT(event_set_dropped_handler, (MPI_T_event_registration event_registration, mpit_dropped_cb dropped_cb_function))
{
	int rc = mpit_enter();

	if (rc != MPI_SUCCESS)
		return rc;
	struct mpit_registration *r = find_registration(event_registration);
	if (!r)
		return mpit_leave(MPI_T_ERR_INVALID_HANDLE);
	__atomic_store_n(&r->lost, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&r->dropped, dropped_cb_function, __ATOMIC_RELEASE);
	mpit_mirror_dropped_handler(r->record, (uintptr_t)dropped_cb_function);
	return mpit_leave(MPI_SUCCESS);
}

MPIT(event_handle_free, (MPI_T_event_registration event_registration, void *user_data, mpit_free_cb free_cb_function))
{
	int rc = mpit_enter();

	if (rc != MPI_SUCCESS)
		return rc;
	struct mpit_registration *r = find_registration(event_registration);
	if (!r)
		return mpit_leave(MPI_T_ERR_INVALID_HANDLE);
	struct mpit_registration **link = &mpit_registrations[r->event];
	while (*link != r)
		link = &(*link)->next;
	__atomic_store_n(link, r->next, __ATOMIC_RELEASE);
	if (has_callback(r)) {
		__atomic_sub_fetch(&mpit_n_listeners[r->event], 1, __ATOMIC_RELEASE);
		mpit_listener_changed(r->event, -1);
	}
	mpit_handle_drop(MPIT_REGISTRATION, r->handle);
	mpit_mirror_registration_freed(r->record);
	r->free_function = free_cb_function;
	r->free_user_data = user_data;
	/* A raising thread increments "running" before it reads "freed", so at least one of the two sees the other. */
	__atomic_store_n(&r->freed, 1, __ATOMIC_SEQ_CST);
	__atomic_add_fetch(&mpit_n_raising, 1, __ATOMIC_SEQ_CST); /* keeps the registration from being reused before
								   * it is finished */
	r->next_free = unlinked;
	unlinked = r;
	mpit_leave(MPI_SUCCESS);
	mpit_registration_finish(r, mpit_callback_level < 0 ? MPI_T_CB_REQUIRE_NONE
							    : (MPI_T_cb_safety)mpit_callback_level);
	__atomic_sub_fetch(&mpit_n_raising, 1, __ATOMIC_SEQ_CST);
	return MPI_SUCCESS;
}
