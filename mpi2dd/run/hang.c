/* SPDX-License-Identifier: BSD-3-Clause */
#include "hang.h"

#include "info.h"
#include "library.h"
#include "log.h"
#include "monitor.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	COMMAND_S = 120,
	GCORE_S = 600,
	USER_S = 120, /* for the user's command */
	END_S = 30,
	PATIENCE_S = 900,
	NAME_MAX_CHARS = 512,
	LINE_MAX_CHARS = 400,
	LACKS_MAX_CHARS = 2000
};

static unsigned actions; /* enum run_on_hang */
static const struct run_hang_wishes *wishes;

/* Shared with the worker. Both are set once. */
static struct ending {
	int is_over;  /* by the starter: the command has ended */
	int is_ended; /* by the worker: it ends the job */
} * ending;

static char *mpidbg, *gcore;
#if !__GLIBC_PREREQ(2, 34)
enum { DESCRIPTORS_MAX = 65536 }; /* with an unlimited RLIMIT_NOFILE, trying all descriptors would take too long */
#endif

static pid_t worker; /* 0: none */

unsigned run_hang_parse(const char *words)
{
	static const char *const known[] = { "report", "core", "break", "end" };
	unsigned ret = 0;

	for (const char *word = words; word; word = strchr(word, ',') ? strchr(word, ',') + 1 : NULL) {
		size_t n = strcspn(word, ","), i = 0;
		while (i < sizeof(known) / sizeof(known[0]) &&
		       (strncmp(word, known[i], n) != 0 || known[i][n] != '\0' || !n))
			i++;
		if (i == sizeof(known) / sizeof(known[0]))
			return 0;
		ret |= 1U << i;
	}
	return (ret & RUN_HANG_BREAK) && ret != RUN_HANG_BREAK ? 0 : ret;
}

static void write_metrics(size_t n_stalled)
{
	if (!run_monitor_write(wishes->metrics, (int)getpid(), n_stalled))
		run_log("--hang-metrics %s: %s", wishes->metrics, strerror(errno));
}

void run_hang_prepare(unsigned what, const struct run_hang_wishes *wished)
{
	actions = what;
	wishes = wished;
	ending = mmap(NULL, sizeof(*ending), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (ending == MAP_FAILED)
		run_fail(RUN_FAILED, "out of memory");
	write_metrics(0);
	if (what & RUN_HANG_REPORT) {
		mpidbg = run_library_find_beside("mpidbg");
		if (!mpidbg)
			mpidbg = run_library_find_command("mpidbg");
		if (!mpidbg)
			run_fail(RUN_USAGE, "--hang: the command mpidbg is neither beside mpi2dd-run nor in PATH: "
					    "install it, or use --on-hang core or break");
	}
	if (what & RUN_HANG_CORE) {
		gcore = run_library_find_command("gcore");
		if (!gcore)
			run_fail(RUN_USAGE, "--on-hang core: there is no command gcore: install gdb, or use "
					    "--on-hang report or break");
	}
	/* mpidbg is a descendant of the starter, and must be allowed to ptrace it */
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
}

/* ---- in the worker ----------------------------------------------------------------------------------- */

/*
 * Run a command for at most @p seconds, with stdout and stderr redirected to @p out (-1: discarded). @return its exit
 * code, or -1.
 */
static int run_words(const char *const *argv, int out, unsigned seconds)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		int null = open("/dev/null", O_RDWR);

		dup2(null, 0);
		dup2(out >= 0 ? out : null, 1);
		dup2(out >= 0 ? out : null, 2);
		alarm(seconds);
		execv(argv[0], (char *const *)argv);
		_exit(RUN_NOT_FOUND);
	}
	if (child < 0)
		return -1;
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Does only this user have access to the folder? The output files contain memory of the job. */
static bool is_private(const char *folder)
{
	struct stat s;

	return folder && folder[0] == '/' && stat(folder, &s) == 0 && S_ISDIR(s.st_mode) && s.st_uid == geteuid() &&
	       (s.st_mode & (S_IRWXG | S_IRWXO)) == 0;
}

