/* SPDX-License-Identifier: BSD-3-Clause */
#include "reader.h"

#include "operations.h"
#include "registry.h"

#include "../../access/limits.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

/* ---- life --------------------------------------------------------------------------------------------------- */

static void publish(struct rd_track_state *s)
{
	s->p->library = *rd_track_library(s->t);
	s->p->layout = s->t->layout; /* belongs to the registry; released with it */
	memset(s->types, 0, sizeof(s->types));
}

static void close_track(void *state)
{
	struct rd_track_state *s = state;

	if (!s)
		return;
	memset(&s->p->layout, 0, sizeof(s->p->layout));
	struct acc_space *sp = s->p->sp;
	rd_track_close(s->t);
	acc_array_free(sp, s);
}

static enum acc_rc open_track(struct rd_process *p, const struct rd_packs *packs, void **state)
{
	struct rd_track *t;
	enum acc_rc rc = rd_track_open(p->sp, &t);

	(void)packs;
	if (rc)
		return rc;
	struct rd_track_state *s = acc_array(p->sp, 1, sizeof(*s));
	if (!s) {
		rd_track_close(t);
		return ACC_ENOMEM;
	}
	memset(s, 0, sizeof(*s));
	s->p = p;
	s->t = t;
	publish(s);
	*state = s;
	return ACC_OK;
}

static enum acc_rc update_track(void *state)
{
	struct rd_track_state *s = state;
	enum acc_rc rc = rd_track_update(s->t);

	if (rc)
		s->p->library.state = MDL_STATE_UNKNOWN;
	else
		publish(s);
	return rc;
}

/* ---- communicators ------------------------------------------------------------------------------------------- */

/* @return false: the handle is not a communicator (MPI_COMM_NULL, or there is no parent) */
static bool to_comm(const struct mdl_handle *h, struct mdl_comm *ret)
{
	const struct mdl_handle_comm *c = &h->comm;

	if (c->size.known != MDL_KNOWN || c->size.value < 1 || (uint64_t)c->size.value > ACC_RANKS_MAX ||
	    c->rank.known != MDL_KNOWN || c->rank.value < 0 || c->rank.value >= c->size.value ||
	    c->remote_size.known == MDL_UNAVAILABLE)
		return false;
	*ret = (struct mdl_comm){
		.id = h->handle,
		.handle = h->handle,
		.fortran = h->fortran,
		.context = mdl_unavailable("only the MPI library knows it"),
		.inter = c->remote_size.known == MDL_KNOWN,
		.predefined = h->predefined,
		.rank = c->rank.value,
		.size = c->size.value,
		.remote_size = c->remote_size.known == MDL_KNOWN ? c->remote_size.value : 0,
		.topology = c->topology,
	};
	memcpy(ret->name, h->name, sizeof(ret->name));
	return true;
}

static enum acc_rc comm_first(void *state, struct rd_comm_iter *it)
{
	struct rd_track_state *s = state;

	it->i = 0;
	return rd_track_count(s->t, MDL_COMM).known && s->p->library.state == MDL_INITIALIZED ? ACC_OK : ACC_NONE;
}

/*
 * Compare the writer's count of live communicators with what was
 * found; between two of its instructions it may be off by one.
 */
static enum acc_rc compare_count(struct rd_track_state *s)
{
	struct mdl_num said = rd_track_count(s->t, MDL_COMM).n_live;
	struct rd_track_iter walk;
	struct mdl_handle h;
	uint64_t n = 0;

	if (said.known != MDL_KNOWN || rd_track_first(s->t, MDL_COMM, RD_TRACK_LIVE, &walk))
		return ACC_NONE;
	while (!rd_track_next(&walk, &h))
		n++;
	uint64_t expected = (uint64_t)said.value, differ = n > expected ? n - expected : expected - n;
	if (walk.n_bad || differ <= 1)
		return ACC_NONE;
	return acc_note(&s->p->sp->note, ACC_ECORRUPT,
			"%llu live records, and the registry counts %llu: its memory is damaged", (unsigned long long)n,
			(unsigned long long)expected);
}

