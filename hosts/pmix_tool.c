/* SPDX-License-Identifier: BSD-3-Clause */
/* As a PMIx tool of a launcher: for a process that does nothing else. */
#include "pmix.h"

#include "pmix_types.h"
#include "way.h"

#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { RANKS_MAX = 1 << 24, LATE_MS = 300, LINE_MAX_BYTES = 4096, ENDED_MAX = 64 };

typedef void on_output(size_t handler, uint16_t channel, struct hs_pmix_proc *source, struct hs_pmix_bytes *bytes,
		       struct hs_pmix_info *info, size_t n_info);
typedef void on_event_over(int status, struct hs_pmix_info *results, size_t n, void *cb, void *ctx, void *event);
typedef void on_event(size_t handler, int status, const struct hs_pmix_proc *source, struct hs_pmix_info *info,
		      size_t n_info, struct hs_pmix_info *results, size_t n_results, on_event_over *over, void *ctx);

/* The functions that are used. */
struct tool {
	void *library;
	struct hs_pmix_proc self;
	int (*init)(struct hs_pmix_proc *self, struct hs_pmix_info *info, size_t n);
	int (*finalize)(void);
	int (*query)(struct hs_pmix_query *queries, size_t n, struct hs_pmix_info **ret, size_t *n_ret);
	int (*spawn)(const struct hs_pmix_info *info, size_t n, const struct hs_pmix_app *apps, size_t n_apps,
		     char *job);
	int (*pull)(const struct hs_pmix_proc *procs, size_t n, const struct hs_pmix_info *info, size_t n_info,
		    uint16_t channel, on_output *output, void *registered, void *ctx);
	int (*on_events)(int *codes, size_t n, struct hs_pmix_info *info, size_t n_info, on_event *event,
			 void *registered, void *ctx);
	const char *(*error_text)(int code);
};

/* ---- the library ------------------------------------------------------------------------------------------- */

/* The libpmix that the launcher has loaded. @return false: it has none, or may not be read */
static bool library_of(pid_t pid, char *ret, size_t n)
{
	char path[64], *line = NULL;
	size_t room = 0;
	bool found = false;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	FILE *f = fopen(path, "re");
	while (f && !found && getline(&line, &room, f) > 0) {
		char *slash = strchr(line, '/'), *name = slash ? strrchr(slash, '/') : NULL;
		if (!name || strncmp(name, "/libpmix.so", 11) != 0)
			continue;
		slash[strcspn(slash, "\n")] = '\0';
		snprintf(ret, n, "%s", slash);
		found = true;
	}
	if (f)
		fclose(f);
	free(line);
	return found;
}

bool hs_pmix_is_launcher(pid_t pid)
{
	char path[64], name[32] = "", library[4096];

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	FILE *f = fopen(path, "re");
	if (f) {
		if (!fgets(name, sizeof(name), f))
			name[0] = '\0';
		fclose(f);
	}
	name[strcspn(name, "\n")] = '\0';
	return strcmp(name, "prterun") == 0 && library_of(pid, library, sizeof(library));
}

static bool find_functions(struct tool *t)
{
	const struct {
		const char *name;
		void *at;
	} functions[] = { { "PMIx_tool_init", &t->init },         { "PMIx_tool_finalize", &t->finalize },
			  { "PMIx_Query_info", &t->query },       { "PMIx_Spawn", &t->spawn },
			  { "PMIx_IOF_pull", &t->pull },          { "PMIx_Register_event_handler", &t->on_events },
			  { "PMIx_Error_string", &t->error_text } };

	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		void *f = dlsym(t->library, functions[i].name);
		if (!f)
			return false;
		memcpy(functions[i].at, &f, sizeof(f));
	}
	return true;
}

/* A string that PMIx may keep; it is never freed, because the process ends soon. */
static char *kept(const char *text)
{
	return strdup(text);
}

static struct hs_pmix_info info_of(const char *key, uint16_t type)
{
	struct hs_pmix_info ret = { .value.type = type };

	snprintf(ret.key, sizeof(ret.key), "%s", key);
	return ret;
}

static struct hs_pmix_info flag_of(const char *key, bool value)
{
	struct hs_pmix_info ret = info_of(key, HS_PMIX_BOOL);

	ret.value.data.flag = value;
	return ret;
}

static bool failed(const struct tool *t, const char *what, int rc, char *why, size_t n_why)
{
	if (rc == 0)
		return false;
	snprintf(why, n_why, "PMIx: %s: %s", what, t->error_text(rc));
	return true;
}

static bool connect_to(pid_t launcher, struct tool *t, char *why, size_t n_why)
{
	char path[4096];
	struct hs_pmix_info info = info_of("pmix.srvr.pidinfo", HS_PMIX_PID);

	if (!library_of(launcher, path, sizeof(path))) {
		snprintf(why, n_why, "process %d has no libpmix: it is no launcher of Open MPI 5, or may not be read",
			 (int)launcher);
		return false;
	}
	t->library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
	if (!t->library)
		t->library = dlopen("libpmix.so.2", RTLD_NOW | RTLD_GLOBAL);
	if (!t->library || !find_functions(t)) {
		snprintf(why, n_why, "PMIx: %s: cannot be loaded, or is too old", path);
		return false;
	}
	info.value.data.pid = launcher;
	return !failed(t, "no connection to the launcher", t->init(&t->self, &info, 1), why, n_why);
}

