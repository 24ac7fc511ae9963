/* SPDX-License-Identifier: BSD-3-Clause */
#include "way.h"

#include "lines.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- words -------------------------------------------------------------------------------------------- */

void hs_words_add(struct hs_words *words, const char *word)
{
	if (words->n + 2 > words->room) {
		size_t room = words->room ? 2 * words->room : 32;
		char **v = realloc(words->v, room * sizeof(*v));
		if (!v) {
			words->no_memory = true;
			return;
		}
		words->v = v;
		words->room = room;
	}
	words->v[words->n] = strdup(word);
	if (!words->v[words->n])
		words->no_memory = true;
	else
		words->n++;
	words->v[words->n] = NULL;
}

void hs_words_printf(struct hs_words *words, const char *format, ...)
{
	va_list args;
	char *text = NULL;

	va_start(args, format);
	int n = vasprintf(&text, format, args);
	va_end(args);
	if (n < 0) {
		words->no_memory = true;
		return;
	}
	hs_words_add(words, text);
	free(text);
}

void hs_words_deinit(struct hs_words *words)
{
	for (size_t i = 0; i < words->n; i++)
		free(words->v[i]);
	free(words->v);
	*words = (struct hs_words){ 0 };
}

/* ---- ways --------------------------------------------------------------------------------------------- */

bool hs_is_host(const char *text)
{
	size_t n = strlen(text);

	if (!n || n >= HS_HOST_MAX || text[0] == '-')
		return false;
	for (; *text; text++)
		if (!isalnum((unsigned char)*text) && !strchr("._-:@", *text))
			return false;
	return true;
}

bool hs_way_is_for_all(const char *way)
{
	return strcmp(way, "srun") == 0 || strcmp(way, "flux") == 0 || strcmp(way, "pmix") == 0 ||
	       strcmp(way, "pdsh") == 0 || strcmp(way, "clush") == 0;
}

bool hs_way_is_known(const char *way)
{
	return hs_way_is_for_all(way) || strcmp(way, "ssh") == 0 || strstr(way, "%h");
}

void hs_way_name(const char *way, char *ret, size_t n)
{
	snprintf(ret, n, "%.*s", (int)strcspn(way, " "), way);
}

bool hs_way_copies(const char *way)
{
	return strcmp(way, "srun") == 0 || !hs_way_is_for_all(way);
}

const char *hs_way_input(const struct hs_request *r, size_t host)
{
	return hs_way_is_for_all(r->way) || hs_is_here(r, host) ? NULL : r->copy;
}

bool hs_is_here(const struct hs_request *r, size_t host)
{
	return r->here && r->here[host];
}

/* The hosts other than this machine, with commas between them, and their number. */
static char *host_list(const struct hs_request *r, size_t *n_ret)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	*n_ret = 0;
	for (size_t i = 0; f && i < r->n_hosts; i++)
		if (!hs_is_here(r, i))
			fprintf(f, "%s%s", (*n_ret)++ ? "," : "", r->hosts[i]);
	if (f)
		fclose(f);
	return text;
}

/* Words of the user's, separated by spaces. */
static void add_split(struct hs_words *words, const char *text)
{
	char *copy = text ? strdup(text) : NULL, *rest = NULL;

	for (char *word = copy ? strtok_r(copy, " ", &rest) : NULL; word; word = strtok_r(NULL, " ", &rest))
		hs_words_add(words, word);
	free(copy);
}

/*
 * The line for the shell of a host. It contains no single quote and no exclamation
 * mark, so that it can be quoted for every shell. A host without mpidbg says so
 * itself, because most ways do not tell from which host an error message comes.
 */
