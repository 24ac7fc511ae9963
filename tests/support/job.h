/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file job.h
 * MPI jobs under test: starts them, reads the facts that their ranks write, takes cores, and ends them without
 * leaving processes or files.
 *
 * A job ends with the test that started it, in all cases: the launcher is sent SIGTERM when the test dies,
 * and the ranks end with the launcher. Functions that fail end the test through Check.
 */
#ifndef TEST_JOB_H
#define TEST_JOB_H

#include "launcher.h"
#include "scratch.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { JOB_RANKS_MAX = 16 };

struct job_rank {
	int file_rank; /**< number in the name of its file: the rank; of spawned processes 100 and on */
	pid_t pid;
	json_t *truth;  /**< the facts it wrote */
	char core[512]; /**< path of its core; "": none */
};

struct job {
	pid_t launcher;
	char command[128];     /**< as it was given to job_start() */
	char dir[SCRATCH_MAX]; /**< scratch folder of the job: truth files, cores */
	struct job_rank ranks[JOB_RANKS_MAX];
	size_t n_ranks;
};

/**
 * Can MPI jobs be started and read here? If not, prints why as the last line and exits 77. For main().
 */
void job_require(void);

/** Does the installed Open MPI have this component ("osc:pt2pt"), according to ompi_info? */
bool job_has_component(const char *component);

/** Is MPICH's device ch4? Others (ch3 of Debian 11) have no
 * layout pack: without the in-target library they are refused. */
bool job_mpich_is_read(void);

/** Must a check of MPICH's memory be left out, because it is not read? Prints the reason. */
bool job_omits_mpich(void);

/** Is MPICH 4.0 or later, with sessions and persistent collectives? */
bool job_mpich_has_mpi4(void);

/** Is MPICH 5.0 or later? Its ranks have equal handles for communicators that they make with equal calls. */
bool job_mpich_is_5(void);

/** As job_require(), and exits 77 unless job_mpich_is_read(). */
void job_require_mpich(void);

/**
 * Start a program of tests/programs and wait until all ranks have written their truth.
 *
 * @param command words separated by single spaces: the program's name, or the path of another program, and its
 *                arguments: "blocked Recv".
 * @param mca     more arguments of the launcher, separated by single spaces, or NULL.
 * @param n       ranks
 * @param n_truths files to wait for; 0: @p n (more when it spawns).
 */
void job_start(const char *command, const char *mca, int n, int n_truths, struct job *ret);

/** As job_start(), under MPICH: the program that the makefile
 * has built for it. The starter (below) also applies here. */
void job_start_mpich(const char *command, int n, struct job *ret);

/** Words before the launcher of the next jobs, separated by single spaces: the path of mpi2dd-run. NULL: none. */
extern const char *job_starter;

/** Words before the program of the next jobs, separated by single spaces: the path of a script that starts each
 * rank. NULL: none. */
extern const char *job_wrapper;

/** As job_start(), but returns false if the job ends or does not become ready; then use job_log() and job_end(). */
bool job_try(const char *command, const char *mca, int n, int n_truths, struct job *ret);

/** As job_start_mpich(), but returns false as job_try() does. */
bool job_try_mpich(const char *command, int n, struct job *ret);

/** The output of the job, truncated; static until the next call. */
const char *job_log(const struct job *job);

/** Wait until the job has ended by itself. @return the launcher's exit code; -1: not in time. */
int job_wait(struct job *job, double seconds);

/**
 * Take a core of every rank with the command gcore of GDB. The ranks run on.
 */
void job_cores(struct job *job);

/** As job_cores(), but returns false if a core is missing: a rank may have ended. */
bool job_try_cores(struct job *job);

/** End the job: after this no process of it exists. The cores and the truth stay. */
void job_stop(struct job *job);

/** As job_stop(), and remove the scratch folder. An all-zero job is accepted. */
void job_end(struct job *job);

/** Is a tracer attached to any thread of it? */
bool job_is_traced(pid_t pid);

/** Seconds of a monotonic clock. */
double job_now(void);

/** Sleep a few milliseconds: the pause between two polls. */
void job_nap(void);

#endif /* TEST_JOB_H */
