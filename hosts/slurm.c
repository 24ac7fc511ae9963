/* SPDX-License-Identifier: BSD-3-Clause */
#include "slurm.h"

#include "child.h"
#include "way.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIMIT_S = 20, STEPS_MAX = 64 };

__attribute__((sentinel)) static char *run(char *why, size_t n_why, ...)
{
	struct hs_words words = { 0 };
	va_list args;

	va_start(args, n_why);
	for (const char *word; (word = va_arg(args, const char *));)
		hs_words_add(&words, word);
	va_end(args);
	char *ret = words.no_memory ? NULL : hs_child_output(words.v, LIMIT_S, why, n_why);
	hs_words_deinit(&words);
	return ret;
}

/* "4711", "4711_3", "4711+1", with or without ".0" */
static bool is_job(const char *text)
{
	size_t n = strspn(text, "0123456789");

	if (!n || n > 20)
		return false;
	text += n;
	if (*text == '_' || *text == '+') {
		n = strspn(++text, "0123456789");
		if (!n || n > 20)
			return false;
		text += n;
	}
	if (*text == '.') {
		n = strspn(++text, "0123456789");
		if (!n || n > 20)
			return false;
		text += n;
	}
	return !*text;
}

static bool add_nodes(struct hs_slurm *s, const char *list)
{
	char *names = run(s->why, sizeof(s->why), "scontrol", "show", "hostnames", list, (char *)NULL), *rest = NULL;

	if (!names)
		return false;
	for (char *name = strtok_r(names, "\n", &rest); name; name = strtok_r(NULL, "\n", &rest)) {
		char **more = hs_is_host(name) ? realloc(s->nodes, (s->n_nodes + 1) * sizeof(*more)) : NULL;
		if (!more)
			continue;
		s->nodes = more;
		s->nodes[s->n_nodes] = strdup(name);
		s->n_nodes += s->nodes[s->n_nodes] != NULL;
	}
	free(names);
	if (!s->n_nodes)
		snprintf(s->why, sizeof(s->why), "Slurm lists no nodes of job %s", s->job);
	return s->n_nodes > 0;
}

/*
 * Is it the step in which mpirun or mpiexec has started its daemons, whose ranks are in no step of their own, or that
 * of agents which another user of mpidbg has started?
 */
static bool is_daemons(const char *name)
{
	return strcmp(name, HS_STEP_NAME) == 0 || strcmp(name, "orted") == 0 || strcmp(name, "prted") == 0 ||
	       strncmp(name, "hydra_", 6) == 0;
}

/*
 * Choose the step with MPI processes: the only one that is no daemon of a launcher. Lines of squeue: "1.0|name|n[1-2]".
 *
 * @param wanted "0"; "": none was named
 * @param[out] list its nodes; NULL: the whole job
 */
static bool choose_step(struct hs_slurm *s, char *lines, const char *wanted, const char **list)
{
	char *rest = NULL, names[300] = "";
	size_t n = 0;

	*list = NULL;
	for (char *line = strtok_r(lines, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		char *dot = strchr(line, '.'), *bar = strchr(line, '|'), *nodes = bar ? strchr(bar + 1, '|') : NULL;
		if (!dot || !nodes || dot > bar)
			continue;
		*bar = '\0';
		*nodes++ = '\0';
		if (strspn(dot + 1, "0123456789") != strlen(dot + 1)) /* .batch, .extern, .interactive */
			continue;
		if (*wanted ? strcmp(dot + 1, wanted) != 0 : is_daemons(bar + 1))
			continue;
		n++;
		snprintf(s->step, sizeof(s->step), "%.30s", dot + 1);
		*list = nodes;
		size_t used = strlen(names);
		snprintf(names + used, sizeof(names) - used, "%s%.20s.%.8s (%.30s)", used ? ", " : "", s->job, dot + 1,
			 bar + 1);
	}
	if (n == 1)
		return true;
	*list = NULL;
	s->step[0] = '\0';
	if (*wanted)
		snprintf(s->why, sizeof(s->why), "job %s has no step %s that runs", s->job, wanted);
	else if (n)
		snprintf(s->why, sizeof(s->why), "job %s has several steps: %s: name one of them", s->job, names);
	return !*wanted && !n;
}

bool hs_slurm_find(const char *job, struct hs_slurm *ret)
{
	struct hs_slurm s = { .job = "" };
	char name[64], wanted[32] = "", state[32] = "", id[32] = "", list[32768] = "";
	const char *nodes = NULL;
	char *steps = NULL;

	*ret = s;
	if (!is_job(job) || strlen(job) >= sizeof(name)) {
		snprintf(ret->why, sizeof(ret->why),
			 "\"%s\" is no job of Slurm: slurm:4711, slurm:4711.0 or slurm:4711_3", job);
		return false;
	}
	snprintf(name, sizeof(name), "%s", job);
	char *dot = strchr(name, '.');
	if (dot) {
		*dot = '\0';
		snprintf(wanted, sizeof(wanted), "%s", dot + 1);
	}
	snprintf(s.job, sizeof(s.job), "%.31s", name);
	char *line = run(s.why, sizeof(s.why), "squeue", "--noheader", "--jobs", name, "--format", "%T|%A|%U|%G|%N",
			 (char *)NULL);
	bool ok = line != NULL;
	if (ok && sscanf(line, " %31[^|]|%31[^|]|%31[^|]|%31[^|]|%32767[^\n]", state, id, s.user, s.group, list) < 4) {
		snprintf(s.why, sizeof(s.why), "Slurm has no job %s", name);
		ok = false;
	} else if (ok && !*list) {
		snprintf(s.why, sizeof(s.why), "job %s does not run: its state is %s", name, state);
		ok = false;
	}
	free(line);
	if (ok) {
		snprintf(s.job, sizeof(s.job), "%s", id);
		steps = run(s.why, sizeof(s.why), "squeue", "--noheader", "--steps", "--jobs", name, "--format",
			    "%i|%j|%N", (char *)NULL);
		ok = steps && choose_step(&s, steps, wanted, &nodes) && add_nodes(&s, nodes ? nodes : list);
	}
	free(steps);
	if (!ok && !*s.why)
		snprintf(s.why, sizeof(s.why), "squeue: failed");
	*ret = s;
	if (!ok) {
		hs_slurm_deinit(ret);
		snprintf(ret->why, sizeof(ret->why), "%s", s.why);
	}
	return ok;
}

bool hs_slurm_is_over(const char *job)
{
	static const char *const over[] = { "COMPLET", "CANCELLED", "FAILED",   "TIMEOUT",  "NODE_FAIL",
					    "OUT_OF",  "PREEMPTED", "DEADLINE", "BOOT_FAIL" };
	char name[64], why[512] = "";

	if (!is_job(job) || strcspn(job, ".") >= sizeof(name))
		return true;
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(job, "."), job);
	char *state = run(why, sizeof(why), "squeue", "--noheader", "--jobs", name, "--format", "%T", (char *)NULL);
	size_t n = state ? strspn(state, " \n") : 0;
	/* jobs that ended lately are in no list, or listed as what they became; later ones are unknown */
	bool ret = state ? !state[n] : strstr(why, "Invalid job id") != NULL;
	for (size_t i = 0; state && i < sizeof(over) / sizeof(over[0]); i++)
		ret |= strncmp(state + n, over[i], strlen(over[i])) == 0;
	free(state);
	return ret;
}

