/* SPDX-License-Identifier: BSD-3-Clause */
#include "origins.h"

#include "../readers/tracked/merge.h"
#include "../render/fact.h"
#include "../render/handle_kind.h"
#include "../render/json.h"
#include "../render/operation.h"
#include "../render/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum {
	MEMBERS_BLOCK = 64,
	SHOWN_MAX = 64, /* maximum number of differences written */
	OPERATIONS_MAX = 1000000,
};

struct comparison {
	struct mpidbg_description *d;
	size_t column;
	uint64_t n_comms, n_operations, n_unrecorded, n_objects, n_differences;
};

/* ---- a difference ----------------------------------------------------------------------------------------- */

static void text_one(struct comparison *c, const char *where, const struct mdl_difference *one)
{
	struct out *o = &c->d->o;

	out_line(o, 1);
	out_text(o, "origins differ");
	out_column(o, (unsigned)c->column);
	out_name(o, where, false);
	out_text(o, ": %s: the library's memory says ", one->fact);
	out_num(o, one->library);
	out_text(o, ", the in-target library ");
	out_num(o, one->tracker);
	out_line_end(o);
}

static void found(struct comparison *c, const char *where, const struct mdl_difference *one)
{
	struct out *o = &c->d->o;

	if (c->n_differences++ >= SHOWN_MAX)
		return;
	if (!o->json) {
		text_one(c, where, one);
		return;
	}
	out_json_object(o, NULL);
	out_json_string(o, "where", where);
	out_json_string(o, "fact", one->fact);
	out_json_num(o, "library", one->library);
	out_json_num(o, "tracker", one->tracker);
	out_json_object_end(o);
}

/* ---- communicators ---------------------------------------------------------------------------------------- */

static void compare_fact(struct comparison *c, const char *where, const char *fact, int64_t library,
			 struct mdl_num tracker)
{
	const struct mdl_difference one = { fact, mdl_known(library), tracker };

	if (tracker.known == MDL_KNOWN && tracker.value != library)
		found(c, where, &one);
}

/* Report the first rank that is a different process. Numbers
 * of other worlds depend on the origin and are not compared. */
static void compare_members(struct comparison *c, const char *where, const struct mdl_comm *comm, bool remote,
			    const struct mdl_handle_comm *made)
{
	struct mdl_member block[MEMBERS_BLOCK];
	struct mdl_handle_member ours;
	const struct mdl_list *list = remote ? &made->remote_members : &made->members;
	bool identity = remote ? made->remote_members_identity : made->members_identity;
	uint64_t size = (uint64_t)(remote ? comm->remote_size : comm->size);

	if (!identity && (!list->known || list->n < size))
		return;
	for (uint64_t first = 0, n; first < size; first += n) {
		n = size - first < MEMBERS_BLOCK ? size - first : MEMBERS_BLOCK;
		if (rd_comm_members(c->d->p->reader, comm, remote, first, n, block))
			return;
		for (uint64_t i = 0; i < n; i++) {
			ours = (struct mdl_handle_member){ true, (int64_t)(first + i), 0 };
			if (!identity && rd_track_members(c->d->p->track, list, first + i, 1, &ours))
				return;
			if (!block[i].known || !block[i].own_world || !ours.known ||
			    (!ours.world && ours.rank == block[i].world_rank))
				continue;
			compare_fact(c, where, remote ? "remote member" : "member", block[i].world_rank,
				     mdl_known(ours.world ? -1 : ours.rank));
			return;
		}
	}
}

static void compare_comm(struct comparison *c, const struct mdl_comm *comm)
{
	struct mdl_handle made;
	char where[MDL_NAME_BYTES + 32];

	if (rd_track_find(c->d->p->track, MDL_COMM, comm->handle, &made) || made.life != MDL_LIVE || made.unsettled)
		return;
	c->n_comms++;
	if (comm->name[0])
		snprintf(where, sizeof(where), "%s", comm->name);
	else
		snprintf(where, sizeof(where), "communicator 0x%" PRIx64, comm->handle);
	compare_fact(c, where, "rank", comm->rank, made.comm.rank);
	compare_fact(c, where, "size", comm->size, made.comm.size);
	if (comm->inter || made.comm.remote_size.known == MDL_KNOWN)
		compare_fact(c, where, "remote_size", comm->remote_size, made.comm.remote_size);
	compare_fact(c, where, "topology", comm->topology, mdl_known(made.comm.topology));
	if (made.comm.size.known != MDL_KNOWN || made.comm.size.value != comm->size)
		return;
	compare_members(c, where, comm, false, &made.comm);
	if (comm->inter && made.comm.remote_size.known == MDL_KNOWN && made.comm.remote_size.value == comm->remote_size)
		compare_members(c, where, comm, true, &made.comm);
}

