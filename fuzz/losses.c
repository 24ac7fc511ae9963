/* SPDX-License-Identifier: BSD-3-Clause */
#include "losses.h"

#include "../readers/mpich/ops.h"
#include "../readers/openmpi/openmpi.h"

#include <stdlib.h>
#include <string.h>

static void see_ops(struct rd_process *p, const struct mdl_comm *comm, struct fuzz_seen *ret)
{
	struct rd_op_iter it;
	struct mdl_op op;
	const char *why;

	for (int c = 0; c < MDL_N_CLASSES; c++) {
		enum mdl_op_class op_class = (enum mdl_op_class)c;

		/* a class that is not available is said to be so */
		if (rd_ops_available(p, op_class, &why)) {
			ret->n_ops[c] = UINT64_MAX;
			continue;
		}
		enum acc_rc rc = rd_op_first(p, comm, op_class, true, &it);
		if (rc) {
			ret->partial |= rc != ACC_NONE;
			continue;
		}
		while ((rc = rd_op_next(&it, &op)) == ACC_OK) {
			if (ret->n_ops[c] != UINT64_MAX)
				ret->n_ops[c]++;
			ret->partial |= op.contradiction != NULL;
		}
		ret->partial |= rc != ACC_NONE || it.n_bad;
	}
}

void fuzz_see_objects(struct rd_track *t, struct fuzz_seen *ret)
{
	for (int k = 0; k < MDL_N_HANDLE_KINDS; k++) {
		enum mdl_handle_kind kind = (enum mdl_handle_kind)k;
		struct rd_track_iter it;
		struct mdl_handle h;

		if (!rd_track_count(t, kind).known) {
			ret->n_objects[k] = UINT64_MAX;
			continue;
		}
		ret->partial |= rd_track_lacks(t, kind) != NULL;
		if (rd_track_first(t, kind, RD_TRACK_ALL, &it)) {
			ret->partial = true;
			continue;
		}
		struct mdl_num said = rd_track_count(t, kind).n_live;
		enum acc_rc rc;
		int64_t n_live = 0;
		while (!(rc = rd_track_next(&it, &h))) {
			ret->n_objects[k]++;
			n_live += h.life == MDL_LIVE && !(kind == MDL_REQUEST && h.null);
		}
		ret->partial |= rc != ACC_NONE || it.n_bad;
		/* the registry does not count its requests; mpidbg handles compares the others */
		if (said.known != MDL_KNOWN && !rd_track_has_no_registry(t))
			ret->n_objects[k] = UINT64_MAX;
		ret->partial |= said.known == MDL_KNOWN && said.value != n_live;
	}
}

static void see_objects(struct rd_process *p, struct fuzz_seen *ret)
{
	bool openmpi = !strcmp(rd_library(p)->implementation, "Open MPI");
	struct rd_objects objects;
	struct rd_track *t;

	enum acc_rc rc = rd_objects_open(p, &objects);
	/* a library that describes no objects says so */
	if (rc == ACC_NONE) {
		for (int k = 0; k < MDL_N_HANDLE_KINDS; k++)
			ret->n_objects[k] = UINT64_MAX;
		return;
	}
	if (rc ||
	    rd_track_open_objects(p->sp, rd_library(p), openmpi ? RD_TRACK_OPENMPI : RD_TRACK_MPICH, &objects, &t)) {
		ret->partial = true;
		return;
	}
	fuzz_see_objects(t, ret);
	rd_track_close(t);
}

void fuzz_see_queues(struct rd_process *p, struct fuzz_seen *ret)
{
	struct rd_comm_iter it;
	struct mdl_comm comm;

	memset(ret, 0, sizeof(*ret));
	enum acc_rc rc = rd_comm_first(p, true, &it);
	while (!rc && !(rc = rd_comm_next(&it, &comm))) {
		ret->n_comms++;
		see_ops(p, &comm, ret);
	}
	ret->partial |= rc != ACC_NONE || it.n_bad;
	see_ops(p, NULL, ret);
	ret->partial |= p->sp->note.rc != ACC_OK;
}

void fuzz_see(struct rd_process *p, struct fuzz_seen *ret)
{
	fuzz_see_queues(p, ret);
	see_objects(p, ret);
	ret->partial |= p->sp->note.rc != ACC_OK;
}

const char *fuzz_lost(const struct fuzz_seen *whole, const struct fuzz_seen *now)
{
	static const char *const classes[MDL_N_CLASSES] = { "sends", "receives", "messages", "collectives" };
	static const char *const kinds[MDL_N_HANDLE_KINDS] = { NULL };

	if (now->partial)
		return NULL;
	if (now->n_comms < whole->n_comms)
		return "communicators";
	for (int c = 0; c < MDL_N_CLASSES; c++)
		if (now->n_ops[c] < whole->n_ops[c])
			return classes[c];
	for (int k = 0; k < MDL_N_HANDLE_KINDS; k++)
		if (now->n_objects[k] < whole->n_objects[k])
			return kinds[k] ? kinds[k] : "objects";
	return NULL;
}

/* ---- words that are there once ------------------------------------------------------------------------------ */

enum { WORD = 8 };

struct single {
	uint64_t *addrs;
	size_t n;
};

