/* SPDX-License-Identifier: BSD-3-Clause */
#include "hangs.h"

#include "../../host/returns.h"
#include "mpidbg_run.h"
#include "suite.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	OMPI = 1 << HANG_OMPI,
	MPICH = 1 << HANG_MPICH,
	OMPI_LIB = 1 << HANG_OMPI_LIB,
	MPICH_LIB = 1 << HANG_MPICH_LIB,
	LIB = OMPI_LIB | MPICH_LIB,
	ALL = LIB | OMPI | MPICH
};
enum { STILL = false, MOVES = true };

const struct hang hangs[] = {
#define HANG(name, n, result, detail, determined)           { #name, n, result##_, #detail, determined, false },
#define HANG_AFTER(name, n, result, detail, determined)     { #name, n, result##_, #detail, determined, false },
#define HANG_IN(name, n, result, detail, determined, where) { #name, n, result##_, #detail, determined, false, where },
#define GOES_ON(name, n, moves)                             { #name, n, GOES_ON_, "", ALL, moves },
#define GOES_ON_AFTER(name, n, moves)                       { #name, n, GOES_ON_, "", ALL, moves },
#include "../programs/hangs.def"
};
const int n_hangs = sizeof(hangs) / sizeof(hangs[0]);

enum { ASKED_S = 150, TIMES_NOT_KNOWN = 2 };

static bool dies(const struct hang *h)
{
	return strcmp(h->name, "killed") == 0 || strcmp(h->name, "exits") == 0;
}

/* GDB cannot attach to a process whose first thread has ended. */
static bool has_no_core(const struct hang *h)
{
	return dies(h) || strcmp(h->name, "threads_first_ended") == 0;
}

static bool is_mpich(enum hang_config config)
{
	return config == HANG_MPICH || config == HANG_MPICH_LIB;
}

/* Only MPICH's memory has the messages that have arrived, and the neighbours for which a thread waits. */
static bool needs_memory(const struct hang *h)
{
	return strncmp(h->name, "neighbors_", 10) == 0 ||
	       (h->result == MISMATCH_ && strcmp(h->detail, "function") != 0);
}

/*
 * MPICH keeps nothing of a probe, nor of a call of MPI_Waitany that has returned, and Open MPI does not tell the
 * messages of MPI_Intercomm_create from the program's:
 * that the call goes on is known of a live process only, and if returns can be counted.
 */
static bool is_counted(const struct hang *h, enum hang_config config)
{
	return (config == HANG_MPICH && (strstr(h->name, "probe") || strncmp(h->name, "waitany_", 8) == 0 ||
					 strncmp(h->name, "waitsome_", 9) == 0)) ||
	       (config == HANG_OMPI && strncmp(h->name, "inter_create_", 13) == 0);
}

static bool is_known(const struct hang *h, enum hang_config config)
{
	if (is_counted(h, config) && !hang_can_count())
		return false;
	if (is_mpich(config) && !job_mpich_is_read() && (config == HANG_MPICH || needs_memory(h)))
		return false;
	return h->result != GOES_ON_ && (h->determined & 1U << config);
}

