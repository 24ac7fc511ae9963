/* SPDX-License-Identifier: BSD-3-Clause */
#include "openmpi.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum {
	UNUSED_MAX = 4096, /* limit for counting unused items, which saves a walk over all items */
	SMALL_LIST = 1024, /* free lists up to this size are walked without that */
	BUCKETS_FIRST = 64,
	BUCKETS_MAX = 1 << 20,
};

enum acc_rc rd_ompi_index_source(struct rd_ompi *o, enum mdl_op_class op_class, uint64_t *addr, unsigned *type,
				 enum rd_ompi_class *which, uint32_t *span)
{
	enum acc_rc rc;

	switch (op_class) {
	case MDL_SENDS:
		*type = T_mca_pml_ob1_send_request_t;
		*which = C_mca_pml_ob1_send_request_t;
		*span = o->send_span;
		return rd_ompi_symbol(o, S_mca_pml_base_send_requests, addr);
	case MDL_RECEIVES:
		*type = T_mca_pml_ob1_recv_request_t;
		*which = C_mca_pml_ob1_recv_request_t;
		*span = o->recv_span;
		return rd_ompi_symbol(o, S_mca_pml_base_recv_requests, addr);
	case MDL_COLLECTIVES:
		*type = T_ompi_coll_libnbc_request_t;
		*which = C_ompi_coll_libnbc_request_t;
		*span = o->coll_span;
		if (!rd_ompi_has(o, F_ompi_coll_libnbc_component_t_requests))
			return ACC_EFIELD;
		rc = rd_ompi_symbol(o, S_mca_coll_libnbc_component, addr);
		if (rc == ACC_OK)
			*addr += o->layout->fields[F_ompi_coll_libnbc_component_t_requests].offset;
		return rc;
	default:
		return ACC_EINVAL;
	}
}

struct rd_ompi_entry *rd_ompi_index_entry(struct rd_ompi_index *x, uint32_t n)
{
	return &x->blocks[(n - 1) / RD_OMPI_INDEX_BLOCK][(n - 1) % RD_OMPI_INDEX_BLOCK];
}

static struct rd_ompi_bucket *bucket_slot(struct rd_ompi_bucket *buckets, uint32_t n, uint64_t comm_addr)
{
	uint32_t i = (uint32_t)(comm_addr * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (n - 1);

	while (buckets[i].comm_addr && buckets[i].comm_addr != comm_addr)
		i = (i + 1) & (n - 1);
	return &buckets[i];
}

/* The bucket of a communicator, created if necessary. NULL: no room. */
static struct rd_ompi_bucket *bucket_make(struct rd_ompi *o, struct rd_ompi_index *x, uint64_t comm_addr)
{
	if (2 * (x->n_used + 1) > x->n_buckets) {
		uint32_t n = x->n_buckets ? 2 * x->n_buckets : BUCKETS_FIRST;
		struct rd_ompi_bucket *wider = n <= BUCKETS_MAX ? acc_array(o->sp, n, sizeof(*wider)) : NULL;

		if (!wider)
			return NULL;
		memset(wider, 0, n * sizeof(*wider));
		for (uint32_t i = 0; i < x->n_buckets; i++)
			if (x->buckets[i].comm_addr)
				*bucket_slot(wider, n, x->buckets[i].comm_addr) = x->buckets[i];
		acc_array_free(o->sp, x->buckets);
		x->buckets = wider;
		x->n_buckets = n;
	}
	struct rd_ompi_bucket *b = bucket_slot(x->buckets, x->n_buckets, comm_addr);
	if (!b->comm_addr) {
		b->comm_addr = comm_addr;
		x->n_used++;
	}
	return b;
}

/* @return false: no room. */
static bool add_entry(struct rd_ompi *o, struct rd_ompi_index *x, uint64_t comm_addr, uint64_t addr, uint32_t key)
{
	uint32_t block = x->n / RD_OMPI_INDEX_BLOCK;

	if (block >= RD_OMPI_INDEX_BLOCKS)
		return false;
	if (!x->blocks[block]) {
		x->blocks[block] = acc_array(o->sp, RD_OMPI_INDEX_BLOCK, sizeof(struct rd_ompi_entry));
		if (!x->blocks[block])
			return false;
	}
	struct rd_ompi_bucket *b = bucket_make(o, x, comm_addr);
	if (!b)
		return false;
	*rd_ompi_index_entry(x, ++x->n) = (struct rd_ompi_entry){ .addr = addr, .next = b->head, .key = key };
	b->head = x->n;
	return true;
}

/*
 * Can the free list of receives contain only items of the posted lists? Then its items need not be read again. In a
 * single-threaded program at most one request is not from the free list: that of MPI_Probe, posted last.
 */
static bool all_posted(struct rd_ompi *o, uint64_t addr, uint64_t n_allocated)
{
	uint64_t n_unused, n_posted, n_cached = 0, cached_addr, cached;
	bool stack = true;

	if (n_allocated <= SMALL_LIST || !o->p->library.thread_multiple_known || o->p->library.thread_multiple)
		return false;
	struct acc_note note = o->sp->note;
	bool yes = rd_ompi_freelist_unused(o, addr, UNUSED_MAX, &n_unused) == ACC_OK &&
		   rd_ompi_posted_count(o, &n_posted, &stack) == ACC_OK && !stack;
	/* ob1 reuses the request of the last blocking receive */
	if (yes && rd_ompi_symbol(o, S_mca_pml_ob1_recvreq, &cached_addr) == ACC_OK) {
		yes = acc_read_ptr(o->sp, cached_addr, &cached) == ACC_OK;
		n_cached = yes && cached;
	}
	o->sp->note = note;
	return yes && n_unused + n_posted + n_cached == n_allocated;
}

/*
 * Pending requests whose communicator does not exist: no walk over a communicator's operations would find them, so each
 * counts as one bad element.
 */
static void count_lost(struct rd_ompi *o, struct rd_ompi_index *x, unsigned type, uint32_t span)
{
	struct rd_ompi_comm comm;
	struct rd_ompi_obj req;

	for (uint32_t i = 0; i < x->n_buckets; i++) {
		const struct rd_ompi_bucket *b = &x->buckets[i];

		if (!b->comm_addr || rd_ompi_comm_find(o, b->comm_addr, &comm) != ACC_NONE)
			continue;
		for (uint32_t n = b->head; n; n = rd_ompi_index_entry(x, n)->next) {
			uint64_t addr = rd_ompi_index_entry(x, n)->addr;

			rd_ompi_peek(&req, o, type, addr, span);
			if (!rd_ompi_request_pending(&req))
				continue;
			x->n_bad++;
			rd_ompi_bad(o, ACC_ECORRUPT, type, addr);
		}
	}
}

static void build(struct rd_ompi *o, struct rd_ompi_index *x, enum mdl_op_class op_class)
{
	struct rd_ompi_freelist f;
	struct rd_ompi_obj req;
	enum rd_ompi_class which;
	unsigned type;
	uint32_t span, key;
	uint64_t addr, comm_addr;

	x->rc = rd_ompi_index_source(o, op_class, &addr, &type, &which, &span);
	if (x->rc == ACC_OK)
		x->rc = rd_ompi_freelist_first(o, addr, &f);
	if (x->rc || !(f.used || f.n_allocated))
		return;
	if (rd_ompi_is(o, f.class_addr, which)) {
		/* items of another component */
		x->rc = acc_note(&o->sp->note, ACC_ECORRUPT, "%s: the free list has items of another class",
				 o->layout->schema->types[type].name);
		return;
	}
	if (op_class == MDL_RECEIVES && all_posted(o, addr, f.n_allocated)) {
		x->empty = true;
		return;
	}
	while ((x->rc = rd_ompi_freelist_next(&f, &addr)) == ACC_OK) {
		rd_ompi_peek(&req, o, type, addr, span);
		bool wanted = rd_ompi_request_wanted(&req, op_class, &comm_addr, &key);
		if (!req.rc && (wanted ? !comm_addr && rd_ompi_request_pending(&req)
				       : rd_ompi_request_contradicts(&req, op_class)))
			req.rc = ACC_ECORRUPT;
		if (req.rc) {
			x->n_bad++;
			rd_ompi_bad(o, req.rc, type, addr);
			continue;
		}
		if (wanted && comm_addr && !add_entry(o, x, comm_addr, addr, key)) {
			x->overflow = true;
			x->rc = ACC_OK;
			return;
		}
	}
	if (x->rc == ACC_NONE)
		x->rc = ACC_OK;
	count_lost(o, x, type, span);
}

struct rd_ompi_index *rd_ompi_index(struct rd_ompi *o, enum mdl_op_class op_class)
{
	struct rd_ompi_index *x = op_class == MDL_SENDS      ? &o->sends
				  : op_class == MDL_RECEIVES ? &o->receives
							     : &o->collectives;

