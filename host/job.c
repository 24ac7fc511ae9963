/* SPDX-License-Identifier: BSD-3-Clause */
#include "absent.h"
#include "detached.h"
#include "ended.h"
#include "error.h"
#include "host.h"
#include "hydra.h"
#include "job_name.h"
#include "proclist.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Limit for walking up: a process tree has no cycles, but a list read while it changed may have one. */
enum { ANCESTORS_MAX = 256 };

/* A process with a rank, and its launcher. */
struct candidate {
	struct host_process *process;
	struct host_process *named; /* the launcher named in its job id; or NULL */
	pid_t launcher;
	unsigned depth; /* number of ancestors */
};

/*
 * PRRTE (Open MPI since 5.0) names a job "prterun-HOST-PID@NUMBER" after its launcher. Daemons started through an agent
 * are not in the launcher's process tree; only this name connects their ranks with it.
 */
static struct host_process *launcher_named(const struct host_proclist *list, const char *job)
{
	char host[256] = "", words[300];
	const char *at = strrchr(job, '@');
	long pid = 0;

	while (at && at > job && at[-1] != '-')
		at--;
	if (!at || (pid = strtol(at, NULL, 10)) < 2 || pid > INT32_MAX)
		return NULL;
	gethostname(host, sizeof(host) - 1);
	snprintf(words, sizeof(words), "-%s-%ld@", host, pid); /* otherwise the launcher is on another machine */
	struct host_process *p = strstr(job, words) ? host_proclist_find(list, (pid_t)pid) : NULL;
	return p && host_process_is_launcher(p) ? p : NULL;
}

/* Iterates over the ancestors of a candidate. After those of a daemon outside the tree come its launcher's. */
struct ancestry {
	const struct host_proclist *list;
	const struct host_process *at;
	struct host_process *named;
	unsigned n;
};

static struct ancestry ancestry_of(const struct host_proclist *list, const struct candidate *c)
{
	return (struct ancestry){ list, c->process, c->named, 0 };
}

/* @return NULL: no more */
static struct host_process *ancestor_next(struct ancestry *a)
{
	if (!a->at || a->n++ >= ANCESTORS_MAX)
		return NULL;
	struct host_process *p = host_proclist_find(a->list, a->at->parent);
	if (p && p == a->named)
		a->named = NULL;
	if (!p && a->named) {
		p = a->named;
		a->named = NULL;
	}
	a->at = p;
	return p;
}

static unsigned depth_of(const struct host_proclist *list, const struct host_process *p)
{
	unsigned n = 0;
	while (n < ANCESTORS_MAX && (p = host_proclist_find(list, p->parent)))
		n++;
	return n;
}

static bool is_below(const struct host_proclist *list, const struct candidate *c, pid_t ancestor)
{
	struct ancestry above = ancestry_of(list, c);
	for (const struct host_process *p; (p = ancestor_next(&above));)
		if (p->pid == ancestor)
			return true;
	return false;
}

/*
 * The launcher of a process: the one named in its job id; else the nearest ancestor with a launcher's name, and if that
 * was started by another launcher (a proxy by mpiexec), the outermost of that sequence. 0: none.
 */
static pid_t launcher_above(const struct host_proclist *list, const struct candidate *c)
{
	const struct host_process *p = c->named ? c->named : c->process;
	pid_t found = c->named ? c->named->pid : 0;
	for (unsigned n = 0; n < ANCESTORS_MAX && (p = host_proclist_find(list, p->parent)); n++) {
		if (host_process_is_launcher(p))
			found = p->pid;
		else if (found)
			break;
	}
	return found;
}

/*
 * Does the process have a rank? A launcher started by another launcher, or the script of a batch job, only appears to.
 */
static bool is_candidate(struct host_process *p)
{
	if (p->state == 'Z' || p->state == 'X' || host_process_is_launcher(p) || !host_process_look(p) || !p->launch)
		return false;
	return p->launch != HOST_LAUNCH_SLURM || host_process_has_mpi(p);
}

