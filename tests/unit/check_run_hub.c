/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The starter's hub and the library's side of its protocol, each as it is shipped, with processes for ranks; and
 * peers that mean no good, who must not disturb them.
 */
#include "../../mpi2dd/run/hub.h"
#include "../../mpi2dd/run/request.h"
#include "../../mpi2dd/tables/starter.h"
#include "../support/job.h"
#include "../support/suite.h"

#include <arpa/inet.h>
#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NODES = 5, NOBODY = 65534, LONG_MS = 30000, PAUSE_MS = 20 };

/* ---- the hub, in a thread of its own ------------------------------------------------------------- */

static struct run_hub *hub;
static atomic_bool stop, asleep;
static pthread_t thread;
static atomic_int n_places;
static char place_host[256], place_executable[8192];
static int place_pid;

static void note_place(const char *host, const char *executable, int pid)
{
	snprintf(place_host, sizeof(place_host), "%s", host);
	snprintf(place_executable, sizeof(place_executable), "%s", executable);
	place_pid = pid;
	n_places++;
}

static void *turn(void *unused)
{
	(void)unused;
	while (!stop) {
		struct pollfd p = { .fd = run_hub_fd(hub), .events = POLLIN };
		int ms = run_hub_timeout(hub);

		poll(&p, 1, ms < 0 || ms > PAUSE_MS ? PAUSE_MS : ms);
		if (!asleep)
			run_hub_turn(hub);
	}
	return NULL;
}

static atomic_int n_hangs, n_hanging;
static char hanging[256];

static bool note_hang(const struct run_watched *const *processes, size_t n)
{
	size_t at = 0;

	n_hanging = (int)n;
	for (size_t i = 0; i < n && at < sizeof(hanging); i++)
		at += (size_t)snprintf(hanging + at, sizeof(hanging) - at, "%d:%d:%s:%d ", processes[i]->rank,
				       processes[i]->pid, processes[i]->function, processes[i]->seconds);
	n_hangs++;
	return true;
}

static void setup(void)
{
	hub = run_hub_open(note_place, false);
	ck_assert_ptr_nonnull(hub);
	run_hub_watch(hub, note_hang);
	n_hangs = 0;
	ck_assert_int_eq(setenv(M2D_STARTER_VARIABLE, run_hub_value(hub), 1), 0);
	n_places = 0;
	stop = asleep = false;
	ck_assert_int_eq(pthread_create(&thread, NULL, turn, NULL), 0);
}

static void teardown(void)
{
	stop = true;
	pthread_join(thread, NULL);
	run_hub_close(hub);
	unsetenv(M2D_STARTER_VARIABLE);
}

/* The variable's value with only the tcp address, of the loopback interface. */
static void only_tcp(void)
{
	const char *value = run_hub_value(hub), *tcp = strstr(value, ",tcp:"), *cookie = strrchr(value, ';');
	char text[M2D_STARTER_PLACE_MAX];
	unsigned port;

	if (!tcp) {
		puts("this host has no address for others: TCP is not tried");
		return;
	}
	ck_assert_int_eq(sscanf(strchr(tcp + 5, ':'), ":%u", &port), 1);
	snprintf(text, sizeof(text), "tcp:127.0.0.1:%u%s", port, cookie);
	ck_assert_int_eq(setenv(M2D_STARTER_VARIABLE, text, 1), 0);
}

/* ---- nodes --------------------------------------------------------------------------------------- */

struct node {
	int local_size, reports_good;
	bool is_gone; /* ends while it waits for the verdict */
	bool is_mute; /* says HELLO and no VERDICT */
};

/* Each node is a process; a pipe is the barrier of MPI_Init. @return exit codes: 1 YES, 0 NO, 9 no HELLO. */
static void run_nodes(const char *job, const struct node *nodes, size_t n, int world_size, int codes[NODES])
{
	int hello[2], barrier[2];
	pid_t pids[NODES];
	char c;

	ck_assert_int_eq(pipe(hello) | pipe(barrier), 0);
	for (size_t i = 0; i < n; i++) {
		pids[i] = fork();
		ck_assert_int_ge(pids[i], 0);
		if (pids[i])
			continue;
		close(barrier[1]);
		if (!m2d_starter_hello(job, (int)i, nodes[i].local_size))
			_exit(9);
		if (write(hello[1], "h", 1) != 1 || read(barrier[0], &c, 1) != 0)
			_exit(8);
		if (nodes[i].is_mute)
			_exit(7);
		if (nodes[i].is_gone)
			_exit(m2d_starter_decide(true, world_size, 200) ? 1 : 6);
		_exit(m2d_starter_decide(nodes[i].reports_good, world_size, LONG_MS) ? 1 : 0);
	}
	for (size_t i = 0; i < n; i++)
		ck_assert_int_eq(read(hello[0], &c, 1), 1);
	close(barrier[1]);
	for (size_t i = 0; i < n; i++) {
		int status;

		ck_assert_int_eq(waitpid(pids[i], &status, 0), pids[i]);
		codes[i] = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	}
	close(barrier[0]);
	close(hello[0]);
	close(hello[1]);
}

