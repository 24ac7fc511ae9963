/* SPDX-License-Identifier: BSD-3-Clause */
#include "options.h"

#include "commands.h"
#include "help.h"
#include "job_names.h"
#include "message.h"

#include "../hosts/way.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	OPT_CORE = 256,
	OPT_JOB,
	OPT_VIA,
	OPT_CORES,
	OPT_RANKS,
	OPT_JSON,
	OPT_ALL,
	OPT_ANY_OWNER,
	OPT_DEBUGINFOD,
	OPT_STATS,
	OPT_COLOR,
	OPT_PLUGIN,
	OPT_LAYOUT,
	OPT_PROGRESS,
	OPT_LEAKS,
	OPT_FREED,
	OPT_DIFF,
	OPT_MOVED,
	OPT_SNAPSHOT,
	OPT_DOT,
	OPT_FOLDED,
	OPT_NO_VERDICT,
	OPT_SYSROOT,
	OPT_SOURCE_DIR,
	OPT_HOSTS,
	OPT_COPY,
	OPT_UNLINK,
	OPT_LIMIT,
	OPT_WATCH,
	OPT_AFTER,
	OPT_THEN,
	OPT_UNTIL,
	OPT_APART,
	OPT_SHOW,
	OPT_FOLD
};

enum { LIMIT_S = 30, LIMIT_MAX_S = 86400 };

