/* SPDX-License-Identifier: BSD-3-Clause */
#include "launcher.h"

#include "way.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	FILE_MAX = 1 << 20, /* a command line or environment */
	DEPTH_MAX = 4,      /* a launcher, a shell, an agent */
	HOSTS_MAX = 100000
};

/* A file of /proc, up to FILE_MAX bytes; NUL-terminated. */
static char *read_file(pid_t pid, const char *name, size_t *n_ret)
{
	char path[64], bytes[4096], *text = NULL;
	size_t n = 0, got;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	FILE *f = fopen(path, "re");
	FILE *copy = f ? open_memstream(&text, n_ret) : NULL;
	while (copy && n < FILE_MAX && (got = fread(bytes, 1, sizeof(bytes), f)) > 0)
		n += fwrite(bytes, 1, got, copy);
	if (f)
		fclose(f);
	if (copy && fclose(copy) != 0) {
		free(text);
		text = NULL;
	}
	return text;
}

void hs_process_name(pid_t pid, char *ret, size_t n, pid_t *parent)
{
	size_t n_text;
	char *text = read_file(pid, "stat", &n_text);
	char *open = text ? strchr(text, '(') : NULL, *close = text ? strrchr(text, ')') : NULL;
	int above = 0;

	snprintf(ret, n, "%s", "");
	if (open && close && open < close) {
		sscanf(close + 1, " %*c %d", &above);
		*close = '\0';
		open[1 + strcspn(open + 1, ".")] = '\0';
		snprintf(ret, n, "%s", open + 1);
	}
	if (parent)
		*parent = above;
	free(text);
}

/* ---- one command line --------------------------------------------------------------------------------- */

/*
 * The next argument of a command line. Arguments of ssh are also lines for a shell, so words end at spaces too, and
 * quotes are dropped. @return NULL: no more
 */
static char *next_word(char **at, char *end)
{
	while (*at < end && (!**at || strchr(" \t\"'", **at)))
		++*at;
	if (*at >= end)
		return NULL;
	char *word = *at;
	while (*at < end && **at && !strchr(" \t\"'", **at))
		++*at;
	if (*at < end)
		*(*at)++ = '\0';
	return word;
}

static void add_host(struct hs_launcher *l, const char *name)
{
	if (!hs_is_host(name) || l->n_hosts >= HOSTS_MAX)
		return;
	for (size_t i = 0; i < l->n_hosts; i++)
		if (strcmp(l->hosts[i], name) == 0)
			return;
	char **more = realloc(l->hosts, (l->n_hosts + 1) * sizeof(*more));
	if (!more)
		return;
	l->hosts = more;
	l->hosts[l->n_hosts] = strdup(name);
	l->n_hosts += l->hosts[l->n_hosts] != NULL;
}

/* Names of a job in arguments of daemons, and what mpidbg agent calls them. */
static const struct {
	const char *argument, *kind;
} names[] = {
	{ "--control-port", "hydra" }, /* MPICH: hydra_pmi_proxy */
	{ "ess_base_jobid", "pmix" },  /* Open MPI 4: orted */
	{ "ess_base_nspace", "pmix" }, /* Open MPI 5: prted */
};

/* Is it one of the names in the list? */
static bool has_name(const char *list, const char *name)
{
	size_t n = strlen(name);

	for (const char *at = list; (at = strstr(at, name)); at += n)
		if (at > list && strchr(":,", at[-1]) && (!at[n] || at[n] == ','))
			return true;
	return false;
}

/* Of MPICH, whose mpiexec has an address for each world, all names; else the last one. */
static void add_name(struct hs_launcher *l, const char *kind, const char *name)
{
	size_t n = strlen(l->job), length = strlen(name);

	if (strcmp(kind, "hydra") != 0 || strncmp(l->job, "hydra:", 6) != 0)
		snprintf(l->job, sizeof(l->job), "%s:%.180s", kind, name);
	else if (!has_name(l->job, name) && n + 1 + length < sizeof(l->job))
		snprintf(l->job + n, sizeof(l->job) - n, ",%s", name);
}