/* ---- objects found by the reader -------------------------------------------------------------------------- */

struct fact {
	const char *name;
	struct mdl_num library, tracker;
};

static void compare_facts(struct comparison *c, const char *where, const struct fact *facts, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (facts[i].library.known == MDL_KNOWN)
			compare_fact(c, where, facts[i].name, facts[i].library.value, facts[i].tracker);
}
#define COMPARE_FACTS(c, where, facts) compare_facts(c, where, facts, sizeof(facts) / sizeof((facts)[0]))

static struct mdl_num length_of(const struct mdl_list *list)
{
	return list->known ? mdl_known((int64_t)list->total) : mdl_unavailable("there is no list");
}

static struct mdl_num epoch_of(const struct mdl_handle_win *w, bool open, const char *why)
{
	if (w->epochs_why || why)
		return mdl_unavailable("the library does not keep it");
	return mdl_known(open);
}

static void compare_win(struct comparison *c, const char *where, const struct mdl_handle_win *l,
			const struct mdl_handle_win *t)
{
	/* a component of Open MPI keeps no trace of MPI_Win_start with an empty group */
	const char *nobody = t->start_group.known && !t->start_group.total ? "an empty group" : NULL;

	COMPARE_FACTS(
		c, where,
		((struct fact[]){ { "size", l->size, t->size },
				  { "displacement_unit", l->displacement_unit, t->displacement_unit },
				  { "flavor", l->flavor, t->flavor },
				  { "fence_open", epoch_of(l, l->fence_open, l->fence_why), mdl_known(t->fence_open) },
				  { "lock_all", epoch_of(l, l->lock_all, l->lock_all_why), mdl_known(t->lock_all) },
				  { "started", epoch_of(l, l->started, nobody), mdl_known(t->started) },
				  { "posted", epoch_of(l, l->posted, NULL), mdl_known(t->posted) } }));
}

static void compare_object(struct comparison *c, const char *where, const struct mdl_handle *l,
			   const struct mdl_handle *t)
{
	switch (l->kind) {
	case MDL_GROUP:
		COMPARE_FACTS(c, where,
			      ((struct fact[]){ { "size", l->group.size, t->group.size },
						{ "rank", l->group.rank, t->group.rank } }));
		break;
	case MDL_DATATYPE:
		COMPARE_FACTS(c, where,
			      ((struct fact[]){ { "size", l->datatype.size, t->datatype.size },
						{ "lower_bound", l->datatype.lower_bound, t->datatype.lower_bound },
						{ "extent", l->datatype.extent, t->datatype.extent },
						{ "true_extent", l->datatype.true_extent, t->datatype.true_extent },
						{ "combiner", l->datatype.combiner, t->datatype.combiner } }));
		break;
	case MDL_ERRHANDLER:
		COMPARE_FACTS(c, where,
			      ((struct fact[]){ { "function", l->errhandler.function, t->errhandler.function } }));
		break;
	case MDL_INFO:
		COMPARE_FACTS(c, where,
			      ((struct fact[]){ { "keys", length_of(&l->info.pairs), length_of(&t->info.pairs) } }));
		break;
	case MDL_OP:
		COMPARE_FACTS(c, where,
			      ((struct fact[]){ { "function", l->op.function, t->op.function },
						{ "commutative", l->op.commutative, t->op.commutative } }));
		break;
	case MDL_WIN:
		compare_win(c, where, &l->win, &t->win);
		break;
	default:
		break;
	}
}

static void compare_kind(struct comparison *c, struct rd_track *found_by_reader, enum mdl_handle_kind kind)
{
	struct rd_track_iter it;
	struct mdl_handle library, tracker;
	char where[64];

	if (rd_track_first(found_by_reader, kind, RD_TRACK_LIVE, &it))
		return;
	while (c->n_objects < OPERATIONS_MAX && rd_track_next(&it, &library) == ACC_OK) {
		if (library.null || rd_track_find(c->d->p->track, kind, library.handle, &tracker) ||
		    tracker.life != MDL_LIVE || tracker.unsettled || tracker.null)
			continue;
		c->n_objects++;
		snprintf(where, sizeof(where), "%s 0x%" PRIx64, out_handle_word(kind), library.handle);
		compare_object(c, where, &library, &tracker);
	}
}

