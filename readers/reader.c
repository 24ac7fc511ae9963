/* SPDX-License-Identifier: BSD-3-Clause */
#include "reader.h"

#include "mpich/mpich.h"
#include "openmpi/openmpi.h"
#include "standard_abi.h"
#include "tracked/reader.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

const struct rd_reader *const rd_readers[] = {
	&rd_ompi_reader,
	&rd_mpich_reader,
	&rd_track_reader, /* after the readers of an MPI's own memory */
	NULL,
};

/* A refusal that persists until there is a layout; all other failures are reported to the user. */
static bool no_layout(enum acc_rc rc)
{
	return rc == ACC_EWITNESS || rc == ACC_EFIELD;
}

static void drop_reader(struct rd_process *p)
{
	if (p->reader)
		p->reader->close(p->state);
	p->reader = NULL;
	p->state = NULL;
	memset(&p->library, 0, sizeof(p->library));
	memset(&p->layout, 0, sizeof(p->layout));
	memset(&p->witnesses, 0, sizeof(p->witnesses));
}

static struct rd_process *new_process(struct acc_space *sp)
{
	struct rd_process *p = acc_array(sp, 1, sizeof(*p));

	if (p) {
		memset(p, 0, sizeof(*p));
		p->sp = sp;
	}
	return p;
}

/* Open the records of the in-target library as a separate process; NULL: none. Failures are not noted. */
static struct rd_process *open_recorded(struct acc_space *sp)
{
	struct acc_note note = sp->note;
	struct rd_process *p = new_process(sp);

	if (p && rd_track_reader.open(p, NULL, &p->state) == ACC_OK) {
		p->reader = &rd_track_reader;
	} else {
		rd_close(p);
		p = NULL;
	}
	sp->note = note;
	return p;
}

/* A program with sessions only has no MPI_COMM_WORLD, which is the starting point in the library's memory. */
static bool has_sessions_alone(const struct rd_process *p)
{
	struct rd_process *recorded = p->reader == &rd_mpich_reader && p->library.state == MDL_BEFORE_INIT
					      ? open_recorded(p->sp)
					      : NULL;
	bool alone = recorded && recorded->library.state == MDL_INITIALIZED;

	rd_close(recorded);
	return alone;
}

static enum acc_rc no_world(struct rd_process *p)
{
	return acc_note(&p->sp->note, ACC_EWITNESS,
			"MPICH: there is no MPI_COMM_WORLD: the program uses only sessions");
}

/*
 * Without a layout, use the records if there are any. The refusal is kept in p->refused, but is no longer a failure.
 *
 * @return ACC_OK, or @p refusal: the process is unchanged
 */
static enum acc_rc take_recorded(struct rd_process *p, enum acc_rc refusal)
{
	struct acc_note note = p->sp->note;
	struct rd_process *probe = open_recorded(p->sp);

	if (!probe)
		return refusal;
	rd_close(probe);
	drop_reader(p);
	enum acc_rc rc = rd_track_reader.open(p, NULL, &p->state);
	if (rc)
		return rc;
	p->reader = &rd_track_reader;
	p->refused = note;
	acc_note_clear(&p->sp->note);
	return ACC_OK;
}

static bool has_all_queues(struct rd_process *p)
{
	const char *why;

	for (int i = MDL_SENDS; i < MDL_N_CLASSES; i++)
		if (i != MDL_UNEXPECTED && p->reader->ops_available(p->state, (enum mdl_op_class)i, &why) == ACC_NONE)
			return false;
	return true;
}

/*
 * Open or refresh the records as a second source. Without them some queues remain unavailable; that is not a failure.
 */