static bool same_job(const struct candidate *a, const struct candidate *b)
{
	if (a->process->launch != b->process->launch)
		return false;
	if (a->process->job[0] || b->process->job[0])
		return !strcmp(a->process->job, b->process->job);
	return a->launcher && a->launcher == b->launcher;
}

static int compare_jobs(const struct candidate *a, const struct candidate *b)
{
	size_t n = strlen(a->process->job), m = strlen(b->process->job);
	if (n != m) /* most jobs have numbers: the shorter is the smaller */
		return n < m ? -1 : 1;
	int c = strcmp(a->process->job, b->process->job);
	if (c || n) /* a named job may have several daemons on this machine */
		return c;
	return (a->launcher > b->launcher) - (a->launcher < b->launcher);
}

/*
 * Sort by job and rank. For one rank, the process that is most likely the program comes first: with an MPI library, the
 * outermost (its children inherit library and rank); without one, the innermost (below the scripts).
 */
static int compare_ranks(const void *pa, const void *pb)
{
	const struct candidate *a = pa, *b = pb;
	int c = compare_jobs(a, b);
	if (c)
		return c;
	if (a->process->rank != b->process->rank)
		return a->process->rank < b->process->rank ? -1 : 1;
	bool a_has_mpi = host_process_has_mpi(a->process);
	if (a_has_mpi != host_process_has_mpi(b->process))
		return a_has_mpi ? -1 : 1;
	if (a->depth != b->depth)
		return (a->depth < b->depth) == a_has_mpi ? -1 : 1;
	return (a->process->pid > b->process->pid) - (a->process->pid < b->process->pid);
}

static void fill(const struct candidate *c, const char *host, struct host_proc *ret)
{
	static const char gone[] = " (deleted)";
	char path[64];
	const struct host_process *p = c->process;
	*ret = (struct host_proc){ .rank = p->rank, .world_size = p->size, .pid = p->pid, .wrapper = p->wrapper };
	memcpy(ret->job, p->job, sizeof(ret->job));
	snprintf(ret->host, sizeof(ret->host), "%s", host);
	snprintf(path, sizeof(path), "/proc/%d/exe", (int)p->tid);
	ssize_t n = readlink(path, ret->executable, sizeof(ret->executable) - 1);
	ret->executable[n > 0 ? n : 0] = '\0';
	size_t tail = sizeof(gone) - 1;
	if (n > (ssize_t)tail && !strcmp(ret->executable + n - tail, gone))
		ret->executable[n - (ssize_t)tail] = '\0';
}

static void fill_all(const struct candidate *c, struct host_job *job)
{
	char host[256] = "";
	gethostname(host, sizeof(host) - 1);
	for (size_t i = 0; i < job->n; i++)
		fill(&c[i], host, &job->procs[i]);
}

/* All processes in the list that have a rank. @return NULL: out of memory. */
static struct candidate *find_candidates(const struct host_proclist *list, size_t *n_ret)
{
	struct candidate *found = calloc(list->n + 1, sizeof(*found));
	size_t n = 0;
	for (size_t i = 0; found && i < list->n; i++) {
		if (!is_candidate(&list->v[i]))
			continue;
		host_hydra_name_world(list, &list->v[i]);
		found[n] = (struct candidate){ .process = &list->v[i],
					       .named = launcher_named(list, list->v[i].job),
					       .depth = depth_of(list, &list->v[i]) };
		found[n].launcher = launcher_above(list, &found[n]);
		n++;
	}
	*n_ret = n;
	return found;
}

/* Sort, and keep one for each rank. @return how many are left. */
static size_t make_unique(struct candidate *c, size_t n)
{
	if (!n)
		return 0;
	qsort(c, n, sizeof(*c), compare_ranks);
	size_t unique = 1;
	for (size_t i = 1; i < n; i++)
		if (compare_jobs(&c[i], &c[unique - 1]) || c[i].process->rank != c[unique - 1].process->rank)
			c[unique++] = c[i];
	return unique;
}

