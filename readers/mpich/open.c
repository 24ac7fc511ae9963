/* SPDX-License-Identifier: BSD-3-Clause */
#include "objects.h"

#include <stdio.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

static const char advice[] = RD_MPICH_ADVICE;

static void read_string(struct rd_mpich *o, const char *symbol, char *ret, size_t size)
{
	uint64_t addr;

	ret[0] = '\0';
	if (acc_symbol(o->sp, symbol, &addr) || acc_read_string(o->sp, addr, ret, size))
		ret[0] = '\0';
	for (const char *s = ret; *s; s++)
		if ((unsigned char)*s < 0x20 || (unsigned char)*s >= 0x7f) {
			ret[0] = '\0';
			break;
		}
}

/* Check the string witnesses of a pack against strings that were found without symbols. */
static enum acc_rc check_hidden(const struct rd_mpich *o, const struct acc_pack *pack, struct acc_witness_result *ret)
{
	const struct mdl_library *lib = &o->p->library;

	for (size_t i = 0; i < pack->n_witnesses; i++) {
		const struct acc_pack_witness *w = &pack->witnesses[i];
		const char *text = NULL;

		if (w->kind != ACC_WITNESS_UINT && !strcmp(w->symbol, "MPII_Version_string"))
			text = lib->version;
		else if (w->kind != ACC_WITNESS_UINT && !strcmp(w->symbol, "MPII_Version_device"))
			text = lib->component;
		if (!text || !text[0])
			continue;
		ret->n_absent--;
		if (acc_pack_text_agrees(w, text))
			ret->n_agree++;
		else if (!ret->n_disagree++)
			snprintf(ret->first, sizeof(ret->first), "%.60s is \"%.32s\", the pack says \"%.60s\"",
				 w->symbol, text, w->text);
	}
	if (ret->n_disagree || !ret->n_agree)
		return ACC_EWITNESS;
	ret->first[0] = '\0';
	return ACC_OK;
}

/*
 * Choose the next pack that agrees. A pack is not rejected for an unreadable witness: the object sizes in the pools
 * decide, also between packs for different configurations of one version.
 */
static const struct acc_pack *choose_pack(struct rd_mpich *o, const struct acc_pack **best,
					  struct acc_witness_result *result)
{
	*best = NULL;
	memset(result, 0, sizeof(*result));
	for (size_t i = o->next_pack; o->packs && i < o->packs->n; i++) {
		const struct acc_pack *pack = o->packs->packs[i];
		struct acc_witness_result r;

		if (!pack || strcmp(pack->implementation, rd_mpich_schema.name))
			continue;
		enum acc_rc rc = acc_witness_check(o->sp, pack, &r);
		if (o->hidden && r.n_absent)
			rc = check_hidden(o, pack, &r);
		if (rc == ACC_OK || (rc == ACC_EREAD && !r.n_disagree)) {
			*best = pack;
			*result = r;
			o->next_pack = i + 1;
			return pack;
		}
		if (!*best || r.n_agree > result->n_agree) {
			*best = pack;
			*result = r;
		}
	}
	return NULL;
}

/* Version and device are taken from the pack: the process has no such strings. */
static const struct acc_pack *choose_by_sizes(struct rd_mpich *o, const struct acc_pack **best,
					      struct acc_witness_result *result)
{
	struct mdl_library *lib = &o->p->library;

	memset(result, 0, sizeof(*result));
	*best = rd_mpich_pack_by_sizes(o, &result->n_agree);
	if (!*best)
		return NULL;
	snprintf(lib->version, sizeof(lib->version), "%s", (*best)->version);
	for (size_t i = 0; i < (*best)->n_witnesses; i++) {
		const struct acc_pack_witness *w = &(*best)->witnesses[i];

		if (w->kind != ACC_WITNESS_UINT && !strcmp(w->symbol, "MPII_Version_device"))
			snprintf(lib->component, sizeof(lib->component), "%s", w->text);
	}
	return *best;
}

