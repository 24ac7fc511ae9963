/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpidbg jobs: lists the MPI jobs that the user may look at: those with ranks on this machine, and those of Slurm.
 */
#include "commands.h"
#include "job.h"
#include "json.h"
#include "message.h"

#include "../access/grow.h"
#include "../hosts/launcher.h"
#include "../hosts/slurm.h"

#include <dirent.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct cmd_about about = {
	.name = "jobs",
	.usage = "[OPTION]...",
	.what = "List the MPI jobs with ranks or a launcher on this machine, and the jobs of Slurm: what the job is "
		"called, its launcher, ranks,\n"
		"since when they run, their states. --job takes the first column, or the number after the launcher's "
		"name.\n"
		"Jobs of other users are listed only to root.\n",
	.options = CMD_OPT_OUTPUT,
};

/* A line of the list. Numbers: -1 is unknown. */
struct row {
	char job[200], launcher_name[32], user[64], state[128], program[4096];
	int64_t launcher, n, size, seconds;
};

struct rows {
	struct row *v;
	size_t n;
	bool no_memory;
};

static struct row *add_row(struct rows *rows)
{
	if (!ACC_GROW(rows->v, rows->n)) {
		rows->no_memory = true;
		return NULL;
	}
	rows->v[rows->n] = (struct row){ .launcher = -1, .n = -1, .size = -1, .seconds = -1 };
	return &rows->v[rows->n++];
}

/* ---- this machine ---------------------------------------------------------------------------------------- */

/* "3 running, 1 stopped" */
static void count_states(const struct host_job *job, char *ret, size_t n)
{
	static const char letters[] = "RSDTtZ";
	size_t used = 0;

	*ret = '\0';
	for (const char *letter = letters; *letter; letter++) {
		const char *state = cmd_state_text(*letter);
		size_t count = 0;
		for (size_t i = 0; i < job->n; i++) {
			char its = host_process_state(job->procs[i].pid, NULL);
			count += its && cmd_state_text(its) == state;
		}
		if (count && used < n)
			used += (size_t)snprintf(ret + used, n - used, "%s%zu %s", used ? ", " : "", count, state);
	}
	if (job->n_ended && used < n)
		snprintf(ret + used, n - used, "%s%zu ended", used ? ", " : "", job->n_ended);
}

static void read_name(pid_t pid, char *ret, size_t n)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	FILE *f = fopen(path, "re");
	if (f && fgets(ret, (int)n, f))
		ret[strcspn(ret, "\n")] = '\0';
	if (f)
		fclose(f);
}

static void set_launcher(struct row *r, pid_t pid)
{
	r->launcher = pid;
	read_name(pid, r->launcher_name, sizeof(r->launcher_name));
}

/* The owner of a process of the job. */
static void set_user(struct row *r, pid_t pid)
{
	uid_t owner;

	if (host_owner(pid, &owner))
		host_user_name(owner, r->user, sizeof(r->user));
}

static void add_job(struct rows *rows, const struct host_job *job)
{
	struct row *r = add_row(rows);

	if (!r)
		return;
	snprintf(r->job, sizeof(r->job), "%s", job->name);
	if (job->launcher > 0)
		set_launcher(r, job->launcher);
	r->n = (int64_t)job->n;
	r->size = job->procs[0].world_size;
	for (size_t i = 1; i < job->n; i++) /* a world that was spawned */
		if (strcmp(job->procs[i].job, job->procs[i - 1].job) != 0 && r->size >= 0)
			r->size += job->procs[i].world_size;
	for (size_t i = 0; i < job->n; i++) {
		double age;
		if (host_process_age(job->procs[i].pid, &age) && (int64_t)age > r->seconds)
			r->seconds = (int64_t)age;
	}
	set_user(r, job->procs[0].pid);
	count_states(job, r->state, sizeof(r->state));
	snprintf(r->program, sizeof(r->program), "%s", job->procs[0].executable);
}

static enum cmd_exit add_local(struct rows *rows)
{
	struct host_error err = { 0 };
	struct host_job *jobs = NULL;
	size_t n = 0;
	enum host_errc rc = host_jobs(&jobs, &n, &err);

	for (size_t i = 0; i < n; i++) {
		add_job(rows, &jobs[i]);
		host_job_deinit(&jobs[i]);
	}
	free(jobs);
	if (rc != HOST_OK)
		cmd_message("jobs: %s", err.text);
	return cmd_exit_of(rc);
}