static const struct row {
	unsigned group;
	struct option opt;
	const char *shown; /* text in the help */
	const char *help;
} rows[] = {
	{ CMD_OPT_TARGET, { "pid", required_argument, NULL, 'p' }, "-p, --pid PID", "a live process" },
	{ CMD_OPT_TARGET, { "core", required_argument, NULL, OPT_CORE }, "    --core FILE", "a core file" },
	{ CMD_OPT_TARGET,
	  { "job", required_argument, NULL, OPT_JOB },
	  "    --job JOB",
	  "a whole job: the pid of mpirun, srun, mpi2dd-run or of any rank; slurm:ID[.STEP]; flux:ID; PID@HOST" },
	{ CMD_OPT_TARGET,
	  { "via", required_argument, NULL, OPT_VIA },
	  "    --via SOURCE",
	  "source of the process list: mpi2dd, mpir or env; or way to the other hosts of a job: srun, flux, pmix, ssh, "
	  "pdsh, "
	  "clush "
	  "or "
	  "'COMMAND %h' (default: the best available)" },
	{ CMD_OPT_HOSTS,
	  { "hosts", required_argument, NULL, OPT_HOSTS },
	  "    --hosts LIST",
	  "only these hosts of a job: n1,n3 or n[1-3]" },
	{ CMD_OPT_HOSTS,
	  { "limit", required_argument, NULL, OPT_LIMIT },
	  "    --limit SECONDS",
	  "how long to wait for each other host (30)" },
	{ CMD_OPT_HOSTS,
	  { "copy", optional_argument, NULL, OPT_COPY },
	  "    --copy[=FOLDER]",
	  "copy mpidbg-static to hosts that have no mpidbg, for this question (srun, ssh, 'COMMAND %h')" },
	{ CMD_OPT_WATCH,
	  { "watch", required_argument, NULL, OPT_WATCH },
	  "    --watch SECONDS",
	  "look at a live job several times for so long, and say what has moved" },
	{ CMD_OPT_HANG,
	  { "after", required_argument, NULL, OPT_AFTER },
	  "    --after SECONDS",
	  "write the report when nothing has moved for so long; it comes at the latest after twice this time" },
	{ CMD_OPT_HANG,
	  { "output", required_argument, NULL, 'o' },
	  "-o, --output DIR",
	  "folder for the reports, hang.TIME.txt, .html and .json (the working directory)" },
	{ CMD_OPT_HANG,
	  { "then", required_argument, NULL, OPT_THEN },
	  "    --then WHAT",
	  "after a report: continue to watch (the default), exit, or end the job" },
	{ CMD_OPT_AGENT,
	  { "until", required_argument, NULL, OPT_UNTIL },
	  "    --until TIME",
	  "read the second time not before this time, in seconds since 1970" },
	{ CMD_OPT_AGENT | CMD_OPT_TWO,
	  { "apart", required_argument, NULL, OPT_APART },
	  "    --apart SECONDS",
	  "time between two readings of a job (diff: 1, agent: 0.3)" },
	{ CMD_OPT_AGENT,
	  { "unlink", no_argument, NULL, OPT_UNLINK },
	  "    --unlink",
	  "remove the file of this command, which was copied here" },
	{ CMD_OPT_AGENT,
	  { "show", required_argument, NULL, OPT_SHOW },
	  "    --show COMMAND",
	  "answer this subcommand, without a second reading: queues, comms, calls, handles or procs" },
	{ CMD_OPT_TARGET,
	  { "cores", required_argument, NULL, OPT_CORES },
	  "    --cores DIR|FILE...",
	  "the cores of a job" },
	{ CMD_OPT_SNAPSHOT | CMD_OPT_FILES,
	  { "snapshot", required_argument, NULL, OPT_SNAPSHOT },
	  "    --snapshot FILE...",
	  "output of mpidbg snapshot, for the whole job or for parts of it" },
	{ CMD_OPT_FOLD,
	  { "fold", no_argument, NULL, OPT_FOLD },
	  "    --fold",
	  "write of ranks that are alike only what differs: less to store and to read" },
	{ CMD_OPT_TARGET,
	  { "ranks", required_argument, NULL, OPT_RANKS },
	  "    --ranks SET",
	  "only these ranks of a job: 0,2-4" },
	{ CMD_OPT_TARGET | CMD_OPT_AGENT,
	  { "any-owner", no_argument, NULL, OPT_ANY_OWNER },
	  "    --any-owner",
	  "as root: also read processes of users other than the launcher's" },
	{ CMD_OPT_TARGET,
	  { "exe", required_argument, NULL, 'e' },
	  "-e, --exe FILE",
	  "the program that dumped the core, if it has moved" },
	{ CMD_OPT_TARGET,
	  { "sysroot", required_argument, NULL, OPT_SYSROOT },
	  "    --sysroot DIR",
	  "for a core of another machine or a container: the folder that has its files" },
	{ CMD_OPT_SOURCE,
	  { "source-dir", required_argument, NULL, OPT_SOURCE_DIR },
	  "    --source-dir DIR",
	  "where the source files of the program are, if they have moved" },
	{ CMD_OPT_TARGET | CMD_OPT_AGENT,
	  { "debuginfod", no_argument, NULL, OPT_DEBUGINFOD },
	  "    --debuginfod",
	  "fetch debug information of the application from the servers in DEBUGINFOD_URLS" },
	{ CMD_OPT_REPORT,
	  { "output", required_argument, NULL, 'o' },
	  "-o, --output FILE",
	  "output file; default: standard output, unless it is a terminal" },
	{ CMD_OPT_REPORT,
	  { "dot", no_argument, NULL, OPT_DOT },
	  "    --dot",
	  "only the wait-for graph, in the language of Graphviz" },
	{ CMD_OPT_STACKS,
	  { "folded", no_argument, NULL, OPT_FOLDED },
	  "    --folded",
	  "a line for each stack, with the number of threads, as tools for flame graphs read it" },
	{ CMD_OPT_STACKS, { "dot", no_argument, NULL, OPT_DOT }, "    --dot", "the tree in the language of Graphviz" },
	{ CMD_OPT_OUTPUT, { "json", no_argument, NULL, OPT_JSON }, "    --json", "JSON instead of text" },
	{ CMD_OPT_ALL,
	  { "all", no_argument, NULL, OPT_ALL },
	  "    --all",
	  "also internal operations of the MPI library, and addresses" },
	{ CMD_OPT_LINES,
	  { "all", no_argument, NULL, OPT_ALL },
	  "    --all",
	  "every line of lists that are cut short otherwise" },
	{ CMD_OPT_VERDICT,
	  { "no-verdict", no_argument, NULL, OPT_NO_VERDICT },
	  "    --no-verdict",
	  "for a job: omit the verdict, and read the job only once" },
	{ CMD_OPT_HANDLES,
	  { "leaks", no_argument, NULL, OPT_LEAKS },
	  "    --leaks",
	  "only objects that the program must free and has not freed" },
	{ CMD_OPT_VARS,
	  { "diff", no_argument, NULL, OPT_DIFF },
	  "    --diff",
	  "only what differs between the ranks of a job" },
	{ CMD_OPT_VARS,
	  { "moved", no_argument, NULL, OPT_MOVED },
	  "    --moved",
	  "only performance variables that are not 0" },
	{ CMD_OPT_HANDLES | CMD_OPT_VARS,
	  { "freed", no_argument, NULL, OPT_FREED },
	  "    --freed",
	  "also freed objects that are still known" },
	{ CMD_OPT_OUTPUT,
	  { "color", optional_argument, NULL, OPT_COLOR },
	  "    --color[=WHEN]",
	  "auto (a terminal, unless NO_COLOR is set), always, never" },
	{ CMD_OPT_TARGET,
	  { "stats", no_argument, NULL, OPT_STATS },
	  "    --stats",
	  "print on stderr how much was read, and how long processes were stopped" },
	{ CMD_OPT_TARGET,
	  { "progress", optional_argument, NULL, OPT_PROGRESS },
	  "    --progress[=WHEN]",
	  "progress on stderr: auto (a terminal; else a line every 30 s), always, never" },
	{ CMD_OPT_TARGET,
	  { "plugin", required_argument, NULL, OPT_PLUGIN },
	  "    --plugin FILE",
	  "use another debugger plugin, such as that of an MPI vendor" },
	{ CMD_OPT_LAYOUT,
	  { "layout", required_argument, NULL, OPT_LAYOUT },
	  "    --layout FILE",
	  "layout pack that supplies types to such a plugin" },
	{ ~0U, { "help", optional_argument, NULL, 'h' }, "-h, --help", "this text" },
};
enum { N_ROWS = sizeof(rows) / sizeof(rows[0]) };