/* A layout must describe communicators as up to 4.3 or as since 5.0. */
static enum acc_rc check_comms(struct rd_mpich *o)
{
	bool contexts = acc_layout_has(o->layout, F_MPIR_Comm_context_id) &&
			acc_layout_has(o->layout, F_MPIR_Comm_recvcontext_id);
	bool wide_contexts = acc_layout_has(o->layout, F_MPIR_Comm_wide_context_id) &&
			     acc_layout_has(o->layout, F_MPIR_Comm_wide_recvcontext_id);
	bool maps = acc_layout_has(o->layout, F_MPIR_Comm_map) && acc_layout_has(o->layout, F_MPIR_Comm_local_map);
	bool groups = acc_layout_has(o->layout, F_MPIR_Comm_local_group) &&
		      acc_layout_has(o->layout, F_MPIR_Comm_remote_group) && rd_mpich_has_group_map(o);

	if ((contexts || wide_contexts) && (maps || groups) &&
	    (acc_layout_has(o->layout, F_MPIR_Comm_hierarchy_kind) || acc_layout_has(o->layout, F_MPIR_Comm_attr)))
		return ACC_OK;
	return acc_note(&o->sp->note, ACC_EFIELD,
			"MPIR_Comm: no source describes its contexts, its members and whether it is the library's own");
}

static enum acc_rc take_pack(struct rd_mpich *o, const struct acc_pack *pack, const struct acc_witness_result *result)
{
	o->layout = NULL;
	enum acc_rc rc = acc_layout_resolve(o->sp, &rd_mpich_schema, NULL, pack, &o->p->layout);
	if (rc)
		return rc;
	o->layout = &o->p->layout;
	o->p->witnesses = *result;
	o->n_text_witnesses = result->n_agree;
	return check_comms(o);
}

static enum acc_rc resolve(struct rd_mpich *o)
{
	struct mdl_library *lib = &o->p->library;
	struct rd_mpich_version found;
	const struct acc_pack *best;
	struct acc_witness_result result;

	rd_mpich_version(o, &found);
	if (found.vendor) {
		lib->implementation = found.vendor;
		return acc_note(
			&o->sp->note, ACC_EWITNESS,
			"%s: made from MPICH, with types of its own that no layout pack describes: start the job "
			"with mpi2dd-run",
			found.vendor);
	}
	read_string(o, "MPII_Version_string", lib->version, sizeof(lib->version));
	read_string(o, "MPII_Version_device", lib->component, sizeof(lib->component));
	o->hidden = !lib->version[0] && !lib->component[0];
	if (o->hidden) {
		snprintf(lib->version, sizeof(lib->version), "%s", found.version);
		snprintf(lib->component, sizeof(lib->component), "%s", found.device);
	}
	const struct acc_pack *pack = NULL;
	if (o->hidden && !lib->version[0] && rd_mpich_is_static(o->sp))
		pack = choose_by_sizes(o, &best, &result);
	if (!pack)
		pack = choose_pack(o, &best, &result);
	if (!pack && !best)
		return acc_note(&o->sp->note, ACC_EWITNESS, "MPICH %s (%s): no layout pack describes its types; %s",
				lib->version, lib->component, advice);
	if (!pack)
		return acc_note(&o->sp->note, ACC_EWITNESS,
				"MPICH %s (%.20s): the nearest layout pack, %.16s (%.40s), disagrees: %.80s; %s",
				lib->version, lib->component, best->version, best->system, result.first, advice);
	return take_pack(o, pack, &result);
}