static void compare_objects(struct comparison *c)
{
	static const enum mdl_handle_kind kinds[] = {
		MDL_GROUP, MDL_DATATYPE, MDL_ERRHANDLER, MDL_INFO, MDL_OP, MDL_WIN
	};
	struct rd_objects objects;
	struct rd_track *t;

	if (rd_objects_open(c->d->p->reader, &objects) ||
	    rd_track_mpi(c->d->p->track) == RD_TRACK_ABI || /* the library has other handles */
	    rd_track_open_objects(&c->d->p->space, rd_library(c->d->p->reader), rd_track_mpi(c->d->p->track), &objects,
				  &t))
		return;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		compare_kind(c, t, kinds[i]);
	rd_track_close(t);
}

/* ---- operations ------------------------------------------------------------------------------------------- */

static void compare_queue(struct comparison *c, const struct mdl_comm *comm, enum mdl_op_class op_class)
{
	struct rd_op_iter it;
	struct mdl_op op;
	const char *why;
	char where[MDL_NAME_BYTES + 96];

	if (op_class == MDL_UNEXPECTED || rd_ops_available(c->d->p->reader, op_class, &why) ||
	    rd_op_first(c->d->p->reader, comm, op_class, false, &it))
		return;
	while (c->n_operations < OPERATIONS_MAX && rd_op_next(&it, &op) == ACC_OK) {
		if (op.internal || (op.origin && !strcmp(op.origin, "tracker")))
			continue;
		rd_track_merge_op(c->d->merge, comm, &op);
		c->n_operations++;
		c->n_unrecorded += !op.tracked && !op.differences;
		snprintf(where, sizeof(where), "%s: %s: request 0x%" PRIx64, comm->name, out_queue_words(op_class),
			 op.request.known == MDL_KNOWN ? (uint64_t)op.request.value : op.addr);
		for (unsigned i = 0; op.differences && i < op.differences->n; i++)
			found(c, where, &op.differences->list[i]);
	}
}

static void compare_all(struct comparison *c)
{
	struct rd_comm_iter it;
	struct mdl_comm comm;

	if (rd_comm_first(c->d->p->reader, false, &it))
		return;
	while (rd_comm_next(&it, &comm) == ACC_OK) {
		compare_comm(c, &comm);
		for (int op_class = 0; op_class < MDL_N_CLASSES; op_class++)
			compare_queue(c, &comm, (enum mdl_op_class)op_class);
	}
	compare_objects(c);
}

/* ---- public functions -------------------------------------------------------------------------------- */

static void json_all(struct comparison *c)
{
	struct out *o = &c->d->o;

	out_json_object(o, "origins");
	out_json_array(o, "differences");
	compare_all(c);
	out_json_array_end(o);
	out_json_uint(o, "n_differences", c->n_differences);
	out_json_uint(o, "communicators", c->n_comms);
	out_json_uint(o, "objects", c->n_objects);
	out_json_uint(o, "operations", c->n_operations);
	out_json_uint(o, "operations_not_recorded", c->n_unrecorded);
	out_json_object_end(o);
}

static void text_all(struct comparison *c)
{
	struct out *o = &c->d->o;

	compare_all(c);
	out_line(o, 1);
	out_text(o, "origins");
	out_column(o, (unsigned)c->column);
	out_text(o, "the library's memory and the in-target library: ");
	out_count(o, c->n_comms, "communicator");
	out_text(o, ", ");
	out_count(o, c->n_objects, "other object");
	out_text(o, " and ");
	out_count(o, c->n_operations, "operation");
	out_text(o, " compared, ");
	if (c->n_unrecorded)
		out_text(o, "%" PRIu64 " not recorded, ", c->n_unrecorded);
	out_text(o, c->n_differences == 1 ? "1 fact differs" : "%" PRIu64 " facts differ", c->n_differences);
	out_line_end(o);
}

void mpidbg_write_origins(struct mpidbg_description *d, size_t column)
{
	struct _mqs_process_info *p = d->p;
	struct acc_note note = p->space.note, message = p->note;
	struct comparison c = { .d = d, .column = column };

	if (p->reader && !rd_library(p->reader)->origin && rd_library(p->reader)->state == MDL_INITIALIZED &&
	    !mqs_state_track(p) && !rd_track_merge_open(p->track, &d->merge)) {
		if (d->o.json)
			json_all(&c);
		else
			text_all(&c);
	}
	rd_track_merge_close(d->merge);
	d->merge = NULL;
	p->space.note = note;
	p->note = message;
}