static bool has_row(const struct cmd_about *about, const struct row *row)
{
	return (row->group & about->options) || row->group == ~0U;
}

/* @return false: there is no such form */
static bool show_help(const struct cmd_about *about, const char *form)
{
	struct cmd_help_row shown[N_ROWS];
	size_t n = 0;

	for (size_t i = 0; i < N_ROWS; i++)
		if (has_row(about, &rows[i]))
			shown[n++] = (struct cmd_help_row){ rows[i].opt.name, rows[i].shown, rows[i].help,
							    rows[i].opt.has_arg != no_argument &&
								    rows[i].opt.val != 'h' };
	if (cmd_help_form(form) == CMD_HELP_NONE) {
		cmd_message("%s: --help is text, man, bash or zsh, not \"%s\"", about->name, form);
		return false;
	}
	cmd_help(about, shown, n, cmd_help_form(form));
	return true;
}

/* ---- suggestions ---------------------------------------------------------------- */

static bool is_elf_of_type(const char *path, unsigned type)
{
	unsigned char e[EI_NIDENT + 2];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return false;
	ssize_t n = read(fd, e, sizeof(e));
	close(fd);
	if (n != (ssize_t)sizeof(e) || memcmp(e, ELFMAG, SELFMAG) != 0)
		return false;
	return (e[EI_DATA] == ELFDATA2MSB ? e[EI_NIDENT] << 8 | e[EI_NIDENT + 1]
					  : e[EI_NIDENT] | e[EI_NIDENT + 1] << 8) == (int)type;
}