/* ---- the job -------------------------------------------------------------------------------------------------- */

static bool ask(const struct tool *t, const char *key, const char *nspace, struct hs_pmix_info **ret, size_t *n,
		char *why, size_t n_why)
{
	struct hs_pmix_query *query = calloc(1, sizeof(*query));
	char **keys = calloc(2, sizeof(*keys));

	*n = 0;
	if (query && nspace)
		query->qualifiers = calloc(1, sizeof(*query->qualifiers));
	if (!query || !keys || (nspace && !query->qualifiers)) {
		snprintf(why, n_why, "out of memory");
		free(query);
		free(keys);
		return false;
	}
	keys[0] = kept(key);
	query->keys = keys;
	if (nspace) {
		query->qualifiers[0] = info_of("pmix.nspace", HS_PMIX_STRING);
		query->qualifiers[0].value.data.string = kept(nspace);
		query->n_qualifiers = 1;
	}
	return !failed(t, key, t->query(query, 1, ret, n), why, n_why);
}

/*
 * The job that the launcher was started for, "prterun-n1-4711@1": those that it has spawned have higher numbers, and so
 * have commands of tools.
 */
static bool find_job(const struct tool *t, char *ret, size_t n_ret, char *why, size_t n_why)
{
	struct hs_pmix_info *got = NULL;
	size_t n;

	*ret = '\0';
	if (!ask(t, "pmix.qry.ns", NULL, &got, &n, why, n_why))
		return false;
	char *list = n && got[0].value.type == HS_PMIX_STRING ? kept(got[0].value.data.string) : NULL, *rest = NULL;
	for (char *name = list ? strtok_r(list, ",", &rest) : NULL; name; name = strtok_r(NULL, ",", &rest)) {
		const char *at = strrchr(name, '@');
		if (at && strcmp(at, "@1") == 0 && hs_is_host(name))
			snprintf(ret, n_ret, "%s", name);
	}
	free(list);
	if (!*ret)
		snprintf(why, n_why, "PMIx: the launcher has no job, or its job has ended");
	return *ret;
}

static bool put_hosts(const struct hs_pmix_array *a, FILE *out)
{
	const struct hs_pmix_process *p = a->array;
	const char *last = "";

	if (a->type != HS_PMIX_PROC_INFO || a->size > RANKS_MAX)
		return false;
	for (size_t i = 0; i < a->size; i++) {
		if (!p[i].host || strcmp(p[i].host, last) == 0)
			continue;
		last = p[i].host;
		fprintf(out, "%s\n", last);
	}
	return true;
}

bool hs_pmix_table(pid_t launcher, FILE *out, char *why, size_t n_why)
{
	struct tool t = { .library = NULL };
	struct hs_pmix_info *got = NULL;
	char job[HS_PMIX_NAME] = "";
	size_t n;

	if (!connect_to(launcher, &t, why, n_why))
		return false;
	bool ok = find_job(&t, job, sizeof(job), why, n_why) && ask(&t, "pmix.qry.ptable", job, &got, &n, why, n_why);
	if (ok) {
		fprintf(out, "%s\n", job);
		ok = n && got[0].value.type == HS_PMIX_DATA_ARRAY && put_hosts(got[0].value.data.array, out);
		if (!ok)
			snprintf(why, n_why, "PMIx: the launcher has no process table");
	}
	t.finalize();
	return ok;
}

/* ---- a command on each node ------------------------------------------------------------------------------------ */

/* PMIx calls back from a thread of its own, without anything of ours. */
static struct {
	int fd;
	sem_t over; /* posted when something below has changed */
	pthread_mutex_t lock;
	bool unread;
	char ended[ENDED_MAX][HS_PMIX_NAME]; /* the last jobs that have ended */
	size_t n_ended;
	struct source {
		char line[LINE_MAX_BYTES];
		size_t n;
		bool skips; /* in a line that is too long */
	} * sources;
	size_t n_sources;
} run = { .fd = -1, .lock = PTHREAD_MUTEX_INITIALIZER };

static struct source *source_of(uint32_t rank)
{
	enum { NODES_MAX = 1 << 20 };

	if (rank >= NODES_MAX)
		return NULL;
	if (rank >= run.n_sources) {
		size_t n = (size_t)rank * 2 + 16;
		struct source *more = realloc(run.sources, n * sizeof(*more));
		if (!more)
			return NULL;
		memset(more + run.n_sources, 0, (n - run.n_sources) * sizeof(*more));
		run.sources = more;
		run.n_sources = n;
	}
	return &run.sources[rank];
}