static const struct {
	const char *what;
	struct node nodes[NODES];
	size_t n;
	int world_size;
	int codes[NODES];
} verdicts[] = {
	{ "one node", { { 4, 1 } }, 1, 4, { 1 } },
	{ "three nodes", { { 4, 1 }, { 1, 1 }, { 2, 1 } }, 3, 7, { 1, 1, 1 } },
	{ "one is missing", { { 4, 1 }, { 2, 1 } }, 2, 7, { 0, 0 } },
	{ "more than the world", { { 4, 1 }, { 4, 1 } }, 2, 7, { 0, 0 } },
	{ "one says no", { { 4, 1 }, { 1, 0 }, { 2, 1 } }, 3, 7, { 0, 0, 0 } },
	{ "all say no", { { 4, 0 }, { 3, 0 } }, 2, 7, { 0, 0 } },
	{ "one leaves", { { 4, 1 }, { 2, 1 }, { 1, 1, true }, { 1, 1, false, true } }, 4, 8, { 0, 0, 6, 7 } },
	{ "one is silent", { { 4, 1 }, { 2, 1 }, { 1, 1, false, true } }, 3, 7, { 0, 0, 7 } },
};

START_TEST(test_verdict)
{
	int codes[NODES] = { 0 };
	double start = job_now();

	run_nodes("world 1;2", verdicts[_i].nodes, verdicts[_i].n, verdicts[_i].world_size, codes);
	for (size_t i = 0; i < verdicts[_i].n; i++)
		ck_assert_msg(codes[i] == verdicts[_i].codes[i], "%s: node %zu: exit %d, expected %d",
			      verdicts[_i].what, i, codes[i], verdicts[_i].codes[i]);
	if (strcmp(verdicts[_i].what, "one is silent") != 0)
		ck_assert_msg(job_now() - start < M2D_STARTER_DECIDE_MS / 2000.0, "%s: took %.1f s", verdicts[_i].what,
			      job_now() - start);
}
END_TEST

/* By TCP as by the local socket; two worlds at once do not count each other. */
START_TEST(test_verdict_tcp)
{
	int codes[NODES];

	only_tcp();
	run_nodes("first", verdicts[1].nodes, verdicts[1].n, verdicts[1].world_size, codes);
	ck_assert_int_eq(codes[0] + codes[1] + codes[2], 3);
	run_nodes("second", verdicts[2].nodes, verdicts[2].n, verdicts[2].world_size, codes);
	ck_assert_int_eq(codes[0] + codes[1], 0);
	run_nodes("third", verdicts[1].nodes, verdicts[1].n, verdicts[1].world_size, codes);
	ck_assert_int_eq(codes[0] + codes[1] + codes[2], 3);
}
END_TEST

/* ---- the place of the metadirectory -------------------------------------------------------------- */

START_TEST(test_place)
{
	char path[5000];
	memset(path, ' ', sizeof(path) - 1);
	path[0] = '/';
	path[sizeof(path) - 1] = '\0';
	ck_assert(m2d_starter_known());
	ck_assert(m2d_starter_place("a job", "node-1.example", path, 4711, ""));
	ck_assert(m2d_starter_place("a spawned job", "other", "/b", 4712, "x"));
	for (int i = 0; i < 100 && n_places < 1; i++)
		job_nap();
	ck_assert_int_eq(n_places, 1);
	ck_assert_str_eq(place_host, "node-1.example");
	ck_assert_str_eq(place_executable, path);
	ck_assert_int_eq(place_pid, 4711);
}
END_TEST