static enum acc_rc comm_next(void *state, struct rd_comm_iter *it, struct mdl_comm *ret)
{
	struct rd_track_state *s = state;
	struct rd_track_iter walk;
	struct mdl_handle h;
	enum acc_rc rc = rd_track_first(s->t, MDL_COMM, RD_TRACK_LIVE, &walk);

	if (rc)
		return rc;
	walk.i = it->i;
	while (!(rc = rd_track_next(&walk, &h)))
		if (to_comm(&h, ret))
			break;
	bool ends = rc == ACC_NONE && it->i != UINT64_MAX;
	it->i = rc ? UINT64_MAX : walk.i;
	it->n_bad += walk.n_bad;
	return ends ? compare_count(s) : rc;
}

static enum acc_rc comm_get(void *state, uint64_t id, struct mdl_comm *ret)
{
	struct rd_track_state *s = state;
	struct mdl_handle h;
	enum acc_rc rc = rd_track_find(s->t, MDL_COMM, id, &h);

	if (rc)
		return rc;
	return h.life == MDL_LIVE && to_comm(&h, ret) ? ACC_OK : ACC_NONE;
}

/* Read a list of ints into an array of the topology. @return its length; -1: *rc has the error */
static int64_t ints(struct rd_track_state *s, enum acc_rc *rc, const struct mdl_list *list, int32_t **ret)
{
	int64_t value;

	*ret = NULL;
	if (*rc || !list->known || !list->n)
		return 0;
	*ret = acc_array(s->p->sp, list->n, sizeof(**ret));
	if (!*ret)
		*rc = ACC_ENOMEM;
	for (uint64_t i = 0; !*rc && i < list->n; i++) {
		*rc = rd_track_numbers(s->t, list, 4, i, 1, &value);
		(*ret)[i] = (int32_t)value;
	}
	return *rc ? -1 : (int64_t)list->n;
}

static enum acc_rc comm_topology(void *state, const struct mdl_comm *comm, struct mdl_topology *ret)
{
	struct rd_track_state *s = state;
	struct mdl_topology t = { .kind = comm->topology };
	struct mdl_handle h;
	enum acc_rc rc = rd_track_find(s->t, MDL_COMM, comm->handle, &h);
	const struct mdl_handle_comm *c = &h.comm;

	if (rc || comm->topology == MDL_TOPO_NONE)
		return rc ? rc : ACC_NONE;
	switch (comm->topology) {
	case MDL_TOPO_CART:
		t.n_dims = ints(s, &rc, &c->dims, &t.dims);
		if (ints(s, &rc, &c->periods, &t.periods) != t.n_dims ||
		    ints(s, &rc, &c->coords, &t.coords) != t.n_dims)
			rc = rc ? rc : ACC_ECORRUPT;
		break;
	case MDL_TOPO_GRAPH:
		t.n_nodes = ints(s, &rc, &c->dims, &t.index);
		t.n_edges = ints(s, &rc, &c->periods, &t.edges);
		break;
	default:
		t.n_in = ints(s, &rc, &c->dims, &t.in);
		t.n_out = ints(s, &rc, &c->periods, &t.out);
		if (c->weighted.known == MDL_KNOWN && c->weighted.value &&
		    (ints(s, &rc, &c->coords, &t.in_weights) != t.n_in ||
		     ints(s, &rc, &c->weights, &t.out_weights) != t.n_out))
			rc = rc ? rc : ACC_ECORRUPT;
		break;
	}
	if (rc) {
		rd_comm_topology_free(s->p, &t);
		return acc_note(&s->p->sp->note, rc, "topology of %.64s: %s", comm->name, acc_rc_text(rc));
	}
	*ret = t;
	return ACC_OK;
}

const struct rd_reader rd_track_reader = {
	.name = "tracker",
	.open = open_track,
	.close = close_track,
	.update = update_track,
	.comm_first = comm_first,
	.comm_next = comm_next,
	.comm_get = comm_get,
	.comm_members = rd_track_comm_members,
	.comm_topology = comm_topology,
	.ops_available = rd_track_ops_available,
	.op_first = rd_track_op_first,
	.op_next = rd_track_op_next,
};
