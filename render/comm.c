/* SPDX-License-Identifier: BSD-3-Clause */
#include "comm.h"

#include "json.h"
#include "text.h"

#include <inttypes.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

/* Columns of a communicator's line in `comms`. */
enum { COL_RANK = 28, COL_KIND = 44, COL_CONTEXT = 52, COL_FORTRAN = 66 };

/* Maximum number of array elements shown in text. */
enum { TEXT_NUMBERS_MAX = 64 };

void out_comms_begin(struct out *o)
{
	if (o->json)
		out_json_array(o, "communicators");
}

void out_comms_end(struct out *o)
{
	if (o->json)
		out_json_array_end(o);
}

/* A communicator's name for text: the name, or its id if it has none. */
static void out_comm_name(struct out *o, const struct mdl_comm *comm)
{
	if (comm->name[0])
		out_name(o, comm->name, true);
	else
		out_text(o, "communicator 0x%" PRIx64, comm->handle);
}

static void json_begin(struct out *o, const struct mdl_comm *comm)
{
	out_json_object(o, NULL);
	out_json_addr(o, "id", comm->id);
	out_json_addr(o, "handle", comm->handle);
	out_json_num(o, "fortran", comm->fortran);
	out_json_string(o, "name", comm->name);
	out_json_string(o, "kind", comm->inter ? "inter" : "intra");
	out_json_num(o, "context", comm->context);
	out_json_bool(o, "predefined", comm->predefined);
	out_json_bool(o, "internal", comm->internal);
	if (comm->internal && comm->internal_why)
		out_json_string(o, "internal_why", comm->internal_why);
	if (comm->part_of)
		out_json_addr(o, "part_of", comm->part_of);
	out_json_int(o, "rank", comm->rank);
	out_json_int(o, "size", comm->size);
	if (comm->inter)
		out_json_int(o, "remote_size", comm->remote_size);
}

static void text_rank(struct out *o, const struct mdl_comm *comm)
{
	out_text(o, "rank %" PRId64 " of %" PRId64, comm->rank, comm->size);
}

static void text_internal(struct out *o, const struct mdl_comm *comm)
{
	if (comm->internal)
		out_text(o, "  internal%s%s", comm->internal_why ? ": " : "",
			 comm->internal_why ? comm->internal_why : "");
}

void out_comm_begin(struct out *o, const struct mdl_comm *comm, bool queues)
{
	if (o->json) {
		json_begin(o, comm);
		return;
	}
	out_line(o, 1);
	out_color(o, OUT_BOLD);
	out_comm_name(o, comm);
	out_color(o, OUT_PLAIN);
	if (queues) {
		out_text(o, "  ");
		text_rank(o, comm);
		if (comm->inter)
			out_text(o, ", %" PRId64 " remote", comm->remote_size);
		text_internal(o, comm);
		return;
	}
	out_column(o, COL_RANK);
	text_rank(o, comm);
	out_column(o, COL_KIND);
	out_text(o, "%s", comm->inter ? "inter" : "intra");
	out_column(o, COL_CONTEXT);
	out_text(o, "context ");
	out_num(o, comm->context);
	if (comm->fortran.known == MDL_KNOWN) {
		out_column(o, COL_FORTRAN);
		out_text(o, "Fortran %" PRId64, comm->fortran.value);
	}
	if (comm->predefined)
		out_text(o, "  predefined");
	text_internal(o, comm);
	if (o->all)
		out_text(o, "  handle 0x%" PRIx64, comm->handle);
}

void out_comm_members(struct out *o, const struct out_members *members, bool remote, bool queues)
{
	if (o->json)
		return;
	if (queues) {
		if (remote)
			out_text(o, "  remote %s", members->text);
		else if (!members->identity)
			out_text(o, "  world ranks %s", members->text);
		return;
	}
	out_line(o, 2);
	out_text(o, "%s %s (", remote ? "remote members" : "members", members->text);
	out_count(o, members->n, "rank");
	out_text(o, ")");
}

/* ---- topologies ------------------------------------------------------------------------------------- */