static char *shell_line(const struct hs_request *r, bool copy)
{
	static const char says[] = "echo \"" HS_LINE_WORD " ${SLURMD_NODENAME:--}";
	char *take = NULL, *ret = NULL;

	if (asprintf(&take,
		     "{ { m=$(mktemp %s/mpidbg.XXXXXX) && cat >$m && chmod 700 $m && u=--unlink; } || { rm -f \"$m\"; "
		     "exit 1; }; \"$m\" --version >/dev/null 2>&1 || { rm -f \"$m\"; %s noexec\"; exit 0; }; }",
		     r->copy_folder ? r->copy_folder : "${TMPDIR:-/tmp}", says) < 0)
		return NULL;
	if (asprintf(&ret, "u=; m=%s; [ -x \"$m\" ] || m=$(command -v mpidbg) || %s%s%s; exec \"$m\" %s $u", r->mpidbg,
		     copy ? take : "{ ", copy ? "" : says, copy ? "" : " none\"; exit 0; }", r->agent) < 0)
		ret = NULL;
	free(take);
	return ret;
}

/*
 * --overlap: the step shares the processors of the job's steps (since Slurm 20.11; without it srun would wait for
 * them). It takes no memory and no devices of its own, and a task that fails does not end those of slower hosts.
 */
static void add_srun_options(const struct hs_request *r, const char *list, size_t n, struct hs_words *ret)
{
	static const char *const options[] = { "--overlap",  "--input=none", "--gres=none",         "--mem-per-cpu=0",
					       "--mpi=none", "--quiet",      "--kill-on-bad-exit=0" };

	hs_words_add(ret, "srun");
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		hs_words_add(ret, options[i]);
	hs_words_printf(ret, "--job-name=%s", HS_STEP_NAME);
	hs_words_printf(ret, "--jobid=%s", r->slurm_job);
	hs_words_printf(ret, "--nodes=%zu", n);
	hs_words_printf(ret, "--ntasks=%zu", n);
	hs_words_printf(ret, "--nodelist=%s", list);
	if (geteuid() == 0 && r->slurm_user && strcmp(r->slurm_user, "0") != 0) {
		hs_words_printf(ret, "--uid=%s", r->slurm_user); /* Slurm lets root into a job as its user only */
		hs_words_printf(ret, "--gid=%s", r->slurm_group);
	}
	add_split(ret, getenv("MPIDBG_SRUN"));
}

/* A copy is made by $SLURM_BCAST, not by --bcast: other users could read its name there, and use it first. */
static void add_srun(const struct hs_request *r, const char *list, size_t n, const char *line, struct hs_words *ret)
{
	add_srun_options(r, list, n, ret);
	if (*r->copied) {
		hs_words_add(ret, r->copy);
		add_split(ret, r->agent);
		hs_words_add(ret, "--unlink");
		return;
	}
	hs_words_add(ret, "sh");
	hs_words_add(ret, "-c");
	hs_words_add(ret, line);
}

bool hs_way_remove_command(const struct hs_request *r, struct hs_words *ret)
{
	size_t n;
	char *list = host_list(r, &n);

	if (list) {
		add_srun_options(r, list, n, ret);
		hs_words_add(ret, "rm");
		hs_words_add(ret, "-f");
		hs_words_add(ret, r->copied);
	}
	ret->no_memory |= !list;
	free(list);
	return !ret->no_memory;
}