static bool is_directory(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* @return a pid; 0: not a valid one */
static pid_t pid_of(const char *text)
{
	char *end;

	errno = 0;
	long n = strtol(text, &end, 10);
	if (errno || end == text || *end || n <= 0 || n > INT_MAX || text[0] == '+' || text[0] == ' ')
		return 0;
	return (pid_t)n;
}

static bool process_exists(pid_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	return pid > 0 && access(path, F_OK) == 0;
}

static void report_not_a_pid(const char *command, const char *option, const char *text)
{
	if (is_elf_of_type(text, ET_CORE))
		cmd_message("%s: %s is a core file: did you mean --core?", command, text);
	else if (is_directory(text))
		cmd_message("%s: %s is a folder: did you mean --cores?", command, text);
	else
		cmd_message("%s: %s needs a process ID, not \"%s\"", command, option, text);
}

static void report_stray_argument(const char *command, const char *text)
{
	if (is_elf_of_type(text, ET_CORE))
		cmd_message("%s: %s is a core file: did you mean --core?", command, text);
	else if (is_directory(text))
		cmd_message("%s: %s is a folder: did you mean --cores?", command, text);
	else if (pid_of(text))
		cmd_message("%s: %s alone: did you mean -p %s (one process) or --job %s (all ranks)?", command, text,
			    text, text);
	else
		cmd_message("%s: unknown argument \"%s\": see mpidbg %s --help", command, text, command);
}

static void report_unknown_option(const struct cmd_about *about, const char *arg)
{
	const char *names[N_ROWS + 1];
	size_t n = 0;
	char word[64];

	for (size_t i = 0; i < N_ROWS; i++)
		if (has_row(about, &rows[i]))
			names[n++] = rows[i].opt.name;
	names[n] = NULL;
	snprintf(word, sizeof(word), "%s", arg + strspn(arg, "-"));
	word[strcspn(word, "=")] = '\0';
	const char *near = cmd_nearest(word, names);
	if (near && arg[1] == '-')
		cmd_message("%s: unknown option %s: did you mean --%s?", about->name, arg, near);
	else
		cmd_message("%s: unknown option %s: see mpidbg %s --help", about->name, arg, about->name);
}

/* ---- parsing ------------------------------------------------------------------------------------- */

enum when { WHEN_AUTO, WHEN_ALWAYS, WHEN_NEVER };

static bool parse_when(const char *command, const char *option, const char *text, enum when *ret)
{
	if (!text || strcmp(text, "always") == 0)
		*ret = WHEN_ALWAYS;
	else if (strcmp(text, "auto") == 0)
		*ret = WHEN_AUTO;
	else if (strcmp(text, "never") == 0)
		*ret = WHEN_NEVER;
	else {
		cmd_message("%s: --%s is auto, always or never, not \"%s\"", command, option, text);
		return false;
	}
	return true;
}

struct parse {
	const struct cmd_about *about;
	struct cmd_options *o;
	const char *target; /* the option that named the target; NULL: none so far */
	bool have_via;
	enum when color, progress;
};

static bool parse_via(struct parse *p, const char *text)
{
	static const char *const names[] = { "any", "mpi2dd", "mpir", "env", NULL };

	for (int i = 0; names[i]; i++) {
		if (strcmp(text, names[i]) == 0) {
			p->o->via = (enum cmd_via)i;
			p->have_via = true;
			return true;
		}
	}
	bool ways = p->about->options & CMD_OPT_HOSTS;
	if (ways && hs_way_is_known(text)) {
		p->o->way = text;
		p->have_via = true;
		return true;
	}
	cmd_message("%s: --via is mpi2dd, mpir, env or any%s, not \"%s\"", p->about->name,
		    ways ? ", or a way to other hosts: srun, flux, pmix, ssh, pdsh, clush or a command with %h" : "",
		    text);
	return false;
}

static bool want_color(enum when when)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	if (when != WHEN_AUTO)
		return when == WHEN_ALWAYS;
	return !(no_color && *no_color) && isatty(STDOUT_FILENO) && term && strcmp(term, "dumb") != 0;
}

static bool parse_seconds(const struct parse *p, const char *option, const char *text, double *ret)
{
	char *end;
	double s = strtod(text, &end);

	if (end == text || *end || !(s > 0 && s <= LIMIT_MAX_S)) {
		cmd_message("%s: %s is a number of seconds, not \"%s\"", p->about->name, option, text);
		return false;
	}
	*ret = s;
	return true;
}

static bool parse_until(const struct parse *p, const char *text)
{
	char *end;

	p->o->until = strtod(text, &end);
	if (end != text && !*end && p->o->until >= 0)
		return true;
	cmd_message("%s: --until is a time in seconds, not \"%s\"", p->about->name, text);
	return false;
}