/* Any byte but NUL, and what cannot be a place. */
START_TEST(test_place_bytes)
{
	char text[256];
	for (int i = 1; i < 256; i++)
		text[i - 1] = (char)i;
	text[255] = '\0';
	ck_assert(!m2d_starter_place("job", "", text, 1, "id"));
	ck_assert(!m2d_starter_place("job", "host", "", 1, "id"));
	ck_assert(!m2d_starter_place("job", "host", "/a", 0, "id"));
	ck_assert(!m2d_starter_place("job", "host", "/a", -5, "id"));
	ck_assert_int_eq(n_places, 0);
	ck_assert(m2d_starter_place(text, text, text, 7, text));
	for (int i = 0; i < 100 && n_places < 1; i++)
		job_nap();
	ck_assert_str_eq(place_host, text);
	ck_assert_str_eq(place_executable, text);
}
END_TEST

/* ---- ranks whose starter is not what it should be ------------------------------------------------ */

static int count_fds(void)
{
	int n = 0;
	DIR *d = opendir("/proc/self/fd");

	ck_assert_ptr_nonnull(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

static const char *const values[] = {
	"",
	"x",
	";",
	"unix:;00000000000000000000000000000000",
	"unix:nobody-listens-here;00000000000000000000000000000000",
	"tcp:127.0.0.1:1;00000000000000000000000000000000",
	"tcp:127.0.0.1:99999,tcp:[::1,tcp:,tcp:x:y,unix,,;00000000000000000000000000000000",
	"tcp:[::1]:1;00000000000000000000000000000000",
	"unix:short-cookie;0000",
};

START_TEST(test_no_hub)
{
	double start = job_now();
	int fds = count_fds();

	ck_assert_int_eq(setenv(M2D_STARTER_VARIABLE, values[_i], 1), 0);
	errno = ERANGE;
	ck_assert(!m2d_starter_hello("job", 0, 1));
	ck_assert(!m2d_starter_known());
	ck_assert(!m2d_starter_decide(true, 1, LONG_MS));
	ck_assert(!m2d_starter_place("job", "host", "/a", 1, "id"));
	ck_assert_int_eq(errno, ERANGE);
	ck_assert_int_eq(count_fds(), fds);
	ck_assert(job_now() - start < 2);
}
END_TEST

START_TEST(test_no_variable)
{
	ck_assert_int_eq(unsetenv(M2D_STARTER_VARIABLE), 0);
	ck_assert(!m2d_starter_known());
	ck_assert(!m2d_starter_hello("job", 0, 1));
	ck_assert(!m2d_starter_decide(true, 1, LONG_MS));
}
END_TEST

/* A starter that a debugger has stopped: waited for once, not for ever. */
START_TEST(test_stopped_hub)
{
	double start = job_now();

	asleep = true;
	ck_assert(!m2d_starter_hello("job", 0, 1));
	ck_assert(job_now() - start > M2D_STARTER_ANSWER_MS / 1000.0 - 0.1);
	ck_assert(!m2d_starter_decide(true, 1, LONG_MS));
	ck_assert(job_now() - start < M2D_STARTER_ANSWER_MS / 1000.0 + 2);
}
END_TEST

/* Descriptors used for a query are not low numbers that a program may rely on, and all are closed. */
START_TEST(test_descriptors)
{
	int status;
	pid_t rank = fork(); /* without the hub's thread, whose descriptors open and close */

	ck_assert_int_ge(rank, 0);
	if (rank == 0) {
		int fds = count_fds(), lowest = open("/dev/null", O_RDONLY);

		close(lowest);
		if (!m2d_starter_hello("job", 0, 1) || !m2d_starter_decide(true, 1, LONG_MS))
			_exit(2);
		if (count_fds() != fds || open("/dev/null", O_RDONLY) != lowest)
			_exit(3);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(rank, &status, 0), rank);
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), 0);
}
END_TEST

