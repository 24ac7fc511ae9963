/* SPDX-License-Identifier: BSD-3-Clause */
#include "world_table.h"

#include "../../access/limits.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

/* The strings of a process, in the order of their slots. */
enum { HOST, EXECUTABLE, WORLD, PARENT_WORLD, N_TEXTS };

static const enum rd_mpi2dd_field text_fields[] = {
	[HOST] = RD_PROCDESC_host_name,
	[EXECUTABLE] = RD_PROCDESC_executable_name,
	[WORLD] = RD_PROCDESC_comm_world_id,
};

static uint32_t slot(size_t k, int text)
{
	return (uint32_t)(k * N_TEXTS + (unsigned)text);
}

static enum acc_rc fail(struct rd_world_table *t, enum acc_rc rc, const char *why)
{
	return acc_note(&t->records.sp->note, rc, "MPI2DD_info.proctable: entry %llu of %llu: %s",
			(unsigned long long)t->records.first, (unsigned long long)t->records.n, why);
}

enum acc_rc rd_world_table(struct acc_space *sp, const struct rd_mpi2dd *info, struct rd_world_table *ret)
{
	struct rd_world_table t = { .k = 0 };
	uint32_t bytes = rd_mpi2dd_bytes(sp, RD_MPI2DD_PROCDESC);
	enum acc_rc rc = rd_jobs_mpi2dd_table(sp, info, RD_MPI2DD_PROCS);

	if (rc)
		return rc;
	rc = rd_records_init(&t.records, sp, info->tables[RD_MPI2DD_PROCS].addr,
			     (uint64_t)info->tables[RD_MPI2DD_PROCS].n, bytes, bytes);
	if (!rc)
		rc = rd_texts_init(&t.texts, sp, t.records.cap_block * N_TEXTS);
	if (rc) {
		rd_world_table_end(&t);
		return acc_note(&sp->note, rc, "MPI2DD_info.proctable: %s", acc_rc_text(rc));
	}
	*ret = t;
	return ACC_OK;
}

void rd_world_table_end(struct rd_world_table *t)
{
	if (t->records.sp)
		acc_array_free(t->records.sp, t->spawns);
	rd_refs_deinit(&t->spawn_refs);
	rd_texts_deinit(&t->texts);
	rd_records_deinit(&t->records);
	*t = (struct rd_world_table){ 0 };
}

/* ---- spawn descriptions ----------------------------------------------------------------------------- */

static uint64_t spawn_addr(const struct rd_world_table *t, size_t k)
{
	const unsigned char *bytes = rd_records_at(&t->records, k);

	return bytes ? rd_mpi2dd_u(t->records.sp, bytes, RD_PROCDESC_spawn_desc) : 0;
}

static enum acc_rc visit_spawn(void *ctx, const struct rd_ref *ref, const unsigned char *bytes, size_t n)
{
	struct rd_world_table *t = ctx;
	struct acc_space *sp = t->records.sp;
	struct rd_spawn *spawn = &t->spawns[ref->slot];
	unsigned char alone[RD_MPI2DD_BYTES_MAX];
	uint32_t wanted = rd_mpi2dd_bytes(sp, RD_MPI2DD_SPAWNDESC);

	if (n < wanted) {
		if (rd_refs_spent(&t->spawn_refs))
			return ACC_OK;
		if (acc_read(sp, ref->addr, wanted, alone)) {
			rd_refs_failed(&t->spawn_refs);
			return ACC_OK;
		}
		bytes = alone;
	}
	spawn->world_addr = rd_mpi2dd_u(sp, bytes, RD_SPAWNDESC_parent_comm_world_id);
	spawn->rank = rd_mpi2dd_i(sp, bytes, RD_SPAWNDESC_parent_rank);
	spawn->sequence = rd_mpi2dd_i(sp, bytes, RD_SPAWNDESC_sequence);
	spawn->sound = true;
	return ACC_OK;
}

/* Fetch the block's spawn descriptions, unless no process of it was spawned; then t->spawns is not used. */
static enum acc_rc load_spawns(struct rd_world_table *t)
{
	bool any = false;

	for (size_t k = 0; k < t->records.n_block && !any; k++)
		any = spawn_addr(t, k);
	if (!any)
		return ACC_OK;
	if (!t->spawns) {
		t->spawns = acc_array(t->records.sp, t->records.cap_block, sizeof(*t->spawns));
		enum acc_rc rc = t->spawns ? rd_refs_init(&t->spawn_refs, t->records.sp, t->records.cap_block)
					   : ACC_ENOMEM;
		if (rc)
			return rc;
	}
	memset(t->spawns, 0, t->records.n_block * sizeof(*t->spawns));
	rd_refs_clear(&t->spawn_refs);
	for (size_t k = 0; k < t->records.n_block; k++) {
		uint64_t addr = spawn_addr(t, k);

		/* processes of one spawn usually share one description */
		if (addr && (!k || addr != spawn_addr(t, k - 1)))
			rd_refs_add(&t->spawn_refs, addr, (uint32_t)k);
	}