static bool same_mpiexec(const struct host_process *a, const struct host_process *b)
{
	const char *x = host_hydra_mpiexec(a), *y = host_hydra_mpiexec(b);

	return x && y && strcmp(x, y) == 0;
}

/* Keep the candidates of one job, or those below a launcher; sorted. @return how many are left. */
static size_t keep_of_job(const struct host_proclist *list, struct candidate *c, size_t n, const struct candidate *job,
			  pid_t launcher)
{
	size_t kept = 0;
	struct candidate of = job ? *job : (struct candidate){ 0 };
	for (size_t i = 0; i < n; i++) {
		if (job ? !same_job(&c[i], &of) : !is_below(list, &c[i], launcher))
			continue;
		struct candidate kept_one = c[i]; /* the others remain behind those that are kept */
		c[i] = c[kept];
		c[kept++] = kept_one;
	}
	/* what hydra has spawned may have another proxy, which is no descendant of the first one */
	for (size_t i = kept; kept && i < n; i++)
		if (same_mpiexec(c[i].process, c[0].process))
			c[kept++] = c[i];
	return make_unique(c, kept);
}

/*
 * The outermost launcher between a process and its ancestor, whatever other processes are between launchers (such as
 * the shell of an rsh agent that starts a daemon on this machine). 0: none.
 */
static pid_t launcher_below(const struct host_proclist *list, const struct candidate *c, pid_t ancestor)
{
	struct ancestry above = ancestry_of(list, c);
	pid_t found = 0;
	for (const struct host_process *p; (p = ancestor_next(&above)) && p->pid != ancestor;)
		if (host_process_is_launcher(p))
			found = p->pid;
	return found;
}

/* Check that there is one job below this process; below a shell or process 1 there may be several. */
static bool one_launcher(const struct host_proclist *list, const struct candidate *c, size_t n, pid_t ancestor)
{
	for (size_t i = 1; i < n; i++)
		if (c[i].launcher != c[0].launcher &&
		    launcher_below(list, &c[i], ancestor) != launcher_below(list, &c[0], ancestor))
			return false;
	return true;
}

/* The jobs of the processes: each one's ranks that have ended. @return false: out of memory. */
static bool find_ended(const struct host_proclist *list, const struct candidate *c, struct host_job *job)
{
	struct host_process **members = calloc(job->n + 1, sizeof(struct host_process *));
	bool ok = members != NULL;

	for (size_t i = 0, first = 0; ok && i < job->n; i++) {
		members[i - first] = c[i].process;
		if (i + 1 < job->n && compare_jobs(&c[i], &c[i + 1]) == 0)
			continue;
		ok = host_ended_find(list, members, i + 1 - first, job);
		first = i + 1;
	}
	free(members);
	return ok;
}

static void set_name(const struct host_proclist *list, const struct candidate *c, struct host_job *job)
{
	host_job_name(list, c->process, job->name, sizeof(job->name));
	const char *mpiexec = host_hydra_mpiexec(c->process);
	snprintf(job->mpiexec, sizeof(job->mpiexec), "%s", mpiexec ? mpiexec : "");
	memcpy(job->slurm_job, c->process->slurm_job, sizeof(job->slurm_job));
}

static enum host_errc error_no_list(struct host_error *err)
{
	enum host_errc rc = host_proc_there(err);

	return rc ? rc : host_error_set(err, HOST_UNREADABLE, "/proc cannot be read");
}

/*
 * The prte (PRRTE, Open MPI 5) in which a prun has started its job, if there is only one: nothing in prun or in its
 * ranks names the other. 0: it is no prun, or there is none or several.
 */
static pid_t prte_of(const struct host_proclist *list, const struct host_process *prun)
{
	pid_t ret = 0;
	uid_t owner, other;

	if (strcmp(prun->name, "prun") != 0 || !host_owner(prun->pid, &owner))
		return 0;
	for (size_t i = 0; i < list->n; i++) {
		if (strcmp(list->v[i].name, "prte") != 0 || !host_owner(list->v[i].pid, &other) || other != owner)
			continue;
		if (ret)
			return 0;
		ret = list->v[i].pid;
	}
	return ret;
}

