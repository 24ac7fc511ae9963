/* SPDX-License-Identifier: BSD-3-Clause */
/* Keys and values are queried from the library whenever the program changes them. */
#include "info.h"

#include "arena.h"

#include <string.h>

enum { KEYS_MAX = 4096, KEY_BYTES = MPI_MAX_INFO_KEY + 1 };

/* Length of a value; -1: no such key. */
static int value_length(MPI_Info info, const char *key)
{
	int length = 0, flag = 0;

	if (m2d_pmpi.Info_get_valuelen(info, key, &length, &flag) != MPI_SUCCESS || !flag || length < 0)
		return -1;
	return length;
}

/*
 * Store key number i and its value at @p to, one after the other. @return the size; with @p to NULL, nothing is stored.
 */
static size_t store_pair(MPI_Info info, int i, char *to, size_t room)
{
	char key[KEY_BYTES] = "";

	if (m2d_pmpi.Info_get_nthkey(info, i, key) != MPI_SUCCESS)
		return 0;
	int length = value_length(info, key), flag = 0;
	size_t n_key = strlen(key) + 1, n = n_key + (length < 0 ? 0 : (size_t)length) + 1;
	if (!to)
		return n;
	if (n > room)
		return 0;
	memcpy(to, key, n_key);
	if (length >= 0)
		m2d_pmpi.Info_get(info, key, length, to + n_key, &flag);
	return n;
}

void trk_info_query(MPI_Info info, struct trk_info_facts *ret)
{
	int n = 0;
	size_t bytes = 0, at = 0;

	*ret = (struct trk_info_facts){ 0 };
	if (info == m2d_constants.info_null || !m2d_pmpi.Info_get_nkeys ||
	    m2d_pmpi.Info_get_nkeys(info, &n) != MPI_SUCCESS || n <= 0)
		return;
	ret->total = n;
	n = n < KEYS_MAX ? n : KEYS_MAX;
	for (int i = 0; i < n; i++)
		bytes += store_pair(info, i, NULL, 0);
	/* the library may write one NUL more than the length of the value */
	ret->text = trk_scratch(bytes + 1, 1);
	for (int i = 0; ret->text && i < n; i++) {
		size_t used = store_pair(info, i, ret->text + at, bytes - at);
		if (!used)
			break;
		at += used;
		ret->n++;
	}
	ret->bytes = at;
}

struct trk_span trk_info_pairs(const struct trk_info_facts *f)
{
	struct trk_span ret;
	struct trk_pair *p = trk_span_new(&ret, (size_t)f->n, sizeof(*p), f->bytes);

	if (f->total > f->n)
		ret.total = (uint32_t)f->total;
	if (!p)
		return ret;
	char *text = memcpy(p + f->n, f->text, f->bytes);
	for (int i = 0; i < f->n; i++) {
		p[i].key_addr = (uintptr_t)text;
		text += strlen(text) + 1;
		p[i].value_addr = (uintptr_t)text;
		text += strlen(text) + 1;
	}
	return ret;
}

static bool has_key(const struct trk_info_facts *f, const char *key)
{
	const char *text = f->text;

	for (int i = 0; i < f->n; i++) {
		if (!strcmp(text, key))
			return true;
		text += strlen(text) + 1; /* skip the value */
		text += strlen(text) + 1;
	}
	return false;
}

static const char *key_of(const struct trk_pair *p)
{
	return (const char *)(uintptr_t)p->key_addr;
}

static const char *value_of(const struct trk_pair *p)
{
	return (const char *)(uintptr_t)p->value_addr;
}

/* Append a pair. @return where the text of the next pair goes */
static char *add_pair(struct trk_pair *p, char *text, const char *key, const char *value)
{
	size_t n_key = strlen(key) + 1, n_value = strlen(value) + 1;

	*p = (struct trk_pair){ (uintptr_t)memcpy(text, key, n_key), (uintptr_t)memcpy(text + n_key, value, n_value) };
	return text + n_key + n_value;
}

void trk_info_add_hints(struct trk_span *hints, const struct trk_info_facts *f)
{
	struct trk_span before = *hints;
	const struct trk_pair *old = trk_span_at(before);
	const char *from = f->text;
	uint32_t n_kept = 0, k = 0;
	size_t bytes = f->bytes;

	for (uint32_t i = 0; i < before.n; i++) {
		if (has_key(f, key_of(&old[i])))
			continue;
		n_kept++;
		bytes += strlen(key_of(&old[i])) + 1 + strlen(value_of(&old[i])) + 1;
	}
	struct trk_pair *p = trk_span_new(hints, n_kept + (size_t)f->n, sizeof(*p), bytes);
	hints->total += before.total - before.n + (uint32_t)(f->total - f->n);
	char *text = (char *)(p + n_kept + f->n);
	for (uint32_t i = 0; p && i < before.n; i++)
		if (!has_key(f, key_of(&old[i])))
			text = add_pair(&p[k++], text, key_of(&old[i]), value_of(&old[i]));
	for (int i = 0; p && i < f->n; i++) {
		const char *value = from + strlen(from) + 1;
		text = add_pair(&p[k++], text, from, value);
		from = value + strlen(value) + 1;
	}
	trk_span_drop(before);
}

void trk_info_release(struct trk_info_facts *f)
{
	trk_scratch_free(f->text);
}

void trk_info_made(uint64_t parent, MPI_Info info)
{
	struct trk_info_facts f;

	if (info == m2d_constants.info_null || trk_is_predefined(TRK_INFO, TRK_BITS(info)))
		return;
	trk_info_query(info, &f);
	if (trk_lock()) {
		struct trk_info *r = trk_create(TRK_INFO, TRK_BITS(info), parent);
		if (r) {
			r->pairs = trk_info_pairs(&f);
			TRK_SET_FORTRAN(r, Info, info);
			trk_publish(TRK_INFO, r);
		}
		trk_unlock();
	}
	trk_info_release(&f);
}

void trk_info_changed(MPI_Info info)
{
	struct trk_info_facts f;

	trk_info_query(info, &f);
	if (trk_lock()) {
		struct trk_info *r = trk_find(TRK_INFO, TRK_BITS(info));
		if (r) {
			struct trk_span old = r->pairs, with = trk_info_pairs(&f);
			trk_change(r);
			r->pairs = with;
			trk_changed(r);
			trk_span_drop(old);
		}
		trk_unlock();
	}
	trk_info_release(&f);
}
