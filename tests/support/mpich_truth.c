/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpich_truth.h"

#include "truth.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

static const char *const op_lists[] = { "pending_sends", "pending_receives", "unexpected" };

/* Unavailable facts of an operation are null with a reason: not compared with the facts of the program. */
static void without_unknowns(json_t *op, bool prepared)
{
	const char *mode = json_string_value(json_object_get(op, "mode"));

	/* for a buffered send MPICH returns a different request to the program, which is complete */
	if (prepared && !(mode && !strcmp(mode, "buffered")))
		return;
	json_object_del(op, "count");
	json_object_del(op, "datatype");
	json_object_del(op, "datatype_handle");
	if (json_string_value(json_object_get(op, "kind"))[0] != 's' || (mode && !strcmp(mode, "synchronous")))
		return;
	if (mode && !strcmp(mode, "buffered"))
		json_object_del(op, "request");
	json_object_del(op, "mode");
	json_object_del(op, "function");
}

/*
 * For a send that completes at once MPICH returns one of a few builtin requests: nothing is pending, except inside
 * the library for a buffered send.
 */
static void without_complete(json_t *sends)
{
	for (size_t i = json_array_size(sends); i > 0; i--) {
		const json_t *send = json_array_get(sends, i - 1);
		const char *request = json_string_value(json_object_get(send, "request"));
		const char *mode = json_string_value(json_object_get(send, "mode"));

		if (request && !(mode && !strcmp(mode, "buffered")) && !strncmp(request, "0x6c0000", 8))
			json_array_remove(sends, i - 1);
	}
}

/* A process that is alone in a communicator: "any source" is
 * the process itself, and MPICH does not distinguish them. */
static void from_itself(json_t *receives)
{
	json_t *op;
	size_t i;

	json_array_foreach(receives, i, op)
	{
		json_object_del(op, "peer");
		json_object_del(op, "peer_why");
		json_object_del(op, "peer_world");
	}
}

int mpich_truth_version(void)
{
	static int major, minor;
	FILE *f = major ? NULL : popen("mpichversion --version", "r");

	if (f) {
		ck_assert_int_eq(fscanf(f, "MPICH Version: %d.%d", &major, &minor), 2);
		pclose(f);
	}
	return 100 * major + minor;
}

/* Since 4.2 a pending receive keeps MPICH's communicator alive when the program has freed it. */
static bool keeps_freed(void)
{
	return mpich_truth_version() >= 402;
}

/* MPICH 4.1 implements MPI_Ssend_init as a standard send (src/mpid/ch4/src/ch4_send.h: MPID_Ssend_init). */
static void without_synchronous_init(json_t *op)
{
	const char *function = json_string_value(json_object_get(op, "function"));

	if (mpich_truth_version() == 401 && function && !strcmp(function, "MPI_Ssend_init"))
		json_object_set_new(op, "mode", json_string("standard"));
}

void mpich_truth_fit(json_t *truth, bool prepared)
{
	json_t *comm, *op, *comms = json_object_get(truth, "communicators");
	size_t i, k;

	if (!prepared)
		json_object_del(json_object_get(truth, "mpi"), "thread_multiple");
	if (!prepared)
		truth_probes_live(truth);
	for (i = json_array_size(comms); i > 0; i--) {
		const char *name = json_string_value(json_object_get(json_array_get(comms, i - 1), "name"));

		if (name && !strcmp(name, "freed with a receive") && !keeps_freed())
			truth_orphan(truth, i - 1);
	}
	json_array_foreach(comms, i, comm)
	{
		/* to itself MPICH sends nothing before the receive is posted, whatever the size */
		if (json_integer_value(json_object_get(comm, "size")) == 1) {
			json_object_del(comm, "pending_sends");
			from_itself(json_object_get(comm, "pending_receives"));
		}
		if (!prepared)
			without_complete(json_object_get(comm, "pending_sends"));
		for (size_t l = 0; l < sizeof op_lists / sizeof op_lists[0]; l++)
			json_array_foreach(json_object_get(comm, op_lists[l]), k, op)
			{
				if (!prepared)
					without_synchronous_init(op);
				without_unknowns(op, prepared);
			}
	}
}