	enum acc_rc rc = rd_refs_visit(&t->spawn_refs, visit_spawn, t);
	for (size_t k = 1; k < t->records.n_block && !rc; k++)
		if (spawn_addr(t, k) && spawn_addr(t, k) == spawn_addr(t, k - 1))
			t->spawns[k] = t->spawns[k - 1];
	return rc;
}

/* ---- texts ------------------------------------------------------------------------------------------ */

static uint64_t text_addr(const struct rd_world_table *t, size_t k, int text)
{
	const unsigned char *bytes = rd_records_at(&t->records, k);

	if (!bytes)
		return 0;
	if (text == PARENT_WORLD)
		return spawn_addr(t, k) ? t->spawns[k].world_addr : 0;
	return rd_mpi2dd_u(t->records.sp, bytes, text_fields[text]);
}

/* The previous process has the same address in this slot, so the same text. */
static bool repeats(const struct rd_world_table *t, size_t k, int text, uint64_t addr)
{
	return k && addr && addr == text_addr(t, k - 1, text);
}

/* Process by process: in most programs the strings of a process are adjacent, so that sorting is fast. */
static enum acc_rc load_texts(struct rd_world_table *t)
{
	bool any_repeats = false;

	rd_texts_begin(&t->texts);
	for (size_t k = 0; k < t->records.n_block; k++) {
		for (int text = 0; text < N_TEXTS; text++) {
			uint64_t addr = text_addr(t, k, text);

			if (repeats(t, k, text, addr))
				any_repeats = true;
			else
				rd_texts_want(&t->texts, slot(k, text), addr);
		}
	}

	enum acc_rc rc = rd_texts_read(&t->texts);
	for (size_t k = 1; k < t->records.n_block && any_repeats && !rc; k++)
		for (int text = 0; text < N_TEXTS; text++)
			if (repeats(t, k, text, text_addr(t, k, text)))
				rd_texts_copy(&t->texts, slot(k, text), slot(k - 1, text));
	return rc;
}

/* ---- processes -------------------------------------------------------------------------------------- */

void rd_world_table_at(const struct rd_world_table *t, size_t k, struct rd_world_proc *ret)
{
	const unsigned char *bytes = rd_records_at(&t->records, k);
	struct rd_world_proc proc = { .rank = -1, .pid = -1, .parent_rank = -1, .sequence = -1 };

	proc.host = rd_texts_at(&t->texts, slot(k, HOST));
	proc.executable = rd_texts_at(&t->texts, slot(k, EXECUTABLE));
	proc.world = rd_texts_at(&t->texts, slot(k, WORLD));
	proc.sound = *proc.host && *proc.executable && *proc.world;
	if (bytes) {
		int64_t pid = rd_mpi2dd_i(t->records.sp, bytes, RD_PROCDESC_pid);
		int64_t rank = rd_mpi2dd_i(t->records.sp, bytes, RD_PROCDESC_rank);

		proc.pid = pid > 0 ? pid : -1;
		proc.rank = rank >= 0 ? rank : -1;
		proc.sound &= pid > 0 && rank >= 0;
		if (spawn_addr(t, k)) {
			const struct rd_spawn *spawn = &t->spawns[k];

			proc.parent_world = rd_texts_at(&t->texts, slot(k, PARENT_WORLD));
			if (spawn->sound && spawn->rank >= 0)
				proc.parent_rank = spawn->rank;
			if (spawn->sound && spawn->sequence >= 0)
				proc.sequence = spawn->sequence;
			proc.sound &= *proc.parent_world && proc.parent_rank >= 0 && proc.sequence >= 0;
		}
	}
	*ret = proc;
}

enum acc_rc rd_world_table_block(struct rd_world_table *t)
{
	enum acc_rc rc = rd_records_next(&t->records);
	size_t n_bad = 0;

	t->k = 0;
	if (rc)
		return rc == ACC_NONE ? rc : fail(t, rc, "more entries than that can be skipped cannot be read");
	rc = load_spawns(t);
	if (!rc)
		rc = load_texts(t);
	if (rc) {
		t->records.n_block = 0;
		return fail(t, rc, acc_rc_text(rc));
	}
	for (size_t k = 0; k < t->records.n_block; k++) {
		struct rd_world_proc proc;

		rd_world_table_at(t, k, &proc);
		n_bad += !proc.sound;
	}
	t->n_bad += n_bad;
	/* a wrong size leads into other memory: do not wait for, or allocate, a hundred million invalid entries */
	if (n_bad == t->records.n_block && n_bad > ACC_BAD_MAX)
		return fail(t, ACC_ECORRUPT, "neither it nor any of the many that follow makes sense");
	return ACC_OK;
}

enum acc_rc rd_world_table_next(struct rd_world_table *t, struct rd_world_proc *ret)
{
	if (t->k >= t->records.n_block) {
		enum acc_rc rc = rd_world_table_block(t);

		if (rc)
			return rc;
	}
	rd_world_table_at(t, t->k++, ret);
	return ACC_OK;
}
