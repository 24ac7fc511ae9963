/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of attributes are not modified; they are replaced as a whole. */
#include "attribute.h"

#include "arena.h"

#include <string.h>

void trk_keyval_made(enum trk_kind kind, int key, const void *copy, const void *delete, uint64_t extra_state,
		     unsigned language)
{
	if (!trk_lock())
		return;
	struct trk_keyval *r = trk_create(TRK_KEYVAL, (uint32_t)key, 0);
	if (r) {
		r->object_kind = kind;
		r->key = key;
		r->copy_function = (uintptr_t)copy;
		r->delete_function = (uintptr_t) delete;
		r->extra_state = extra_state;
		r->language = (uint8_t)language;
		trk_set_fortran(r, key);
		trk_publish(TRK_KEYVAL, r);
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

/* Replace the list of a record. */
static void replace_list(void *record, struct trk_span *list, struct trk_span with)
{
	struct trk_span old = *list;

	trk_change(record);
	*list = with;
	trk_changed(record);
	trk_span_drop(old);
}

/* Copy a list without @p key, optionally with room for one more. @return where the new element goes; NULL: no room */
static struct trk_attribute *list_without(struct trk_span list, int key, bool one_more, struct trk_span *ret, bool *had)
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
		struct trk_attribute *a = list_without(*list, key, true, &with, &had);
		if (a)
			*a = (struct trk_attribute){ .keyval = trk_id_of(TRK_KEYVAL, (uint32_t)key),
						     .value = value,
						     .key = key,
						     .language = language };
		replace_list(r, list, with);
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
		list_without(*list, key, false, &with, &had);
		if (had)
			replace_list(r, list, with);
		else
			trk_span_drop(with);
	}
	trk_unlock();
}

/* ---- copies ------------------------------------------------------------------------------------------- */

/* An attribute that the program set as a Fortran integer is returned to C as the address of an integer. */
static uint64_t value_of(void *got, const struct trk_attribute *was)
{
	MPI_Aint integer;

	if (was->language != 2)
		return (uintptr_t)got;
	if (!got)
		return 0;
	memcpy(&integer, got, sizeof(integer));
	/* a default INTEGER: the bytes next to it mean nothing */
	if ((uint32_t)integer == (uint32_t)was->value)
		return was->value;
	return (uint64_t)integer;
}

static bool query_attribute(enum trk_kind kind, uint64_t object, int key, void **ret)
{
	int flag = 0, rc;

	*ret = NULL;
	if (kind == TRK_COMM)
		rc = m2d_pmpi.Comm_get_attr(TRK_HANDLE(MPI_Comm, object), key, (void *)ret, &flag);
	else
		rc = m2d_pmpi.Type_get_attr(TRK_HANDLE(MPI_Datatype, object), key, (void *)ret, &flag);
	return rc == MPI_SUCCESS && flag;
}

/* The standard's own copy functions have a known effect. */
enum copied { COPIED, NOT_COPIED, NOT_KNOWN };

static enum copied copied_by(uint64_t function)
{
#if defined(OPEN_MPI)
	static const char *const null[] = { "OMPI_C_MPI_COMM_NULL_COPY_FN", "OMPI_C_MPI_TYPE_NULL_COPY_FN",
					    "OMPI_C_MPI_NULL_COPY_FN" };
	static const char *const dup[] = { "OMPI_C_MPI_COMM_DUP_FN", "OMPI_C_MPI_TYPE_DUP_FN", "OMPI_C_MPI_DUP_FN" };
#else
	static const char *const null[] = { NULL }; /* MPI_NULL_COPY_FN is 0 */
	static const char *const dup[] = { "MPIR_Dup_fn" };
#endif

	if (function == 0)
		return NOT_COPIED;
#if defined(M2D_ABI)
	if (function == (uintptr_t)MPI_COMM_DUP_FN)
		return COPIED;
#endif
	for (size_t i = 0; i < sizeof(null) / sizeof(null[0]); i++)
		if (null[i] && function == (uintptr_t)m2d_calls_symbol(null[i]))
			return NOT_COPIED;
	for (size_t i = 0; i < sizeof(dup) / sizeof(dup[0]); i++)
		if (function == (uintptr_t)m2d_calls_symbol(dup[i]))
			return COPIED;
	return NOT_KNOWN;
}