static void open_tracker_fallback(struct rd_process *p)
{
	struct acc_note note = p->sp->note;
	bool needed = p->reader != &rd_track_reader && p->library.state == MDL_INITIALIZED &&
		      (p->reader->no_probes || !has_all_queues(p));

	if (p->recorded && (!needed || p->recorded->reader->update(p->recorded->state))) {
		rd_close(p->recorded);
		p->recorded = NULL;
	}
	if (needed && !p->recorded)
		p->recorded = open_recorded(p->sp);
	if (p->recorded && !p->library.thread_multiple_known && p->recorded->library.thread_multiple_known) {
		p->library.thread_multiple_known = true;
		p->library.thread_multiple = p->recorded->library.thread_multiple;
	}
	p->sp->note = note;
}

enum acc_rc rd_open(struct acc_space *sp, const struct rd_packs *packs, struct rd_process **ret)
{
	enum acc_rc rc = ACC_NONE;

	if (!sp || !ret)
		return ACC_EINVAL;
	struct rd_process *p = new_process(sp);
	if (!p)
		return acc_note(&sp->note, ACC_ENOMEM, "process: %s", acc_rc_text(ACC_ENOMEM));
	acc_space_begin(sp);
	for (const struct rd_reader *const *r = rd_readers; *r && rc == ACC_NONE; r++) {
		rc = (*r)->open(p, packs, &p->state);
		if (rc == ACC_OK)
			p->reader = *r;
	}
	if (!rc && has_sessions_alone(p))
		rc = no_world(p);
	if (no_layout(rc))
		rc = take_recorded(p, rc);
	if (!rc)
		open_tracker_fallback(p);
	acc_space_end(sp);
	if (rc) {
		rd_close(p);
		return rc;
	}
	*ret = p;
	return ACC_OK;
}

void rd_close(struct rd_process *p)
{
	if (!p)
		return;
	rd_close(p->recorded);
	drop_reader(p);
	acc_array_free(p->sp, p);
}

enum acc_rc rd_update(struct rd_process *p)
{
	if (!p || !p->reader)
		return ACC_EINVAL;
	acc_space_begin(p->sp);
	rd_set_probes(p, NULL, 0);
	enum acc_rc rc = p->reader->update(p->state);
	if (!rc && has_sessions_alone(p))
		rc = no_world(p);
	if (no_layout(rc) && p->reader != &rd_track_reader)
		rc = take_recorded(p, rc);
	if (!rc)
		open_tracker_fallback(p);
	acc_space_end(p->sp);
	return rc;
}

const char *rd_refused(const struct rd_process *p)
{
	return p->refused.rc ? p->refused.text : "";
}

const struct mdl_library *rd_library(const struct rd_process *p)
{
	return &p->library;
}

const struct acc_layout *rd_layout(const struct rd_process *p)
{
	return &p->layout;
}

const struct acc_witness_result *rd_witnesses(const struct rd_process *p)
{
	return &p->witnesses;
}

void rd_set_stacks(struct rd_process *p, const struct rd_stack *stacks, size_t n)
{
	if (p && p->reader && p->reader->set_stacks)
		p->reader->set_stacks(p->state, stacks, n);
}

void rd_set_probes(struct rd_process *p, const struct rd_probe *probes, size_t n)
{
	if (!p)
		return;
	p->probes = probes;
	p->n_probes = n;
}

enum rd_request_is rd_request_at(struct rd_process *p, uint64_t addr)
{
	return p && p->reader && p->reader->request_at ? p->reader->request_at(p->state, addr) : RD_NO_REQUEST;
}

/* ---- communicators ---------------------------------------------------------------------------------------- */

enum acc_rc rd_comm_first(struct rd_process *p, bool all, struct rd_comm_iter *ret)
{
	struct rd_comm_iter it = { .p = p, .all = all };

	if (!p || !p->reader)
		return ACC_EINVAL;
	enum acc_rc rc = p->reader->comm_first(p->state, &it);
	if (rc == ACC_OK)
		*ret = it;
	return rc;
}

enum acc_rc rd_comm_next(struct rd_comm_iter *it, struct mdl_comm *ret)
{
	if (!it || !it->p)
		return ACC_EINVAL;
	return it->p->reader->comm_next(it->p->state, it, ret);
}

