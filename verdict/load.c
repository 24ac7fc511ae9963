/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Converts the JSON of a process to the data for the analysis: its
 * identity and state here, other data in the files of loading.h.
 */
#include "enders.h"
#include "flows.h"
#include "children.h"
#include "loading.h"
#include "partitioned.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

bool vd_name_rank(struct vd_job *job, int64_t world, int64_t rank, int64_t mpi_job)
{
	char key[64];

	if (rank < 0 || rank > INT32_MAX || world < 0 || world >= INT32_MAX || job->n_ranks >= INT32_MAX)
		return false;
	vd_rank_key(key, 'w', world, rank);
	if (vd_name(&job->rank_names, key, VD_UNKNOWN) != VD_UNKNOWN)
		return false;
	int32_t i = (int32_t)job->n_ranks;
	struct vd_rank *r = vd_add_rank(job);
	if (!r)
		return false;
	vd_name(&job->rank_names, key, i);
	if (mpi_job >= 0) {
		vd_rank_key(key, 'j', mpi_job, rank);
		vd_name(&job->rank_names, key, i);
	}
	vd_rank_key(key, 'n', world, 0);
	r->first = vd_name(&job->rank_names, key, i);
	if (r->first == VD_UNKNOWN)
		return false;
	job->ranks[r->first].n_there++;
	r->world = (int32_t)world;
	r->rank = (int32_t)rank;
	r->mpi_job = mpi_job;
	if (job->ranks[r->first].mpi_job < 0)
		job->ranks[r->first].mpi_job = mpi_job;
	if (job->n_worlds <= r->world)
		job->n_worlds = r->world + 1;
	return true;
}

bool vd_load_rank(struct vd_job *job, const json_t *process)
{
	return json_is_object(process) &&
	       vd_name_rank(job, vd_json_number(process, "world_number", 0), vd_json_number(process, "rank", -1),
			    vd_json_number(json_object_get(process, "world"), "job", -1));
}

void vd_forget_rank(struct vd_job *job, int64_t world, int64_t rank)
{
	char key[64];

	vd_rank_key(key, 'w', world, rank);
	int32_t i = rank < 0 ? VD_UNKNOWN : vd_name(&job->rank_names, key, VD_UNKNOWN);
	if (i >= 0 && (size_t)i < job->n_ranks)
		job->ranks[i].state = VD_UNREAD;
}

/* ---- a process ------------------------------------------------------------------------------------------------- */

/* "has ended with exit code 3", "was killed by signal 11 (Segmentation fault)" */
static const char *how_ended(struct vd_job *job, const json_t *process)
{
	int64_t code = vd_json_number(process, "exit_code", -1), number = vd_json_number(process, "exit_signal", -1);
	const char *name = number > 0 && number < NSIG ? strsignal((int)number) : NULL;
	char text[128];

	if (name)
		snprintf(text, sizeof(text), "was killed by signal %d (%s)", (int)number, name);
	else if (code >= 0 && code <= UINT8_MAX)
		snprintf(text, sizeof(text), "has ended with exit code %d", (int)code);
	else
		return "has ended";
	return vd_string(job, text);
}

static void load_state(struct vd_job *job, struct vd_rank *r, const json_t *process)
{
	const json_t *mpi = json_object_get(process, "mpi");
	const char *state = vd_json_text(mpi, "state"), *process_state = vd_json_text(process, "state");

	int64_t part = vd_json_number(process, "part", 0);

	r->part = part > 0 && part <= INT32_MAX ? (int32_t)part : 0;
	r->pid = vd_json_number(process, "pid", -1);
	r->host = vd_string(job, vd_json_text(process, "host"));
	r->process_state = vd_string(job, process_state);
	r->multiple = !json_is_false(json_object_get(mpi, "thread_multiple"));
	const json_t *kept = json_object_get(process, "kept");
	r->kept = vd_string(job, vd_json_text(kept, "why"));
	r->throttled_ms = vd_json_number(kept, "throttled_ms", -1);
	r->swapped_kb = vd_json_number(kept, "swapped_kb", -1);
	r->debugged = r->kept && !strncmp(r->kept, "stopped by the debugger ", strlen("stopped by the debugger "));
	r->stopped = r->kept || (process_state && !strcmp(process_state, "stopped"));
	r->before_init = state && !strcmp(state, "before init");
	bool has_threads = json_array_size(json_object_get(process, "calls")) > 0;
	if (process_state && (!strcmp(process_state, "gone") || (!strcmp(process_state, "zombie") && !has_threads))) {
		r->state = VD_ENDED;
		r->ended = how_ended(job, process);
	} else if (state && !strcmp(state, "finalized")) {
		r->state = VD_ENDED;
		r->ended = "has finished MPI";
	} else if (!json_is_array(json_object_get(process, "calls")) || !state) {
		r->state = VD_UNREAD;
	}
}

