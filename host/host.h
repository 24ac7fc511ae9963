/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file host.h
 * A small debugger: one process, live or a core, and a plugin DLL that is loaded as any debugger would load it.
 *
 * Errors: functions that can fail take a struct host_error; its text is one line, lower case, cause last, with the next
 * step for the user if there is one.
 */
#ifndef HOST_H
#define HOST_H

#include "../include/mpidbg.h"
#include "../include/mqs.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum host_errc {
	HOST_OK = 0,
	HOST_ABSENT,     /**< no such process, file, symbol, rank */
	HOST_DENIED,     /**< no permission to trace or read */
	HOST_UNREADABLE, /**< a zombie, a truncated or foreign core */
	HOST_USAGE       /**< the caller's arguments make no sense together */
};

struct host_error {
	enum host_errc code;
	char text[512];
};

/* ---- target ---------------------------------------------------------------------------------------- */

struct host_target;

/**
 * Stop a live process (PTRACE_SEIZE, PTRACE_INTERRUPT, every thread) and open it.
 *
 * host_close() detaches and leaves it in its previous state, running or stopped. If this process dies, the
 * kernel detaches and the process runs on.
 *
 * @param[out] ret NULL on failure: host_close() takes it.
 */
enum host_errc host_open_live(pid_t pid, struct host_target **ret, struct host_error *err);

/**
 * Open a live process and let it run, so that slow work (files, symbols, types) can be done before it is stopped. Its
 * memory may change while it is read. Codes as for host_open_live().
 *
 * @param[out] ret NULL on failure.
 */
enum host_errc host_open_running(pid_t pid, struct host_target **ret, struct host_error *err);

/**
 * The first, cheap step of host_open_running(): check that the process exists and may be read. It can then be stopped
 * and resumed; everything else requires host_prepare(). Useful when many processes use all processors, so that they
 * must be stopped before there is time for the second step. Codes as for host_open_live().
 *
 * @param[out] ret NULL on failure.
 */
enum host_errc host_open_bare(pid_t pid, struct host_target **ret, struct host_error *err);

/**
 * The second step, for a running or stopped process: its files, symbols and mappings. Does nothing for a core or if it
 * was done already. Codes as for host_open_live(); after a failure, host_close() is the only valid operation.
 *
 * @param threads host_threads() will be called: what it needs of the files is read now, before a running process is
 *                stopped, and host_resume() copies the stacks. Half of the time of a command that needs none is saved.
 */
enum host_errc host_prepare(struct host_target *t, bool threads, struct host_error *err);

/**
 * Stop a process that was opened by host_open_running() or resumed by host_resume(). Does nothing for a core or a
 * stopped process. Codes as for host_open_live(); on failure the process runs. A thread in an uninterruptible system
 * call is not waited for; a warning says so.
 */
enum host_errc host_stop(struct host_target *t, struct host_error *err);

/**
 * Stop several processes: all are interrupted first and then waited for, so that they are seen at nearly the same
 * moment and do not keep processors from each other. A process in an uninterruptible system call delays the others by
 * at most 0.2 s.
 *
 * @param t        targets; NULL elements are skipped
 * @param[out] ret code of each, as from host_stop()
 * @param[out] err error of each that failed; not NULL
 */
void host_stop_together(struct host_target *const *t, size_t n, enum host_errc *ret, struct host_error *err);

/**
 * Open a core file.
 *
 * @param exe     the executable, or NULL: found through NT_FILE (its build-id is checked against the core's).
 * @param sysroot a folder with the files of the machine or container that wrote the
 * core, each at its path there; what is not in it is looked for at its path here,
 * and used only if both build-ids are known and equal. NULL: all files are here.
 */
enum host_errc host_open_core(const char *core, const char *exe, const char *sysroot, struct host_target **ret,
			      struct host_error *err);

/** Detach or close. Takes NULL. */
void host_close(struct host_target *t);

/** Resume a live process; what was read remains available (host_close() still has to be called). */
void host_resume(struct host_target *t);

pid_t host_pid(const struct host_target *t);
const char *host_executable(const struct host_target *t); /**< path, "" unknown */
const char *host_core_path(const struct host_target *t);  /**< NULL for a live process */
unsigned host_word_bytes(const struct host_target *t);    /**< 4 or 8 */
bool host_big_endian(const struct host_target *t);
/** Was a live process stopped by a signal (SIGSTOP, SIGTSTP ...)
 * before we last stopped it? As the kernel told at that moment. */
bool host_stopped_by_signal(const struct host_target *t);
double host_stopped_ms(const struct host_target *t); /**< total time it was stopped by us so far; 0 for a core */

