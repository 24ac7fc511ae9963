/* SPDX-License-Identifier: BSD-3-Clause */
#include "reader.h"

#pragma GCC poison assert abort exit printf fprintf malloc free

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