/* Outputs of nodes arrive in pieces that end anywhere: write whole lines. */
static void take_output(size_t handler, uint16_t channel, struct hs_pmix_proc *source, struct hs_pmix_bytes *bytes,
			struct hs_pmix_info *info, size_t n_info)
{
	struct source *s = source && channel == HS_PMIX_STDOUT ? source_of(source->rank) : NULL;

	(void)handler;
	(void)info;
	(void)n_info;
	for (size_t i = 0; s && bytes && bytes->bytes && i < bytes->size; i++) {
		s->skips |= s->n == sizeof(s->line);
		if (!s->skips)
			s->line[s->n++] = bytes->bytes[i];
		if (bytes->bytes[i] != '\n')
			continue;
		if (!s->skips && write(run.fd, s->line, s->n) != (ssize_t)s->n) {
			pthread_mutex_lock(&run.lock);
			run.unread = true;
			pthread_mutex_unlock(&run.lock);
			sem_post(&run.over);
		}
		s->n = 0;
		s->skips = false;
	}
}

/* The job that an event is about; events of jobs that have ended before are told as well. */
static const char *job_of(const struct hs_pmix_info *info, size_t n)
{
	for (size_t i = 0; info && i < n; i++)
		if (strcmp(info[i].key, "pmix.evproc") == 0 && info[i].value.type == HS_PMIX_PROC &&
		    info[i].value.data.proc)
			return info[i].value.data.proc->nspace;
	return "";
}

static void take_end(size_t handler, int status, const struct hs_pmix_proc *source, struct hs_pmix_info *info,
		     size_t n_info, struct hs_pmix_info *results, size_t n_results, on_event_over *over, void *ctx)
{
	(void)handler;
	(void)status;
	(void)source;
	(void)results;
	(void)n_results;
	pthread_mutex_lock(&run.lock);
	snprintf(run.ended[run.n_ended++ % ENDED_MAX], HS_PMIX_NAME, "%s", job_of(info, n_info));
	pthread_mutex_unlock(&run.lock);
	sem_post(&run.over);
	if (over)
		over(0, NULL, 0, NULL, NULL, ctx);
}

/* Has this job ended, or does nobody read its output any more? */
static bool is_over(const char *job)
{
	bool ret;

	pthread_mutex_lock(&run.lock);
	ret = run.unread;
	for (size_t i = 0; i < run.n_ended && i < ENDED_MAX; i++)
		ret |= strcmp(run.ended[i], job) == 0;
	pthread_mutex_unlock(&run.lock);
	return ret;
}

/* @param[out] child HS_PMIX_NAME bytes: the job of the commands */
static bool spawn(const struct tool *t, const char *job, const char *line, char *child, char *why, size_t n_why)
{
	char *argv[] = { kept("sh"), kept("-c"), kept(line), NULL }, folder[] = "/";
	struct hs_pmix_app app = { .command = argv[0], .argv = argv, .folder = folder };
	struct hs_pmix_proc target = { .rank = HS_PMIX_ALL_RANKS };
	struct hs_pmix_info info[] = { info_of("pmix.dbg.tgt", HS_PMIX_PROC), info_of("pmix.dbg.dpnd", HS_PMIX_UINT16),
				       flag_of("pmix.debugger", true),        flag_of("pmix.notecomp", true),
				       flag_of("pmix.iof.local", false), /* not to the launcher's own output */
				       info_of("pmix.mapby", HS_PMIX_STRING) };

	snprintf(target.nspace, sizeof(target.nspace), "%s", job);
	info[0].value.data.proc = &target;
	info[1].value.data.uint16 = 1;
	info[5].value.data.string = kept("ppr:1:node");
	int rc = t->spawn(info, sizeof(info) / sizeof(info[0]), &app, 1, child);
	if (failed(t, "no command can be started on its nodes", rc, why, n_why))
		return false;
	struct hs_pmix_proc all = { .rank = HS_PMIX_ALL_RANKS };
	snprintf(all.nspace, sizeof(all.nspace), "%s", child);
	rc = t->pull(&all, 1, NULL, 0, HS_PMIX_STDOUT, take_output, NULL, NULL);
	return !failed(t, "the output of a command cannot be had", rc < 0 ? rc : 0, why, n_why);
}

bool hs_pmix_run(pid_t launcher, const char *line, int out_fd, char *why, size_t n_why)
{
	struct tool t = { .library = NULL };
	char job[HS_PMIX_NAME] = "", child[HS_PMIX_NAME] = "";
	int ended = HS_PMIX_JOB_ENDED;

	run.fd = out_fd;
	if (sem_init(&run.over, 0, 0) != 0 || !connect_to(launcher, &t, why, n_why))
		return false;
	bool ok = find_job(&t, job, sizeof(job), why, n_why);
	if (ok) {
		t.on_events(&ended, 1, NULL, 0, take_end, NULL, NULL);
		ok = spawn(&t, job, line, child, why, n_why);
	}
	if (ok) {
		while (!is_over(child))
			sem_wait(&run.over);
		nanosleep(&(struct timespec){ .tv_nsec = LATE_MS * 1000000L }, NULL); /* what is on its way */
	}
	t.finalize();
	return ok;
}
