/* SPDX-License-Identifier: BSD-3-Clause */
/* The requests of the operations in the queues. */
#include "objects.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

static void collect(struct rd_ompi *o, const struct mdl_comm *comm, enum mdl_op_class op_class)
{
	struct rd_op_iter it = { .p = o->p, .comm = comm, .op_class = op_class, .all = true };
	struct mdl_op op;
	const char *why;

	if (rd_ompi_ops_available(o, op_class, &why) || rd_ompi_op_first(o, &it))
		return;
	while (!rd_ompi_op_next(o, &it, &op))
		if (op.request.known == MDL_KNOWN && !op.internal)
			rd_ompi_addrs_add(o, &o->objects->requests, (uint64_t)op.request.value);
	o->objects->n_bad_operations += it.n_bad;
}

const struct rd_ompi_addrs *rd_ompi_operations(struct rd_ompi *o)
{
	struct rd_comm_iter it = { .p = o->p, .all = false };
	struct acc_note note = o->sp->note;
	struct rd_ompi_ops saved = o->ops; /* of a walk over queues in progress */
	struct mdl_comm c;

	if (!rd_ompi_objects_state(o))
		return NULL;
	if (o->objects->requests.built)
		return &o->objects->requests;
	o->objects->requests.built = true;
	memset(&o->ops, 0, sizeof(o->ops));
	if (!rd_ompi_comm_first(o, &it))
		while (!rd_ompi_comm_next(o, &it, &c))
			for (int op_class = MDL_SENDS; op_class < MDL_N_CLASSES; op_class++)
				if (op_class != MDL_UNEXPECTED)
					collect(o, &c, (enum mdl_op_class)op_class);
	acc_array_free(o->sp, o->ops.heads);
	o->ops = saved;
	o->sp->note = note;
	return &o->objects->requests;
}
