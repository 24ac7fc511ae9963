/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtimes.h"

#include "../host/called.h"
#include "../host/modules.h"

#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

enum { NEAR = 12, FAR = 64 };

static bool starts(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

static bool is_one_of(const char *name, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

/* The function of the i-th frame, without leading underscores; "" if it has no name. */
static void name_of(struct host_target *t, const struct host_stopped *s, size_t i, char *ret, size_t size)
{
	struct host_module *m = host_module_of(t, s->frames[i].pc);
	char name[128];

	*ret = '\0';
	if (m && host_module_function(m, s->frames[i].pc, name, sizeof(name)))
		snprintf(ret, size, "%s", name + strspn(name, "_"));
}

static bool is_in(struct host_target *t, const struct host_stopped *s, size_t i, const char *const *libraries, size_t n)
{
	const struct host_module *m = host_module_of(t, s->frames[i].pc);
	const char *slash = m ? strrchr(m->path, '/') : NULL, *base = slash ? slash + 1 : m ? m->path : "";

	for (size_t k = 0; k < n; k++)
		if (starts(base, libraries[k]))
			return true;
	return false;
}

/* ---- Python -------------------------------------------------------------------------------------------- */

static const char evaluates[] = "PyEval_EvalFrameDefault", global_lock[] = "Python's global lock";

/*
 * Without symbols, the function that takes the global lock has no name. A wait of limited time at a condition variable,
 * called from the function that executes Python code by functions without names, is that: it has to give the lock away
 * now and then.
 */
static bool takes_unnamed(const struct wt_wait *x, const char *name, size_t n_named)
{
	return x->kind == WT_CONDITION && x->ends && !n_named && strcmp(name, evaluates) == 0;
}

/* Has its wait of limited time just ended? It has not got the lock then, and will wait again. */
static bool returns_from_wait(struct host_target *t, const struct host_stopped *s)
{
	char name[128];

	for (size_t i = 0; s->call < 0 && i < s->n_frames && i < 3; i++) {
		name_of(t, s, i, name, sizeof(name));
		if (starts(name, "pthread_cond_timedwait") || starts(name, "pthread_cond_clockwait"))
			return true;
	}
	return false;
}

static bool read_python(struct host_target *t, const struct host_stopped *s, struct wt_wait *x)
{
	static const char *const takes[] = { "take_gil", "PyEval_RestoreThread", "PyEval_AcquireThread",
					     "PyThreadState_Attach", "PyGILState_Ensure" };
	static const char *const locks[] = { "PyThread_acquire_lock_timed", "PyThread_acquire_lock",
					     "PyMutex_LockTimed", "PySemaphore_Wait", "PyMutex_LockSlow" };
	const struct host_module *libc = s->n_frames ? host_module_of(t, s->frames[0].pc) : NULL;
	struct wt_wait found = *x;
	size_t n_named = 0; /* frames outside the C library so far that have names */
	char name[128];

	bool returns = x->kind == WT_NOTHING && returns_from_wait(t, s);
	if (returns) {
		found.kind = WT_CONDITION;
		found.ends = true;
	}
	if (found.kind != WT_CONDITION && found.kind != WT_SEMAPHORE)
		return false;
	for (size_t i = 0; i < s->n_frames && i < NEAR; i++) {
		name_of(t, s, i, name, sizeof(name));
		bool gil = is_one_of(name, takes, sizeof(takes) / sizeof(takes[0])) ||
			   takes_unnamed(&found, name, n_named);
		n_named += *name && host_module_of(t, s->frames[i].pc) != libc;
		if (!gil && (returns || !is_one_of(name, locks, sizeof(locks) / sizeof(locks[0]))))
			continue;
		*x = found;
		x->kind = WT_PYTHON;
		x->holder = gil ? WT_HOLDER_UNKNOWN : WT_HOLDER_ANY;
		snprintf(x->what, sizeof(x->what), "%s", gil ? global_lock : "a lock of Python");
		return true;
	}
	return false;
}

bool wt_is_at_global_lock(const struct wt_wait *x)
{
	return x && x->kind == WT_PYTHON && strcmp(x->what, global_lock) == 0;
}

bool wt_runs_python(struct host_target *t, const struct host_stopped *s)
{
	char name[128];

	for (size_t i = 0; i < s->n_frames; i++) {
		name_of(t, s, i, name, sizeof(name));
		if (strcmp(name, evaluates) == 0)
			return true;
	}
	return false;
}

/* ---- OpenMP -------------------------------------------------------------------------------------------- */

static const char *const openmp[] = { "libgomp.so", "libomp.so", "libiomp5.so", "libomp5.so" };
enum { N_OPENMP = sizeof(openmp) / sizeof(openmp[0]) };

static const struct {
	const char *function, *what;
} constructs[] = {
	{ "GOMP_barrier", "an OpenMP barrier" },
	{ "GOMP_parallel", "the end of an OpenMP region" },
	{ "GOMP_parallel_end", "the end of an OpenMP region" },
	{ "GOMP_loop_end", "the end of an OpenMP loop" },
	{ "GOMP_sections_end", "the end of OpenMP sections" },
	{ "GOMP_single_copy_start", "an OpenMP single" },
	{ "GOMP_critical_start", "an OpenMP critical section" },
	{ "GOMP_critical_name_start", "an OpenMP critical section" },
	{ "GOMP_ordered_start", "an OpenMP ordered section" },
	{ "GOMP_taskwait", "OpenMP tasks" },
	{ "GOMP_taskgroup_end", "OpenMP tasks" },
	{ "omp_set_lock", "an OpenMP lock" },
	{ "omp_set_nest_lock", "an OpenMP lock" },
	{ "kmpc_barrier", "an OpenMP barrier" },
	{ "kmpc_fork_call", "the end of an OpenMP region" },
	{ "kmpc_critical", "an OpenMP critical section" },
	{ "kmpc_critical_with_hint", "an OpenMP critical section" },
	{ "kmpc_ordered", "an OpenMP ordered section" },
	{ "kmpc_omp_taskwait", "OpenMP tasks" },
	{ "kmpc_end_taskgroup", "OpenMP tasks" },
	{ "kmpc_set_lock", "an OpenMP lock" },
};

static bool is_construct(const char *name, struct wt_wait *x)
{
	name += strspn(name, "_");
	for (size_t k = 0; k < sizeof(constructs) / sizeof(constructs[0]); k++) {
		const char *what = constructs[k].what;
		if (strcmp(constructs[k].function, name) != 0)
			continue;
		x->kind = WT_OPENMP;
		x->holder = strstr(what, "lock") || strstr(what, "section") ? WT_HOLDER_UNKNOWN : WT_HOLDER_ANY;
		snprintf(x->what, sizeof(x->what), "%s", what);
		return true;
	}
	return false;
}

/*
 * The function of the runtime that the program has called, if the thread is in it: it waits there, or spins. One that
 * ends by jumping to another has no frame, but its caller says which it was.
 */
static bool read_openmp(struct host_target *t, const struct host_stopped *s, struct wt_wait *x)
{
	bool inside = false;
	char name[128];

	for (size_t i = 0; i < s->n_frames && i < NEAR; i++) {
		bool runtime = is_in(t, s, i, openmp, N_OPENMP);
		if (!runtime && inside)
			return host_called_function(t, s->frames[i].pc + 1, name, sizeof(name)) &&
			       is_construct(name, x);
		if (!runtime && i > 1) /* the system call is in libc, or in the runtime itself */
			return false;
		inside |= runtime;
		name_of(t, s, i, name, sizeof(name));
		if (runtime && is_construct(name, x))
			return true;
	}
	return false;
}

bool wt_is_in_team(struct host_target *t, const struct host_stopped *s)
{
	bool runtime = false, program = false;

	for (size_t i = 0; i < s->n_frames && i < FAR; i++) {
		const struct host_module *m = host_module_of(t, s->frames[i].pc);
		bool here = is_in(t, s, i, openmp, N_OPENMP);
		runtime |= here && program; /* below a function of the program: it has called that */
		program |= m && m->executable;
	}
	return runtime;
}

/* ---- std::future of GNU's C++ library ------------------------------------------------------------------- */

static bool read_future(struct host_target *t, const struct host_stopped *s, struct wt_wait *x)
{
	static const char until[] = "ZNSt28__atomic_futex_unsigned_base19_M_futex_wait_until",
			  steady[] = "ZNSt28__atomic_futex_unsigned_base26_M_futex_wait_until_steady";
	char name[128];

	for (size_t i = 0; s->call == SYS_futex && i < s->n_frames && i < 3; i++) {
		name_of(t, s, i, name, sizeof(name));
		if (!starts(name, until) && !starts(name, steady))
			continue;
		x->kind = WT_CONDITION;
		x->holder = WT_HOLDER_ANY;
		x->ends = s->args[3] != 0;
		snprintf(x->what, sizeof(x->what), "the result of another thread (std::future)");
		return true;
	}
	return false;
}

/* ---- TBB ----------------------------------------------------------------------------------------------- */

/* The functions of oneTBB 2021 and later that wait, as C++ names them in a library. */
static const struct {
	const char *function, *what;
} tbb_waits[] = {
	{ "ZN3tbb6detail2r14waitE", "tasks of TBB" },
	{ "ZN3tbb6detail2r116execute_and_waitE", "tasks of TBB" },
	{ "ZN3tbb6detail2r115wait_on_addressE", "a lock of TBB" },
	{ "ZN3tbb6detail2r126wait_bounded_queue_monitorE", "a queue of TBB" },
};

static bool is_tbb_wait(const char *name, struct wt_wait *x)
{
	name += strspn(name, "_");
	for (size_t k = 0; k < sizeof(tbb_waits) / sizeof(tbb_waits[0]); k++) {
		if (!starts(name, tbb_waits[k].function))
			continue;
		x->kind = WT_TBB;
		x->holder = WT_HOLDER_ANY;
		snprintf(x->what, sizeof(x->what), "%s", tbb_waits[k].what);
		return true;
	}
	return false;
}

/* A thread that waits in TBB and executes no task meanwhile. The
 * function that the program has called may have jumped to another. */
static bool read_tbb(struct host_target *t, const struct host_stopped *s, struct wt_wait *x)
{
	static const char *const tbb[] = { "libtbb.so" };
	bool inside = false;
	char name[128];

	for (size_t i = 0; i < s->n_frames && i < NEAR; i++) {
		bool here = is_in(t, s, i, tbb, 1);
		if (!here && inside)
			return host_called_function(t, s->frames[i].pc + 1, name, sizeof(name)) && is_tbb_wait(name, x);
		if (!here && i > 1) /* the system call is in libc, or in the library itself */
			return false;
		inside |= here;
		name_of(t, s, i, name, sizeof(name));
		if (here && is_tbb_wait(name, x))
			return true;
	}
	return false;
}

/* ---- GPUs ---------------------------------------------------------------------------------------------- */

static bool is_gpu(const char *name)
{
	static const char *const names[] = { "cudaStreamSynchronize",  "cudaDeviceSynchronize",
					     "cudaEventSynchronize",   "cuStreamSynchronize",
					     "cuCtxSynchronize",       "cuEventSynchronize",
					     "hipStreamSynchronize",   "hipDeviceSynchronize",
					     "hipEventSynchronize",    "zeEventHostSynchronize",
					     "zeFenceHostSynchronize", "zeCommandQueueSynchronize",
					     "clWaitForEvents",        "clFinish" };
	static const char *const suffixes[] = { "", "_ptsz", "_ptds", "_v2" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (starts(name, names[i]) &&
		    is_one_of(name + strlen(names[i]), suffixes, sizeof(suffixes) / sizeof(suffixes[0])))
			return true;
	return starts(name, "nccl") && name[4] >= 'A' && name[4] <= 'Z'; /* RCCL has the same names */
}

static bool read_gpu(struct host_target *t, const struct host_stopped *s, struct wt_wait *x)
{
	char name[128];

	for (size_t i = 0; i < s->n_frames && i < FAR; i++) {
		name_of(t, s, i, name, sizeof(name));
		if (!is_gpu(name))
			continue;
		x->kind = WT_GPU;
		x->holder = WT_HOLDER_UNKNOWN;
		x->foreign = true;
		snprintf(x->what, sizeof(x->what),
			 starts(name, "nccl") ? "the GPUs of other processes (%s)" : "a GPU (%s)", name);
		return true;
	}
	return false;
}

bool wt_runtime_read(struct host_target *t, const struct host_stopped *s, struct wt_wait *x)
{
	return read_gpu(t, s, x) || read_openmp(t, s, x) || read_tbb(t, s, x) || read_future(t, s, x) ||
	       read_python(t, s, x);
}