/*
 * Create the output file or folder with @p try: in the working
 * directory, or else in the first private folder that allows it.
 * @return false: in none of them; errno is that of the working directory
 */
static bool create_output(bool (*create)(const char *path), const char *suffix, char *path)
{
	const char *const folders[] = { ".", getenv("TMPDIR"), getenv("XDG_RUNTIME_DIR") };
	int error = 0;

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		if (i > 0 && !is_private(folders[i]))
			continue;
		snprintf(path, NAME_MAX_CHARS, "%s/mpi2dd-hang.%d%s", folders[i], (int)getppid(), suffix);
		if (create(path))
			return true;
		error = i == 0 ? errno : error;
	}
	errno = error;
	return false;
}

static const char
	no_place[] = "can be made here, and neither TMPDIR nor XDG_RUNTIME_DIR names a folder that is yours alone";

static int report_fd;

static bool create_file(const char *path)
{
	report_fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
	return report_fd >= 0;
}

static bool create_folder(const char *path)
{
	return mkdir(path, 0700) == 0;
}

static void write_processes(FILE *to, const struct run_watched *const *processes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct run_watched *w = processes[i];

		if (w->rank < 0) /* in MPI_Init */
			fprintf(to, "  rank not known yet");
		else
			fprintf(to, "  rank %d", w->rank);
		fprintf(to, "  pid %d  host %s  ", w->pid, w->host);
		if (w->stopped)
			fprintf(to, "stopped by a signal\n");
		else
			fprintf(to, "%s%s, nothing finished for %d s\n", w->function[0] ? "in " : "in no MPI call",
				w->function, w->seconds);
	}
}

static int by_rank(const void *a, const void *b)
{
	const struct run_watched *x = *(const struct run_watched *const *)a;
	const struct run_watched *y = *(const struct run_watched *const *)b;

	return x->rank != y->rank ? (x->rank > y->rank) - (x->rank < y->rank) : (x->pid > y->pid) - (x->pid < y->pid);
}

/* The last line of the report from @p start on: what a command that fails prints last says why. "": none */
static void last_line(off_t start, char ret[LINE_MAX_CHARS])
{
	off_t end = lseek(report_fd, 0, SEEK_END), from = end - start > LINE_MAX_CHARS ? end - LINE_MAX_CHARS : start;
	ssize_t n = end > from ? pread(report_fd, ret, (size_t)(end - from), from) : 0;

	while (n > 0 && ret[n - 1] == '\n')
		n--;
	const char *newline = n > 0 ? memrchr(ret, '\n', (size_t)n) : NULL, *line = newline ? newline + 1 : ret;
	n -= n > 0 ? line - ret : n;
	n -= n == LINE_MAX_CHARS;
	memmove(ret, line, (size_t)n);
	ret[n] = '\0';
}

/*
 * Append the output of an mpidbg subcommand for the job; @p option may be NULL. If the output is incomplete, append the
 * reason to @p lacks: the subcommand, its exit code and the last line that it printed.
 */
static void append_command(FILE *to, const char *subcommand, const char *option, const char *pid,
			   char lacks[LACKS_MAX_CHARS])
{
	enum { EXIT_DEADLOCK = 4, EXIT_SPINNING = 5 }; /* exit codes of mpidbg deadlock */
	size_t n = strlen(lacks);
	char line[LINE_MAX_CHARS];

	fprintf(to, "$ mpidbg %s%s%s --job %s\n", subcommand, option ? " " : "", option ? option : "", pid);
	fflush(to);
	off_t start = lseek(report_fd, 0, SEEK_END);
	int rc = run_words((const char *const[]){ mpidbg, subcommand, "--job", pid, option, NULL }, report_fd,
			   COMMAND_S);
	bool is_verdict = strcmp(subcommand, "deadlock") == 0 && (rc == EXIT_DEADLOCK || rc == EXIT_SPINNING);
	if (rc != 0 && !is_verdict) {
		last_line(start, line);
		snprintf(lacks + n, LACKS_MAX_CHARS - n, "%smpidbg %s ", n ? "; " : "", subcommand);
		n = strlen(lacks);
		if (rc < 0)
			snprintf(lacks + n, LACKS_MAX_CHARS - n, "did not end in %d s", COMMAND_S);
		else
			snprintf(lacks + n, LACKS_MAX_CHARS - n, "exit code %d%s%s", rc, *line ? ": " : "", line);
	}
	fprintf(to, "\n");
	fflush(to);
}