/* ---- launchers of this machine whose ranks are on others ------------------------------------------------- */

static bool is_launcher(const struct rows *rows, pid_t pid)
{
	static const char *const names[] = { "mpirun", "mpiexec", "orterun", "prterun", "prte" };
	char name[64];
	uid_t owner;

	hs_process_name(pid, name, sizeof(name), NULL);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(name, names[i]) != 0 || !host_owner(pid, &owner) || (geteuid() != 0 && owner != geteuid()))
			continue;
		for (size_t k = 0; k < rows->n; k++)
			if (rows->v[k].launcher == pid)
				return false;
		return true;
	}
	return false;
}

/* The command line, with spaces between the words. */
static void read_command(pid_t pid, char *ret, size_t n)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)pid);
	FILE *f = fopen(path, "re");
	size_t used = f ? fread(ret, 1, n - 1, f) : 0;
	if (f)
		fclose(f);
	while (used && !ret[used - 1])
		used--;
	for (size_t i = 0; i < used; i++)
		if (!ret[i])
			ret[i] = ' ';
	ret[used] = '\0';
}

static void add_launcher(struct rows *rows, pid_t pid)
{
	struct hs_launcher l = { .job = "" };
	double age;

	hs_launcher_look(pid, &l);
	struct row *r = *l.job && l.n_hosts ? add_row(rows) : NULL;
	if (r) {
		snprintf(r->job, sizeof(r->job), "%.*s", (int)strcspn(l.job, ","), l.job);
		set_launcher(r, pid);
		set_user(r, pid);
		if (host_process_age(pid, &age))
			r->seconds = (int64_t)age;
		for (size_t i = 0, used = 0; i < l.n_hosts && used < sizeof(r->state); i++)
			used += (size_t)snprintf(r->state + used, sizeof(r->state) - used, "%s%s", i ? "," : "on ",
						 l.hosts[i]);
		read_command(pid, r->program, sizeof(r->program));
	}
	hs_launcher_deinit(&l);
}

/* The ranks of other jobs are here, or Slurm lists them. */
static void add_launchers(struct rows *rows)
{
	DIR *proc = opendir("/proc");

	for (const struct dirent *e; proc && (e = readdir(proc));) {
		char *end;
		long pid = strtol(e->d_name, &end, 10);
		if (pid > 0 && !*end && is_launcher(rows, (pid_t)pid))
			add_launcher(rows, (pid_t)pid);
	}
	if (proc)
		closedir(proc);
}

/* ---- Slurm ----------------------------------------------------------------------------------------------- */

/* Does a line show this job of Slurm, or a step of it? */
static bool is_shown(const struct rows *rows, size_t n, const char *id)
{
	size_t length = strlen(id);

	for (size_t i = 0; i < n; i++)
		if (strncmp(rows->v[i].job, "slurm:", 6) == 0 && strncmp(rows->v[i].job + 6, id, length) == 0 &&
		    (!rows->v[i].job[6 + length] || rows->v[i].job[6 + length] == '.'))
			return true;
	return false;
}

static void add_slurm(struct rows *rows)
{
	struct hs_slurm_job *list = NULL;
	size_t n = 0, n_local = rows->n;
	char user[32];

	snprintf(user, sizeof(user), "%u", (unsigned)geteuid());
	hs_slurm_jobs(geteuid() == 0 ? NULL : user, &list, &n);
	for (size_t i = 0; i < n; i++) {
		struct row *r = is_shown(rows, n_local, list[i].id) ? NULL : add_row(rows);
		if (!r)
			continue;
		snprintf(r->job, sizeof(r->job), "slurm:%s", list[i].id);
		snprintf(r->user, sizeof(r->user), "%s", list[i].user);
		for (char *c = list[i].state; *c; c++)
			if (*c >= 'A' && *c <= 'Z')
				*c = (char)(*c - 'A' + 'a');
		snprintf(r->state, sizeof(r->state), "%s%s%.90s", list[i].state, *list[i].nodes ? " on " : "",
			 list[i].nodes);
		snprintf(r->program, sizeof(r->program), "%s", list[i].name);
		r->seconds = list[i].seconds;
	}
	free(list);
}

/* ---- output ---------------------------------------------------------------------------------------------- */

