/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The library's memory and the in-target library in one picture, for both MPIs: what the programs say is true of what
 * is combined, live, with --all and from cores; no fact that both origins have is told differently; and where memory is
 * changed so that they differ, the answer says so.
 */
#include "../support/facts.h"
#include "../support/job.h"
#include "../support/live_main.h"
#include "../support/mpich_truth.h"
#include "../support/mpidbg_run.h"
#include "../support/truth.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
	const char *command;
	int n;
	bool cores;
} cases[] = {
	{ "blocked Recv_any", 2 },
	{ "blocked Ssend", 2 },
	{ "blocked Sendrecv", 2 },
	{ "receives", 3, true },
	{ "sends", 2, true },
	{ "inter", 5 },
	{ "comms", 4 },
};

enum { N_CASES = sizeof cases / sizeof cases[0] };

static const char *starter(void)
{
	static char path[PATH_MAX];

	snprintf(path, sizeof path, "%s/mpi2dd-run", getenv("MPIDBG_BUILD"));
	return path;
}

/* What doctor says of the two origins of a rank. */
static json_t *origins_of(const struct job_rank *r, bool core)
{
	struct mpidbg_run run;
	char pid[16];

	snprintf(pid, sizeof pid, "%d", (int)r->pid);
	if (core)
		mpidbg_run(&run, "doctor", "--core", r->core, "--json", NULL);
	else
		mpidbg_run(&run, "doctor", "-p", pid, "--json", NULL);
	json_t *json = json_loads(run.out, JSON_ALLOW_NUL, NULL);
	ck_assert_msg(json != NULL, "%s%s", run.out, run.err);
	json_t *origins = json_incref(
		json_object_get(json_array_get(json_object_get(json, "processes"), 0), "origins"));
	ck_assert_msg(origins != NULL, "%.400s", run.out);
	json_decref(json);
	mpidbg_run_free(&run);
	return origins;
}

static void assert_alike(const struct job_rank *r, bool core)
{
	json_t *origins = origins_of(r, core);
	char *text = json_dumps(origins, JSON_COMPACT);

	ck_assert_msg(json_integer_value(json_object_get(origins, "n_differences")) == 0, "file %d: %s", r->file_rank,
		      text);
	ck_assert_msg(json_integer_value(json_object_get(origins, "communicators")) >= 2, "file %d: %s", r->file_rank,
		      text);
	free(text);
	json_decref(origins);
}

START_TEST(test_alike)
{
	bool mpich = _i >= N_CASES;
	int i = _i % N_CASES;
	struct job job;

	if (mpich && job_omits_mpich())
		return;
	job_starter = starter();
	if (mpich)
		job_start_mpich(cases[i].command, cases[i].n, &job);
	else
		job_start(cases[i].command, NULL, cases[i].n, 0, &job);
	for (size_t k = 0; mpich && k < job.n_ranks; k++)
		mpich_truth_fit(job.ranks[k].truth, true);
	truth_check_live(&job);
	for (size_t k = 0; k < job.n_ranks; k++)
		assert_alike(&job.ranks[k], false);
	if (!cases[i].cores) {
		job_end(&job);
		return;
	}
	job_cores(&job);
	truth_check_cores(&job);
	for (size_t k = 0; k < job.n_ranks; k++)
		assert_alike(&job.ranks[k], true);
	job_end(&job);
}
END_TEST

/* Objects that both the library's tables and the in-target library have. */
START_TEST(test_objects)
{
	static const struct {
		const char *program;
		int n, at_least[FACTS_N_MPIS];
	} programs[] = { { "facts_types", 2, { 140, 130 } },
			 { "facts_windows", 3, { 105, 90 } },
			 { "facts_others", 2, { 100, 90 } },
			 { "facts_comms", 3, { 95, 90 } },
			 { "facts_files", 2, { 95, 90 } } };
	const int program = _i / FACTS_N_MPIS, mpi = _i % FACTS_N_MPIS;
	struct facts t;
	json_t *answer;

	if (mpi == FACTS_MPICH && job_omits_mpich())
		return;
	facts_start((enum facts_mpi)mpi, programs[program].program, programs[program].n, &t);
	for (int core = 0; core < 2; core++) {
		const json_t *origins = json_object_get(facts_ask(&t, &answer, "doctor", NULL, NULL), "origins");
		char *text = json_dumps(origins, JSON_COMPACT);

		ck_assert_msg(origins && json_integer_value(json_object_get(origins, "n_differences")) == 0, "%s",
			      text);
		ck_assert_msg(json_integer_value(json_object_get(origins, "objects")) >=
				      programs[program].at_least[mpi],
			      "%s", text);
		free(text);
		json_decref(answer);
		if (!core)
			facts_core(&t);
	}
	facts_stop(&t);
}
END_TEST

/* ---- origins that differ ------------------------------------------------------------------------------------- */

