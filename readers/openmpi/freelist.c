/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * opal_free_list_t (opal/class/opal_free_list.h): items are allocated in chunks and never freed. A chunk starts with an
 * opal_free_list_item_t that links it into fl_allocations. Its items follow, aligned to fl_frag_alignment, at distances
 * of fl_frag_size rounded up to that alignment (payloads are allocated separately). The number of items in a chunk is
 * not recorded: the chunk ends where the next item's class is not fl_frag_class. fl_num_allocated is the total, except
 * while opal_free_list_grow_st() constructs the items of a new chunk, the last one.
 */
#include "objects.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum { ITEM_BYTES_MAX = 1 << 20, ALIGN_MAX = 1 << 20 };

static uint64_t align_up(uint64_t value, uint64_t align)
{
	return (value + align - 1) & ~(align - 1);
}

enum acc_rc rd_ompi_freelist_first(struct rd_ompi *o, uint64_t addr, struct rd_ompi_freelist *ret)
{
	const struct acc_field_at *fields = o->layout->fields;
	struct rd_ompi_freelist f = { 0 };
	struct acc_obj obj;
	uint64_t first, sentinel, length;

	acc_obj_load(&obj, o->sp, o->layout, T_opal_free_list_t, addr);
	f.n_allocated = acc_get_u(&obj, F_opal_free_list_t_fl_num_allocated);
	f.align = acc_get_u(&obj, F_opal_free_list_t_fl_frag_alignment);
	f.class_addr = acc_get_u(&obj, F_opal_free_list_t_fl_frag_class);
	uint64_t bytes = acc_get_u(&obj, F_opal_free_list_t_fl_frag_size);
	uint64_t chunks_addr = acc_get_addr(&obj, F_opal_free_list_t_fl_allocations);
	if (obj.rc)
		return obj.rc;
	f.header = acc_layout_bytes(o->layout, T_opal_free_list_item_t);
	f.class_off = fields[F_opal_object_t_obj_class].offset;
	enum acc_rc rc = rd_ompi_list(o, chunks_addr, &first, &sentinel, &length);
	if (rc)
		return rd_ompi_bad(o, rc, T_opal_free_list_t, addr);
	f.used = first && first != sentinel;
	if (!f.used && !f.n_allocated) { /* never initialized, or the pml does not use it */
		acc_walk_init(&f.chunks, o->sp, sentinel, sentinel, 0, 1);
		*ret = f;
		return ACC_OK;
	}
	if (f.align < 2 || f.align > ALIGN_MAX || (f.align & (f.align - 1)) || bytes < f.header ||
	    bytes > ITEM_BYTES_MAX || !f.header || !acc_plausible(o->sp, f.class_addr, 4))
		return rd_ompi_bad(o, ACC_ECORRUPT, T_opal_free_list_t, addr);
	f.stride = align_up(bytes, f.align);
	acc_walk_init(&f.chunks, o->sp, first, sentinel, fields[F_opal_list_item_t_opal_list_next].offset, 0);
	acc_walk_compare(&f.chunks, fields[F_opal_list_item_t_opal_list_prev].offset, length);
	*ret = f;
	return ACC_OK;
}

/* All chunks were read: were all of them found, and all of their items? */
static enum acc_rc compare_count(const struct rd_ompi_freelist *f)
{
	return f->n == f->n_allocated || f->n_before == f->n_allocated ? ACC_NONE : ACC_ECORRUPT;
}

enum acc_rc rd_ompi_freelist_next(struct rd_ompi_freelist *f, uint64_t *ret)
{
	struct acc_space *sp = f->chunks.sp;
	uint64_t chunk_addr, class_addr;

	while (f->used || f->n_allocated) {
		if (f->item_addr) {
			uint64_t addr = f->item_addr;

			/* an unreadable word is the end of the chunk's mapping */
			if (f->n < ACC_LIST_MAX && acc_read_ptr(sp, addr + f->class_off, &class_addr) == ACC_OK &&
			    class_addr == f->class_addr) {
				f->item_addr = addr + f->stride;
				f->n++;
				*ret = addr;
				return ACC_OK;
			}
			f->item_addr = 0;
		}
		enum acc_rc rc = acc_walk_next(&f->chunks, &chunk_addr);
		if (rc == ACC_NONE)
			rc = compare_count(f);
		if (rc == ACC_NONE)
			return rc;
		if (rc)
			return acc_note(&sp->note, rc, "free list: %llu of %llu items found: %s",
					(unsigned long long)f->n, (unsigned long long)f->n_allocated, acc_rc_text(rc));
		f->n_before = f->n;
		f->item_addr = align_up(chunk_addr + f->header, f->align);
	}
	return ACC_NONE;
}

/* Begin a walk over the unused items. @return ACC_NONE: the layout has no such list */
static enum acc_rc walk_unused(struct rd_ompi *o, uint64_t addr, uint64_t cap, struct acc_walk *w)
{
	const struct acc_field_at *fields = o->layout->fields;
	uint64_t first;

	if (!rd_ompi_has(o, F_opal_lifo_t_opal_lifo_head) || !rd_ompi_has(o, F_opal_lifo_t_opal_lifo_ghost))
		return ACC_NONE;
	/* opal_counted_pointer_t: a 64-bit counter, then the pointer to the first item; the end is the ghost */
	enum acc_rc rc = acc_read_ptr(o->sp, addr + fields[F_opal_lifo_t_opal_lifo_head].offset + 8, &first);
	if (rc)
		return rc;
	acc_walk_init(w, o->sp, first, addr + fields[F_opal_lifo_t_opal_lifo_ghost].offset,
		      fields[F_opal_list_item_t_opal_list_next].offset, cap);
	return ACC_OK;
}

enum acc_rc rd_ompi_freelist_unused(struct rd_ompi *o, uint64_t addr, uint64_t cap, uint64_t *ret)
{
	struct acc_walk w;
	uint64_t item, n = 0;
	enum acc_rc rc = walk_unused(o, addr, cap, &w);

	if (rc)
		return rc;
	while ((rc = acc_walk_next(&w, &item)) == ACC_OK)
		n++;
	if (rc != ACC_NONE)
		return rc;
	*ret = n;
	return ACC_OK;
}

static enum acc_rc unused_items(struct rd_ompi *o, uint64_t addr, struct rd_ompi_addrs *ret)
{
	struct acc_walk w;
	uint64_t item;
	enum acc_rc rc = walk_unused(o, addr, ACC_LIST_MAX, &w);

	if (rc)
		return rc;
	while ((rc = acc_walk_next(&w, &item)) == ACC_OK)
		if (!rd_ompi_addrs_add(o, ret, item))
			return ACC_ENOMEM;
	return rc == ACC_NONE ? ACC_OK : rc;
}

enum acc_rc rd_ompi_items_in_use(struct rd_ompi *o, uint64_t addr, struct rd_ompi_addrs *ret)
{
	struct rd_ompi_addrs unused = { .n = 0 };
	struct rd_ompi_freelist f;
	uint64_t item;
	enum acc_rc rc = unused_items(o, addr, &unused);

	if (!rc)
		rc = rd_ompi_freelist_first(o, addr, &f);
	if (!rc) {
		rd_ompi_addrs_sort(&unused);
		while (!rd_ompi_freelist_next(&f, &item))
			if (!rd_ompi_addrs_count(&unused, item))
				rd_ompi_addrs_add(o, ret, item);
	}
	acc_array_free(o->sp, unused.v);
	return rc;
}