/** Warnings about what is missing, one line each: "core is truncated: ...". @return the i-th, or NULL. */
const char *host_warning(const struct host_target *t, size_t i);

/** Is it a truncated core? Items that are not found may have been in the missing part. A warning says so, too. */
bool host_is_truncated(const struct host_target *t);

/** Copy memory. @return true only when all was copied. */
bool host_read(struct host_target *t, uint64_t addr, size_t n, void *ret);

/** Address of a symbol in ELF scope order: executable first (copy relocations), then the modules as loaded. */
bool host_symbol(struct host_target *t, const char *name, uint64_t *ret);

/**
 * The value of a variable in the process's environment at exec;
 * NULL: not set or not readable. Valid until host_close().
 */
const char *host_getenv(struct host_target *t, const char *name);

/** Is a file whose base name starts with @p prefix mapped ("libmpi.so")? @return its path or NULL. */
const char *host_module(struct host_target *t, const char *prefix);

/**
 * Threads with stacks, for mpidbg_options.threads. Computed on the first call, from registers and stacks (at most 256
 * KiB of each) that are copied while the process is stopped. May be called after host_resume(), which makes the copies
 * if necessary and if host_prepare() was told that they would be.
 *
 * @param[out] n_ret 0 if the process has not been stopped so far
 * @return borrowed; valid until host_close() or the next host_stop().
 */
const struct mpidbg_thread *host_threads(struct host_target *t, size_t *n_ret);

/**
 * Threads whose calls host_threads() cannot determine, for mpidbg_options.unknown_threads: they did not stop, and the
 * system call that /proc shows does not lead to an MPI function; or there is no unwinder for the machine
 * (host_warning()). Call host_threads() first.
 *
 * @return thread ids; borrowed, valid as long as the threads
 */
const int64_t *host_unknown_threads(struct host_target *t, size_t *n_ret);

/**
 * Describe the place that a call returns to: "main at ring.c:10" if the file has debug information, else "main+0x1c",
 * else "libfoo.so+0x1234". Cut off at @p size. @return false: the address is in no file of the process.
 */
bool host_place(struct host_target *t, uint64_t return_addr, char *ret, size_t size);

/* ---- plugin ---------------------------------------------------------------------------------------- */

/** A loaded plugin DLL. Entry points that it does not have are NULL. */
struct host_plugin {
	void *dl;
	char *path;
#define HOST_ENTRY(name) __typeof__(name) *name;
#include "entry_points.def"
#undef HOST_ENTRY
};

/** Is this command one file with the plugin inside, which runs on any Linux of this machine (make static)? */
bool host_is_static(void);

/** Load a DLL and pass the callbacks to it. @param[out] ret all-zero on failure. */
enum host_errc host_plugin_load(const char *path, struct host_plugin *ret, struct host_error *err);

/** Unload. Takes an all-zero plugin. */
void host_plugin_unload(struct host_plugin *p);

/** The DLL of this installation: next to the command in the build directory, otherwise in the install prefix. */
const char *host_plugin_default_path(void);

/**
 * A target as the plugin sees it: image and process, set up through both faces if the DLL has them. The caller
 * continues with mqs_image_has_queues(), in which some vendors' DLLs look up their types.
 *
 * @param layout_file a layout pack that answers type callbacks (for vendors' DLLs, which do not know packs), or NULL.
 */
struct host_session {
	struct host_plugin *plugin;
	struct host_target *target;
	mqs_image *image;
	mqs_process *process;
};
enum host_errc host_session_open(struct host_plugin *plugin, struct host_target *target, const char *layout_file,
				 struct host_session *ret, struct host_error *err);

/** Tear down in the right order. Takes an all-zero session. */
void host_session_close(struct host_session *s);

/** Counters of a session: calls of fetch_data, and bytes requested. */
void host_session_reads(const struct host_session *s, uint64_t *n_reads, uint64_t *bytes);

/* ---- jobs ------------------------------------------------------------------------------------------ */

/**
 * State letter of a process or thread: R, S, D, T, t, Z, X. 0: it does not exist.
 * @param[out] parent may be NULL
 */
char host_process_state(pid_t pid, pid_t *parent);

/**
 * How a process has ended that its parent has not waited for yet (a zombie).
 *
 * @return as waitpid() would store it; -1: it is none, or may not be traced, without which the kernel does not say it
 */
int host_process_exit_status(pid_t pid);

/** What is being fetched, and how many bytes of it; total 0: unknown. */
typedef void host_debuginfod_progress(const char *name, long done, long total);

