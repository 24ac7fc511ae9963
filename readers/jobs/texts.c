/* SPDX-License-Identifier: BSD-3-Clause */
#include "texts.h"

#include "../../access/limits.h"
#include "plain_text.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum { FIRST_TEXT_BYTES = 4096 };

enum acc_rc rd_texts_init(struct rd_texts *t, struct acc_space *sp, size_t n_slots)
{
	*t = (struct rd_texts){ .n_slots = n_slots };

	enum acc_rc rc = rd_refs_init(&t->refs, sp, n_slots);
	t->offsets = acc_array(sp, n_slots, sizeof(*t->offsets));
	t->text = acc_array(sp, FIRST_TEXT_BYTES, 1);
	if (rc || !t->offsets || !t->text)
		return ACC_ENOMEM;
	t->cap_text = FIRST_TEXT_BYTES;
	rd_texts_begin(t);
	return ACC_OK;
}

void rd_texts_deinit(struct rd_texts *t)
{
	if (t->refs.sp) {
		acc_array_free(t->refs.sp, t->offsets);
		acc_array_free(t->refs.sp, t->text);
	}
	rd_refs_deinit(&t->refs);
	*t = (struct rd_texts){ 0 };
}

void rd_texts_begin(struct rd_texts *t)
{
	rd_refs_clear(&t->refs);
	memset(t->offsets, 0, t->n_slots * sizeof(*t->offsets));
	t->text[0] = '\0';
	t->n_text = 1;
	t->any = false;
}

void rd_texts_want(struct rd_texts *t, uint32_t slot, uint64_t addr)
{
	if (addr)
		rd_refs_add(&t->refs, addr, slot);
}

/* Room for @p n more bytes. */
static enum acc_rc reserve(struct rd_texts *t, size_t n)
{
	struct acc_space *sp = t->refs.sp;
	size_t cap = t->cap_text;

	if (n <= cap - t->n_text)
		return ACC_OK;
	while (n > cap - t->n_text)
		cap *= 2;
	if (cap > ACC_TEXT_BYTES_MAX)
		return ACC_ELIMIT;

	/* not acc_array(): the texts of a block are as long as the target makes them */
	char *more = sp->ops->alloc(sp->ctx, cap);
	if (!more)
		return ACC_ENOMEM;
	memcpy(more, t->text, t->n_text);
	acc_array_free(sp, t->text);
	t->text = more;
	t->cap_text = cap;
	return ACC_OK;
}

/* Append the text to t->text. *ret is 0 if it is invalid or "". */
static enum acc_rc keep_text(struct rd_texts *t, const char *text, size_t n, uint32_t *ret)
{
	*ret = 0;
	if (!n || !rd_plain_text(text, n, false))
		return ACC_OK;

	enum acc_rc rc = reserve(t, n + 1);
	if (rc)
		return rc;
	memcpy(t->text + t->n_text, text, n);
	t->text[t->n_text + n] = '\0';
	*ret = (uint32_t)t->n_text;
	t->n_text += n + 1;
	return ACC_OK;
}

/* Read a string that exceeds the span, or whose span could not be read. */
static enum acc_rc keep_alone(struct rd_texts *t, uint64_t addr, uint32_t *ret, size_t *n_ret)
{
	char alone[ACC_STRING_MAX + 1];

	*ret = 0;
	*n_ret = 0;
	if (rd_refs_spent(&t->refs))
		return ACC_OK;
	if (acc_read_string(t->refs.sp, addr, alone, sizeof(alone))) {
		rd_refs_failed(&t->refs);
		return ACC_OK;
	}

	size_t n = strlen(alone);
	if (n == ACC_STRING_MAX)
		return ACC_OK;
	*n_ret = n;
	return keep_text(t, alone, n, ret);
}

static enum acc_rc visit(void *ctx, const struct rd_ref *ref, const unsigned char *bytes, size_t n)
{
	struct rd_texts *t = ctx;
	uint64_t into = ref->addr - t->last_addr;

	/* the tail of a known string: no byte is stored twice */
	if (t->any && (into == 0 || (t->last_offset && into < t->last_bytes))) {
		t->offsets[ref->slot] = t->last_offset ? t->last_offset + (uint32_t)into : 0;
		return ACC_OK;
	}

	size_t most = n < ACC_STRING_MAX ? n : ACC_STRING_MAX, length = bytes ? strnlen((const char *)bytes, most) : 0;
	uint32_t offset = 0;
	enum acc_rc rc = ACC_OK;

	if (length < most)
		rc = keep_text(t, (const char *)bytes, length, &offset);
	else if (n < ACC_STRING_MAX)
		rc = keep_alone(t, ref->addr, &offset, &length);
	t->any = true;
	t->last_addr = ref->addr;
	t->last_offset = offset;
	t->last_bytes = length;
	t->offsets[ref->slot] = offset;
	return rc;
}

enum acc_rc rd_texts_read(struct rd_texts *t)
{
	return rd_refs_visit(&t->refs, visit, t);
}

void rd_texts_copy(struct rd_texts *t, uint32_t slot, uint32_t from)
{
	t->offsets[slot] = t->offsets[from];
}

const char *rd_texts_at(const struct rd_texts *t, uint32_t slot)
{
	return t->text + t->offsets[slot];
}