static void forget_process(struct rd_mpich *o)
{
	rd_mpich_references_clear(o);
	rd_mpich_pools_clear(o);
	rd_ucx_forget(&o->ucx);
	acc_array_free(o->sp, o->comms);
	acc_array_free(o->sp, o->requests);
	acc_array_free(o->sp, o->persistent);
	acc_array_free(o->sp, o->request_slots);
	acc_array_free(o->sp, o->debug);
	acc_array_free(o->sp, o->files);
	o->files = NULL;
	o->n_files = 0;
	o->files_damaged = false;
	o->files_found = false;
	o->comms = NULL;
	o->requests = NULL;
	o->persistent = NULL;
	o->request_slots = NULL;
	o->debug = NULL;
	o->n_comms = o->n_bad_comms = o->n_requests = o->n_bad_requests = o->n_bad_listed = o->n_persistent = 0;
	o->comms_built = o->requests_built = false;
	o->serial_now = 0;
	o->peers_addr = 0;
}

/* Continue with the next pack whose strings agree, after the pools have disagreed with the last one. */
static bool resolve_another(struct rd_mpich *o)
{
	const struct acc_pack *best;
	struct acc_witness_result result;

	if (!o->layout || !o->next_pack)
		return false;
	const struct acc_pack *pack = choose_pack(o, &best, &result);
	if (!pack)
		return false;
	forget_process(o);
	acc_layout_deinit(o->sp, &o->p->layout);
	o->sp->note = (struct acc_note){ .rc = ACC_OK };
	return take_pack(o, pack, &result) == ACC_OK;
}

/*
 * A build of Debian's kind has no MPI_COMM_WORLD in a program that uses sessions only (ENABLE_LOCAL_SESSION_INIT in
 * src/mpi/init/mpir_init.c): if it has other communicators, MPI is initialized.
 */
static void look_at_sessions(struct rd_mpich *o)
{
	static const char why[] = "the program uses sessions only: it has no MPI_COMM_WORLD";
	struct acc_note note = o->sp->note;
	struct mdl_library *lib = &o->p->library;
	enum { MEMBERS_MAX = 1 << 18 };
	int64_t most = -1;
	unsigned n_seen = 0;

	o->n_processes = ACC_RANKS_MAX;
	if (rd_mpich_comms(o) || !o->n_comms) {
		o->sp->note = note;
		return;
	}
	for (uint64_t i = 0; i < o->n_comms; i++) {
		const struct rd_mpich_comm *c = &o->comms[i];
		int64_t n_peers = c->facts.inter ? c->facts.remote_size : c->facts.size;

		for (int64_t rank = 0; rank < n_peers && n_seen < MEMBERS_MAX; rank++, n_seen++) {
			struct mdl_num place = rd_mpich_world_rank(o, c, rank);

			if (place.known == MDL_KNOWN && place.value > most)
				most = place.value;
		}
		if (!c->facts.inter && lib->world_rank.known != MDL_KNOWN)
			lib->world_rank = rd_mpich_world_rank(o, c, c->facts.rank);
	}
	o->initialized = true;
	o->n_processes = most + 1;
	o->sp->note = note;
	lib->state = MDL_INITIALIZED;
	lib->world_size = mdl_unavailable(why);
}

/* MPI_COMM_WORLD exists from MPI_Init to MPI_Finalize. */
static enum acc_rc look_at_world(struct rd_mpich *o)
{
	struct mdl_library *lib = &o->p->library;
	struct rd_mpich_comm world;
	enum acc_rc rc = ACC_OK;