enum { TAG = 0x5a5a6b5, OTHER_TAG = TAG + 1, PLACES_MAX = 64 };

struct places {
	uint64_t addrs[PLACES_MAX];
	size_t n;
};

static void search(int mem, uint64_t lo, uint64_t hi, struct places *ret)
{
	enum { BLOCK = 1 << 20 };
	unsigned char *block = malloc(BLOCK);

	ck_assert_ptr_nonnull(block);
	for (uint64_t at = lo; at < hi; at += BLOCK) {
		ssize_t n = pread(mem, block, hi - at < BLOCK ? hi - at : BLOCK, (off_t)at);

		for (ssize_t i = 0; i + 4 <= n; i += 4) {
			uint32_t word;

			memcpy(&word, block + i, sizeof word);
			if (word == TAG && ret->n < PLACES_MAX)
				ret->addrs[ret->n++] = at + (uint64_t)i;
		}
	}
	free(block);
}

/* Everywhere in memory that can be written. */
static void find_tag(pid_t pid, int mem, struct places *ret)
{
	char path[64], line[512], mode[8];
	uint64_t lo, hi;

	snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
	FILE *maps = fopen(path, "r");
	ck_assert_ptr_nonnull(maps);
	ret->n = 0;
	while (fgets(line, sizeof line, maps))
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s", &lo, &hi, mode) == 3 && !strncmp(mode, "rw", 2) &&
		    !strstr(line, "/dev/") && !strstr(line, "/SYSV") && hi - lo < (uint64_t)1 << 30)
			search(mem, lo, hi, ret);
	fclose(maps);
}

static void write_tag(int mem, uint64_t addr, uint32_t tag)
{
	ck_assert_int_eq(pwrite(mem, &tag, sizeof tag, (off_t)addr), sizeof tag);
}

/* @return does `queues` say the same of the operation? */
static bool queues_print(const struct job_rank *r, long long library, long long tracker)
{
	struct mpidbg_run run;
	char pid[16], words[160];

	snprintf(pid, sizeof pid, "%d", (int)r->pid);
	mpidbg_run(&run, "queues", "-p", pid, "--json", NULL);
	json_t *json = json_loads(run.out, JSON_ALLOW_NUL, NULL);
	ck_assert_ptr_nonnull(json);
	char *compact = json_dumps(json, JSON_COMPACT);
	snprintf(words, sizeof words, "\"differences\":[{\"fact\":\"tag\",\"library\":%lld,\"tracker\":%lld}]", library,
		 tracker);
	bool said = strstr(compact, words) != NULL;
	free(compact);
	json_decref(json);
	mpidbg_run_free(&run);
	return said;
}

/* Both have the tag: where either is changed, and nothing else is, the tag is what differs. */
START_TEST(test_differ)
{
	bool library_changed = false, tracker_changed = false;
	struct places places;
	struct job job;
	char path[64];

	if (_i && job_omits_mpich())
		return;
	job_starter = starter();
	if (_i)
		job_start_mpich("marked", 2, &job);
	else
		job_start("marked", NULL, 2, 0, &job);
	const struct job_rank *r = &job.ranks[0];
	snprintf(path, sizeof path, "/proc/%d/mem", (int)r->pid);
	int mem = open(path, O_RDWR | O_CLOEXEC);
	ck_assert_int_ge(mem, 0);
	find_tag(r->pid, mem, &places);
	ck_assert_uint_ge(places.n, 2);
	for (size_t i = 0; i < places.n; i++) {
		write_tag(mem, places.addrs[i], OTHER_TAG);
		json_t *origins = origins_of(r, false);
		if (json_integer_value(json_object_get(origins, "n_differences"))) {
			const json_t *d = json_array_get(json_object_get(origins, "differences"), 0);
			long long library = json_integer_value(json_object_get(d, "library"));
			long long tracker = json_integer_value(json_object_get(d, "tracker"));

			ck_assert_str_eq(json_string_value(json_object_get(d, "fact")), "tag");
			ck_assert_int_eq(library + tracker, TAG + OTHER_TAG);
			library_changed |= library == OTHER_TAG;
			tracker_changed |= tracker == OTHER_TAG;
			ck_assert(queues_print(r, library, tracker));
		}
		json_decref(origins);
		write_tag(mem, places.addrs[i], TAG);
	}
	close(mem);
	ck_assert_msg(library_changed && tracker_changed, "of %zu places: the library's %d, the tracker's %d", places.n,
		      library_changed, tracker_changed);
	assert_alike(r, false);
	job_end(&job);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("origins");

	tcase_add_loop_test(tc, test_objects, 0, 5 * FACTS_N_MPIS);
	tcase_add_loop_test(tc, test_differ, 0, 2);
	tcase_add_loop_test(tc, test_alike, 0, 2 * N_CASES);
	return live_main("check_origins", NULL, 0, tc);
}