bool hs_slurm_cancel(const char *job)
{
	char *out = is_job(job) ? run(NULL, 0, "scancel", job, (char *)NULL) : NULL;

	bool ok = out != NULL;

	free(out);
	return ok;
}

bool hs_slurm_step_of(const char *host, pid_t srun, pid_t parent, char *ret, size_t n)
{
	char *text = run(NULL, 0, "scontrol", "show", "steps", (char *)NULL), *rest = NULL, step[64] = "", on[256];
	bool found = false;

	for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line && !found;
	     line = strtok_r(NULL, "\n", &rest)) {
		const char *at = strstr(line, "SrunHost:Pid=");
		int pid;
		sscanf(line, "StepId=%63s", step);
		if (!at || sscanf(at, "SrunHost:Pid=%255[^:]:%d", on, &pid) != 2)
			continue;
		size_t length = strcspn(on, ".");
		found = (pid == srun || pid == parent) && length == strcspn(host, ".") &&
			strncmp(on, host, length) == 0;
	}
	free(text);
	if (found)
		snprintf(ret, n, "%s", step);
	return found;
}

/* "2-03:04:05", "1:02", in seconds */
static int64_t seconds_of(const char *text)
{
	int64_t days = 0, ret = 0;
	char *end;

	if (strchr(text, '-')) {
		days = strtoll(text, &end, 10);
		text = *end == '-' ? end + 1 : end;
	}
	for (; *text >= '0' && *text <= '9'; text = *end == ':' ? end + 1 : end)
		ret = ret * 60 + strtoll(text, &end, 10);
	return days * 86400 + ret;
}

bool hs_slurm_jobs(const char *user, struct hs_slurm_job **ret, size_t *n)
{
	static char format[] = "%A|%T|%M|%u|%N|%j";
	char *text = user ? run(NULL, 0, "squeue", "--noheader", "--user", user, "--format", format, (char *)NULL)
			  : run(NULL, 0, "squeue", "--noheader", "--format", format, (char *)NULL);
	char *rest = NULL, time[32];
	struct hs_slurm_job *list = NULL;
	size_t n_list = 0;

	for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line; line = strtok_r(NULL, "\n", &rest)) {
		struct hs_slurm_job job = { .id = "" };
		int used = 0;
		if (sscanf(line, " %63[^|]|%31[^|]|%31[^|]|%63[^|]|%n", job.id, job.state, time, job.user, &used) !=
			    4 ||
		    !used)
			continue;
		char *bar = strchr(line + used, '|');
		if (bar) {
			snprintf(job.nodes, sizeof(job.nodes), "%.*s", (int)(bar - line - used), line + used);
			snprintf(job.name, sizeof(job.name), "%s", bar + 1);
		}
		job.seconds = seconds_of(time);
		struct hs_slurm_job *more = realloc(list, (n_list + 1) * sizeof(*more));
		if (!more)
			break;
		list = more;
		list[n_list++] = job;
	}
	bool ok = text != NULL;
	free(text);
	*ret = list;
	*n = n_list;
	return ok;
}

void hs_slurm_deinit(struct hs_slurm *s)
{
	for (size_t i = 0; i < s->n_nodes; i++)
		free(s->nodes[i]);
	free(s->nodes);
	*s = (struct hs_slurm){ .job = "" };
}