static void since_words(int64_t seconds, char ret[32])
{
	long long s = (long long)seconds;

	if (s < 0)
		snprintf(ret, 32, "?");
	else if (s < 100)
		snprintf(ret, 32, "%lld s", s);
	else if (s < 6000)
		snprintf(ret, 32, "%lld min", s / 60);
	else
		snprintf(ret, 32, "%lld h", s / 3600);
}

enum { COLUMNS = 7 };

static void cell(const struct row *r, int column, char *ret, size_t n)
{
	static const char *const headings[COLUMNS] = {
		"job", "launcher", "ranks", "user", "since", "state", "program"
	};
	char since[32];

	if (!r) {
		snprintf(ret, n, "%s", headings[column]);
		return;
	}
	since_words(r->seconds, since);
	switch (column) {
	case 0:
		snprintf(ret, n, "%s", *r->job ? r->job : "?");
		break;
	case 1:
		snprintf(ret, n, r->launcher > 0 ? "%s %lld" : "%.0s%.0lld", r->launcher_name, (long long)r->launcher);
		if (r->launcher <= 0)
			snprintf(ret, n, "-");
		break;
	case 2:
		if (r->n < 0)
			snprintf(ret, n, "-");
		else if (r->size > r->n)
			snprintf(ret, n, "%lld of %lld", (long long)r->n, (long long)r->size);
		else
			snprintf(ret, n, "%lld", (long long)r->n);
		break;
	case 3:
		snprintf(ret, n, "%s", *r->user ? r->user : "?");
		break;
	case 4:
		snprintf(ret, n, "%s", since);
		break;
	case 5:
		snprintf(ret, n, "%s", *r->state ? r->state : "?");
		break;
	default:
		snprintf(ret, n, "%s", *r->program ? r->program : "?");
	}
}

static void print_text(const struct rows *rows)
{
	int width[COLUMNS] = { 0 };
	char text[4200];

	for (size_t i = 0; i <= rows->n; i++)
		for (int c = 0; c < COLUMNS; c++) {
			cell(i ? &rows->v[i - 1] : NULL, c, text, sizeof(text));
			int n = cmd_width(text);
			width[c] = n > width[c] ? n : width[c];
		}
	for (size_t i = 0; i <= rows->n; i++)
		for (int c = 0; c < COLUMNS; c++) {
			cell(i ? &rows->v[i - 1] : NULL, c, text, sizeof(text));
			cmd_put(text, c + 1 < COLUMNS ? width[c] + 2 : 0);
			if (c + 1 == COLUMNS)
				putchar('\n');
		}
}

static void set_text(json_t *o, const char *key, const char *text)
{
	if (*text)
		json_object_set_new(o, key, json_string(text));
}

static void set_number(json_t *o, const char *key, int64_t number)
{
	if (number >= 0)
		json_object_set_new(o, key, json_integer(number));
}

static void print_json(const struct rows *rows)
{
	json_t *o = json_pack("{s:s, s:s}", "schema", "mpidbg/1", "command", "jobs"), *list = json_array();

	for (size_t i = 0; i < rows->n; i++) {
		const struct row *r = &rows->v[i];
		json_t *job = json_object();
		set_text(job, "job", r->job);
		set_number(job, "launcher", r->launcher);
		set_text(job, "launcher_name", r->launcher_name);
		set_number(job, "ranks", r->n);
		set_number(job, "size", r->size);
		set_text(job, "user", r->user);
		set_number(job, "seconds", r->seconds);
		set_text(job, "state", r->state);
		set_text(job, "program", r->program);
		json_array_append_new(list, job);
	}
	json_object_set_new(o, "jobs", list);
	cmd_json_dump(o, stdout, JSON_INDENT(1));
	putchar('\n');
	json_decref(o);
}

int cmd_jobs(int argc, char **argv)
{
	struct cmd_options o;
	struct rows rows = { .n = 0 };
	int rc;

	if (!cmd_options_parse(&about, argc, argv, &o, &rc))
		return rc;
	rc = add_local(&rows);
	add_launchers(&rows);
	add_slurm(&rows);
	if (rows.no_memory) {
		cmd_message("jobs: out of memory");
		rc = CMD_PARTIAL;
	}
	if (o.json)
		print_json(&rows);
	else if (rows.n)
		print_text(&rows);
	if (!rows.n && rc == CMD_DONE) {
		cmd_message("jobs: no MPI job that %s runs here",
			    geteuid() == 0 ? "can be recognized" : "this user may look at");
		rc = CMD_ABSENT;
	}
	free(rows.v);
	cmd_options_deinit(&o);
	return rc;
}