static void json_ints(struct out *o, const char *key, const int32_t *values, int64_t n)
{
	out_json_array(o, key);
	for (int64_t i = 0; values && i < n; i++)
		out_json_int(o, NULL, values[i]);
	out_json_array_end(o);
}

static void json_topology(struct out *o, const struct mdl_topology *t)
{
	out_json_object(o, "topology");
	switch (t->kind) {
	case MDL_TOPO_CART:
		out_json_string(o, "kind", "cart");
		json_ints(o, "dims", t->dims, t->n_dims);
		out_json_array(o, "periods");
		for (int64_t i = 0; t->periods && i < t->n_dims; i++)
			out_json_bool(o, NULL, t->periods[i] != 0);
		out_json_array_end(o);
		json_ints(o, "coords", t->coords, t->n_dims);
		break;
	case MDL_TOPO_GRAPH:
		out_json_string(o, "kind", "graph");
		json_ints(o, "index", t->index, t->n_nodes);
		json_ints(o, "edges", t->edges, t->n_edges);
		break;
	default:
		out_json_string(o, "kind", "dist_graph");
		json_ints(o, "in", t->in, t->n_in);
		json_ints(o, "out", t->out, t->n_out);
		if (t->in_weights)
			json_ints(o, "in_weights", t->in_weights, t->n_in);
		if (t->out_weights)
			json_ints(o, "out_weights", t->out_weights, t->n_out);
		break;
	}
	out_json_bool(o, "reorder", t->reorder);
	out_json_object_end(o);
}

static void text_ints(struct out *o, const char *what, const int32_t *values, int64_t n)
{
	out_text(o, "%s[", what);
	for (int64_t i = 0; values && i < n; i++) {
		if (i == TEXT_NUMBERS_MAX) {
			out_text(o, ", %" PRId64 " more", n - i);
			break;
		}
		out_text(o, i ? ",%" PRId32 : "%" PRId32, values[i]);
	}
	out_text(o, "]");
}

static void text_topology(struct out *o, const struct mdl_topology *t)
{
	out_line(o, 2);
	switch (t->kind) {
	case MDL_TOPO_CART:
		text_ints(o, "cartesian topology, dims ", t->dims, t->n_dims);
		out_text(o, " periods [");
		for (int64_t i = 0; t->periods && i < t->n_dims && i < TEXT_NUMBERS_MAX; i++)
			out_text(o, "%s%s", i ? "," : "", t->periods[i] ? "yes" : "no");
		out_text(o, "]");
		if (t->coords)
			text_ints(o, " coords ", t->coords, t->n_dims);
		break;
	case MDL_TOPO_GRAPH:
		text_ints(o, "graph topology, index ", t->index, t->n_nodes);
		text_ints(o, " edges ", t->edges, t->n_edges);
		break;
	default:
		text_ints(o, "distributed graph topology, in ", t->in, t->n_in);
		if (t->in_weights)
			text_ints(o, " weights ", t->in_weights, t->n_in);
		text_ints(o, " out ", t->out, t->n_out);
		if (t->out_weights)
			text_ints(o, " weights ", t->out_weights, t->n_out);
		break;
	}
	if (t->reorder)
		out_text(o, " reorder");
}

void out_topology(struct out *o, const struct mdl_topology *topology)
{
	if (topology->kind == MDL_TOPO_NONE)
		return;
	if (o->json)
		json_topology(o, topology);
	else
		text_topology(o, topology);
}

void out_flows_begin(struct out *o)
{
	if (o->json)
		out_json_array(o, "flows");
}

void out_flow(struct out *o, const struct mdl_flow *flow)
{
	if (!o->json)
		return;
	out_json_int(o, NULL, flow->peer);
	out_json_int(o, NULL, flow->sent);
	out_json_int(o, NULL, flow->expected);
}

void out_flows_end(struct out *o)
{
	if (o->json)
		out_json_array_end(o);
}

void out_comm_end(struct out *o, uint64_t n_shown)
{
	if (o->json) {
		out_json_object_end(o);
		return;
	}
	if (!n_shown) {
		out_color(o, OUT_FAINT);
		out_text(o, "  (no pending operations)");
		out_color(o, OUT_PLAIN);
	}
	out_line_end(o);
}