/* The local name is somebody else's on this host: it does not learn the cookie, the tcp address is taken. */
START_TEST(test_foreign_name)
{
	const char *value = run_hub_value(hub), *cookie = strrchr(value, ';');
	char text[M2D_STARTER_PLACE_MAX], seen[64], name[64];
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int ready[2], status;
	char c;

	if (geteuid() != 0)
		return;
	snprintf(name, sizeof(name), "mpi2dd-test-%d", (int)getpid());
	memcpy(at.sun_path + 1, name, strlen(name));
	socklen_t bytes = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name));
	ck_assert_int_eq(pipe(ready), 0);
	pid_t thief = fork();
	ck_assert_int_ge(thief, 0);
	if (thief == 0) {
		if (setgid(NOBODY) || setuid(NOBODY))
			_exit(99);
		int fd = socket(AF_UNIX, SOCK_STREAM, 0);
		if (bind(fd, (struct sockaddr *)&at, bytes) != 0 || listen(fd, 5) != 0 || write(ready[1], "r", 1) != 1)
			_exit(98);
		int peer = accept(fd, NULL, NULL);
		_exit(peer >= 0 && read(peer, seen, sizeof(seen)) == 0 ? 0 : 1);
	}
	ck_assert_int_eq(read(ready[0], &c, 1), 1);
	only_tcp();
	const char *tcp = getenv(M2D_STARTER_VARIABLE);
	snprintf(text, sizeof(text), "unix:%s,%s", name, strncmp(tcp, "tcp:", 4) == 0 ? tcp : cookie);
	ck_assert_int_eq(setenv(M2D_STARTER_VARIABLE, text, 1), 0);
	ck_assert_int_eq(m2d_starter_hello("job", 0, 1), strstr(text, "tcp:") != NULL);
	ck_assert_int_eq(waitpid(thief, &status, 0), thief);
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), 0);
}
END_TEST

/* ---- peers that mean no good --------------------------------------------------------------------- */

static int connect_unix(void)
{
	const char *value = run_hub_value(hub);
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	size_t n = strcspn(value + 5, ",;");
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	ck_assert_int_ge(fd, 0);
	memcpy(to.sun_path + 1, value + 5, n);
	ck_assert_int_eq(
		connect(fd, (struct sockaddr *)&to, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + n)), 0);
	return fd;
}

/* The answer until the hub closes the connection, within the given time; "": none. */
static const char *answer_to(int fd, const char *text, size_t n, int ms)
{
	static char answer[64];
	size_t at = 0;
	struct pollfd p = { .fd = fd, .events = POLLIN };

	while (n > 0) {
		ssize_t sent = send(fd, text, n, MSG_NOSIGNAL);
		if (sent <= 0)
			break;
		text += sent;
		n -= (size_t)sent;
	}
	for (ssize_t got = 1; got > 0 && at<sizeof(answer) - 1; at += got> 0 ? (size_t)got : 0) {
		ck_assert_msg(poll(&p, 1, ms) == 1, "neither answered nor closed");
		got = recv(fd, answer + at, sizeof(answer) - 1 - at, 0);
	}
	answer[at] = '\0';
	close(fd);
	return answer;
}

/* %s is the cookie. */
static const struct {
	const char *line, *answer;
} requests[] = {
	{ "MPI2DD/1 %s HELLO job 0 1\n", "OK\n" },
	{ "MPI2DD/1 %s HELLO job 0 1\nMPI2DD/1 x HELLO\n", "OK\n" },
	{ "MPI2DD/1 %s HELLO %% -1 1\n", "OK\n" },
	{ "MPI2DD/1 %s HELLO job 0 0\n", "" },
	{ "MPI2DD/1 %s HELLO job 0 -1\n", "" },
	{ "MPI2DD/1 %s HELLO job 0 99999999999\n", "" },
	{ "MPI2DD/1 %s HELLO job 0 1 1\n", "" },
	{ "MPI2DD/1 %s HELLO job 0\n", "" },
	{ "MPI2DD/1 %s HELLO job  0 1\n", "" },
	{ "MPI2DD/1 %s HELLO job%%0 0 1\n", "" },
	{ "MPI2DD/1 %s HELLO job%%00 0 1\n", "" },
	{ "MPI2DD/1 %s HELLO job%% 0 1\n", "" },
	{ "MPI2DD/1 %s HELLO job 0x0 1\n", "" },
	{ "MPI2DD/1 %s hello job 0 1\n", "" },
	{ "MPI2DD/1 %sHELLO job 0 1\n", "" },
	{ "MPI2DD/1 %s0 HELLO job 0 1\n", "" },
	{ "MPI2DD/1 %s\n", "" },
	{ "MPI2DD/2 %s HELLO job 0 1\n", "" },
	{ "MPI2DD/1 00000000000000000000000000000000 HELLO job 0 1\n", "" },
	{ "MPI2DD/1 0 HELLO job 0 1\n", "" },
	{ "MPI2DD/1 %s VERDICT never 0 1 1\n", "NO\n" },
	{ "MPI2DD/1 %s VERDICT never 0 1 2\n", "" },
	{ "MPI2DD/1 %s VERDICT never 0 1\n", "" },
	{ "MPI2DD/1 %s PLACE job host exe 0 id\n", "" },
	{ "MPI2DD/1 %s PLACE job host exe\n", "" },
	{ "MPI2DD/1 %s PLACE job host exe 1 id more\n", "" },
	{ "\n", "" },
	{ "GET / HTTP/1.1\r\n\r\n", "" },
};

