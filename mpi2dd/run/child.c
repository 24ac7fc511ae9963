/* SPDX-License-Identifier: BSD-3-Clause */
#include "child.h"

#include "log.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

static const int forwarded[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGWINCH, SIGCONT, SIGTSTP };
enum { N_FORWARDED = sizeof(forwarded) / sizeof(forwarded[0]), EXIT_BY_SIGNAL = 128 };

/* Signal state and limits that the starter inherited; the command gets the same. */
struct inherited {
	sigset_t mask;
	struct sigaction chld;
	struct rlimit files;
};

/* Block the signals that are read from the signalfd; all others keep their default effect on the starter. */
static int block_signals(struct inherited *inherited)
{
	sigset_t set;
	struct sigaction now;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	for (size_t i = 0; i < N_FORWARDED; i++)
		if (sigaction(forwarded[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
			sigaddset(&set, forwarded[i]);
	/* if SIGCHLD were ignored, waitpid() would return no status */
	sigaction(SIGCHLD, &(struct sigaction){ .sa_handler = SIG_DFL }, &inherited->chld);
	sigprocmask(SIG_BLOCK, &set, &inherited->mask);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void raise_file_limit(struct inherited *inherited)
{
	if (getrlimit(RLIMIT_NOFILE, &inherited->files) == 0) {
		struct rlimit more = inherited->files;

		more.rlim_cur = more.rlim_max;
		setrlimit(RLIMIT_NOFILE, &more);
	} else {
		inherited->files.rlim_cur = 0;
	}
}

/* Run a script without a "#!" line with /bin/sh, as a shell does. */
static void exec_script(const char *path, char *const *argv)
{
	size_t n = 1;

	while (argv[n])
		n++;
	const char **shell = calloc(n + 2, sizeof(*shell));
	if (!shell)
		return;
	shell[0] = "sh";
	shell[1] = path;
	for (size_t i = 1; i < n; i++)
		shell[i + 1] = argv[i];
	execv("/bin/sh", (char *const *)shell);
	free(shell);
}

/* In the child process: execute the command. On failure, write errno to the starter's pipe. */
static void exec_command(const char *path, char *const *argv, const struct run_variable *variables,
			 const struct inherited *inherited, pid_t starter, int error_fd)
{
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != starter)
		_exit(RUN_FAILED);
	for (const struct run_variable *v = variables; v->name; v++)
		setenv(v->name, v->value, 1);
	if (inherited->files.rlim_cur)
		setrlimit(RLIMIT_NOFILE, &inherited->files);
	sigaction(SIGCHLD, &inherited->chld, NULL);
	sigprocmask(SIG_SETMASK, &inherited->mask, NULL);
	execv(path, argv);
	int error = errno;
	if (error == ENOEXEC)
		exec_script(path, argv);
	if (write(error_fd, &error, sizeof(error)) != sizeof(error))
		_exit(RUN_FAILED);
	_exit(RUN_CANNOT_EXECUTE);
}

static pid_t start_child(const char *path, char *const *argv, const struct run_variable *variables,
			 const struct inherited *inherited)
{
	int ends[2], error = 0;
	pid_t starter = getpid();

	if (pipe2(ends, O_CLOEXEC) != 0)
		run_fail(RUN_FAILED, "%s: no pipe: %s", path, strerror(errno));
	pid_t child = fork();
	if (child < 0)
		run_fail(RUN_FAILED, "%s: cannot start a process: %s", path, strerror(errno));
	if (child == 0)
		exec_command(path, argv, variables, inherited, starter, ends[1]);
	close(ends[1]);
	ssize_t got;
	do
		got = read(ends[0], &error, sizeof(error));
	while (got < 0 && errno == EINTR);
	close(ends[0]);
	if (got == sizeof(error)) {
		waitpid(child, NULL, 0);
		run_fail(error == ENOENT ? RUN_NOT_FOUND : RUN_CANNOT_EXECUTE, "%s: cannot be executed: %s", path,
			 strerror(error));
	}
	return child;
}

/*
 * Stop the starter as an unblocked SIGTSTP would: the kernel ignores
 * it in an orphaned process group, which nobody could continue.
 */
static void stop_self(void)
{
	sigset_t one;

	sigemptyset(&one);
	sigaddset(&one, SIGTSTP);
	raise(SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &one, NULL); /* the starter stops here */
	sigprocmask(SIG_BLOCK, &one, NULL);
}

/* Forward the pending signals to the command. @return true: SIGCHLD was among them. */
static bool forward_signals(int fd, pid_t child)
{
	struct signalfd_siginfo s;
	bool chld = false;

	while (read(fd, &s, sizeof(s)) == sizeof(s)) {
		if (s.ssi_signo == SIGCHLD) {
			chld = true;
			continue;
		}
		/* Signals from the kernel come from the terminal, which sends them to the whole process group. A signal
		 * that the command itself sent is not sent back. */
		if (s.ssi_code <= 0 && (pid_t)s.ssi_pid != child)
			kill(child, (int)s.ssi_signo);
		if (s.ssi_signo == SIGTSTP)
			stop_self();
	}
	return chld;
}

int run_child(const char *path, char *const *argv, const struct run_variable *variables, struct run_hub *hub)
{
	struct inherited inherited;
	int status = 0;

	raise_file_limit(&inherited);
	int fd = block_signals(&inherited);
	if (fd < 0)
		run_fail(RUN_FAILED, "signals cannot be read: %s", strerror(errno));
	pid_t child = start_child(path, argv, variables, &inherited);
	for (;;) {
		struct pollfd p[] = { { .fd = fd, .events = POLLIN }, { .fd = run_hub_fd(hub), .events = POLLIN } };

		if (poll(p, 2, run_hub_timeout(hub)) < 0 && errno != EINTR)
			run_fail(RUN_FAILED, "cannot wait: %s", strerror(errno));
		if ((p[0].revents & POLLIN) && forward_signals(fd, child) && waitpid(child, &status, WNOHANG) == child)
			break;
		run_hub_turn(hub);
	}
	close(fd);
	return status;
}

void run_child_end_as(int status)
{
	if (WIFSIGNALED(status)) {
		int signal_number = WTERMSIG(status);
		sigset_t one;

		setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
		prctl(PR_SET_DUMPABLE, 0);
		sigaction(signal_number, &(struct sigaction){ .sa_handler = SIG_DFL }, NULL);
		sigemptyset(&one);
		sigaddset(&one, signal_number);
		raise(signal_number);
		sigprocmask(SIG_UNBLOCK, &one, NULL);
		exit(EXIT_BY_SIGNAL + signal_number); /* only reached if that signal does not kill this process */
	}
	exit(WEXITSTATUS(status));
}