enum acc_rc rd_comm_get(struct rd_process *p, uint64_t id, struct mdl_comm *ret)
{
	if (!p || !p->reader)
		return ACC_EINVAL;
	return p->reader->comm_get(p->state, id, ret);
}

/* Fill in members that the library's memory does not identify from the records. */
static void add_recorded_members(const struct rd_process *recorded, const struct mdl_comm *comm, bool remote,
				 uint64_t first, uint64_t n, struct mdl_member *members)
{
	struct acc_note note = recorded->sp->note;
	struct mdl_member m;

	for (uint64_t i = 0; i < n; i++)
		if (!members[i].known &&
		    !recorded->reader->comm_members(recorded->state, comm, remote, first + i, 1, &m))
			members[i] = m;
	recorded->sp->note = note;
}

enum acc_rc rd_comm_members(struct rd_process *p, const struct mdl_comm *comm, bool remote, uint64_t first, uint64_t n,
			    struct mdl_member *ret)
{
	if (!p || !p->reader || !comm)
		return ACC_EINVAL;
	enum acc_rc rc = p->reader->comm_members(p->state, comm, remote, first, n, ret);
	if (!rc && p->recorded)
		add_recorded_members(p->recorded, comm, remote, first, n, ret);
	return rc;
}

enum acc_rc rd_comm_topology(struct rd_process *p, const struct mdl_comm *comm, struct mdl_topology *ret)
{
	if (!p || !p->reader || !comm)
		return ACC_EINVAL;
	return p->reader->comm_topology(p->state, comm, ret);
}

/* ---- operations ------------------------------------------------------------------------------------------- */

enum acc_rc rd_ops_available(struct rd_process *p, enum mdl_op_class op_class, const char **why)
{
	const char *recorded_why;

	if (!p || !p->reader || !why || op_class < 0 || op_class >= MDL_N_CLASSES)
		return ACC_EINVAL;
	enum acc_rc rc = p->reader->ops_available(p->state, op_class, why);
	if (rc == ACC_NONE && p->recorded)
		rc = p->recorded->reader->ops_available(p->recorded->state, op_class, &recorded_why);
	return rc;
}

enum acc_rc rd_op_first(struct rd_process *p, const struct mdl_comm *comm, enum mdl_op_class op_class, bool all,
			struct rd_op_iter *ret)
{
	struct rd_op_iter it = { .p = p, .comm = comm, .op_class = op_class, .all = all };
	const char *why;

	if (!p || !p->reader || !ret || op_class < 0 || op_class >= MDL_N_CLASSES)
		return ACC_EINVAL;
	it.recorded = p->recorded && p->reader->ops_available(p->state, op_class, &why) == ACC_NONE;
	const struct rd_process *source = it.recorded ? p->recorded : p;
	enum acc_rc rc = source->reader->op_first(source->state, &it);
	if (rc == ACC_OK)
		*ret = it;
	return rc;
}

/* Operations from the records that the library's memory does not show: calls in which threads wait. */
static enum acc_rc next_probe(const struct rd_process *source, struct rd_op_iter *it, struct mdl_op *ret)
{
	struct mdl_op op;
	enum acc_rc rc;

	do
		rc = source->reader->op_next(source->state, it, &op);
	while (!rc && ((op.kind != MDL_PROBE && op.kind != MDL_MPROBE) || !op.blocking));
	if (!rc)
		*ret = op;
	return rc;
}

/* The next probe that the debugger has seen in this communicator. */
static enum acc_rc next_seen(struct rd_op_iter *it, struct mdl_op *ret)
{
	struct rd_process *p = it->p;

	while (p->reader->probe && it->at_probe < p->n_probes)
		if (!p->reader->probe(p->state, it->comm, &p->probes[it->at_probe++], ret))
			return ACC_OK;
	return ACC_NONE;
}

