/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Elements of lists.
 */
#include "registry.h"

#include "../../access/limits.h"

#include <inttypes.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

static bool within(const struct mdl_list *list, uint64_t first, uint64_t n)
{
	return list && list->known && first <= list->n && n <= list->n - first;
}

static enum acc_rc unreadable(struct rd_track *t, const struct mdl_list *list, uint64_t i, enum acc_rc rc)
{
	return acc_note(&t->sp->note, rc, "registry: list at 0x%" PRIx64 ": element %" PRIu64 ": %s", list->addr, i,
			acc_rc_text(rc));
}

/* Read in blocks, so that a list of any length needs no allocation. */
enum { BLOCK_BYTES = 4096 };

enum acc_rc rd_track_numbers(struct rd_track *t, const struct mdl_list *list, unsigned width, uint64_t first,
			     uint64_t n, int64_t *ret)
{
	unsigned char block[BLOCK_BYTES];

	if ((width != 1 && width != 4 && width != 8) || !within(list, first, n))
		return ACC_EINVAL;
	for (uint64_t i = 0; list->form && i < n; i++) {
		enum acc_rc rc = t->objects.number(t->objects.state, list, first + i, &ret[i]);

		if (rc)
			return unreadable(t, list, first + i, rc);
	}
	if (list->form)
		return ACC_OK;
	for (uint64_t i = 0, k; i < n; i += k) {
		k = n - i < BLOCK_BYTES / width ? n - i : BLOCK_BYTES / width;

		enum acc_rc rc = acc_read(t->sp, list->addr + (first + i) * width, k * width, block);
		if (rc)
			return unreadable(t, list, first + i, rc);
		for (uint64_t j = 0; j < k; j++)
			ret[i + j] = width == 1 ? block[j] : acc_decode_i(t->sp, block + j * width, width);
	}
	return ACC_OK;
}

enum acc_rc rd_track_members(struct rd_track *t, const struct mdl_list *list, uint64_t first, uint64_t n,
			     struct mdl_handle_member *ret)
{
	unsigned char block[BLOCK_BYTES];
	enum { WIDTH = sizeof(struct trk_member) };

	if (!within(list, first, n))
		return ACC_EINVAL;
	for (uint64_t i = 0; list->form && i < n; i++) {
		enum acc_rc rc = t->objects.member(t->objects.state, list, first + i, &ret[i]);

		if (rc)
			return unreadable(t, list, first + i, rc);
	}
	if (list->form)
		return ACC_OK;
	for (uint64_t i = 0, k; i < n; i += k) {
		k = n - i < BLOCK_BYTES / WIDTH ? n - i : BLOCK_BYTES / WIDTH;

		enum acc_rc rc = acc_read(t->sp, list->addr + (first + i) * WIDTH, k * WIDTH, block);
		if (rc)
			return unreadable(t, list, first + i, rc);
		for (uint64_t j = 0; j < k; j++) {
			struct mdl_handle_member *m = &ret[i + j];

			m->rank = acc_decode_i(t->sp, block + j * WIDTH + offsetof(struct trk_member, rank), 4);
			m->world = acc_decode_u(t->sp, block + j * WIDTH + offsetof(struct trk_member, world), 4);
			m->known = m->rank >= 0 && (uint64_t)m->rank < ACC_RANKS_MAX;
		}
	}
	return ACC_OK;
}

enum acc_rc rd_track_attribute(struct rd_track *t, const struct mdl_list *list, uint64_t i,
			       struct mdl_handle_attribute *ret)
{
	unsigned char b[sizeof(struct trk_attribute)];

	if (!within(list, i, 1))
		return ACC_EINVAL;
	enum acc_rc rc = list->form ? t->objects.attribute(t->objects.state, list, i, ret)
				    : acc_read(t->sp, list->addr + i * sizeof(b), sizeof(b), b);
	if (rc)
		return unreadable(t, list, i, rc);
	if (list->form)
		return ACC_OK;
	ret->keyval = acc_decode_u(t->sp, b + offsetof(struct trk_attribute, keyval), 8);
	ret->value = acc_decode_u(t->sp, b + offsetof(struct trk_attribute, value), 8);
	ret->key = acc_decode_i(t->sp, b + offsetof(struct trk_attribute, key), 4);
	ret->integer = acc_decode_i(t->sp, b + offsetof(struct trk_attribute, language), 4) == 2;
	return ACC_OK;
}

enum acc_rc rd_track_pair(struct rd_track *t, const struct mdl_list *list, uint64_t i, char *key, size_t key_size,
			  char *value, size_t value_size)
{
	unsigned char b[sizeof(struct trk_pair)];

	if (!within(list, i, 1) || !key_size || !value_size)
		return ACC_EINVAL;
	if (list->form) {
		enum acc_rc found = t->objects.pair(t->objects.state, list, i, key, key_size, value, value_size);
		return found ? unreadable(t, list, i, found) : ACC_OK;
	}
	enum acc_rc rc = acc_read(t->sp, list->addr + i * sizeof(b), sizeof(b), b);
	if (!rc)
		rc = acc_read_string(t->sp, acc_decode_u(t->sp, b, 8), key, key_size);
	if (!rc)
		rc = acc_read_string(t->sp, acc_decode_u(t->sp, b + 8, 8), value, value_size);
	return rc ? unreadable(t, list, i, rc == ACC_NONE ? ACC_ECORRUPT : rc) : ACC_OK;
}

enum acc_rc rd_track_text(struct rd_track *t, const struct mdl_list *list, char *ret, size_t size)
{
	if (!size)
		return ACC_EINVAL;
	ret[0] = '\0';
	if (!list->known)
		return ACC_NONE;

	size_t n = list->n < size - 1 ? list->n : size - 1;
	enum acc_rc rc = n ? acc_read(t->sp, list->addr, n, ret) : ACC_OK;
	ret[rc ? 0 : n] = '\0';
	return rc ? unreadable(t, list, 0, rc) : ACC_OK;
}
