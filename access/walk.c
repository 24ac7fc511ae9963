/* SPDX-License-Identifier: BSD-3-Clause */
#include "walk.h"

#include "limits.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

/* Is addr + off within the target's address space? */
static bool fits(const struct acc_space *sp, uint64_t addr, uint64_t off)
{
	uint64_t sum;

	if (__builtin_add_overflow(addr, off, &sum))
		return false;
	return sp->sizes.pointer_bytes == 8 || sum <= UINT32_MAX;
}

void acc_walk_init(struct acc_walk *w, struct acc_space *sp, uint64_t first, uint64_t sentinel, uint32_t next_off,
		   uint64_t cap)
{
	*w = (struct acc_walk){
		.sp = sp,
		.next = first,
		.sentinel = sentinel,
		.next_off = next_off,
		.cap = cap && cap < ACC_LIST_MAX ? cap : ACC_LIST_MAX,
		.power = 1,
	};
}

void acc_walk_compare(struct acc_walk *w, uint32_t prev_off, uint64_t length)
{
	w->doubly = true;
	w->prev_off = prev_off;
	w->last = w->sentinel;
	w->length = length;
}

/* Compare the `prev` pointer of @p item with the item before it. */
static enum acc_rc compare_item(struct acc_walk *w, uint64_t item)
{
	uint64_t prev;

	if (!w->doubly)
		return ACC_OK;
	if (!fits(w->sp, item, w->prev_off))
		return ACC_ECORRUPT;
	enum acc_rc rc = acc_read_ptr(w->sp, item + w->prev_off, &prev);
	if (rc)
		return rc;
	w->torn |= prev != w->last;
	w->last = item;
	return ACC_OK;
}

static enum acc_rc end(struct acc_walk *w)
{
	if (!w->doubly)
		return ACC_NONE;
	enum acc_rc rc = compare_item(w, w->sentinel);
	if (rc)
		return rc;
	bool counted = w->length == UINT64_MAX || (w->n + 1 >= w->length && w->n <= w->length + 1);
	return w->torn || !counted ? ACC_ECORRUPT : ACC_NONE;
}

enum acc_rc acc_walk_next(struct acc_walk *w, uint64_t *ret)
{
	uint64_t item = w->next;

	if (w->rc)
		return w->rc;
	if (item == w->sentinel)
		return w->rc = end(w);
	if (!acc_plausible(w->sp, item, w->sp->sizes.pointer_bytes) || !fits(w->sp, item, w->next_off))
		return w->rc = ACC_ECORRUPT;
	if (w->n && item == w->anchor)
		return w->rc = ACC_ECORRUPT;
	if (w->n >= w->cap)
		return w->rc = ACC_ELIMIT;

	/* Brent's algorithm: the anchor is set to the current item after 1, 2, 4, 8 ... steps */
	if (!w->n || ++w->lam == w->power) {
		if (w->n)
			w->power *= 2;
		w->anchor = item;
		w->lam = 0;
	}
	w->rc = acc_read_ptr(w->sp, item + w->next_off, &w->next);
	if (!w->rc)
		w->rc = compare_item(w, item);
	if (w->rc)
		return w->rc;
	w->n++;
	*ret = item;
	return ACC_OK;
}

enum acc_rc acc_slots_init(struct acc_slots *s, struct acc_space *sp, uint64_t addr, uint64_t n)
{
	*s = (struct acc_slots){ .sp = sp, .addr = addr, .n = n };
	if (n > ACC_SLOTS_MAX) {
		s->n = 0;
		return s->rc = ACC_ELIMIT;
	}
	return ACC_OK;
}

/* Fill the block from slot i on. At the end of a mapping there may be only a single slot. */
static enum acc_rc fill(struct acc_slots *s)
{
	unsigned width = s->sp->sizes.pointer_bytes;
	uint64_t n = s->n - s->i < ACC_SLOTS_BLOCK ? s->n - s->i : ACC_SLOTS_BLOCK;

	if (!fits(s->sp, s->addr, s->i * width))
		return ACC_EREAD;
	if (acc_read(s->sp, s->addr + s->i * width, n * width, s->block)) {
		n = 1;
		if (acc_read(s->sp, s->addr + s->i * width, width, s->block))
			return ACC_EREAD;
	}
	s->at = 0;
	s->n_block = n;
	return ACC_OK;
}

enum acc_rc acc_slots_next(struct acc_slots *s, uint64_t *ret)
{
	if (s->rc)
		return s->rc;
	if (s->i >= s->n)
		return s->rc = ACC_NONE;
	if (s->at == s->n_block) {
		s->rc = fill(s);
		if (s->rc)
			return s->rc;
	}

	unsigned width = s->sp->sizes.pointer_bytes;
	*ret = acc_decode_u(s->sp, s->block + s->at++ * width, width);
	s->i++;
	return ACC_OK;
}