START_TEST(test_request)
{
	char line[512];
	const char *cookie = strrchr(run_hub_value(hub), ';') + 1;

	snprintf(line, sizeof(line), requests[_i].line, cookie);
	ck_assert_str_eq(answer_to(connect_unix(), line, strlen(line), 2000), requests[_i].answer);
	ck_assert_int_eq(n_places, 0);
}
END_TEST

START_TEST(test_too_long)
{
	enum { MUCH = 4 * M2D_STARTER_LINE_MAX };
	const char *cookie = strrchr(run_hub_value(hub), ';') + 1;
	char *text = malloc(MUCH);

	ck_assert_ptr_nonnull(text);
	memset(text, 'a', MUCH);
	int n = snprintf(text, MUCH, "MPI2DD/1 %s HELLO ", cookie);
	text[n] = 'a';
	ck_assert_str_eq(answer_to(connect_unix(), text, MUCH, 2000), "");
	/* and without the cookie the rest is not even waited for */
	memset(text, 'a', MUCH);
	ck_assert_str_eq(answer_to(connect_unix(), text, 100, 2000), "");
	free(text);
	ck_assert(m2d_starter_hello("job", 0, 1));
}
END_TEST

/* Silent connections and incomplete lines are closed after the time limit; a slow valid client is served. */
START_TEST(test_silent)
{
	const char *cookie = strrchr(run_hub_value(hub), ';') + 1;
	char line[128];
	int silent = connect_unix(), half = connect_unix(), slow = connect_unix();
	double start = job_now();

	snprintf(line, sizeof(line), "MPI2DD/1 %s HELLO job 0 1\n", cookie);
	ck_assert_int_eq(write(half, line, 20), 20);
	for (size_t i = 0; line[i + 1]; i++) {
		ck_assert_int_eq(write(slow, line + i, 1), 1);
		poll(NULL, 0, 10);
	}
	ck_assert_str_eq(answer_to(slow, "\n", 1, 2000), "OK\n");
	ck_assert_str_eq(answer_to(silent, "", 0, 2 * M2D_STARTER_SILENCE_MS), "");
	ck_assert_str_eq(answer_to(half, "", 0, 2 * M2D_STARTER_SILENCE_MS), "");
	ck_assert(job_now() - start > M2D_STARTER_SILENCE_MS / 1000.0 - 0.2);
}
END_TEST

/* Hundreds of them, more than there are descriptors, while a world of three nodes gets its verdict. */
START_TEST(test_crowd)
{
	enum { CROWD = 400, LIMIT = 600 };
	struct rlimit limit;
	int codes[NODES];

	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = LIMIT;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	pid_t crowd = fork();
	ck_assert_int_ge(crowd, 0);
	if (crowd == 0) {
		int held[CROWD];
		unsigned seed = 3;
		for (size_t i = 0; i < CROWD; i++)
			held[i] = -1;
		for (size_t i = 0;; i = (i + 1) % CROWD) {
			char garbage[64];

			if (held[i] >= 0)
				close(held[i]);
			held[i] = connect_unix();
			for (size_t k = 0; k < sizeof(garbage); k++)
				garbage[k] = (char)rand_r(&seed);
			if (i % 2)
				send(held[i], garbage, sizeof(garbage), MSG_NOSIGNAL);
		}
	}
	poll(NULL, 0, 300);
	for (int i = 0; i < 5; i++) {
		char job[16];

		snprintf(job, sizeof(job), "job%d", i);
		run_nodes(job, verdicts[1].nodes, verdicts[1].n, verdicts[1].world_size, codes);
		ck_assert_int_eq(codes[0], 1);
		ck_assert_int_eq(codes[1], 1);
		ck_assert_int_eq(codes[2], 1);
	}
	ck_assert_int_eq(waitpid(crowd, NULL, WNOHANG), 0);
	kill(crowd, SIGKILL);
	waitpid(crowd, NULL, 0);
}
END_TEST

