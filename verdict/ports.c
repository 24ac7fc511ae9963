/* SPDX-License-Identifier: BSD-3-Clause */
#include "ports.h"

#include "job.h"

#include <stdio.h>
#include <string.h>

enum { KEY_BYTES = 1100 };

/* @return false: it is at no port */
static bool key_of(char ret[KEY_BYTES], const struct vd_thread *t, bool other_end)
{
	bool accepts = t->function && strcmp(t->function, "MPI_Comm_accept") == 0;

	if (!t->port)
		return false;
	snprintf(ret, KEY_BYTES, "%c%s", accepts != other_end ? 'a' : 'c', t->port);
	return true;
}

void vd_port_add(struct vd_job *job, const struct vd_thread *t, int32_t rank)
{
	char key[KEY_BYTES];

	if (key_of(key, t, false))
		vd_name(&job->ports, key, rank);
}

int32_t vd_port_partner(const struct vd_job *job, const struct vd_thread *t)
{
	struct vd_names *ports = job->ports;
	char key[KEY_BYTES];

	return ports && key_of(key, t, true) ? vd_name(&ports, key, VD_UNKNOWN) : VD_UNKNOWN;
}