static void add_counter(struct single *s, uint64_t addr)
{
	if (s->n < FUZZ_SINGLE_MAX)
		s->addrs[s->n++] = addr & ~(uint64_t)(WORD - 1);
}

static void of_mpich(struct rd_mpich *o, struct single *s)
{
	const struct rd_mpich_pool *pool = rd_mpich_pool(o, RD_MPICH_REQUEST);
	const struct acc_field_at *fields = o->layout->fields;
	uint64_t counter;
	uint32_t handle;

	for (uint64_t i = 0; pool && i < pool->n_slots; i++) {
		uint64_t addr = rd_mpich_slot(pool, i, RD_MPICH_REQUEST, &handle);

		if (pool->is_free[i])
			continue;
		add_counter(s, addr + fields[F_MPIR_Request_kind].offset);
		if (!acc_read_ptr(o->sp, addr + fields[F_MPIR_Request_cc_ptr].offset, &counter) && counter)
			add_counter(s, counter);
	}
	for (uint64_t i = 0; i < o->n_files; i++)
		add_counter(s, o->files[i].addr + fields[F_ADIOI_FileD_cookie].offset);
}

static void of_openmpi(struct rd_ompi *o, struct single *s)
{
	static const unsigned fields[] = { F_ompi_request_t_req_state, F_ompi_request_t_req_complete,
					   F_ompi_request_t_req_persistent, F_mca_pml_base_request_t_req_type };
	static const enum mdl_op_class classes[] = { MDL_SENDS, MDL_RECEIVES, MDL_COLLECTIVES };

	for (size_t c = 0; c < sizeof(classes) / sizeof(classes[0]); c++) {
		struct rd_ompi_freelist f;
		enum rd_ompi_class which;
		uint64_t addr, item;
		unsigned type;
		uint32_t span;

		if (rd_ompi_index_source(o, classes[c], &addr, &type, &which, &span) ||
		    rd_ompi_freelist_first(o, addr, &f))
			continue;
		while (!rd_ompi_freelist_next(&f, &item))
			for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
				if (rd_ompi_has(o, fields[i]))
					add_counter(s, item + o->layout->fields[fields[i]].offset);
	}
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

size_t fuzz_single(struct rd_process *p, uint64_t *ret)
{
	struct acc_note note = p->sp->note;
	struct single s = { ret, 0 };

	if (!strcmp(rd_library(p)->implementation, "Open MPI"))
		of_openmpi(p->state, &s);
	else
		of_mpich(p->state, &s);
	p->sp->note = note;
	qsort(ret, s.n, sizeof(*ret), by_value);
	return s.n;
}

bool fuzz_is_single(const uint64_t *single, size_t n, uint64_t addr)
{
	uint64_t key = addr & ~(uint64_t)(WORD - 1);

	return n && bsearch(&key, single, n, sizeof(key), by_value);
}

/* Of a communicator's messages and of its collectives. */
static int32_t context_of(uint64_t tag)
{
	return (int32_t)(rd_mpich_context_of(tag) & ~(uint64_t)RD_MPICH_CONTEXT_COLLECTIVE);
}

static void add_tag(struct rd_mpich *o, const struct rd_mpich_request *r, struct fuzz_tags *ret)
{
	unsigned field = r->kind == RD_MPICH_SEND ? UF_ucp_request_t_send_tag : UF_ucp_request_t_recv_tag;
	const struct acc_field_at *fields = o->layout->fields;
	uint64_t ucp_addr, comm_addr;

	if (r->kind == RD_MPICH_COLL || r->where != RD_MPICH_IN_UCX || ret->n == FUZZ_TAGS_MAX ||
	    acc_read_ptr(o->sp, r->addr + fields[F_MPIR_Request_comm].offset, &comm_addr) ||
	    acc_read_ptr(o->sp, r->addr + fields[F_MPIR_Request_ucp_request].offset, &ucp_addr))
		return;
	ucp_addr -= acc_layout_bytes(&o->ucx.layout, U_ucp_request_t);
	ret->words[ret->n].addr = ucp_addr + o->ucx.layout.fields[field].offset;
	ret->words[ret->n++].context = comm_addr ? context_of(r->key) : -1;
}

void fuzz_find_tags(struct rd_process *p, struct fuzz_tags *ret)
{
	struct acc_note note = p->sp->note;
	struct rd_mpich *o = p->state;

	memset(ret, 0, sizeof(*ret));
	if (!strcmp(rd_library(p)->implementation, "Open MPI") || rd_mpich_requests(o))
		return;
	for (uint64_t i = 0; i < o->n_comms; i++) {
		ret->contexts[o->comms[i].context & UINT16_MAX] = true;
		ret->contexts[o->comms[i].receive_context & UINT16_MAX] = true;
	}
	for (uint64_t i = 0; i < o->n_requests; i++)
		add_tag(o, &o->requests[i], ret);
	p->sp->note = note;
}

bool fuzz_is_tag(const struct fuzz_tags *tags, uint64_t addr, uint64_t value)
{
	int32_t context = context_of(value);

	for (size_t i = 0; i < tags->n; i++)
		if (tags->words[i].addr == addr)
			return tags->contexts[context] &&
			       (tags->words[i].context < 0 || tags->words[i].context == context);
	return false;
}
