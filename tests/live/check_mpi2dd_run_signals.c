/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The starter and signals: each reaches the command once, from whom it may come, and the starter ends and stops as
 * the command does. And a hub that strangers shout at while a job runs.
 */
#include "../support/job.h"
#include "../support/starter_run.h"
#include "../support/suite.h"
#include "../support/process.h"

#include <check.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

enum { TIMEOUT_S = 120 };

/* Counts the signals it receives and prints the counts at the end: on SIGTERM, or when the file "end" exists. */
static const char counter[] =
	"#include <signal.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <sys/resource.h>\n#include <unistd.h>\n"
	"static volatile sig_atomic_t n[65];\nstatic void count(int s) { n[s]++; }\n"
	"int main(int argc, char **argv)\n{\n	static const int all[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, "
	"SIGUSR2, SIGWINCH, SIGCONT };\n	struct rlimit l;\n	struct sigaction now;\n	sigset_t blocked;\n"
	"	sigprocmask(SIG_BLOCK, NULL, &blocked);\n	sigaction(SIGUSR1, NULL, &now);\n"
	"	getrlimit(RLIMIT_NOFILE, &l);\n"
	"	printf(\"ready %d blocked %d ignored %d files %ld argc %d\\n\", (int)getpid(), sigismember(&blocked, "
	"SIGINT),\n"
	"	       now.sa_handler == SIG_IGN, (long)l.rlim_cur, argc);\n"
	"	for (unsigned i = 0; i < sizeof(all) / sizeof(*all); i++)\n		signal(all[i], count);\n"
	"	alarm(100);\n	printf(\"go\\n\");\n	fflush(stdout);\n"
	"	while (!n[SIGTERM] && access(argv[1], F_OK)) {\n		static int known[65];\n"
	"		for (unsigned i = 0; i < sizeof(all) / sizeof(*all); i++)\n"
	"			if (known[all[i]] != n[all[i]])\n"
	"				printf(\"signal %d %d\\n\", all[i], known[all[i]] = (int)n[all[i]]);\n"
	"		fflush(stdout);\n		usleep(10000);\n	}\n"
	"	for (unsigned i = 0; i < sizeof(all) / sizeof(*all); i++)\n"
	"		printf(\"%d:%d \", all[i], (int)n[all[i]]);\n	printf(\"end\\n\");\n	return 7;\n}\n";

static struct starter_run r;

static pid_t counter_pid(void)
{
	int pid = 0;

	ck_assert_int_eq(sscanf(strstr(r.out, "ready "), "ready %d", &pid), 1);
	return pid;
}

static void setup(void)
{
	starter_setup();
	/* a shell ignores them in what it runs in the background, and the timeout of coreutils 9.10 leaves that so */
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	starter_put("counter.c", counter);
	starter_compile("gcc", "counter");
}

static void got(int signal_number, int n)
{
	char text[32];

	snprintf(text, sizeof(text), "%d:%d ", signal_number, n);
	ck_assert_msg(strstr(r.out, text) != NULL, "signal %d: %d times expected: %s", signal_number, n, r.out);
}

static void nap(void)
{
	usleep(150000);
}

/* Sent to the starter: handed on, once; and the starter lives as long as the command. */
START_TEST(test_handed_on)
{
	static const int all[] = { SIGINT, SIGQUIT, SIGHUP, SIGUSR1, SIGUSR2, SIGWINCH, SIGCONT };
	char counted[32];

	starter_start(&r, "R --mpi openmpi @counter @end");
	starter_await(&r, "go\n");
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		ck_assert_int_eq(kill(r.pid, all[i]), 0);
		snprintf(counted, sizeof(counted), "signal %d 1\n", all[i]);
		starter_await(&r, counted);
		nap();
	}
	starter_put("end", "");
	starter_wait(&r);
	ck_assert_int_eq(starter_code(&r), 7);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		got(all[i], 1);
	got(SIGTERM, 0);
}
END_TEST

START_TEST(test_terminated)
{
	starter_start(&r, "R --mpi openmpi @counter @end");
	starter_await(&r, "go\n");
	ck_assert_int_eq(kill(r.pid, SIGTERM), 0);
	starter_wait(&r);
	ck_assert_int_eq(starter_code(&r), 7);
	got(SIGTERM, 1);
	/* the job dies of the signal: the starter dies of the same signal, without a message */
	starter_start(&r, "R --mpi openmpi sh -c 'echo go; exec sleep 100'");
	starter_await(&r, "go\n");
	ck_assert_int_eq(kill(r.pid, SIGTERM), 0);
	starter_wait(&r);
	ck_assert(WIFSIGNALED(r.status));
	ck_assert_int_eq(WTERMSIG(r.status), SIGTERM);
	ck_assert(!WCOREDUMP(r.status));
	ck_assert_str_eq(r.err, "");
}
END_TEST