	if (!x->built) {
		acc_space_begin(o->sp);
		build(o, x, op_class);
		acc_space_end(o->sp);
		x->built = true;
	}
	return x;
}

/* Merge two sorted lists; the first one's entries stay before equal ones of the second. */
static uint32_t merge(struct rd_ompi_index *x, uint32_t a, uint32_t b)
{
	uint32_t head = 0, *tail = &head;

	while (a && b) {
		struct rd_ompi_entry *ea = rd_ompi_index_entry(x, a), *eb = rd_ompi_index_entry(x, b);

		if (eb->key < ea->key) {
			*tail = b;
			tail = &eb->next;
			b = eb->next;
		} else {
			*tail = a;
			tail = &ea->next;
			a = ea->next;
		}
	}
	*tail = a ? a : b;
	return head;
}

/* Bottom-up merge sort of a list, without additional memory: run i has 2^i entries. */
static uint32_t sort_entries(struct rd_ompi_index *x, uint32_t head)
{
	uint32_t runs[32] = { 0 }, sorted = 0;

	while (head) {
		uint32_t run = head;
		unsigned i;

		head = rd_ompi_index_entry(x, run)->next;
		rd_ompi_index_entry(x, run)->next = 0;
		for (i = 0; i < 31 && runs[i]; i++) {
			run = merge(x, runs[i], run);
			runs[i] = 0;
		}
		runs[i] = runs[i] ? merge(x, runs[i], run) : run;
	}
	for (unsigned i = 0; i < 32; i++)
		if (runs[i])
			sorted = sorted ? merge(x, runs[i], sorted) : runs[i];
	return sorted;
}

uint32_t rd_ompi_index_find(struct rd_ompi_index *x, uint64_t comm_addr)
{
	if (!x->n_buckets)
		return 0;
	struct rd_ompi_bucket *b = bucket_slot(x->buckets, x->n_buckets, comm_addr);
	if (!b->comm_addr)
		return 0;
	if (!b->sorted) {
		b->head = sort_entries(x, b->head);
		b->sorted = true;
	}
	return b->head;
}

void rd_ompi_index_clear(struct rd_ompi *o, struct rd_ompi_index *x)
{
	for (unsigned i = 0; i < RD_OMPI_INDEX_BLOCKS && x->blocks[i]; i++)
		acc_array_free(o->sp, x->blocks[i]);
	acc_array_free(o->sp, x->buckets);
	*x = (struct rd_ompi_index){ 0 };
}