/**
 * Fetch the separate debug files of the application from the servers that DEBUGINFOD_URLS names, for this target and
 * those that are opened later. Takes seconds or minutes: not while a process is stopped.
 *
 * @param seconds   limit for all files
 * @param progress  called every now and then; NULL: not
 * @param[in,out] n_fetched grows by the number of files
 * @return HOST_OK, also if no server has any; HOST_ABSENT: no servers are named, or libdebuginfod is not installed
 */
enum host_errc host_debuginfod_fetch(struct host_target *t, double seconds, host_debuginfod_progress *progress,
				     size_t *n_fetched, struct host_error *err);

/** A thread of a process whose first thread has ended; 0: none, the process has ended. */
pid_t host_living_thread(pid_t pid);

/** The user to whom a process belongs (real uid). @return false: no such process. */
bool host_owner(pid_t pid, uid_t *ret);

/** For how many seconds a process has existed. @return false: unknown, or it does not exist */
bool host_process_age(pid_t pid, double *ret);

/** The name of a user, else the number; "4711". */
void host_user_name(uid_t uid, char *ret, size_t n);

/** A process of a job, found on this machine. */
struct host_proc {
	int64_t rank, world_size; /**< -1 unknown */
	pid_t pid;
	pid_t wrapper; /**< it is no descendant of this process, which has started it; 0: of none */
	char job[64];  /**< namespace or job id of the launcher, "" unknown */
	char host[256];
	char executable[4096];
};

/** A rank of a job that runs no more on this machine. */
struct host_ended {
	int64_t rank, world_size; /**< world_size -1: unknown */
	char job[64];             /**< as in struct host_proc */
	pid_t starter;            /**< the launcher's process that had started it */
	int status;               /**< how, as of host_process_exit_status(); -1: unknown */
	char starter_name[32];
};

/** host_job_deinit() frees. */
struct host_job {
	pid_t launcher;     /**< 0: unknown */
	char name[200];     /**< the same on all its hosts, and for host_job_named(): "slurm:4711.0"; "": unknown */
	char mpiexec[64];   /**< of MPICH, "PID@HOST", the same for all its worlds on all hosts; "": another, or unknown
			     */
	char slurm_job[32]; /**< the job of Slurm in which it runs, whatever has started it; "": none */
	struct host_proc *procs;  /**< sorted by rank; by job first if the ranks have spawned others */
	struct host_ended *ended; /**< ranks that have ended, as far as that is known */
	size_t n, n_ended;
};

/**
 * Find the ranks of a job by the environment of processes: the launcher's descendants, or,
 * given a rank, all processes with the same job id. Considers processes that have an MPI
 * library mapped or carry the launcher's rank variables, and chooses one for each rank,
 * because a script around the program and children of the program carry the variables as well.
 *
 * @param pid of the launcher (or of a process above exactly one launcher) or of a rank
 * @param[out] ret untouched on failure
 * @return HOST_OK; HOST_ABSENT: no such process, or no rank among it and its descendants; HOST_DENIED: its environment
 *         is not readable; HOST_USAGE: above several launchers; HOST_UNREADABLE: a zombie.
 */
enum host_errc host_job_from_environment(pid_t pid, struct host_job *ret, struct host_error *err);

/**
 * Find the ranks of a job on this machine by what its launcher
 * calls it. Never the calling process or one of its ancestors.
 *
 * @param name "slurm:4711.0" a step, "slurm:4711" all ranks of a Slurm job, "pmix:NAMESPACE" with the jobs that it has
 * spawned, "hydra:ADDRESS:PORT" where the mpiexec of MPICH listens, "launcher:PID" as host_job_from_environment()
 * @param[out] ret untouched on failure
 * @return HOST_OK; HOST_USAGE: no such form; HOST_ABSENT: no rank of this job is here, or none whose environment may be
 * read; HOST_DENIED: ranks of several users claim to be of this job; HOST_UNREADABLE: out of memory, or no /proc
 */
enum host_errc host_job_named(const char *name, struct host_job *ret, struct host_error *err);

/**
 * Find all MPI jobs of this machine with processes whose environment may be read.
 *
 * @param[out] ret an array of @p n, sorted by name; host_job_deinit() each, then free() it; untouched on failure
 * @return HOST_OK; HOST_UNREADABLE: out of memory, or no /proc
 */
enum host_errc host_jobs(struct host_job **ret, size_t *n, struct host_error *err);

/** Release. Takes all zero. */
void host_job_deinit(struct host_job *job);

/**
 * Has the MPI program that a script has started ended? For a process that was found in the place of a rank.
 *
 * @return false also if it is not certain: an MPI library may be linked into the program statically
 */
bool host_is_no_mpi_program(pid_t pid);

#endif /* HOST_H */