/* The command inherits what the starter has inherited: blocked and ignored signals, limits. */
START_TEST(test_inherited)
{
	char expected[128];
	struct rlimit l;

	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &l), 0);
	l.rlim_cur = 200;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &l), 0);
	signal(SIGUSR1, SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
	starter_start(&r, "R --mpi openmpi @counter @end");
	starter_await(&r, "go\n");
	snprintf(expected, sizeof(expected), "blocked 0 ignored 1 files 200 argc 2\n");
	ck_assert_msg(strstr(r.out, expected) != NULL, "%s", r.out);
	ck_assert_int_eq(kill(r.pid, SIGUSR1), 0); /* ignored by the starter as well: not handed on */
	nap();
	starter_put("end", "");
	starter_wait(&r);
	got(SIGUSR1, 0);
	signal(SIGUSR1, SIG_DFL);
}
END_TEST

static void await_state(pid_t pid, char state)
{
	double until = job_now() + 10;

	while (process_state(pid) != state) {
		ck_assert_msg(job_now() < until, "process %d: state %c, not %c", (int)pid, process_state(pid), state);
		job_nap();
	}
}

/* SIGTSTP stops both, SIGCONT lets both run. */
START_TEST(test_stopped)
{
	starter_start(&r, "R --mpi openmpi @counter @end");
	starter_await(&r, "go\n");
	pid_t child = counter_pid();
	ck_assert_int_eq(kill(r.pid, SIGTSTP), 0);
	await_state(r.pid, 'T');
	await_state(child, 'T');
	ck_assert_int_eq(kill(r.pid, SIGCONT), 0);
	await_state(child, 'S');
	await_state(r.pid, 'S');
	/* the command alone: the starter goes on */
	ck_assert_int_eq(kill(child, SIGSTOP), 0);
	await_state(child, 'T');
	nap();
	ck_assert_int_eq(process_state(r.pid), 'S');
	ck_assert_int_eq(kill(child, SIGCONT), 0);
	starter_put("end", "");
	starter_wait(&r);
	ck_assert_int_eq(starter_code(&r), 7);
}
END_TEST

/* SIGKILL: the command gets SIGTERM. */
START_TEST(test_killed)
{
	starter_start(&r, "R --mpi openmpi @counter @end");
	starter_await(&r, "go\n");
	pid_t child = counter_pid();
	ck_assert_int_eq(kill(r.pid, SIGKILL), 0);
	starter_wait(&r);
	ck_assert_int_eq(WTERMSIG(r.status), SIGKILL);
	starter_await(&r, "end\n");
	got(SIGTERM, 1);
	for (double until = job_now() + 10; process_state(child) && job_now() < until;)
		job_nap();
	ck_assert_int_eq(process_state(child), 0);
}
END_TEST

/* ---- a terminal ----------------------------------------------------------------------------------- */

/* The command in the foreground of a terminal of its own. @return the terminal's other end. */
static int start_on_terminal(pid_t *ret)
{
	char starter[STARTER_PATH_MAX], program[2 * STARTER_PATH_MAX], end[2 * STARTER_PATH_MAX];
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);

	ck_assert(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
	snprintf(starter, sizeof(starter), "%s/mpi2dd-run", getenv("MPIDBG_BUILD"));
	snprintf(program, sizeof(program), "%s/counter", starter_dir);
	snprintf(end, sizeof(end), "%s/end", starter_dir);
	*ret = fork();
	ck_assert_int_ge(*ret, 0);
	if (*ret == 0) {
		setsid();
		int tty = open(ptsname(master), O_RDWR);
		dup2(tty, 0);
		dup2(tty, 1);
		dup2(tty, 2);
		execl(starter, starter, "--mpi", "openmpi", program, end, (char *)NULL);
		_exit(99);
	}
	return master;
}

static void read_until(int master, const char *text)
{
	static size_t n;
	double until = job_now() + 20;

	if (!r.out[0])
		n = 0;
	ck_assert_int_eq(fcntl(master, F_SETFL, O_NONBLOCK), 0);
	while (!strstr(r.out, text)) {
		ssize_t got_bytes = read(master, r.out + n, sizeof(r.out) - 1 - n);

		ck_assert_msg(job_now() < until, "\"%s\" does not come: %s", text, r.out);
		if (got_bytes > 0)
			n += (size_t)got_bytes;
		else
			job_nap();
		r.out[n] = '\0';
	}
}

