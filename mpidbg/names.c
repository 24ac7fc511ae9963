/* SPDX-License-Identifier: BSD-3-Clause */
#include "names.h"

#include "query.h"

#include "../mqs/callbacks.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum mpidbg_comm_capabilities_t mpidbg_comm_capabilities;
enum mpidbg_errhandler_capabilities_t mpidbg_errhandler_capabilities;
enum mpidbg_request_capabilities_t mpidbg_request_capabilities;
enum mpidbg_status_capabilities_t mpidbg_status_capabilities;
struct mpidbg_name_map_t *mpidbg_comm_name_map;
struct mpidbg_name_map_t *mpidbg_errhandler_name_map;
struct mpidbg_name_map_t *mpidbg_request_name_map;
struct mpidbg_name_map_t *mpidbg_status_name_map;

static const struct {
	enum mdl_handle_kind kind;
	const char *name, *symbol;
} openmpi[] = {
#define NAME(kind, name, symbol, mpich, abi) { kind, name, symbol },
#include "../model/standard.def"
#undef NAME
};
enum { N_OPENMPI = sizeof(openmpi) / sizeof(openmpi[0]) };

/* ---- collecting ---------------------------------------------------------------------------------------- */

/* Names and handles, added one by one; counted in a first pass, stored in a second. */
struct map {
	struct mpidbg_name_map_t *v; /* NULL: counting */
	char *text;
	size_t n, n_text;
};

static void add_name(struct map *m, const char *name, uint64_t handle)
{
	size_t bytes = strlen(name) + 1;

	if (m->v) {
		m->v[m->n].map_name = memcpy(m->text + m->n_text, name, bytes);
		m->v[m->n].map_handle = handle;
	}
	m->n++;
	m->n_text += bytes;
}

static void from_registry(struct rd_track *t, enum mdl_handle_kind kind, struct map *m, const struct map *limit)
{
	struct rd_track_iter it;
	struct mdl_handle h;

	if (rd_track_first(t, kind, RD_TRACK_LIVE, &it))
		return;
	while (!rd_track_next(&it, &h)) {
		if (!h.predefined || !h.name[0])
			continue;
		const char *standard = rd_track_standard_name(t, &h), *name = standard ? standard : h.name;
		/* a running process may have more in the second pass */
		if (limit && (m->n == limit->n || m->n_text + strlen(name) + 1 > limit->n_text))
			return;
		add_name(m, name, h.handle);
	}
}

static void from_symbols(struct acc_space *sp, enum mdl_handle_kind kind, struct map *m, const struct map *limit)
{
	uint64_t addr;

	for (size_t i = 0; i < N_OPENMPI; i++) {
		if (openmpi[i].kind != kind || acc_symbol(sp, openmpi[i].symbol, &addr))
			continue;
		if (limit && (m->n == limit->n || m->n_text + strlen(openmpi[i].name) + 1 > limit->n_text))
			return;
		add_name(m, openmpi[i].name, addr);
	}
}

const char *mpidbg_predefined(struct acc_space *sp, enum mdl_handle_kind kind, uint64_t handle)
{
	uint64_t addr;

	for (size_t i = 0; i < N_OPENMPI; i++)
		if (openmpi[i].kind == kind && !acc_symbol(sp, openmpi[i].symbol, &addr) && addr == handle)
			return openmpi[i].name;
	return NULL;
}

/* Without a registry the requests of Open MPI are searched for in
 * its heap, but all predefined objects but keyvals have symbols. */
static void collect(struct _mqs_process_info *p, enum mdl_handle_kind kind, struct map *m, const struct map *limit)
{
	bool has_symbols = rd_track_has_no_registry(p->track) && rd_track_mpi(p->track) == RD_TRACK_OPENMPI;

	if (p->track && (!has_symbols || kind == MDL_KEYVAL) && rd_track_count(p->track, kind).known)
		from_registry(p->track, kind, m, limit);
	else
		from_symbols(&p->space, kind, m, limit);
}

/* One allocation: the array with its terminator, followed by the names. */
static enum acc_rc make(struct _mqs_process_info *p, enum mdl_handle_kind kind, struct mpidbg_name_map_t **ret)
{
	struct map count = { NULL, NULL, 0, 0 }, fill = { NULL, NULL, 0, 0 };
	enum acc_rc rc = ACC_OK;

