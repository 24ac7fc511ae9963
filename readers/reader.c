/* SPDX-License-Identifier: BSD-3-Clause */
#include "reader.h"

#include "openmpi/openmpi.h"
#include "tracked/reader.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

const struct rd_reader *const rd_readers[] = {
	&rd_ompi_reader,
	&rd_track_reader, /* after those that read an MPI's own memory */
	NULL,
};

enum acc_rc rd_open(struct acc_space *sp, const struct rd_packs *packs, struct rd_process **ret)
{
	enum acc_rc rc = ACC_NONE;

	if (!sp || !ret)
		return ACC_EINVAL;
	struct rd_process *p = acc_array(sp, 1, sizeof(*p));
	if (!p)
		return acc_note(&sp->note, ACC_ENOMEM, "process: %s", acc_rc_text(ACC_ENOMEM));
	memset(p, 0, sizeof(*p));
	p->sp = sp;
	acc_space_begin(sp);
	for (const struct rd_reader *const *r = rd_readers; *r && rc == ACC_NONE; r++) {
		rc = (*r)->open(p, packs, &p->state);
		if (rc == ACC_OK)
			p->reader = *r;
	}
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
	if (p->reader)
		p->reader->close(p->state);
	acc_array_free(p->sp, p);
}

enum acc_rc rd_update(struct rd_process *p)
{
	if (!p || !p->reader)
		return ACC_EINVAL;
	acc_space_begin(p->sp);
	enum acc_rc rc = p->reader->update(p->state);
	acc_space_end(p->sp);
	return rc;
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

enum acc_rc rd_comm_members(struct rd_process *p, const struct mdl_comm *comm, bool remote, uint64_t first, uint64_t n,
			    struct mdl_member *ret)
{
	if (!p || !p->reader || !comm)
		return ACC_EINVAL;
	return p->reader->comm_members(p->state, comm, remote, first, n, ret);
}

enum acc_rc rd_comm_topology(struct rd_process *p, const struct mdl_comm *comm, struct mdl_topology *ret)
{
	if (!p || !p->reader || !comm)
		return ACC_EINVAL;
	return p->reader->comm_topology(p->state, comm, ret);
}

void rd_comm_topology_free(struct rd_process *p, struct mdl_topology *topology)
{
	if (!p || !topology)
		return;
	acc_array_free(p->sp, topology->dims);
	acc_array_free(p->sp, topology->periods);
	acc_array_free(p->sp, topology->coords);
	acc_array_free(p->sp, topology->index);
	acc_array_free(p->sp, topology->edges);
	acc_array_free(p->sp, topology->in);
	acc_array_free(p->sp, topology->out);
	acc_array_free(p->sp, topology->in_weights);
	acc_array_free(p->sp, topology->out_weights);
	*topology = (struct mdl_topology){ .kind = MDL_TOPO_NONE };
}

/* ---- operations ------------------------------------------------------------------------------------------- */

enum acc_rc rd_ops_available(struct rd_process *p, enum mdl_op_class op_class, const char **why)
{
	if (!p || !p->reader || !why || op_class < 0 || op_class >= MDL_N_CLASSES)
		return ACC_EINVAL;
	return p->reader->ops_available(p->state, op_class, why);
}

enum acc_rc rd_op_first(struct rd_process *p, const struct mdl_comm *comm, enum mdl_op_class op_class, bool all,
			struct rd_op_iter *ret)
{
	struct rd_op_iter it = { .p = p, .comm = comm, .op_class = op_class, .all = all };

	if (!p || !p->reader || !ret || op_class < 0 || op_class >= MDL_N_CLASSES)
		return ACC_EINVAL;
	enum acc_rc rc = p->reader->op_first(p->state, &it);
	if (rc == ACC_OK)
		*ret = it;
	return rc;
}

enum acc_rc rd_op_next(struct rd_op_iter *it, struct mdl_op *ret)
{
	if (!it || !it->p)
		return ACC_EINVAL;
	return it->p->reader->op_next(it->p->state, it, ret);
}