	o->initialized = false;
	lib->world_rank = lib->world_size = lib->job = mdl_unavailable("MPI is not initialized, or finalized");
	if (o->scanned && o->world_addr && rd_mpich_comm_load(o, o->world_addr, 0x44000000, &world) != ACC_OK)
		o->world_addr = 0;
	if (!o->scanned || !o->world_addr) {
		o->scanned = false;
		memset(o->pool_addr, 0, sizeof(o->pool_addr));
		o->p->witnesses.n_agree = o->n_text_witnesses;
		rc = rd_mpich_scan(o);
	}
	if (rc)
		return rc;
	snprintf(lib->layout, sizeof(lib->layout), "pack mpich %.16s (%.40s), %u witnesses agree",
		 o->layout->pack->version, o->layout->pack->system, o->p->witnesses.n_agree);
	if (!o->world_addr || rd_mpich_comm_load(o, o->world_addr, 0x44000000, &world) != ACC_OK) {
		/* The pool of requests is set up early in MPI_Init and emptied by MPI_Finalize. */
		const struct rd_mpich_pool *requests = rd_mpich_pool(o, RD_MPICH_REQUEST);

		lib->state = requests && !requests->initialized ? MDL_FINALIZED : MDL_BEFORE_INIT;
		if (requests && requests->initialized)
			look_at_sessions(o);
		if (!o->initialized)
			return ACC_OK;
	} else {
		o->initialized = true;
		o->n_processes = world.facts.size;
		lib->state = MDL_INITIALIZED;
		lib->world_rank = mdl_known(world.facts.rank);
		lib->world_size = mdl_known(world.facts.size);
	}
	lib->job = mdl_unavailable("MPICH has no number of the job");
	rd_mpich_find_ucx(o);
	return ACC_OK;
}

static void close_mpich(void *state)
{
	struct rd_mpich *o = state;

	if (!o)
		return;
	forget_process(o);
	rd_ucx_deinit(&o->ucx);
	acc_layout_deinit(o->sp, &o->p->layout);
	acc_array_free(o->sp, o);
}

static enum acc_rc open_mpich(struct rd_process *p, const struct rd_packs *packs, void **state)
{
	uint64_t addr;

	/* mpi.h defines MPI_DUP_FN as MPIR_Dup_fn, which is therefore exported if the other symbol is not */
	if (acc_symbol(p->sp, "MPII_Version_string", &addr) && acc_symbol(p->sp, "MPIR_Dup_fn", &addr) &&
	    !rd_mpich_is_static(p->sp) && !rd_mpich_is_abi(p->sp))
		return ACC_NONE;
	struct rd_mpich *o = acc_array(p->sp, 1, sizeof(*o));
	if (!o)
		return ACC_ENOMEM;
	memset(o, 0, sizeof(*o));
	o->p = p;
	o->sp = p->sp;
	o->packs = packs;
	o->abi = rd_mpich_is_abi(o->sp);
	p->library.implementation = "MPICH";
	p->library.abi = o->abi;
	enum acc_rc rc = resolve(o);
	if (!rc)
		rc = look_at_world(o);
	struct acc_note first = o->sp->note;
	while (rc == ACC_EWITNESS && resolve_another(o))
		rc = look_at_world(o);
	if (rc == ACC_EWITNESS)
		o->sp->note = first;
	if (rc) {
		close_mpich(o);
		return rc;
	}
	*state = o;
	return ACC_OK;
}

static enum acc_rc update_mpich(void *state)
{
	struct rd_mpich *o = state;

	forget_process(o);
	enum acc_rc rc = look_at_world(o);
	if (rc) {
		o->world_addr = 0;
		o->initialized = false;
		o->p->library.state = MDL_STATE_UNKNOWN;
	}
	return rc;
}

const struct rd_reader rd_mpich_reader = {
	.name = "mpich",
	.no_probes = true,
	.open = open_mpich,
	.close = close_mpich,
	.update = update_mpich,
	.comm_first = rd_mpich_comm_first,
	.comm_next = rd_mpich_comm_next,
	.comm_get = rd_mpich_comm_get,
	.comm_members = rd_mpich_comm_members,
	.comm_topology = rd_mpich_topology,
	.ops_available = rd_mpich_ops_available,
	.op_first = rd_mpich_op_first,
	.probe = rd_mpich_probe,
	.op_next = rd_mpich_op_next,
	.objects = rd_mpich_objects,
	.request_at = rd_mpich_request_at,
	.request_get = rd_mpich_request_get,
	.request_done = rd_mpich_request_done,
	.datatype_get = rd_mpich_datatype_get,
	.handle_fortran = rd_mpich_handle_fortran,
};