/* @return true: this is a process by which the launcher has reached a host */
static bool look_words(char *text, size_t n, bool is_srun, struct hs_launcher *l)
{
	/* options of ssh that take an argument */
	static const char with_argument[] = "BbcDEeFIiJLlmOopQRSWw";
	char *at = text, *end = text + n, *before = next_word(&at, end), *host = NULL;
	bool found = false;

	for (char *word; (word = next_word(&at, end));) {
		if (!is_srun && !host && word[0] == '-' && word[1] && strchr(with_argument, word[1]) && !word[2])
			next_word(&at, end);
		else if (!is_srun && !host && word[0] != '-')
			host = word;
		for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
			if (!before || strcmp(before, names[i].argument) != 0 || !hs_is_host(word))
				continue;
			add_name(l, names[i].kind, word);
			found = true;
		}
		before = word;
	}
	if (found && host)
		add_host(l, host);
	return found;
}

static void look_below(pid_t pid, unsigned depth, struct hs_launcher *l);

static void look_child(pid_t pid, unsigned depth, struct hs_launcher *l)
{
	char name[64];
	size_t n;
	pid_t parent;

	hs_process_name(pid, name, sizeof(name), &parent);
	bool is_srun = strcmp(name, "srun") == 0;
	bool is_remote = is_srun || strcmp(name, "ssh") == 0 || strcmp(name, "rsh") == 0;
	char *text = read_file(pid, "cmdline", &n);
	if (text && is_remote) {
		bool found = look_words(text, n, is_srun, l);
		l->by_srun |= found && is_srun;
		if (is_srun && !found && !l->srun) {
			l->srun = pid;
			l->srun_parent = parent;
		}
	} else if (text && strncmp(name, "hydra_pmi_proxy", 15) == 0) {
		look_words(text, n, true, l); /* of this machine: gives the name of the job */
	} else if (text) {
		look_below(pid, depth + 1, l); /* a shell around ssh */
	}
	free(text);
}

static void look_below(pid_t pid, unsigned depth, struct hs_launcher *l)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	DIR *d = depth < DEPTH_MAX ? opendir(path) : NULL;
	for (struct dirent *e; d && (e = readdir(d));) {
		char name[300];
		size_t n;
		if (e->d_name[0] == '.')
			continue;
		snprintf(name, sizeof(name), "task/%s/children", e->d_name);
		char *text = read_file(pid, name, &n), *rest = NULL;
		for (char *word = text ? strtok_r(text, " \n", &rest) : NULL; word; word = strtok_r(NULL, " \n", &rest))
			look_child((pid_t)atol(word), depth, l);
		free(text);
	}
	if (d)
		closedir(d);
}

void hs_launcher_look(pid_t pid, struct hs_launcher *ret)
{
	struct hs_launcher l = { .job = "" };
	size_t n = 0;
	char *environment = read_file(pid, "environ", &n);

	look_below(pid, 0, &l);
	for (char *at = environment; at && at < environment + n; at += strlen(at) + 1)
		if (strncmp(at, "SLURM_JOB_ID=", 13) == 0 && strspn(at + 13, "0123456789") == strlen(at + 13))
			snprintf(l.slurm_job, sizeof(l.slurm_job), "%.31s", at + 13);
	free(environment);
	*ret = l;
}

/* sattach itself puts a NUL in place of the dot: "4711.0" becomes two words. */
bool hs_sattach_step(pid_t pid, char *ret, size_t n)
{
	size_t n_text;
	char *text = read_file(pid, "cmdline", &n_text);
	const char *job = NULL;
	bool found = false;

	for (const char *at = text; at && at < text + n_text; at += strlen(at) + 1) {
		bool numbers = *at && strspn(at, "0123456789._+") == strlen(at);
		if (numbers && strchr(at, '.'))
			found = snprintf(ret, n, "%s", at) < (int)n;
		else if (numbers && job)
			found = snprintf(ret, n, "%s.%s", job, at) < (int)n;
		job = numbers ? at : NULL;
	}
	free(text);
	return found;
}

void hs_launcher_deinit(struct hs_launcher *l)
{
	for (size_t i = 0; i < l->n_hosts; i++)
		free(l->hosts[i]);
	free(l->hosts);
	*l = (struct hs_launcher){ .job = "" };
}