/* Another user of this host, who even knows the cookie. */
START_TEST(test_other_user)
{
	int status;

	if (geteuid() != 0)
		return;
	pid_t other = fork();
	ck_assert_int_ge(other, 0);
	if (other == 0) {
		char line[128];

		if (setgid(NOBODY) || setuid(NOBODY))
			_exit(99);
		snprintf(line, sizeof(line), "MPI2DD/1 %s HELLO job 0 1\n", strrchr(run_hub_value(hub), ';') + 1);
		_exit(answer_to(connect_unix(), line, strlen(line), 2000)[0] ? 1 : 0);
	}
	ck_assert_int_eq(waitpid(other, &status, 0), other);
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), 0);
}
END_TEST

/* Any wrong byte of it. */
START_TEST(test_cookie)
{
	static const char cookie[] = "0123456789abcdef0123456789abcdef";
	struct run_request r;
	char line[128];

	int n = snprintf(line, sizeof(line), "MPI2DD/1 %s HELLO job 0 1", cookie);
	ck_assert(run_request_may_be(line, (size_t)n, cookie));
	line[sizeof("MPI2DD/1 ") - 1 + _i] ^= 1;
	ck_assert(!run_request_may_be(line, (size_t)n, cookie));
	ck_assert(!run_request_parse(line, (size_t)n, cookie, &r));
}
END_TEST

/* Lines with bytes changed, cut, doubled: any answer of the parser, and strings that end within the line. */
START_TEST(test_parser)
{
	enum { TURNS = 200000, ROOM = 256 };
	static const char cookie[] = "0123456789abcdef0123456789abcdef";
	static const char *const seeds[] = { "HELLO j%20b 3 4", "VERDICT job -1 12 1", "PLACE job h%41st /a%20b 77 %",
					     "WATCH % h%41st 77" };
	unsigned seed = 7, n_good = 0;

	for (int i = 0; i < TURNS; i++) {
		char line[ROOM], *copy;
		struct run_request r;
		int n = snprintf(line, sizeof(line), "MPI2DD/1 %s %s", cookie, seeds[i % 4]);

		for (int k = rand_r(&seed) % 4; k > 0; k--) {
			int at = rand_r(&seed) % 5 ? 42 + rand_r(&seed) % (n - 42) : rand_r(&seed) % n;
			line[at] = rand_r(&seed) % 2 ? " %0123abc-/"[rand_r(&seed) % 11] : (char)rand_r(&seed);
		}
		if (rand_r(&seed) % 4 == 0)
			n = rand_r(&seed) % (n + 1);
		copy = malloc((size_t)n + 1); /* no byte more: what reads on is found by the sanitizer */
		ck_assert_ptr_nonnull(copy);
		memcpy(copy, line, (size_t)n);
		if (run_request_parse(copy, (size_t)n, cookie, &r)) {
			n_good++;
			ck_assert(r.job >= copy && r.job + strlen(r.job) <= copy + n);
			if (r.verb == RUN_PLACE || r.verb == RUN_WATCH) {
				ck_assert(r.host >= copy && r.host + strlen(r.host) <= copy + n);
				ck_assert_int_ge(r.pid, 1);
			} else {
				ck_assert_int_ge(r.size, 1);
			}
		}
		free(copy);
	}
	ck_assert_uint_gt(n_good, TURNS / 10);
}
END_TEST

/* ---- hangs --------------------------------------------------------------------------------------- */

static bool reports_break(int fd, int timeout_ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char text[16] = "";

	return poll(&p, 1, timeout_ms) == 1 && recv(fd, text, sizeof(text) - 1, 0) == 6 && strcmp(text, "BREAK\n") == 0;
}

static bool hangs_come_to(int n)
{
	for (int i = 0; i < 100 && n_hangs < n; i++)
		poll(NULL, 0, 20);
	return n_hangs == n;
}