bool hang_can_count(void)
{
	int fd = host_returns_open(getpid(), (uint64_t)(uintptr_t)hang_can_count);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

void hang_start(const struct hang *h, enum hang_config config, struct job *ret)
{
	static char starter[PATH_MAX + 16], build[PATH_MAX], wrapper[PATH_MAX];
	bool library = config == HANG_OMPI_LIB || config == HANG_MPICH_LIB;
	bool spawns = strcmp(h->name, "spawn_recv") == 0;
	char command[64];

	ck_assert_ptr_nonnull(realpath(getenv("MPIDBG_BUILD"), build));
	snprintf(starter, sizeof(starter), "%s/mpi2dd-run", build);
	snprintf(command, sizeof(command), "hangs %s", h->name);
	job_starter = library ? starter : NULL;
	ck_assert_ptr_nonnull(realpath("tests/support/outlives", wrapper));
	/* otherwise MPICH's launcher ends the job; a wrapper is needed
	 * for a killed rank, and for ch3, whose other ranks fail */
	if (dies(h) && is_mpich(config))
		job_wrapper = strcmp(h->name, "exits") == 0 && job_mpich_is_read() ? "-disable-auto-cleanup" : wrapper;
	if (is_mpich(config))
		job_start_mpich(command, h->n, ret);
	else
		job_start(command, dies(h) ? "--enable-recovery" : NULL, h->n, spawns ? h->n + 1 : 0, ret);
	job_starter = job_wrapper = NULL;
}

/* ---- the verdict ------------------------------------------------------------------------------------------ */

static const char *text(const json_t *verdict, const char *key)
{
	const char *s = json_string_value(json_object_get(verdict, key));

	return s ? s : "";
}

static bool names_missing(const struct hang *h, const json_t *verdict)
{
	const json_t *missing = json_object_get(verdict, "missing");

	return strcmp(text(verdict, "result"), "missing rank") == 0 && json_array_size(missing) == 1 &&
	       json_integer_value(json_array_get(missing, 0)) == atoi(h->detail);
}

/*
 * A core of MPICH does not show messages in flight: what waits for one may still receive it. Open MPI numbers messages,
 * but not what windows, files and the leaders of MPI_Intercomm_create do.
 */
static bool is_possible(const struct hang *h, enum hang_config config, const json_t *verdict, int exit_code, bool cores)
{
	bool uncounted = is_mpich(config) || strncmp(h->name, "inter_create_", 13) == 0;

	return cores && uncounted && exit_code == 0 && strncmp(text(verdict, "result"), "possible ", 9) == 0;
}

/* Is the verdict the expected one? A core does not have the state of the process. */
static bool is_right(const struct hang *h, enum hang_config config, const json_t *verdict, int exit_code, bool cores)
{
	bool library = config == HANG_OMPI_LIB || config == HANG_MPICH_LIB;

	if ((h->result == DEADLOCK_ || h->result == MISMATCH_ ||
	     (h->result == MISMATCH_LIB_ && (!library || strncmp(h->name, "inter_create_", 13) == 0))) &&
	    is_possible(h, config, verdict, exit_code, cores))
		return true;
	switch (h->result) {
	case DEADLOCK_:
		return exit_code == 4 && strcmp(text(verdict, "result"), "deadlock") == 0;
	case MISMATCH_:
		return exit_code == 4 && strcmp(text(verdict, "result"), "mismatch") == 0 &&
		       strcmp(text(verdict, "field"), h->detail) == 0;
	case MISMATCH_LIB_:
		return (exit_code == 4 || (library && cores)) &&
		       (library ? strcmp(text(verdict, "result"), "mismatch") == 0 &&
					  strcmp(text(verdict, "field"), h->detail) == 0
				: strcmp(text(verdict, "result"), "deadlock") == 0);
	case MISSING_:
		return (exit_code == 4 || cores) && names_missing(h, verdict);
	case COMPUTES_:
		return exit_code == 0 && names_missing(h, verdict);
	default:
		return false;
	}
}

/* Is the verdict incomplete at most, and not false? A mismatch is
 * a deadlock, too, and ranks that wait for ever may be missed. */
static bool is_not_false(const struct hang *h, const json_t *verdict, int exit_code)
{
	size_t n_dead = json_array_size(json_object_get(verdict, "waiting_for_ever"));

	switch (h->result) {
	case DEADLOCK_:
	case MISMATCH_:
		return strcmp(text(verdict, "result"), "missing rank") != 0;
	case MISMATCH_LIB_:
		return strcmp(text(verdict, "result"), "mismatch") != 0; /* "missing rank" may be true, too */
	case MISSING_:
		return strcmp(text(verdict, "result"), "no deadlock") == 0 || names_missing(h, verdict);
	case COMPUTES_:
		return exit_code != 4 && n_dead == 0;
	default:
		return exit_code != 4 && n_dead == 0;
	}
}

/* ---- asking --------------------------------------------------------------------------------------------------- */

struct outcome {
	char text[4096];
	bool is_right, is_not_false;
};

static void ask(const struct hang *h, enum hang_config config, const char *option, const char *value,
		struct outcome *ret)
{
	bool cores = strcmp(option, "--cores") == 0;
	struct mpidbg_run run;

	mpidbg_run(&run, "deadlock", "--json", option, value, NULL);
	snprintf(ret->text, sizeof(ret->text), "%s, exit code %d: %.3000s%.800s", h->name, run.exit_code, run.out,
		 run.err);
	json_t *answer = mpidbg_run_json(&run);
	const json_t *verdict = json_object_get(answer, "verdict");
	ret->is_right = is_right(h, config, verdict, run.exit_code, cores);
	ret->is_not_false = is_not_false(h, verdict, run.exit_code);
	json_decref(answer);
	mpidbg_run_free(&run);
}

/* A rank announces its state shortly before it is in it, so the command is repeated until the verdict is right. */
void hang_try(const struct hang *h, enum hang_config config, bool cores)
{
	static struct outcome outcome;
	struct job job;
	char pid[32];
	bool known = is_known(h, config), right = false;

	hang_start(h, config, &job);
	snprintf(pid, sizeof(pid), "%d", (int)job.launcher);
	double end = job_now() + ASKED_S;
	for (int asked = 0; !right && job_now() < end && (known || asked < TIMES_NOT_KNOWN); asked++) {
		ask(h, config, "--job", pid, &outcome);
		right = outcome.is_right;
		ck_assert_msg(known || outcome.is_not_false, "%s", outcome.text);
	}
	ck_assert_msg(right || !known, "%s", outcome.text);
	if (cores && !h->moves && !has_no_core(h)) {
		job_cores(&job);
		job_stop(&job);
		ask(h, config, "--cores", job.dir, &outcome);
		known &= !is_counted(h, config);
		ck_assert_msg(known ? outcome.is_right : outcome.is_not_false, "from cores: %s", outcome.text);
	}
	job_end(&job);
}

/* ---- the table ------------------------------------------------------------------------------------------------- */

/* The configurations are used in turn; one in which the verdict is known is preferred. */
static int config_of(int i)
{
	for (int k = 0; k < N_HANG_CONFIGS; k++)
		if (hangs[i].asked == 1U << k)
			return k;
	for (int k = 0; k < N_HANG_CONFIGS; k++)
		if (hangs[i].determined & 1U << (i + k) % N_HANG_CONFIGS)
			return (i + k) % N_HANG_CONFIGS;
	return i % N_HANG_CONFIGS;
}

/* Debian's MPICH has no dynamic processes. */
static bool can_run(const struct hang *h, int config)
{
	bool is_dynamic = strncmp(h->name, "spawn", 5) == 0 || strncmp(h->name, "accept", 6) == 0;

	return !(is_mpich((enum hang_config)config) && is_dynamic);
}

void hang_add(TCase *tc, const TTest *test, bool going_on, int stride)
{
	bool all = suite_stride(2) == 1;
	int n = 0;

	for (int i = 0; i < n_hangs; i++) {
		if ((hangs[i].result == GOES_ON_) != going_on || (!all && n++ % stride))
			continue;
		for (int c = 0; c < N_HANG_CONFIGS; c++)
			if (can_run(&hangs[i], c) && (all || c == config_of(i)))
				tcase_add_loop_test(tc, test, i * N_HANG_CONFIGS + c, i * N_HANG_CONFIGS + c + 1);
	}
}

void hang_try_index(int index)
{
	int i = index / N_HANG_CONFIGS;

	hang_try(&hangs[i], (enum hang_config)(index % N_HANG_CONFIGS), suite_stride(2) == 1 || i % 4 == 1);
}