static enum host_errc find_job(const struct host_proclist *list, pid_t pid, struct host_job *ret,
			       struct host_error *err)
{
	struct host_process *given = host_proclist_find(list, pid);
	if (!given)
		return host_error_absent("process", pid, err);
	if (given->state == 'Z')
		return host_error_set(err, HOST_UNREADABLE, "process %d (%s): is a zombie", (int)pid, given->name);
	pid_t prte = prte_of(list, given);
	if (prte)
		return find_job(list, prte, ret, err);
	bool readable = host_process_look(given);

	size_t n;
	struct candidate *c = find_candidates(list, &n);
	if (!c)
		return host_error_set(err, HOST_UNREADABLE, "process %d: out of memory", (int)pid);
	const struct candidate *rank = NULL;
	for (size_t i = 0; i < n && !rank; i++)
		if (c[i].process == given)
			rank = &c[i];
	n = keep_of_job(list, c, n, rank, pid);
	if (!rank && !host_process_is_launcher(given) && !one_launcher(list, c, n, pid)) {
		host_error_set(
			err, HOST_USAGE,
			"process %d (%s): has several jobs among its descendants: give the pid of one launcher, %d for "
			"example",
			(int)pid, given->name, (int)c[0].launcher);
		free(c);
		return HOST_USAGE;
	}
	struct host_job job = { .procs = n ? calloc(n, sizeof(*job.procs)) : NULL, .n = n };
	if (!job.procs) {
		free(c);
		if (!readable)
			return host_error_set(err, HOST_DENIED,
					      "process %d (%s): its environment cannot be read: run mpidbg as its user "
					      "or as root",
					      (int)pid, given->name);
		bool prun = strcmp(given->name, "prun") == 0; /* of Open MPI 5, with prte */
		return host_error_set(err, HOST_ABSENT,
				      "process %d (%s): is no rank of an MPI job, and none of its descendants is: give "
				      "the pid of %s or of a rank",
				      (int)pid, given->name, prun ? "prte, which has started its ranks," : "mpirun");
	}
	fill_all(c, &job);
	/* The pid of a shell above mpirun finds the job as well: its launcher is the one above the ranks. */
	/* Of a rank, the launcher above it, or above all the daemons of its job. */
	bool several = false;
	for (size_t i = 1; i < n; i++)
		several |= c[i].launcher != c[0].launcher;
	pid_t ancestor = rank ? 0 : pid, outer = 0;
	if (!rank || (several && one_launcher(list, c, n, ancestor)))
		outer = launcher_below(list, &c[0], ancestor);
	job.launcher = !rank && host_process_is_launcher(given) ? pid : outer ? outer : c[0].launcher;
	set_name(list, &c[0], &job);
	bool ok = find_ended(list, c, &job);
	free(c);
	if (!ok) {
		host_job_deinit(&job);
		return host_error_set(err, HOST_UNREADABLE, "process %d: out of memory", (int)pid);
	}
	*ret = job;
	return HOST_OK;
}

/* ---- by name ------------------------------------------------------------------------------------------ */

/* Is it the calling process or one of its ancestors? mpidbg itself may be a step of the job. */
static bool is_self(const struct host_proclist *list, pid_t pid)
{
	const struct host_process *p = host_proclist_find(list, getpid());
	for (unsigned n = 0; p && n < ANCESTORS_MAX; n++, p = host_proclist_find(list, p->parent))
		if (p->pid == pid)
			return true;
	return false;
}

/* Root reads the ranks of any user, but not those of one who has only copied another user's variables. */
static bool have_one_owner(const struct candidate *c, size_t n)
{
	uid_t first, other;
	for (size_t i = 1; i < n; i++)
		if (host_owner(c[0].process->pid, &first) && host_owner(c[i].process->pid, &other) && first != other)
			return false;
	return true;
}

