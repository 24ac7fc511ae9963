/* SPDX-License-Identifier: BSD-3-Clause */
#include "new_process.h"

#include "../access/limits.h"
#include "../readers/jobs/place_table.h"
#include "../readers/jobs/world_table.h"
#include "callbacks.h"

#include <stdio.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum { FIRST_SLOTS = 256 };

/*
 * Identifies a process in the set of those already returned: a 128-bit hash, so that two processes are never confused.
 */
struct seen {
	uint64_t a, b; /* both 0: unused slot */
};

enum part { PROCS, DIRECTORIES, METADIRECTORIES, META, N_PARTS };

struct mqs_new_processes {
	struct acc_space *sp;
	struct rd_mpi2dd info;
	enum part part;
	bool open; /* the table of the current part is open */
	struct rd_world_table procs;
	struct rd_place_table places;
	uint64_t n_bad;
	struct acc_note first_bad;

	struct seen *seen;
	size_t n_seen, n_slots; /* n_slots is a power of two */
	char host[ACC_STRING_MAX + 1], executable[ACC_STRING_MAX + 1];
};

/* ---- each process only once ------------------------------------------------------------------------------ */

static uint64_t hash(const char *host, int64_t pid, uint64_t seed)
{
	uint64_t h = seed ^ (uint64_t)pid * UINT64_C(0x9e3779b97f4a7c15);

	for (; *host; host++) {
		h ^= (unsigned char)*host;
		h *= UINT64_C(0x100000001b3);
		h ^= h >> 29;
	}
	h *= UINT64_C(0xbf58476d1ce4e5b9);
	return h ^ h >> 32;
}

/* The slot that contains it, or in which to store it. */
static struct seen *slot_of(struct seen *slots, size_t n_slots, const struct seen *what)
{
	size_t i = (size_t)what->a & (n_slots - 1);

	while ((slots[i].a || slots[i].b) && (slots[i].a != what->a || slots[i].b != what->b))
		i = (i + 1) & (n_slots - 1);
	return &slots[i];
}

static enum acc_rc grow(struct mqs_new_processes *it)
{
	size_t n_slots = it->n_slots ? it->n_slots * 2 : FIRST_SLOTS;
	struct seen *more = it->sp->ops->alloc(it->sp->ctx, n_slots * sizeof(*more));

	if (!more)
		return ACC_ENOMEM;
	memset(more, 0, n_slots * sizeof(*more));
	for (size_t i = 0; i < it->n_slots; i++)
		if (it->seen[i].a || it->seen[i].b)
			*slot_of(more, n_slots, &it->seen[i]) = it->seen[i];
	acc_array_free(it->sp, it->seen);
	it->seen = more;
	it->n_slots = n_slots;
	return ACC_OK;
}

/* @return ACC_OK: new; ACC_NONE: already returned */
static enum acc_rc remember(struct mqs_new_processes *it, const char *host, int64_t pid)
{
	struct seen what = { hash(host, pid, 1), hash(host, pid, 2) | 1 };

	if (it->n_seen >= it->n_slots / 2) {
		enum acc_rc rc = grow(it);

		if (rc)
			return rc;
	}

	struct seen *slot = slot_of(it->seen, it->n_slots, &what);
	if (slot->a || slot->b)
		return ACC_NONE;
	*slot = what;
	it->n_seen++;
	return ACC_OK;
}

/* ---- parts ------------------------------------------------------------------------------------------ */

/* Move the space's note to the note about omitted processes. */
static void leave_out(struct mqs_new_processes *it)
{
	it->n_bad++;
	if (!it->first_bad.rc)
		it->first_bad = it->sp->note;
	acc_note_clear(&it->sp->note);
}

static void leave_out_entry(struct mqs_new_processes *it, enum rd_mpi2dd_table table)
{
	acc_note(&it->sp->note, ACC_ECORRUPT, "%s: an entry: %s", rd_jobs_mpi2dd_table_name(table),
		 acc_rc_text(ACC_ECORRUPT));
	leave_out(it);
}

static enum rd_mpi2dd_table table_of(enum part part)
{
	return part == DIRECTORIES ? RD_MPI2DD_DIRECTORIES : RD_MPI2DD_METADIRECTORIES;
}

static enum acc_rc next_proc(struct mqs_new_processes *it, struct rd_place *ret)
{
	enum acc_rc rc = it->open ? ACC_OK : rd_world_table(it->sp, &it->info, &it->procs);

	it->open = rc == ACC_OK;
	while (!rc) {
		struct rd_world_proc proc;

		rc = rd_world_table_next(&it->procs, &proc);
		/* the interface does not return parent and world */
		if (!rc && proc.pid > 0 && *proc.host && *proc.executable) {
			*ret = (struct rd_place){ .pid = proc.pid, .host = proc.host, .executable = proc.executable };
			return ACC_OK;
		}
		if (!rc)
			leave_out_entry(it, RD_MPI2DD_PROCS);
	}
	return rc;
}

