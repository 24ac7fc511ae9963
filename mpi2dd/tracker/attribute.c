/* SPDX-License-Identifier: BSD-3-Clause */
/* A list of attributes is replaced as a whole. */
#include "attribute.h"

#include "arena.h"

#include <string.h>

void trk_keyval_made(enum trk_kind kind, int key, const void *copy, const void *delete, uint64_t extra_state,
		     unsigned language)
{
	if (!trk_lock())
		return;
	struct trk_keyval *r = trk_born(TRK_KEYVAL, (uint32_t)key, 0);
	if (r) {
		r->object_kind = kind;
		r->key = key;
		r->copy_function = (uintptr_t)copy;
		r->delete_function = (uintptr_t) delete;
		r->extra_state = extra_state;
		r->language = (uint8_t)language;
		trk_set_fortran(r, key);
		trk_settled(TRK_KEYVAL, r);
	}
	trk_unlock();
}

void trk_keyval_freed(int key, uint64_t id)
{
	trk_freed(TRK_KEYVAL, (uint32_t)key, id);
}

static struct trk_span *attributes_of(enum trk_kind kind, void *record)
{
	switch (kind) {
	case TRK_COMM:
		return &((struct trk_comm *)record)->attributes;
	case TRK_DATATYPE:
		return &((struct trk_datatype *)record)->attributes;
	case TRK_WIN:
		return &((struct trk_win *)record)->attributes;
	default:
		return NULL;
	}
}

/* Put a new list into a record. */
static void replace(void *record, struct trk_span *list, struct trk_span with)
{
	struct trk_span old = *list;

	trk_change(record);
	*list = with;
	trk_changed(record);
	trk_span_drop(old);
}

/* The list without key; room for one more behind it. @return where that is; NULL: no room */
static struct trk_attribute *without(struct trk_span list, int key, bool one_more, struct trk_span *ret, bool *had)
{
	const struct trk_attribute *from = trk_span_at(list);
	size_t n = one_more ? 1 : 0;

	*had = false;
	for (uint32_t i = 0; i < list.n; i++) {
		if (from[i].key == key)
			*had = true;
		else
			n++;
	}
	struct trk_attribute *to = trk_span_new(ret, n, sizeof(*to), 0);
	if (!to)
		return NULL;
	for (uint32_t i = 0; i < list.n; i++)
		if (from[i].key != key)
			*to++ = from[i];
	return to;
}

void trk_attribute_set(enum trk_kind kind, uint64_t object, int key, uint64_t value, int language)
{
	if (!trk_lock())
		return;
	void *r = trk_find(kind, object);
	struct trk_span *list = r ? attributes_of(kind, r) : NULL;
	if (list) {
		struct trk_span with;
		bool had;
		struct trk_attribute *a = without(*list, key, true, &with, &had);
		if (a)
			*a = (struct trk_attribute){ .keyval = trk_id_of(TRK_KEYVAL, (uint32_t)key),
						     .value = value,
						     .key = key,
						     .language = language };
		replace(r, list, with);
	}
	trk_unlock();
}

void trk_attribute_deleted(enum trk_kind kind, uint64_t object, int key)
{
	if (!trk_lock())
		return;
	void *r = trk_find(kind, object);
	struct trk_span *list = r ? attributes_of(kind, r) : NULL;
	if (list && list->n) {
		struct trk_span with;
		bool had;
		without(*list, key, false, &with, &had);
		if (had)
			replace(r, list, with);
		else
			trk_span_drop(with);
	}
	trk_unlock();
}

/* ---- copies ------------------------------------------------------------------------------------------- */

enum { KEYS_MAX = 64 };

/* What the program set by a Fortran integer the library hands to C as the address of one. */
static uint64_t value_of(void *got, const struct trk_attribute *was)
{
	MPI_Aint integer;

	if (was->language != 2)
		return (uintptr_t)got;
	if (!got)
		return 0;
	memcpy(&integer, got, sizeof(integer));
	/* a plain INTEGER: what stands beside it says nothing */
	if ((uint32_t)integer == (uint32_t)was->value)
		return was->value;
	return (uint64_t)integer;
}

static bool ask(enum trk_kind kind, uint64_t object, int key, void **ret)
{
	int flag = 0, rc;

	*ret = NULL;
#if defined(OPEN_MPI)
#define HANDLE(type) ((type)(uintptr_t)object)
#else
#define HANDLE(type) ((type)object)
#endif
	if (kind == TRK_COMM)
		rc = m2d_pmpi.Comm_get_attr(HANDLE(MPI_Comm), key, (void *)ret, &flag);
	else
		rc = m2d_pmpi.Type_get_attr(HANDLE(MPI_Datatype), key, (void *)ret, &flag);
	return rc == MPI_SUCCESS && flag;
}

/*
 * A keyval that was freed cannot be asked for: that is an error, which calls the program's handler. Whether such an
 * attribute was copied only its copy function knows, so the list says that it is longer than it is.
 */
void trk_attributes_copied(enum trk_kind kind, uint64_t from, uint64_t to)
{
	struct trk_attribute few[KEYS_MAX];
	uint32_t n = 0, n_kept = 0, n_unknown = 0;

	if (!trk_lock())
		return;
	void *r = trk_find(kind, from);
	struct trk_span *list = r ? attributes_of(kind, r) : NULL;
	if (list) {
		const struct trk_attribute *a = trk_span_at(*list);
		n_unknown = list->total - list->n;
		for (uint32_t i = 0; i < list->n; i++) {
			const struct trk_keyval *k = trk_find(TRK_KEYVAL, (uint32_t)a[i].key);
			if (n < KEYS_MAX && k && k->id == a[i].keyval)
				few[n++] = a[i];
			else
				n_unknown++;
		}
	}
	trk_unlock();
	for (uint32_t i = 0; i < n; i++) {
		void *value;
		if (!ask(kind, to, few[i].key, &value))
			continue;
		few[n_kept] = few[i];
		few[n_kept].value = value_of(value, &few[n_kept]);
		n_kept++;
	}
	if (n_kept + n_unknown == 0 || !trk_lock())
		return;
	r = trk_find(kind, to);
	list = r ? attributes_of(kind, r) : NULL;
	if (list) {
		struct trk_span with = trk_span_copy(few, n_kept, sizeof(few[0]));
		with.total += n_unknown;
		replace(r, list, with);
	}
	trk_unlock();
}