/* Beside the report: what mpidbg diff and report read, and the page. Only the files that could be written are named. */
static void write_beside(const char *text_path, const char *pid)
{
	char path[NAME_MAX_CHARS];
	int n = (int)(strlen(text_path) - strlen(".txt"));

	setenv("MPI2DD_HANG_TEXT", text_path, 1);
	snprintf(path, sizeof(path), "%.*s.json", n, text_path);
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd >= 0 && run_words((const char *const[]){ mpidbg, "snapshot", "--job", pid, NULL }, fd, COMMAND_S) >= 0)
		setenv("MPI2DD_HANG_SNAPSHOT", path, 1);
	if (fd >= 0)
		close(fd);
	snprintf(path, sizeof(path), "%.*s.verdict.json", n, text_path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd >= 0 &&
	    run_words((const char *const[]){ mpidbg, "deadlock", "--json", "--job", pid, NULL }, fd, COMMAND_S) >= 0)
		setenv("MPI2DD_HANG_VERDICT", path, 1);
	if (fd >= 0)
		close(fd);
	snprintf(path, sizeof(path), "%.*s.html", n, text_path);
	if (run_words((const char *const[]){ mpidbg, "report", "--job", pid, "-o", path, NULL }, -1, COMMAND_S) >= 0 &&
	    chmod(path, S_IRUSR | S_IWUSR) == 0)
		setenv("MPI2DD_HANG_PAGE", path, 1);
}

static void write_report(const struct run_watched *const *processes, size_t n)
{
	char path[NAME_MAX_CHARS], pid[16], lacks[LACKS_MAX_CHARS] = "";

	if (!create_output(create_file, ".txt", path)) {
		run_log("the job hangs; no report: no file %s: %s", no_place, strerror(errno));
		return;
	}
	FILE *to = fdopen(report_fd, "a");
	if (!to)
		return;
	snprintf(pid, sizeof(pid), "%d", (int)getppid());
	append_command(to, "deadlock", NULL, pid, lacks);
	fprintf(to, "No process of the job has finished an MPI call for long:\n");
	write_processes(to, processes, n);
	fprintf(to, "\n");
	append_command(to, "calls", NULL, pid, lacks);
	append_command(to, "queues", "--no-verdict", pid, lacks);
	append_command(to, "vars", "--moved", pid, lacks);
	fclose(to);
	write_beside(path, pid);
	if (wishes->keep)
		run_monitor_prune(path, wishes->keep);
	run_log("the job hangs: %zu process%s, no MPI call finished for %d s; report%s: %s%s%s", n, n == 1 ? "" : "es",
		processes[0]->seconds, *lacks ? ", not complete" : "", path, *lacks ? ": " : "", lacks);
}

static void write_cores(const struct run_watched *const *processes, size_t n)
{
	char path[NAME_MAX_CHARS], base[NAME_MAX_CHARS + 8], pid[16];
	struct utsname here;
	size_t n_made = 0, n_elsewhere = 0;

	umask(S_IRWXG | S_IRWXO); /* gcore creates its files with this umask */
	if (uname(&here) != 0 || !create_output(create_folder, "", path)) {
		run_log("the job hangs; no cores: no folder %s: %s", no_place, strerror(errno));
		return;
	}
	snprintf(base, sizeof(base), "%s/core", path);
	for (size_t i = 0; i < n; i++) {
		if (strcmp(processes[i]->host, here.nodename) != 0) {
			n_elsewhere++;
			continue;
		}
		snprintf(pid, sizeof(pid), "%d", processes[i]->pid);
		n_made += run_words((const char *const[]){ gcore, "-o", base, pid, NULL }, -1, GCORE_S) == 0;
	}
	setenv("MPI2DD_HANG_CORES", path, 1);
	run_log("the job hangs: %zu process%s, no MPI call finished for %d s; %zu core%s in %s%s", n,
		n == 1 ? "" : "es", processes[0]->seconds, n_made, n_made == 1 ? "" : "s", path,
		n_elsewhere ? ", none of the processes on other hosts" : "");
}