	collect(p, kind, &count, NULL);
	if (!count.n)
		return ACC_NONE;
	fill.v = mpidbg_query_array(&rc, 1, (count.n + 1) * sizeof(*fill.v) + count.n_text);
	if (!fill.v)
		return rc;
	fill.text = (char *)(fill.v + count.n + 1);
	collect(p, kind, &fill, &count);
	*ret = fill.v;
	return ACC_OK;
}

int mpidbg_get_name_map(mqs_process *process, int kind, struct mpidbg_name_map_t **ret)
{
	struct _mqs_process_info *p;
	int code = ret && kind >= 0 && kind < MPIDBG_N_HANDLE_KINDS ? mpidbg_query_begin(process, false, &p)
								    : MPIDBG_ERR_OUT_OF_RANGE;

	if (code)
		return code;
	if (kind >= MPIDBG_STATUS) {
		mpidbg_query_end(p, ACC_NONE, "statuses and integers have no handles");
		return MPIDBG_ERR_NOT_SUPPORTED;
	}
	enum acc_rc rc = make(p, (enum mdl_handle_kind)kind, ret);
	code = mpidbg_query_end(p, rc, "no predefined handles of this kind are available in this process");
	return rc == ACC_NONE ? MPIDBG_ERR_NOT_SUPPORTED : code;
}

/* ---- the variables of version 1 ------------------------------------------------------------------------- */

/*
 * In version 1 a debugger cannot release a map, and one map serves all processes. Therefore the few names of these
 * kinds are in static memory and apply to the process that was set up last.
 */
enum { FIXED_NAMES = 16, FIXED_BYTES = 1024 };

/* The bits of version 1. */
enum { COMM_BITS = 0x7f, ERRHANDLER_BITS = 0x1f };

static struct fixed {
	struct mpidbg_name_map_t v[FIXED_NAMES + 1];
	char text[FIXED_BYTES];
} comm_names, errhandler_names, request_names;

static struct mpidbg_name_map_t *refill(struct _mqs_process_info *p, enum mdl_handle_kind kind, struct fixed *f)
{
	struct map limit = { .n = FIXED_NAMES, .n_text = FIXED_BYTES };
	struct map fill = { f->v, f->text, 0, 0 };

	memset(f, 0, sizeof(*f));
	collect(p, kind, &fill, &limit);
	return fill.n ? f->v : NULL;
}

void mpidbg_names_setup(struct _mqs_process_info *p)
{
	if (mqs_state_space(p))
		return;
	mqs_state_objects(p);
	acc_space_begin(&p->space);
	mpidbg_comm_capabilities = (enum mpidbg_comm_capabilities_t)(mpidbg_capabilities(p, MPIDBG_COMM) & COMM_BITS);
	mpidbg_errhandler_capabilities = (enum mpidbg_errhandler_capabilities_t)(
		mpidbg_capabilities(p, MPIDBG_ERRHANDLER) & ERRHANDLER_BITS);
	mpidbg_request_capabilities = (enum mpidbg_request_capabilities_t)(mpidbg_capabilities(p, MPIDBG_REQUEST) &
									   MPIDBG_REQUEST_CAP_BASIC);
	mpidbg_status_capabilities = (enum mpidbg_status_capabilities_t)mpidbg_capabilities(p, MPIDBG_STATUS);
	mpidbg_comm_name_map = refill(p, MDL_COMM, &comm_names);
	mpidbg_errhandler_name_map = refill(p, MDL_ERRHANDLER, &errhandler_names);
	mpidbg_request_name_map = refill(p, MDL_REQUEST, &request_names);
	acc_space_end(&p->space);
	mqs_state_begin(p); /* failures here are ignored */
}

enum rd_track_mpi mpidbg_which_mpi(struct _mqs_process_info *p)
{
	uint64_t addr;

	if (p->track)
		return rd_track_library(p->track)->abi ? RD_TRACK_ABI : rd_track_mpi(p->track);
	if (p->reader && rd_library(p->reader)->abi)
		return RD_TRACK_ABI;
	if (!acc_symbol(&p->space, "ompi_mpi_state", &addr))
		return RD_TRACK_OPENMPI;
	if (!acc_symbol(&p->space, "MPII_Version_string", &addr) || !acc_symbol(&p->space, "MPIR_Dup_fn", &addr))
		return RD_TRACK_MPICH;
	return RD_TRACK_OTHER_MPI;
}