/* It hangs when all have stalled and one is inside a call; this is reported only once. */
START_TEST(test_watch)
{
	int fds[3];

	ck_assert(m2d_starter_known());
	for (int i = 0; i < 3; i++) {
		fds[i] = m2d_starter_watch(100 + i);
		ck_assert_int_ge(fds[i], 0);
	}
	ck_assert(m2d_starter_stalled(fds[0], 0, 5, NULL));
	ck_assert(m2d_starter_stalled(fds[1], 1, 5, NULL));
	ck_assert(m2d_starter_stalled(fds[2], 2, 5, NULL));
	poll(NULL, 0, 200); /* nobody is in a call */
	ck_assert_int_eq(n_hangs, 0);
	ck_assert(m2d_starter_going(fds[0]));
	ck_assert(m2d_starter_stalled(fds[1], 1, 6, "MPI_Recv"));
	poll(NULL, 0, 200); /* one goes on */
	ck_assert_int_eq(n_hangs, 0);
	ck_assert(m2d_starter_stalled(fds[0], 0, 7, NULL));
	ck_assert(hangs_come_to(1));
	ck_assert_int_eq(n_hanging, 3);
	ck_assert_str_eq(hanging, "0:100::7 1:101:MPI_Recv:6 2:102::5 ");
	for (int i = 0; i < 3; i++)
		ck_assert(reports_break(fds[i], 2000));
	ck_assert(m2d_starter_going(fds[1]));
	ck_assert(m2d_starter_stalled(fds[1], 1, 6, "MPI_Send"));
	ck_assert(!reports_break(fds[1], 200));
	ck_assert_int_eq(n_hangs, 1);
	for (int i = 0; i < 3; i++)
		close(fds[i]);
}
END_TEST

/* A process that has ended is not waited for; one that sends nonsense is disconnected. */
START_TEST(test_watch_ends)
{
	static const char *const nonsense[] = { "STALL",      "STALL 1", "STALL 1 x MPI_Recv\n", "STALL 1 2 MPI Recv\n",
						"GOING on\n", "\n",      "HELLO job 0 1\n" };
	char flood[4096];
	int one, other;

	ck_assert(m2d_starter_known());
	one = m2d_starter_watch(1);
	other = m2d_starter_watch(2);
	ck_assert(one >= 0 && other >= 0);
	ck_assert(m2d_starter_stalled(one, 0, 5, "MPI_Barrier"));
	poll(NULL, 0, 100);
	ck_assert_int_eq(n_hangs, 0);
	for (size_t i = 0; i < sizeof(nonsense) / sizeof(nonsense[0]); i++) {
		int fd = m2d_starter_watch(3);
		bool whole = strchr(nonsense[i], '\n') != NULL;
		struct pollfd p = { .fd = fd, .events = POLLIN };

		ck_assert_int_ge(fd, 0);
		send(fd, nonsense[i], strlen(nonsense[i]), MSG_NOSIGNAL);
		ck_assert_msg(poll(&p, 1, whole ? 2000 : 100) == whole, "%s", nonsense[i]);
		close(fd);
	}
	memset(flood, 'x', sizeof(flood));
	int fd = m2d_starter_watch(4);
	struct pollfd p = { .fd = fd, .events = POLLIN };
	for (int i = 0; i < 32; i++)
		send(fd, flood, sizeof(flood), MSG_NOSIGNAL | MSG_DONTWAIT);
	ck_assert_int_eq(poll(&p, 1, 2000), 1);
	close(fd);
	ck_assert_int_eq(n_hangs, 0);
	close(other);
	ck_assert(hangs_come_to(1));
	ck_assert_int_eq(n_hanging, 1);
	close(one);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("run_hub");
	TCase *tc = tcase_create("run_hub");
	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, test_verdict, 0, sizeof(verdicts) / sizeof(verdicts[0]));
	tcase_add_test(tc, test_verdict_tcp);
	tcase_add_test(tc, test_place);
	tcase_add_test(tc, test_place_bytes);
	tcase_add_loop_test(tc, test_no_hub, 0, sizeof(values) / sizeof(values[0]));
	tcase_add_test(tc, test_no_variable);
	tcase_add_test(tc, test_stopped_hub);
	tcase_add_test(tc, test_descriptors);
	tcase_add_test(tc, test_foreign_name);
	tcase_add_loop_test(tc, test_request, 0, sizeof(requests) / sizeof(requests[0]));
	tcase_add_test(tc, test_too_long);
	tcase_add_test(tc, test_silent);
	tcase_add_test(tc, test_crowd);
	tcase_add_test(tc, test_other_user);
	tcase_add_test(tc, test_parser);
	tcase_add_test(tc, test_watch);
	tcase_add_test(tc, test_watch_ends);
	tcase_add_loop_test(tc, test_cookie, 0, 32);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