/*
 * What the memory of MPICH says early in MPI_Init, and in programs of sessions, is what it says after MPI_Finalize: a
 * thread in a function that waits knows better.
 */
static void correct_state(const struct vd_job *job, struct vd_rank *r)
{
	for (size_t i = r->first_thread; i < r->first_thread + r->n_threads; i++) {
		uint8_t call = job->threads[i].call;
		if (r->state == VD_ENDED && r->ended && !strcmp(r->ended, "has finished MPI") && call != VD_CALL_NONE &&
		    call != VD_CALL_FINALIZE) {
			r->state = VD_READ;
			r->ended = NULL;
		}
		r->before_init |= call == VD_CALL_INIT;
	}
}

void vd_load_process(struct vd_job *job, size_t i, const json_t *process)
{
	struct vd_loading l = { .job = job, .rank = i, .print = VD_HASH_SEED };
	const json_t *thread;
	size_t at;

	if (i >= job->n_ranks)
		return;
	struct vd_rank *r = &job->ranks[i];
	size_t n_ranks = l.n_ranks = job->n_ranks;
	job->n_ranks = i + 1; /* threads and operations are added to the last rank */
	r->first_thread = job->n_threads;
	r->n_threads = 0;
	r->first_epoch = job->n_epochs;
	r->n_epochs = 0;
	load_state(job, r, process);
	vd_load_comms(&l, process);
	vd_load_objects(&l, process);
	vd_load_ops(&l);
	vd_load_flows(&l);
	vd_load_partitioned(&l, process);
	job->ranks[i].ops_print = l.print;
	job->ranks[i].n_calls = -1;
	json_array_foreach(json_object_get(process, "recorded_calls"), at, thread)
	{
		int64_t n = vd_json_number(thread, "n_calls", -1);
		if (n >= 0 && n < INT64_MAX / 2 && job->ranks[i].n_calls < INT64_MAX / 2)
			job->ranks[i].n_calls = n + (job->ranks[i].n_calls < 0 ? 0 : job->ranks[i].n_calls);
	}
	vd_load_threads(&l, process);
	vd_load_children(job, &job->ranks[i], process);
	correct_state(job, &job->ranks[i]);
	job->ranks[i].fingerprint = l.print;
	job->n_ranks = n_ranks;
	vd_unload_objects(&l);
	vd_unload_comms(&l);
}

/* Ranks are in the order of their world and number. */
const struct vd_rank *vd_find_rank(const struct vd_job *job, int32_t world, int32_t rank)
{
	size_t low = 0, high = job->n_ranks;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct vd_rank *r = &job->ranks[middle];
		if (r->world == world && r->rank == rank)
			return r;
		if (r->world < world || (r->world == world && r->rank < rank))
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* Where threads outside MPI were at the earlier moment. Most are the same ones, in the same order. */
static void compare_places(const struct vd_job *earlier, const struct vd_rank *before, struct vd_job *later,
			   const struct vd_rank *r)
{
	for (size_t i = 0; before->pid == r->pid && i < r->n_threads; i++) {
		struct vd_thread *t = &later->threads[r->first_thread + i];
		const struct vd_thread *v = &earlier->threads[before->first_thread];
		size_t at = i;
		if (t->call != VD_CALL_NONE)
			continue;
		if (at >= before->n_threads || v[at].tid != t->tid)
			for (at = 0; at < before->n_threads && v[at].tid != t->tid;)
				at++;
		if (at < before->n_threads)
			t->place_before = vd_string(later, v[at].place);
	}
}

size_t vd_compare(const struct vd_job *earlier, struct vd_job *later)
{
	size_t n = 0;

	for (size_t i = 0; i < later->n_ranks; i++) {
		struct vd_rank *r = &later->ranks[i];
		const struct vd_rank *before = vd_find_rank(earlier, r->world, r->rank);
		r->went_on = !before || before->state != r->state || before->fingerprint != r->fingerprint;
		r->one_moment = r->state == VD_READ && (r->stopped || (before && before->stopped));
		n += r->went_on;
		if (before)
			vd_compare_enders(earlier, before, later, r);
		if (before)
			compare_places(earlier, before, later, r);
		if (r->throttled_ms >= 0)
			r->throttled_ms -= before && before->throttled_ms > 0 ? before->throttled_ms : 0;
	}
	return n;
}