static enum acc_rc next_place(struct mqs_new_processes *it, struct rd_place *ret)
{
	enum acc_rc rc = it->open ? ACC_OK : rd_place_table(it->sp, &it->info, table_of(it->part), &it->places);

	it->open = rc == ACC_OK;
	while (!rc) {
		rc = rd_place_table_next(&it->places, ret);
		if (!rc && ret->sound)
			return ACC_OK;
		if (!rc)
			leave_out_entry(it, table_of(it->part));
	}
	return rc;
}

/* The single process named in every MPI2DD_info: the metadirectory. */
static enum acc_rc next_meta(struct mqs_new_processes *it, struct rd_place *ret)
{
	if (it->open || !it->info.meta_pid)
		return ACC_NONE;
	it->open = true;
	if (it->info.meta_pid < 0)
		return acc_note(&it->sp->note, ACC_ECORRUPT, "MPI2DD_info.meta_pid: %lld: %s",
				(long long)it->info.meta_pid, acc_rc_text(ACC_ECORRUPT));

	enum acc_rc rc = rd_jobs_mpi2dd_text(it->sp, &it->info, RD_MPI2DD_META_HOST, it->host, sizeof(it->host));
	if (!rc)
		rc = rd_jobs_mpi2dd_text(it->sp, &it->info, RD_MPI2DD_META_EXECUTABLE, it->executable,
					 sizeof(it->executable));
	if (rc == ACC_NONE)
		return acc_note(&it->sp->note, ACC_ECORRUPT,
				"MPI2DD_info: the metadirectory's host or executable is null, and meta_pid is not 0");
	*ret = (struct rd_place){ .pid = it->info.meta_pid, .host = it->host, .executable = it->executable };
	return rc;
}

static void close_part(struct mqs_new_processes *it)
{
	rd_world_table_end(&it->procs);
	rd_place_table_end(&it->places);
	it->open = false;
}

static enum acc_rc next_of_part(struct mqs_new_processes *it, struct rd_place *ret)
{
	switch (it->part) {
	case PROCS:
		return next_proc(it, ret);
	case DIRECTORIES:
	case METADIRECTORIES:
		return next_place(it, ret);
	default:
		return next_meta(it, ret);
	}
}

/* ---- iteration -------------------------------------------------------------------------------------- */

enum acc_rc mqs_new_processes(struct acc_space *sp, struct mqs_new_processes **ret)
{
	struct rd_mpi2dd info;
	enum acc_rc rc = rd_jobs_mpi2dd(sp, &info);

	if (rc)
		return rc;
	if (!info.tables[RD_MPI2DD_PROCS].n && !info.tables[RD_MPI2DD_DIRECTORIES].n &&
	    !info.tables[RD_MPI2DD_METADIRECTORIES].n && !info.meta_pid)
		return ACC_NONE;

	struct mqs_new_processes *it = acc_array(sp, 1, sizeof(*it));
	if (!it)
		return ACC_ENOMEM;
	memset(it, 0, sizeof(*it));
	it->sp = sp;
	it->info = info;
	*ret = it;
	return ACC_OK;
}

void mqs_new_processes_end(struct mqs_new_processes *it)
{
	if (!it)
		return;
	close_part(it);
	acc_array_free(it->sp, it->seen);
	acc_array_free(it->sp, it);
}

static bool fits(struct mqs_new_processes *it, const struct rd_place *place, const mqs_process_location *ret)
{
	size_t host = strlen(place->host), executable = strlen(place->executable);

	if (host < sizeof(ret->host_name) && executable < sizeof(ret->image_name))
		return true;
	/* a truncated name would be that of another host */
	acc_note(&it->sp->note, ACC_ELIMIT, "process %lld: a host name of %zu bytes: the interface has room for %zu",
		 (long long)place->pid, host, sizeof(ret->host_name) - 1);
	leave_out(it);
	return false;
}

enum acc_rc mqs_new_processes_next(struct mqs_new_processes *it, mqs_process_location *ret)
{
	while (it->part < N_PARTS) {
		struct rd_place place;
		enum acc_rc rc = next_of_part(it, &place);

		if (rc == ACC_ENOMEM)
			return rc;
		if (rc) {
			if (rc != ACC_NONE)
				leave_out(it);
			close_part(it);
			it->part++;
			continue;
		}
		rc = remember(it, place.host, place.pid);
		if (rc == ACC_NONE)
			continue;
		if (rc)
			return rc;
		if (!fits(it, &place, ret))
			continue;
		ret->pid = (long)place.pid;
		snprintf(ret->host_name, sizeof(ret->host_name), "%s", place.host);
		snprintf(ret->image_name, sizeof(ret->image_name), "%s", place.executable);
		return ACC_OK;
	}
	return ACC_NONE;
}

uint64_t mqs_new_processes_bad(const struct mqs_new_processes *it, struct acc_note *note)
{
	*note = it->first_bad;
	return it->n_bad;
}
