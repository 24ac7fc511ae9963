/* SPDX-License-Identifier: BSD-3-Clause */
#include "native_comm.h"

#include "handle_value.h"
#include "members.h"
#include "names.h"

#include "../access/quote.h"
#include "../render/fact.h"
#include "../render/json.h"
#include "../render/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

/* ---- selection ------------------------------------------------------------------------------------------ */

/* The communicator that the user has specified, in one of these ways. */
struct meant {
	bool by_name, by_fortran;
	uint64_t value;
};

static enum acc_rc parse(struct _mqs_process_info *p, const char *text, struct meant *ret)
{
	static const char fortran[] = "fortran:", cxx[] = "cxx:";
	unsigned bytes = mpidbg_which_mpi(p) == RD_TRACK_MPICH ? p->space.sizes.int_bytes
							       : p->space.sizes.pointer_bytes;
	enum acc_rc rc = mpidbg_check_value(p, text);

	*ret = (struct meant){ .by_name = false };
	if (rc)
		return rc;
	if (text[0] == '#')
		return mqs_state_fail(p, ACC_NONE,
				      "objects have numbers with the in-target library only: start the program with "
				      "mpi2dd-run");
	if (!strncmp(text, fortran, sizeof(fortran) - 1)) {
		const char *number = text + sizeof(fortran) - 1;

		ret->by_fortran = true;
		mpidbg_number(number + (number[0] == '@'), &ret->value);
		return number[0] == '@' ? mpidbg_read_fortran_handle(p, ret->value, &ret->value) : ACC_OK;
	}
	if (!strncmp(text, cxx, sizeof(cxx) - 1) && mpidbg_number(text + sizeof(cxx) - 1, &ret->value)) {
		rc = mpidbg_handle_in_object(p, ret->value, &ret->value);
		return rc ? rc : mpidbg_read_handle(p, ret->value, bytes, &ret->value);
	}
	if (text[0] == '@' && mpidbg_number(text + 1, &ret->value))
		return mpidbg_read_handle(p, ret->value, bytes, &ret->value);
	ret->by_name = !mpidbg_number(text, &ret->value);
	return ACC_OK;
}

static bool is_it(const struct mdl_comm *c, const struct meant *m, const char *name)
{
	if (m->by_name)
		return !strcmp(c->name, name);
	return c->fortran.known == MDL_KNOWN && c->fortran.value == (int64_t)m->value;
}

static enum acc_rc find_native_comm(struct _mqs_process_info *p, const char *text, struct mdl_comm *ret)
{
	char words[ACC_NOTE_BYTES], clean[96];
	struct rd_comm_iter it;
	struct meant m;
	enum acc_rc rc = parse(p, text, &m);

	if (rc)
		return rc;
	if (m.by_name || m.by_fortran) {
		rc = rd_comm_first(p->reader, true, &it);
		while (!rc && !(rc = rd_comm_next(&it, ret)) && !is_it(ret, &m, text))
			;
	} else {
		rc = rd_handle_own(p->reader, MDL_COMM, &m.value);
		if (!rc)
			rc = rd_comm_get(p->reader, m.value, ret);
	}
	if (rc != ACC_NONE)
		return rc ? mqs_state_fail(p, rc, "communicators") : ACC_OK;
	acc_clean(clean, sizeof(clean), text);
	snprintf(words, sizeof(words), "no communicator is %s: mpidbg comms lists them", clean);
	acc_note_clear(&p->space.note);
	return mqs_state_fail(p, ACC_NONE, words);
}

/* ---- facts ----------------------------------------------------------------------------------- */

static void list(struct mpidbg_description *d, const char *key, const int32_t *v, int64_t n)
{
	struct out_fact_list out;

	if (!v)
		return;
	out_fact_list(&d->o, key, &out);
	uint64_t n_shown = out_fact_room(&d->o, (uint64_t)n);
	for (uint64_t i = 0; i < n_shown; i++)
		out_fact_item(&d->o, &out, v[i]);
	out_fact_left(&out, (uint64_t)n - n_shown);
	out_fact_list_end(&d->o, key, &out, 0);
}

static void topology(struct mpidbg_description *d, const struct mdl_comm *c)
{
	struct mdl_topology t = { .kind = MDL_TOPO_NONE };

	if (c->topology == MDL_TOPO_NONE)
		return;
	enum acc_rc rc = rd_comm_topology(d->p->reader, c, &t);
	if (rc) {
		mpidbg_problem_walk(d, rc == ACC_NONE ? ACC_OK : rc, 0, "topology");
		return;
	}
	out_fact_word(&d->o, "topology",
		      t.kind == MDL_TOPO_CART    ? "cart"
		      : t.kind == MDL_TOPO_GRAPH ? "graph"
						 : "dist_graph");
	list(d, "dims", t.dims, t.n_dims);
	list(d, "periods", t.periods, t.n_dims);
	list(d, "coords", t.coords, t.n_dims);
	list(d, "index", t.index, t.n_nodes);
	list(d, "edges", t.edges, t.n_edges);
	list(d, "in", t.in, t.n_in);
	list(d, "out", t.out, t.n_out);
	list(d, "in_weights", t.in_weights, t.n_in);
	list(d, "out_weights", t.out_weights, t.n_out);
	rd_comm_topology_free(d->p->reader, &t);
}

static void facts(struct mpidbg_description *d, const struct mdl_comm *c)
{
	struct out *o = &d->o;

	out_fact_word(o, "kind", "comm");
	out_fact_addr(o, "handle", mdl_known((int64_t)c->handle));
	if (c->name[0] || o->json)
		out_fact_string(o, "name", c->name);
	out_fact_word(o, "state", "live");
	out_fact_bool(o, "predefined", c->predefined);
	if (o->json || c->fortran.known == MDL_KNOWN)
		out_fact_num(o, "fortran", c->fortran);
	out_fact_word(o, "type", c->inter ? "inter" : "intra");
	out_fact_num(o, "rank", mdl_known(c->rank));
	out_fact_num(o, "world_rank", rd_library(d->p->reader)->world_rank);
	out_fact_num(o, "size", mdl_known(c->size));
	if (c->inter)
		out_fact_num(o, "remote_size", mdl_known(c->remote_size));
	mpidbg_native_members_fact(d, c, false);
	if (c->inter)
		mpidbg_native_members_fact(d, c, true);
	topology(d, c);
	out_fact_word(o, "origin", "MPI library");
}

enum acc_rc mpidbg_native_comm(struct mpidbg_description *d)
{
	struct mdl_comm c;
	enum acc_rc rc = find_native_comm(d->p, d->options.value, &c);

	if (rc)
		return rc;
	mpidbg_object_begin(d, MDL_COMM, c.name, c.handle);
	acc_space_begin(&d->p->space);
	facts(d, &c);
	acc_space_end(&d->p->space);
	mpidbg_object_end(d);
	return ACC_OK;
}
