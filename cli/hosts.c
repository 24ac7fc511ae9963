/* SPDX-License-Identifier: BSD-3-Clause */
#include "hosts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

/* Seconds. */
#define START_S  1.0  /* hosts that have begun within this time have a common moment */
#define MORE_S   0.5  /* in addition to the time that the slowest host needed before */
#define MARGIN_S 0.02 /* clocks of hosts differ by less, or so much that it is noticed */
#define SKEW_S   0.1  /* a clock that differs by more than this from what is possible is another one */

enum { ROUNDS = 2 };

/* ---- asking ----------------------------------------------------------------------------------------------- */

static void show_progress(void *ctx, const struct hs_answers *a, size_t n_over)
{
	const struct cmd_options *o = ctx;
	const char *waits_for = "";

	for (size_t i = 0; i < a->n && !*waits_for; i++)
		if (!a->hosts[i].answered && !*a->hosts[i].why)
			waits_for = a->hosts[i].name;
	cmd_progress(o->progress, "%zu of %zu hosts (%s)%s%s", n_over, a->n, a->way, *waits_for ? ", waiting for " : "",
		     waits_for);
}

/* The path of this command, where it is looked for on the other hosts first. */
static void own_path(char *ret, size_t n)
{
	const char *given = getenv("MPIDBG_ON_HOSTS");
	ssize_t length = -1;

	if (given)
		snprintf(ret, n, "%s", given);
	else
		length = readlink("/proc/self/exe", ret, n - 1);
	if (length >= 0)
		ret[length] = '\0';
	static const char safe[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._+-@:,=";
	if ((!given && length <= 0) || ret[strspn(ret, safe)])
		snprintf(ret, n, "mpidbg");
}

/* The file that --copy copies: $MPIDBG_STATIC, that beside this command, or this command. @return false: there is none
 */
static bool find_static(char *ret, size_t n)
{
	const char *given = getenv("MPIDBG_STATIC");
	char own[4096];
	ssize_t length = readlink("/proc/self/exe", own, sizeof(own) - 1);

	own[length > 0 ? length : 0] = '\0';
	if (given)
		snprintf(ret, n, "%s", given);
	else if (host_is_static())
		snprintf(ret, n, "%s", own);
	else
		snprintf(ret, n, "%s-static", own);
	return access(ret, X_OK) == 0;
}

/* Can --copy do what it is asked for? */
static bool can_copy(const struct cmd_options *o, const struct cmd_plan *p, struct cmd_lines *problems)
{
	char path[4200];

	if (o->copy && !hs_way_copies(p->way))
		cmd_lines_add(problems, "--copy: not by %s: by srun, ssh or 'COMMAND %%h'", p->way);
	else if (o->copy && !find_static(path, sizeof(path)))
		cmd_lines_add(problems,
			      "--copy: this command is not static, and there is no %s: \"make static\" makes it, "
			      "$MPIDBG_STATIC names it",
			      path);
	else
		return true;
	return false;
}

/* Name the copy so that no other user can have a file or a link of this name. @return false: there are no random bytes
 */
static bool name_copy(const char *folder, char *ret, size_t n)
{
	uint64_t random[2];

	return getrandom(random, sizeof(random), 0) == (ssize_t)sizeof(random) &&
	       snprintf(ret, n, "%s/mpidbg.%016" PRIx64 "%016" PRIx64, folder ? folder : "/tmp", random[0], random[1]) <
		       (int)n;
}

static bool ask(const struct cmd_options *o, const struct cmd_plan *p, const char *show, double until_s, double apart_s,
		struct hs_answers *ret)
{
	/* a kind of handle; anything else is refused there, and must not reach a shell */
	const char *word = o->n_words ? o->words[0] : "";
	struct timespec t;
	char agent[1500], path[4096], copy[4200];

	if (word[strspn(word, "abcdefghijklmnopqrstuvwxyz")])
		word = "-";

	clock_gettime(CLOCK_REALTIME, &t);
	double now = (double)t.tv_sec + (double)t.tv_nsec / 1e9;
	int n = snprintf(agent, sizeof(agent), "agent %s --until %.3f --apart %.3f%s%s", p->name, now + until_s,
			 apart_s, o->any_owner ? " --any-owner" : "", o->debuginfod ? " --debuginfod" : "");
	if (show && n > 0 && (size_t)n < sizeof(agent))
		snprintf(agent + n, sizeof(agent) - (size_t)n, " --show %s%s%s%s%s%s%s", show, o->n_words ? ":" : "",
			 word, o->json ? " --json" : "", o->all ? " --all" : "", o->leaks ? " --leaks" : "",
			 o->freed ? " --freed" : "");
	own_path(path, sizeof(path));
	struct hs_request r = { .way = p->way,
				.slurm_job = p->slurm_job,
				.slurm_user = *p->slurm_user ? p->slurm_user : NULL,
				.slurm_group = p->slurm_group,
				.flux_ranks = p->flux_ranks,
				.launcher = p->launcher,
				.hosts = (const char *const *)p->hosts,
				.here = p->here,
				.n_hosts = p->n_hosts,
				.agent = agent,
				.mpidbg = path,
				.copy = o->copy && find_static(copy, sizeof(copy)) ? copy : NULL,
				.copy_folder = o->copy_folder,
				.limit_s = o->limit_s };
	if (r.copy && strcmp(r.way, "srun") == 0 && !name_copy(o->copy_folder, r.copied, sizeof(r.copied)))
		return false;
	bool ok = hs_gather(&r, show_progress, (void *)o, ret);
	cmd_progress_end();
	return ok;
}

/* ---- moments ---------------------------------------------------------------------------------------------- */

static bool take_times(const json_t *about, const char *name, double *begin, double *end)
{
	const json_t *times = json_object_get(about, name);

	if (json_array_size(times) != 2)
		return false;
	*begin = json_number_value(json_array_get(times, 0));
	*end = json_number_value(json_array_get(times, 1));
	return true;
}

static struct cmd_window window_of(const struct hs_answers *a, const struct hs_host *h)
{
	struct cmd_window w = { .any = false };
	json_t *about = h->answered ? json_loadb(h->about.text, h->about.n, 0, NULL) : NULL;
	double begin, end;

	w.started = json_integer_value(json_object_get(about, "started"));
	w.any = about && take_times(about, "first", &begin, &w.first) && take_times(about, "second", &w.second, &end);
	/* it cannot have begun before it was asked, nor have ended after its answer was here */
	w.clock = w.any && begin > a->started - SKEW_S && w.first < a->started + h->first_s + SKEW_S;
	json_decref(about);
	return w;
}

/* Is there a time at which each host was between its moments? */
static bool have_common_time(const struct hs_answers *a, struct cmd_window *w)
{
	double latest = 0, earliest = 0, slowest = 0, shortest = 0;
	bool clocks = true, any = false;

	for (size_t i = 0; i < a->n; i++) {
		w[i] = window_of(a, &a->hosts[i]);
		if (!w[i].any)
			continue;
		clocks &= w[i].clock;
		latest = !any || w[i].first > latest ? w[i].first : latest;
		earliest = !any || w[i].second < earliest ? w[i].second : earliest;
		slowest = a->hosts[i].first_s > slowest ? a->hosts[i].first_s : slowest;
		double apart = w[i].second - w[i].first;
		shortest = !any || apart < shortest ? apart : shortest;
		any = true;
	}
	/* Without clocks: the last first reading was over before
	 * any host that has begun later than the question went on. */
	return !any || (clocks && latest + MARGIN_S < earliest) || shortest > slowest;
}

/* Leave out hosts until the others have a common time: the time at which most hosts are between their moments. */
static void leave_out(struct hs_answers *a, struct cmd_window *w)
{
	size_t best = 0;
	double at = 0;

	for (size_t i = 0; i < a->n; i++) {
		size_t n = 0;
		for (size_t j = 0; w[i].any && w[i].clock && j < a->n; j++)
			n += w[j].any && w[j].clock && w[j].first <= w[i].first && w[j].second > w[i].first + MARGIN_S;
		if (n > best) {
			best = n;
			at = w[i].first;
		}
	}
	for (size_t i = 0; i < a->n; i++)
		w[i].left_out = w[i].any && !(w[i].clock && w[i].first <= at && w[i].second > at + MARGIN_S);
}

/* Ask all hosts until they have a common time. */
static bool ask_until_common(const struct cmd_options *o, const struct cmd_plan *p, struct hs_answers *a,
			     struct cmd_window *w)
{
	double slowest = 0, until_s = START_S, apart_s = 0.3;

	for (int i = 0; i < ROUNDS; i++) {
		hs_answers_deinit(a);
		if (!ask(o, p, NULL, until_s, apart_s, a))
			return false;
		if (have_common_time(a, w))
			return true;
		for (size_t k = 0; k < a->n; k++)
			slowest = a->hosts[k].answered && a->hosts[k].first_s > slowest ? a->hosts[k].first_s : slowest;
		until_s = 2 * slowest + MORE_S;
		apart_s = slowest + MORE_S;
	}
	leave_out(a, w);
	return true;
}

/* ---- merging ------------------------------------------------------------------------------------------------ */

void cmd_hosts_parts(const struct cmd_hosts *h, bool second, struct cmd_lines *problems, struct cmd_parts *ret)
{
	const struct hs_answers *a = &h->answers;
	const struct cmd_window *w = h->windows;

	*ret = (struct cmd_parts){ .with_problems = true };
	for (size_t i = 0; i < a->n; i++) {
		const struct hs_text *t = second ? &a->hosts[i].second : &a->hosts[i].first;
		if (a->hosts[i].answered && w[i].any && !w[i].left_out)
			cmd_parts_add_bytes(ret, a->hosts[i].name, w[i].started, t->text, t->n, problems);
	}
	cmd_parts_merge(ret, problems);
}

bool cmd_hosts_returns(const struct cmd_hosts *h, json_t *keep, struct cmd_returns *ret)
{
	bool ok = true;

	for (size_t i = 0; i < h->answers.n; i++) {
		const struct hs_host *host = &h->answers.hosts[i];
		json_t *about = host->answered ? json_loadb(host->about.text, host->about.n, 0, NULL) : NULL;
		const char *name = json_string_value(json_object_get(about, "host"));
		if (name && !h->windows[i].left_out)
			ok = ok && cmd_returns_add(ret, json_object_get(about, "returns"), name);
		json_array_append_new(keep, about ? about : json_null());
	}
	return ok;
}

/* ---- what has not answered --------------------------------------------------------------------------------- */

/* Report a host that has answered, but with something to say. @return false: it counts as not answered */
static bool report_about(const struct hs_host *h, struct cmd_lines *problems, double *cpu_s)
{
	json_t *about = json_loadb(h->about.text, h->about.n, 0, NULL);
	const char *why = json_string_value(json_object_get(about, "why"));
	const char *version = json_string_value(json_object_get(about, "version"));

	if (why)
		cmd_lines_add(problems, "%s: %s", h->name, why);
	if (version && strcmp(version, MPIDBG_VERSION) != 0)
		cmd_lines_add(problems, "%s: its mpidbg is version %s, this one is %s", h->name, version,
			      MPIDBG_VERSION);
	double cpu = json_number_value(json_object_get(about, "cpu"));
	if (cpu > *cpu_s)
		*cpu_s = cpu;
	json_decref(about);
	return about && !why;
}

/* @return how many hosts have answered */
static size_t report_hosts(const struct hs_answers *a, const struct cmd_window *w, struct cmd_lines *problems,
			   double *cpu_s)
{
	size_t n = 0;

	for (size_t i = 0; i < a->n; i++) {
		const struct hs_host *h = &a->hosts[i];
		if (!h->answered)
			cmd_lines_add(problems, "%s: %s", h->name, h->why);
		else if (w[i].left_out)
			cmd_lines_add(problems,
				      "%s: was not read at the same time as the other hosts: its ranks count as not "
				      "read",
				      h->name);
		n += h->answered && report_about(h, problems, cpu_s) && !w[i].left_out;
	}
	return n;
}

/* ---- all of it ---------------------------------------------------------------------------------------------- */

enum cmd_exit cmd_hosts_ask(const struct cmd_options *o, struct host_plugin *plugin, const char *show,
			    struct cmd_lines *problems, struct cmd_hosts *ret)
{
	struct cmd_hosts h = { .n_answered = 0 };
	enum cmd_exit rc = cmd_plan_make(o, plugin, problems, &h.plan);

	if (rc == CMD_DONE && h.plan.n_hosts && !can_copy(o, &h.plan, problems)) {
		rc = CMD_USAGE;
	} else if (rc == CMD_DONE && h.plan.n_hosts) {
		h.windows = calloc(h.plan.n_hosts, sizeof(*h.windows));
		bool ok = h.windows && (show ? ask(o, &h.plan, show, 0, 0.1, &h.answers)
					     : ask_until_common(o, &h.plan, &h.answers, h.windows));
		if (ok) {
			h.n_answered = report_hosts(&h.answers, h.windows, problems, &h.cpu_s);
			if (h.n_answered && h.n_answered < h.answers.n)
				cmd_lines_add(problems, "%zu of %zu hosts answered (%s)", h.n_answered, h.answers.n,
					      h.answers.way);
		} else {
			cmd_lines_add(problems, "out of memory");
			rc = CMD_PARTIAL;
		}
		if (ok && !h.n_answered) {
			cmd_lines_add(problems, "job %s: no host answered", h.plan.name);
			rc = CMD_PARTIAL;
		}
	}
	*ret = h;
	return rc;
}

void cmd_hosts_deinit(struct cmd_hosts *h)
{
	free(h->windows);
	hs_answers_deinit(&h->answers);
	cmd_plan_deinit(&h->plan);
	*h = (struct cmd_hosts){ .n_answered = 0 };
}