enum acc_rc rd_op_next(struct rd_op_iter *it, struct mdl_op *ret)
{
	if (!it || !it->p)
		return ACC_EINVAL;
	const struct rd_process *source = it->recorded ? it->p->recorded : it->p;
	if (!source)
		return ACC_NONE;
	if (it->probes)
		return next_probe(source, it, ret);
	enum acc_rc rc = source->reader->op_next(source->state, it, ret);
	if (rc != ACC_NONE || it->recorded || it->op_class != MDL_RECEIVES || !it->comm)
		return rc;
	if (!it->p->recorded)
		return next_seen(it, ret);
	if (!source->reader->no_probes)
		return rc;
	source = it->p->recorded;
	if (source->reader->op_first(source->state, it))
		return ACC_NONE;
	it->recorded = it->probes = true;
	return next_probe(source, it, ret);
}

/* ---- single handles --------------------------------------------------------------------------------------- */

enum acc_rc rd_handle_own(struct rd_process *p, enum mdl_handle_kind kind, uint64_t *handle)
{
	if (!p || !handle)
		return ACC_EINVAL;
	/* the in-target library records the program's */
	return p->library.abi && !p->library.origin
		       ? rd_abi_native(p->sp, p->library.implementation, kind, *handle, handle)
		       : ACC_OK;
}

enum acc_rc rd_request_get(struct rd_process *p, uint64_t handle, struct mdl_comm *comm, struct mdl_op *ret)
{
	if (!p || !p->reader || !p->reader->request_get || !comm || !ret)
		return ACC_EINVAL;
	enum acc_rc rc = rd_handle_own(p, MDL_REQUEST, &handle);
	return rc ? rc : p->reader->request_get(p->state, handle, comm, ret);
}

enum acc_rc rd_request_done(struct rd_process *p, uint64_t handle, bool *ret)
{
	if (!p || !p->reader || !p->reader->request_done || !ret)
		return ACC_EINVAL;
	enum acc_rc rc = rd_handle_own(p, MDL_REQUEST, &handle);
	return rc ? rc : p->reader->request_done(p->state, handle, ret);
}

enum acc_rc rd_objects_open(struct rd_process *p, struct rd_objects *ret)
{
	if (!p || !p->reader || !ret)
		return ACC_EINVAL;
	if (!p->reader->objects || p->library.state != MDL_INITIALIZED)
		return ACC_NONE;
	return p->reader->objects(p->state, ret);
}

enum acc_rc rd_handle_fortran(struct rd_process *p, enum mdl_handle_kind kind, int64_t fortran, uint64_t *ret)
{
	if (!p || !p->reader || !p->reader->handle_fortran || !ret)
		return ACC_EINVAL;
	return p->reader->handle_fortran(p->state, kind, fortran, ret);
}

enum acc_rc rd_datatype_get(struct rd_process *p, uint64_t handle, char name[MDL_NAME_BYTES], uint64_t *bytes)
{
	if (!p || !p->reader || !p->reader->datatype_get || !name || !bytes)
		return ACC_EINVAL;
	enum acc_rc rc = rd_handle_own(p, MDL_DATATYPE, &handle);
	return rc ? rc : p->reader->datatype_get(p->state, handle, name, bytes);
}

enum acc_rc rd_pvar_get(struct rd_process *p, const char *name, const struct mdl_comm *comm, uint64_t *ret,
			uint64_t *count)
{
	if (!p || !p->reader || !p->reader->pvar_get || !name || !comm || !ret || !count)
		return ACC_EINVAL;
	return p->reader->pvar_get(p->state, name, comm, ret, count);
}

enum acc_rc rd_flows(struct rd_process *p, const struct mdl_comm *comm,
		     bool (*each)(void *ctx, const struct mdl_flow *flow), void *ctx)
{
	if (!p || !p->reader || !comm || !each)
		return ACC_EINVAL;
	return p->reader->flows ? p->reader->flows(p->state, comm, each, ctx) : ACC_NONE;
}