/* A folder on other hosts, whose name a shell sees there. */
static bool check_copy_folder(const struct parse *p, const char *text)
{
	static const char safe[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._+-@:,=";

	if (*text == '/' && !text[strspn(text, safe)])
		return true;
	cmd_message("%s: --copy=FOLDER begins with / and has letters, digits and /._+-@:,= only, not \"%s\"",
		    p->about->name, text);
	return false;
}

static bool set_target(struct parse *p, const char *option, enum cmd_target_kind kind, const char *text)
{
	if (p->target) {
		cmd_message("%s: %s and %s: one target at a time", p->about->name, p->target, option);
		return false;
	}
	p->target = option;
	p->o->kind = kind;
	/* "4711@n1" is not seen here: elsewhere.h */
	if (kind == CMD_TARGET_JOB && (p->about->options & CMD_OPT_HOSTS) &&
	    (cmd_job_is_slurm(text) || cmd_job_is_flux(text))) {
		p->o->job = text;
		return true;
	}
	if (kind == CMD_TARGET_JOB && cmd_job_is_name(text)) {
		p->o->pid = cmd_job_pid(text);
		if (!p->o->pid)
			cmd_message("%s: job %s has no ranks here (mpidbg jobs)", p->about->name, text);
		return p->o->pid;
	}
	if (kind == CMD_TARGET_PROCESS || kind == CMD_TARGET_JOB) {
		p->o->pid = pid_of(text);
		if (!p->o->pid)
			report_not_a_pid(p->about->name, option, text);
		return p->o->pid;
	}
	p->o->files[p->o->n_files++] = text;
	if (access(text, F_OK) != 0 && process_exists(pid_of(text))) {
		cmd_message("%s: there is no file %s, but a process: did you mean %s?", p->about->name, text,
			    kind == CMD_TARGET_CORE ? "-p" : "--job");
		return false;
	}
	if (kind == CMD_TARGET_CORE && is_directory(text)) {
		cmd_message("%s: %s is a folder: did you mean --cores?", p->about->name, text);
		return false;
	}
	return true;
}

static bool check_folder(const struct parse *p, const char *option, const char *path)
{
	if (is_directory(path))
		return true;
	cmd_message("%s: %s %s: %s", p->about->name, option, path,
		    access(path, F_OK) ? strerror(errno) : "is not a folder");
	return false;
}

static bool parse_option(struct parse *p, int letter)
{
	struct cmd_options *o = p->o;

	switch (letter) {
	case 'p':
		return set_target(p, "-p", CMD_TARGET_PROCESS, optarg);
	case OPT_CORE:
		return set_target(p, "--core", CMD_TARGET_CORE, optarg);
	case OPT_JOB:
		return set_target(p, "--job", CMD_TARGET_JOB, optarg);
	case OPT_VIA:
		return parse_via(p, optarg);
	case OPT_HOSTS:
		o->hosts = optarg;
		return true;
	case OPT_WATCH:
		return parse_seconds(p, "--watch", optarg, &o->watch_s);
	case OPT_AFTER:
		return parse_seconds(p, "--after", optarg, &o->after_s);
	case OPT_THEN:
		o->then = optarg;
		return true;
	case OPT_LIMIT:
		return parse_seconds(p, "--limit", optarg, &o->limit_s);
	case OPT_UNTIL:
		return parse_until(p, optarg);
	case OPT_SHOW:
		o->show = optarg;
		return true;
	case OPT_COPY:
		o->copy = true;
		o->copy_folder = optarg;
		return !optarg || check_copy_folder(p, optarg);
	case OPT_UNLINK:
		o->unlink = true;
		return true;
	case OPT_FOLD:
		o->fold = true;
		return true;
	case OPT_APART:
		return parse_seconds(p, "--apart", optarg, &o->apart_s);
	case OPT_CORES:
		if (p->target && strcmp(p->target, "--cores") == 0)
			o->files[o->n_files++] = optarg; /* --cores a --cores b */
		else
			return set_target(p, "--cores", CMD_TARGET_CORES, optarg);
		return true;
	case OPT_SNAPSHOT:
		if (p->target && strcmp(p->target, "--snapshot") == 0)
			o->files[o->n_files++] = optarg;
		else
			return set_target(p, "--snapshot", CMD_TARGET_SNAPSHOT, optarg);
		return true;
	case OPT_RANKS: {
		cmd_ranks_deinit(&o->ranks);
		const char *wrong = cmd_ranks_parse(optarg, &o->ranks);
		if (wrong)
			cmd_message("%s: --ranks %s: %s", p->about->name, optarg, wrong);
		o->have_ranks = true;
		return !wrong;
	}
	case 'e':
		o->exe = optarg;
		return true;
	case OPT_SYSROOT:
		o->sysroot = optarg;
		return check_folder(p, "--sysroot", optarg);
	case OPT_SOURCE_DIR:
		o->source_dir = optarg;
		return check_folder(p, "--source-dir", optarg);
	case 'o':
		o->output = optarg;
		return true;
	case OPT_NO_VERDICT:
		o->no_verdict = true;
		return true;
	case OPT_DOT:
		o->dot = true;
		return true;
	case OPT_FOLDED:
		o->folded = true;
		return true;
	case OPT_JSON:
		o->json = true;
		return true;
	case OPT_ALL:
		o->all = true;
		return true;
	case OPT_DEBUGINFOD:
		o->debuginfod = true;
		return true;
	case OPT_ANY_OWNER:
		o->any_owner = true;
		return true;
	case OPT_STATS:
		o->stats = true;
		return true;
	case OPT_LEAKS:
		o->leaks = true;
		return true;
	case OPT_FREED:
		o->freed = true;
		return true;
	case OPT_MOVED:
		o->moved = true;
		return true;
	case OPT_DIFF:
		o->diff = true;
		return true;
	case OPT_COLOR:
		return parse_when(p->about->name, "color", optarg, &p->color);
	case OPT_PROGRESS:
		return parse_when(p->about->name, "progress", optarg, &p->progress);
	case OPT_PLUGIN:
		o->plugin = optarg;
		return true;
	case OPT_LAYOUT:
		o->layout = optarg;
		return true;
	default:
		return false;
	}
}

/* Are the options compatible with each other? */
static bool check(const struct parse *p)
{
	struct cmd_options *o = p->o;
	const char *name = p->about->name;

	if (p->about->of_process && o->kind == CMD_TARGET_PROCESS && p->target) {
		o->of_process = true;
		o->kind = CMD_TARGET_JOB;
	}

	if (!p->target && (p->about->options & CMD_OPT_HANG))
		p->o->kind = CMD_TARGET_JOB; /* a command may follow */
	else if (!p->target && (p->about->options & CMD_OPT_TWO))
		p->o->kind = CMD_TARGET_SNAPSHOT;
	else if (!p->target && (p->about->options & CMD_OPT_TARGET)) {
		cmd_message("%s: no target given: -p PID, --core FILE, --job PID or --cores DIR (mpidbg %s --help)",
			    name, name);
		return false;
	}
	if ((p->about->options & CMD_OPT_SNAPSHOT) && (o->kind == CMD_TARGET_PROCESS || o->kind == CMD_TARGET_CORE)) {
		cmd_message("%s: %s is one rank, and the others are needed: did you mean %s?", name,
			    o->kind == CMD_TARGET_CORE ? "a core" : "a process",
			    o->kind == CMD_TARGET_CORE ? "--cores" : "--job");
		return false;
	}
	if (p->about->check_words && !p->about->check_words(p->o))
		return false;
	if (p->about->n_words == 2 && o->n_words < 2 && !p->about->check_words) {
		cmd_message("%s: no object given: mpidbg %s KIND VALUE, as in %s comm MPI_COMM_WORLD", name, name,
			    name);
		return false;
	}
	if (o->have_ranks && o->kind != CMD_TARGET_JOB && o->kind != CMD_TARGET_CORES) {
		cmd_message("%s: --ranks goes with --job or --cores", name);
		return false;
	}
	if (o->diff && o->kind != CMD_TARGET_JOB && o->kind != CMD_TARGET_CORES) {
		cmd_message("%s: --diff goes with --job or --cores: one process has nothing to differ from", name);
		return false;
	}
	if (p->have_via && o->kind != CMD_TARGET_JOB) {
		cmd_message("%s: --via goes with --job", name);
		return false;
	}
	if (o->hosts && o->kind != CMD_TARGET_JOB) {
		cmd_message("%s: --hosts goes with --job", name);
		return false;
	}
	if (o->exe && o->kind != CMD_TARGET_CORE && o->kind != CMD_TARGET_CORES) {
		cmd_message("%s: -e goes with --core or --cores: the program of a live process is known", name);
		return false;
	}
	if (o->sysroot && o->kind != CMD_TARGET_CORE && o->kind != CMD_TARGET_CORES) {
		cmd_message(
			"%s: --sysroot goes with --core or --cores: the files of a live process are found through it",
			name);
		return false;
	}
	if (o->layout && !o->plugin) {
		cmd_message("%s: --layout goes with --plugin: our own plugin finds its layout packs in MPIDBG_LAYOUTS",
			    name);
		return false;
	}
	return true;
}

/* "-3" is a value for commands that accept integers, not an option. */
static bool is_negative_number(const struct cmd_about *about, const char *arg)
{
	return about->n_words == 2 && arg[0] == '-' && arg[1] >= '0' && arg[1] <= '9';
}

static const char *letters_of(const struct cmd_about *about)
{
	if (about->options & (CMD_OPT_REPORT | CMD_OPT_HANG))
		return "-:p:e:o:h";
	return about->options & CMD_OPT_TARGET ? "-:p:e:h" : "-:h";
}

bool cmd_options_parse(const struct cmd_about *about, int argc, char **argv, struct cmd_options *ret, int *rc)
{
	struct cmd_options o = { .files = calloc((size_t)argc + 1, sizeof(*o.files)) };
	struct parse p = { .about = about, .o = &o, .color = WHEN_AUTO, .progress = WHEN_AUTO };
	struct option options[N_ROWS + 1] = { 0 };
	/* non-options in order; getopt_long() must not move them to
	 * the end, so that a negative number is not moved past them */
	const char **words = calloc((size_t)argc + 1, sizeof(*words));
	size_t n = 0, n_words = 0;
	bool ok = o.files && words;

	o.limit_s = LIMIT_S;
	*ret = (struct cmd_options){ 0 };
	*rc = CMD_USAGE;
	if (!ok)
		cmd_message("%s: out of memory", about->name);
	for (size_t i = 0; i < N_ROWS; i++)
		if (has_row(about, &rows[i]))
			options[n++] = rows[i].opt;
	opterr = 0;
	optind = 0; /* glibc: start again, also after an earlier call */
	while (ok) {
		int at = optind ? optind : 1;
		if (optind && at < argc && is_negative_number(about, argv[at])) {
			words[n_words++] = argv[optind++];
			continue;
		}
		int letter = getopt_long(argc, argv, letters_of(about), options, NULL);
		if (letter == -1)
			break;
		if (letter == 1) {
			words[n_words++] = optarg;
		} else if (letter == 'h') {
			*rc = show_help(about, optarg) ? CMD_DONE : CMD_USAGE;
			ok = false;
		} else if (letter == ':') {
			cmd_message("%s: %s needs an argument: see mpidbg %s --help", about->name, argv[optind - 1],
				    about->name);
			ok = false;
		} else if (letter == '?') {
			report_unknown_option(about, argv[optind > at ? optind - 1 : at]);
			ok = false;
		} else {
			ok = parse_option(&p, letter);
		}
	}
	for (int i = optind; ok && i < argc; i++)
		words[n_words++] = argv[i];
	for (size_t i = 0; ok && i < n_words; i++) {
		ok = o.n_words < about->n_words ||
		     (p.target && (o.kind == CMD_TARGET_CORES || o.kind == CMD_TARGET_SNAPSHOT));
		if (o.n_words < about->n_words)
			o.words[o.n_words++] = words[i];
		else if (ok)
			o.files[o.n_files++] = words[i];
		else
			report_stray_argument(about->name, words[i]);
	}
	free(words);
	if (!ok || !check(&p)) {
		cmd_options_deinit(&o);
		return false;
	}
	o.color = want_color(p.color);
	o.progress = p.progress == WHEN_ALWAYS || (p.progress == WHEN_AUTO && isatty(STDERR_FILENO));
	cmd_progress_lines(p.progress == WHEN_AUTO && !o.progress);
	*ret = o;
	return true;
}

void cmd_options_deinit(struct cmd_options *o)
{
	free(o->files);
	cmd_ranks_deinit(&o->ranks);
	*o = (struct cmd_options){ 0 };
}