/* An attribute of the original, and facts about its keyval. */
struct original {
	struct trk_attribute attribute;
	bool live; /* the keyval is live, so the attribute can be queried */
	uint64_t copy_function;
};

/* Number of attributes of an object. */
static uint32_t count_attributes(enum trk_kind kind, uint64_t object)
{
	if (!trk_lock())
		return 0;
	void *r = trk_find(kind, object);
	struct trk_span *list = r ? attributes_of(kind, r) : NULL;
	uint32_t n = list ? list->n : 0;
	trk_unlock();
	return n;
}

/*
 * Collect at most @p max attributes that the program has set. @return their number. @param n_unknown set to how many
 * more there are
 */
static uint32_t list_originals(enum trk_kind kind, uint64_t object, struct original *ret, uint32_t max,
			       uint32_t *n_unknown)
{
	uint32_t n = 0, n_predefined = 0;

	*n_unknown = 0;
	if (!trk_lock())
		return 0;
	void *r = trk_find(kind, object);
	struct trk_span *list = r ? attributes_of(kind, r) : NULL;
	const struct trk_attribute *a = list ? trk_span_at(*list) : NULL;
	for (uint32_t i = 0; a && i < list->n && n < max; i++) {
		const struct trk_keyval *k = trk_find_any(TRK_KEYVAL, (uint32_t)a[i].key);
		bool known = k && k->id == a[i].keyval;
		if (known && k->predefined)
			n_predefined++; /* predefined ones of MPI_COMM_WORLD; MPICH
					 * returns them for every communicator */
		else if (known)
			ret[n++] = (struct original){ a[i], k->state == TRK_LIVE, k->copy_function };
	}
	*n_unknown = list ? list->total - n - n_predefined : 0;
	trk_unlock();
	return n;
}

/* @p n_unknown: how many more there may be. */
static void set_attributes(enum trk_kind kind, uint64_t object, const struct trk_attribute *a, uint32_t n,
			   uint32_t n_unknown)
{
	if (!trk_lock())
		return;
	void *r = trk_find(kind, object);
	struct trk_span *list = r ? attributes_of(kind, r) : NULL;
	if (list) {
		struct trk_span with = trk_span_copy(a, n, sizeof(*a));
		with.total += n_unknown;
		replace_list(r, list, with);
	}
	trk_unlock();
}

/*
 * An attribute cannot be queried once its keyval is freed: that is an error, which invokes the program's error handler.
 * Whether such an attribute was copied follows from its copy function; if that is a function of the program, the list
 * is marked as incomplete.
 */
void trk_attributes_copied(enum trk_kind kind, uint64_t from, uint64_t to)
{
	uint32_t n_kept = 0, n_unknown, max = count_attributes(kind, from);
	struct original *all = max ? trk_scratch(max, sizeof(*all)) : NULL;
	struct trk_attribute *kept = max ? trk_scratch(max, sizeof(*kept)) : NULL;
	uint32_t n = list_originals(kind, from, all, all && kept ? max : 0, &n_unknown);

	for (uint32_t i = 0; i < n; i++) {
		enum copied copied = COPIED;
		void *value;
		kept[n_kept] = all[i].attribute;
		if (!all[i].live)
			copied = copied_by(all[i].copy_function);
		else if (query_attribute(kind, to, all[i].attribute.key, &value))
			kept[n_kept].value = value_of(value, &all[i].attribute);
		else
			copied = NOT_COPIED;
		n_kept += copied == COPIED;
		n_unknown += copied == NOT_KNOWN;
	}
	if (n_kept + n_unknown)
		set_attributes(kind, to, kept, n_kept, n_unknown);
	trk_scratch_free(all);
	trk_scratch_free(kept);
}