/* Two mpirun in one allocation of Slurm are two jobs. */
static bool have_one_name(const struct host_proclist *list, const struct candidate *c, size_t n, struct host_error *err)
{
	char first[200] = "", other[200];

	for (size_t i = 0; i < n; i++) {
		host_job_name(list, c[i].process, i ? other : first, sizeof(first));
		if (!i || strcmp(first, other) == 0)
			continue;
		host_error_set(err, HOST_USAGE, "there are several jobs: %s, %s: give the pid of one's launcher", first,
			       other);
		return false;
	}
	return true;
}

static enum host_errc find_named(const struct host_proclist *list, const char *kind, const char *name,
				 struct host_job *ret, struct host_error *err)
{
	size_t n = 0, kept = 0;
	struct candidate *c = find_candidates(list, &n);
	struct host_job job = { .procs = NULL };

	for (size_t i = 0; c && i < n; i++)
		if (host_job_has_name(list, c[i].process, kind, name) && !is_self(list, c[i].process->pid))
			c[kept++] = c[i];
	bool one_owner = !c || have_one_owner(c, kept);
	bool worlds = strcmp(kind, "hydra") == 0; /* each has a name of its own */
	if (c && one_owner && !worlds && !have_one_name(list, c, kept, err)) {
		free(c);
		return HOST_USAGE;
	}
	n = c ? make_unique(c, kept) : 0;
	job.procs = n ? calloc(n, sizeof(*job.procs)) : NULL;
	job.n = n;
	if (!c || (n && !job.procs)) {
		free(c);
		return host_error_set(err, HOST_UNREADABLE, "out of memory");
	}
	if (!n || !one_owner) {
		free(c);
		free(job.procs);
		return !n ? host_error_set(err, HOST_ABSENT, "no rank of this job is here")
			  : host_error_set(err, HOST_DENIED, "processes of several users claim to be of this job");
	}
	fill_all(c, &job);
	job.launcher = c[0].launcher;
	set_name(list, &c[0], &job);
	if (worlds)
		snprintf(job.name, sizeof(job.name), "hydra:%.*s", (int)strcspn(name, ","), name);
	bool ok = find_ended(list, c, &job);
	free(c);
	if (!ok) {
		host_job_deinit(&job);
		return host_error_set(err, HOST_UNREADABLE, "out of memory");
	}
	*ret = job;
	return HOST_OK;
}

enum host_errc host_job_named(const char *name, struct host_job *ret, struct host_error *err)
{
	static const char *const kinds[] = { "slurm", "pmix", "hydra", "flux", "launcher" };
	const char *value = strchr(name, ':');
	char *end = NULL;
	for (size_t i = 0; value && i < sizeof(kinds) / sizeof(*kinds); i++) {
		size_t length = strlen(kinds[i]);
		if ((size_t)(value - name) != length || strncmp(name, kinds[i], length) != 0 || !value[1])
			continue;
		long pid = strtol(value + 1, &end, 10);
		if (strcmp(kinds[i], "launcher") == 0 && (*end || pid <= 0 || pid > INT32_MAX))
			continue;
		if (strcmp(kinds[i], "launcher") == 0)
			return host_job_from_environment((pid_t)pid, ret, err);
		struct host_proclist list;
		if (!host_proclist_load(&list))
			return error_no_list(err);
		host_detached_connect(&list);
		enum host_errc code = find_named(&list, kinds[i], value + 1, ret, err);
		host_proclist_deinit(&list);
		return code;
	}
	return host_error_set(err, HOST_USAGE,
			      "\"%.100s\" names no job: slurm:JOB.STEP, pmix:NAMESPACE or launcher:PID", name);
}

/* ---- all of them -------------------------------------------------------------------------------------- */

/* A candidate and the job to which it belongs: by its name, else by its launcher. */
struct belonging {
	char name[300];
	struct candidate c;
};