static void run_user_command(void)
{
	int rc = run_words((const char *const[]){ "/bin/sh", "-c", wishes->command, NULL }, STDERR_FILENO, USER_S);

	if (rc < 0)
		run_log("the command of --hang-command did not end in %d s, or was killed", USER_S);
	else if (rc > 0)
		run_log("the command of --hang-command: exit code %d", rc);
}

static size_t n_alive(const struct run_watched *const *processes, size_t n, int sig)
{
	struct utsname here;
	size_t ret = 0;

	if (uname(&here) != 0)
		return 0;
	for (size_t i = 0; i < n; i++)
		ret += strcmp(processes[i]->host, here.nodename) == 0 && kill(processes[i]->pid, sig) == 0;
	return ret;
}

/* The starter forwards SIGTERM to its command, and a launcher ends its ranks. */
static void end_job(const struct run_watched *const *processes, size_t n)
{
	if (__atomic_load_n(&ending->is_over, __ATOMIC_SEQ_CST))
		return;
	__atomic_store_n(&ending->is_ended, 1, __ATOMIC_SEQ_CST);
	run_log("the job hangs: it is ended");
	kill(getppid(), SIGTERM);
	for (int i = 0; i < END_S * 10 && n_alive(processes, n, 0); i++)
		usleep(100 * 1000);
	size_t n_killed = n_alive(processes, n, SIGKILL);
	if (n_killed)
		run_log("%zu process%s of the job did not end in %d s: killed", n_killed, n_killed == 1 ? "" : "es",
			END_S);
}

/* Close all descriptors but the standard ones. */
static void close_others(void)
{
#if __GLIBC_PREREQ(2, 34)
	close_range(3, ~0U, 0);
#else
	struct rlimit limit = { 0 };

	getrlimit(RLIMIT_NOFILE, &limit);
	for (rlim_t fd = 3; fd < limit.rlim_cur && fd < DESCRIPTORS_MAX; fd++)
		close((int)fd);
#endif
}

/* ---- in the starter ---------------------------------------------------------------------------------- */

void run_hang_act(const struct run_watched *const *processes, size_t n)
{
	write_metrics(n);
	if (actions & RUN_HANG_BREAK) {
		run_log("the job hangs: %zu process%s, no MPI call finished for %d s; each calls MPI2DD_breakpoint", n,
			n == 1 ? "" : "es", processes[0]->seconds);
		run_info_hang();
		return;
	}
	const struct run_watched **sorted = malloc(n * sizeof(const struct run_watched *));
	if (!sorted)
		return;
	memcpy(sorted, processes, n * sizeof(const struct run_watched *));
	qsort(sorted, n, sizeof(const struct run_watched *), by_rank);
	worker = fork();
	if (worker == 0) {
		sigset_t none;

		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		close_others();
		if (actions & RUN_HANG_REPORT)
			write_report(sorted, n);
		if (actions & RUN_HANG_CORE)
			write_cores(sorted, n);
		if (wishes->command)
			run_user_command();
		if (actions & RUN_HANG_END)
			end_job(sorted, n);
		_exit(0);
	}
	if (worker < 0)
		run_log("the job hangs; nothing done: no process can be started: %s", strerror(errno));
	free(sorted);
}

bool run_hang_wait(void)
{
	if (!ending)
		return false;
	__atomic_store_n(&ending->is_over, 1, __ATOMIC_SEQ_CST);
	if (!worker && *wishes->metrics)
		unlink(wishes->metrics);
	for (int i = 0; worker > 0 && i < PATIENCE_S * 10; i++) {
		pid_t ended = waitpid(worker, NULL, WNOHANG);

		if (ended == worker || (ended < 0 && errno != EINTR))
			return __atomic_load_n(&ending->is_ended, __ATOMIC_SEQ_CST);
		usleep(100 * 1000);
	}
	if (worker > 0)
		kill(worker, SIGTERM);
	return __atomic_load_n(&ending->is_ended, __ATOMIC_SEQ_CST);
}