/* What the terminal sends to all is not handed on: the command gets it once. */
START_TEST(test_terminal)
{
	struct winsize size = { .ws_row = 50, .ws_col = 100 };
	pid_t starter;
	int status;

	memset(&r, 0, sizeof(r));
	int master = start_on_terminal(&starter);
	read_until(master, "go\r\n");
	/* a second signal of the kind that is sent before the first one is handled is lost */
	ck_assert_int_eq(write(master, "\x03", 1), 1);
	read_until(master, "signal 2 1\r\n");
	nap();
	ck_assert_int_eq(write(master, "\x03", 1), 1);
	read_until(master, "signal 2 2\r\n");
	ck_assert_int_eq(write(master, "\x1c", 1), 1);
	read_until(master, "signal 3 1\r\n");
	ck_assert_int_eq(ioctl(master, TIOCSWINSZ, &size), 0);
	read_until(master, "signal 28 1\r\n");
	nap();
	starter_put("end", "");
	read_until(master, "end\r\n");
	ck_assert_int_eq(waitpid(starter, &status, 0), starter);
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), 7);
	got(SIGINT, 2);
	got(SIGQUIT, 1);
	got(SIGWINCH, 1);
	got(SIGTERM, 0);
	close(master);
}
END_TEST

/* ---- strangers ------------------------------------------------------------------------------------ */

static const char shy_rank[] = "#include <mpi.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n"
			       "int main(int argc, char **argv)\n{\n	int rank;\n	alarm(100);\n	"
			       "printf(\"%s\\n\", getenv(\"MPI2DD_STARTER\"));\n"
			       "	fflush(stdout);\n	while (access(argv[1], F_OK))\n		"
			       "usleep(10000);\n	MPI_Init(&argc, &argv);\n"
			       "	MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n	printf(\"rank %d\\n\", rank);\n	"
			       "MPI_Finalize();\n	return 0;\n}\n";

/* Connections with garbage, wrong cookies, halves and silence, before and during MPI_Init of a job. */
START_TEST(test_strangers)
{
	enum { MANY = 500 };
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	static char garbage[1 << 16];
	unsigned seed = 11;
	int fds[MANY];

	starter_put("shy.c", shy_rank);
	starter_compile("mpicc.openmpi", "shy");
	starter_start(&r, "R mpirun.openmpi --oversubscribe -n 2 @shy @init");
	starter_await(&r, "unix:");
	for (size_t i = 0; i < sizeof(garbage); i++)
		garbage[i] = (char)rand_r(&seed);
	const char *name = strstr(r.out, "unix:") + 5;
	size_t n = strcspn(name, ",;");
	memcpy(to.sun_path + 1, name, n);
	for (size_t i = 0; i < MANY; i++) {
		fds[i] = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
		ck_assert_int_ge(fds[i], 0);
		ck_assert_int_eq(connect(fds[i], (struct sockaddr *)&to,
					 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + n)),
				 0);
		const char *half = "MPI2DD/1 00000000000000000000000000000000 HELLO a 0 1\n";
		if (i % 4 == 0)
			send(fds[i], garbage, sizeof(garbage), MSG_NOSIGNAL | MSG_DONTWAIT);
		else if (i % 4 == 1)
			send(fds[i], half, strlen(half), MSG_NOSIGNAL);
		else if (i % 4 == 2)
			send(fds[i], half, 12, MSG_NOSIGNAL);
	}
	starter_put("init", "");
	starter_wait(&r);
	ck_assert_msg(starter_code(&r) == 0, "%s", r.err);
	ck_assert_ptr_nonnull(strstr(r.out, "rank 0\n"));
	ck_assert_ptr_nonnull(strstr(r.out, "rank 1\n"));
	ck_assert_str_eq(r.err, "");
	for (size_t i = 0; i < MANY; i++)
		close(fds[i]);
}
END_TEST

/* A stopped starter (for example by a debugger) delays the
 * ranks only briefly; one that has ended does not delay them. */
START_TEST(test_starter_stopped)
{
	starter_put("shy.c", shy_rank);
	starter_compile("mpicc.openmpi", "shy");
	starter_start(&r, "R mpirun.openmpi --oversubscribe -n 2 @shy @init");
	starter_await(&r, "unix:");
	ck_assert_int_eq(kill(r.pid, SIGSTOP), 0);
	double start = job_now();
	starter_put("init", "");
	starter_await(&r, "rank 0\n");
	starter_await(&r, "rank 1\n");
	ck_assert_msg(job_now() - start < 15, "%.1f s", job_now() - start);
	ck_assert_int_eq(kill(r.pid, SIGCONT), 0);
	starter_wait(&r);
	ck_assert_int_eq(starter_code(&r), 0);
}
END_TEST

int main(void)
{
	job_require();
	Suite *s = suite_create("mpi2dd_run_signals");
	TCase *tc = tcase_create("mpi2dd_run_signals");
	tcase_set_timeout(tc, TIMEOUT_S);
	tcase_add_checked_fixture(tc, setup, starter_teardown);
	tcase_add_test(tc, test_handed_on);
	tcase_add_test(tc, test_terminated);
	tcase_add_test(tc, test_inherited);
	tcase_add_test(tc, test_stopped);
	tcase_add_test(tc, test_killed);
	tcase_add_test(tc, test_terminal);
	tcase_add_test(tc, test_strangers);
	tcase_add_test(tc, test_starter_stopped);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