/* What all worlds of a job are called: those that hydra has spawned have no name in common but its mpiexec. */
static void name_family(const struct host_proclist *list, const struct candidate *c, char *ret, size_t n)
{
	const struct host_process *launcher = host_proclist_find(list, c->launcher);

	host_job_name(list, c->process, ret, n);
	const char *mpiexec = host_hydra_mpiexec(c->process);
	if (mpiexec)
		snprintf(ret, n, "hydra %s", mpiexec);
	else if (strncmp(ret, "hydra:", 6) == 0 && launcher && strncmp(launcher->name, "hydra_", 6) != 0)
		snprintf(ret, n, "mpiexec %d", (int)c->launcher);
}

static int by_job(const void *a, const void *b)
{
	const struct belonging *x = a, *y = b;
	int c = strcmp(x->name, y->name);

	if (c || *x->name)
		return c;
	return (x->c.launcher > y->c.launcher) - (x->c.launcher < y->c.launcher);
}

/* Make a job of candidates that belong to it. @return false: out of memory */
static bool make_job(const struct host_proclist *list, const struct belonging *b, size_t n, struct host_job *ret)
{
	struct candidate *c = calloc(n, sizeof(*c));
	struct host_job job = { .launcher = b->c.launcher };
	bool ok = c != NULL;

	for (size_t i = 0; ok && i < n; i++)
		c[i] = b[i].c;
	job.n = ok ? make_unique(c, n) : 0;
	job.procs = ok ? calloc(job.n + 1, sizeof(*job.procs)) : NULL;
	ok = ok && job.procs;
	if (ok) {
		fill_all(c, &job);
		set_name(list, &c[0], &job);
	}
	ok = ok && find_ended(list, c, &job);
	free(c);
	if (ok)
		*ret = job;
	else
		host_job_deinit(&job);
	return ok;
}

static bool find_all(const struct host_proclist *list, struct host_job **ret, size_t *n_ret)
{
	size_t n = 0, n_jobs = 0;
	struct candidate *c = find_candidates(list, &n);
	struct belonging *b = c ? calloc(n + 1, sizeof(*b)) : NULL;
	struct host_job *jobs = b ? calloc(n + 1, sizeof(*jobs)) : NULL;
	bool ok = jobs != NULL;

	for (size_t i = 0; ok && i < n; i++) {
		b[i].c = c[i];
		name_family(list, &c[i], b[i].name, sizeof(b[i].name));
	}
	if (ok && n)
		qsort(b, n, sizeof(*b), by_job);
	for (size_t i = 0, end; ok && i < n; i = end) {
		for (end = i + 1; end < n && by_job(&b[i], &b[end]) == 0;)
			end++;
		ok = make_job(list, &b[i], end - i, &jobs[n_jobs]);
		n_jobs += ok;
	}
	free(c);
	free(b);
	if (ok) {
		*ret = jobs;
		*n_ret = n_jobs;
		return true;
	}
	for (size_t i = 0; jobs && i < n_jobs; i++)
		host_job_deinit(&jobs[i]);
	free(jobs);
	return false;
}

enum host_errc host_jobs(struct host_job **ret, size_t *n, struct host_error *err)
{
	struct host_proclist list;

	if (!host_proclist_load(&list))
		return error_no_list(err);
	bool ok = find_all(&list, ret, n);
	host_proclist_deinit(&list);
	return ok ? HOST_OK : host_error_set(err, HOST_UNREADABLE, "out of memory");
}

enum host_errc host_job_from_environment(pid_t pid, struct host_job *ret, struct host_error *err)
{
	struct host_proclist list;
	if (!host_proclist_load(&list))
		return error_no_list(err);
	host_detached_connect(&list);
	enum host_errc code = find_job(&list, pid, ret, err);
	host_proclist_deinit(&list);
	return code;
}

void host_job_deinit(struct host_job *job)
{
	free(job->procs);
	free(job->ended);
	*job = (struct host_job){ 0 };
}