/* The brokers start it; the name of the host is not known here. */
static void add_flux(const struct hs_request *r, const char *line, struct hs_words *ret)
{
	static const char *const words[] = { "flux", "exec", "-n", "-r" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		hs_words_add(ret, words[i]);
	hs_words_add(ret, r->flux_ranks);
	hs_words_add(ret, "sh");
	hs_words_add(ret, "-c");
	hs_words_printf(ret, "SLURMD_NODENAME=$(uname -n); export SLURMD_NODENAME; %s", line);
}

/*
 * The launcher's daemons start it as children of theirs. What it writes is listened to only a moment later; the name of
 * the host is not known here; and it is no rank of theirs.
 */
static void add_pmix(const struct hs_request *r, const char *line, struct hs_words *ret)
{
	hs_words_add(ret, "/proc/self/exe");
	hs_words_add(ret, "pmix");
	hs_words_printf(ret, "%d", r->launcher);
	hs_words_printf(ret,
			"SLURMD_NODENAME=${SLURMD_NODENAME:-$(uname -n)}; export SLURMD_NODENAME; "
			"unset PMIX_NAMESPACE PMIX_RANK OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_SIZE; sleep 0.5; %s",
			line);
}

static void add_ssh_options(bool input, struct hs_words *ret)
{
	if (!input)
		hs_words_add(ret, "-n");
	hs_words_add(ret, "-oBatchMode=yes");
	hs_words_add(ret, "-oConnectTimeout=5");
	hs_words_add(ret, "-oServerAliveInterval=5");
	hs_words_add(ret, "-oLogLevel=ERROR");
}

/* Does the command join its arguments to a line for a shell on the host? */
static bool joins_arguments(const char *command)
{
	char name[64];

	hs_way_name(command, name, sizeof(name));
	const char *slash = strrchr(name, '/');
	const char *base = slash ? slash + 1 : name;
	return strcmp(base, "ssh") == 0 || strcmp(base, "rsh") == 0 || strcmp(base, "sshpass") == 0;
}

/* The user's command, for the shell here; the line for the shell there follows as its last arguments. */
static void add_command(const struct hs_request *r, const char *host, const char *line, struct hs_words *ret)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	if (!f) {
		ret->no_memory = true;
		return;
	}
	for (const char *at = r->way; *at; at++) {
		if (strncmp(at, "%h", 2) == 0) {
			fputs(host, f);
			at++;
		} else {
			fputc(*at, f);
		}
	}
	fputs(" \"$@\"", f);
	fclose(f);
	hs_words_add(ret, "sh");
	hs_words_add(ret, "-c");
	hs_words_add(ret, text);
	hs_words_add(ret, "sh");
	if (joins_arguments(r->way)) {
		hs_words_printf(ret, "sh -c '%s'", line);
	} else {
		hs_words_add(ret, "sh");
		hs_words_add(ret, "-c");
		hs_words_add(ret, line);
	}
	free(text);
}

bool hs_way_command(const struct hs_request *r, size_t host, struct hs_words *ret)
{
	size_t n;
	char *line = shell_line(r, hs_way_input(r, host) != NULL), *list = host_list(r, &n);

	if (!line || !list) {
		ret->no_memory = true;
	} else if (hs_is_here(r, host)) {
		hs_words_add(ret, "sh");
		hs_words_add(ret, "-c");
		hs_words_add(ret, line);
	} else if (strcmp(r->way, "srun") == 0) {
		add_srun(r, list, n, line, ret);
	} else if (strcmp(r->way, "flux") == 0) {
		add_flux(r, line, ret);
	} else if (strcmp(r->way, "pmix") == 0) {
		add_pmix(r, line, ret);
	} else if (strcmp(r->way, "pdsh") == 0) {
		hs_words_add(ret, "pdsh");
		if (!getenv("PDSH_RCMD_TYPE")) {
			hs_words_add(ret, "-R");
			hs_words_add(ret, "ssh");
		}
		hs_words_add(ret, "-f");
		hs_words_add(ret, "64");
		hs_words_add(ret, "-w");
		hs_words_add(ret, list);
		hs_words_printf(ret, "sh -c '%s'", line);
	} else if (strcmp(r->way, "clush") == 0) {
		hs_words_add(ret, "clush");
		hs_words_add(ret, "--nostdin");
		hs_words_add(ret, "--color=never");
		hs_words_add(ret, "-o");
		hs_words_add(ret, "-oBatchMode=yes");
		hs_words_add(ret, "-w");
		hs_words_add(ret, list);
		hs_words_printf(ret, "sh -c '%s'", line);
	} else if (strcmp(r->way, "ssh") == 0) {
		hs_words_add(ret, "ssh");
		add_ssh_options(hs_way_input(r, host) != NULL, ret);
		hs_words_add(ret, r->hosts[host]);
		hs_words_printf(ret, "sh -c '%s'", line);
	} else {
		add_command(r, r->hosts[host], line, ret);
	}
	free(line);
	free(list);
	return !ret->no_memory;
}
