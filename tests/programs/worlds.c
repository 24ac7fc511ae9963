/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Worlds that meet. Each process writes $TRUTH_DIR/truth.PID.json: who it is, whom it has met in which call (as the
 * processes have told each other over the new communicator), MPI2DD_info at each event and at the end; and waits
 * until it is killed.
 *
 *   worlds spawn ROOT TIMES     all of MPI_COMM_WORLD spawn two children, TIMES times
 *   worlds self                 each rank spawns one over MPI_COMM_SELF
 *   worlds multiple             two commands in one call
 *   worlds grand                a child spawns a child
 *   worlds threads              MPI_THREAD_MULTIPLE: two threads spawn at once
 *   worlds fail                 calls that fail, then a spawn that does not
 *   worlds unsupported          what failing calls give, on standard output; and ends
 *   worlds info TEXT            an info of the program's own, with an env of its own: TEXT, a line of NAME=VALUE
 *   worlds command WORD ...     the children's command is WORD ..., then this program
 *   worlds accept FILE N [SIZE] open a port, write its name to FILE, accept N times; SIZE: while somebody else, of
 *                               so many processes, seems to be waiting to connect
 *   worlds connect FILE         connect to it
 *   worlds join FILE            listen on a TCP port, write it to FILE, join
 *   worlds joining FILE         connect to that, join
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* RTLD_DEFAULT, RTLD_NEXT */
#endif
#include "event_trap.h"

#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <mpi.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>

enum { MEMBERS_MAX = 64 };

static struct json_text connections, document, codes_text;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int rank, size, world[MEMBERS_MAX];
static const char *program;

static void nap(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
}

/* ---- output ----------------------------------------------------------------------------------------------- */

/* The other side: its root, all its processes. */
struct side {
	int root_pid, root_rank, n, pids[MEMBERS_MAX];
};

/* Everything of the other side: the pids in order, and the root's rank in its own world. */
static void exchange(MPI_Comm inter, int root, struct side *ret)
{
	int mine[2] = { (int)getpid(), rank }, theirs[2 * MEMBERS_MAX], n, is_root, local, remote_root = -1;

	MPI_Comm_rank(inter, &local);
	MPI_Comm_remote_size(inter, &n);
	if (n > MEMBERS_MAX)
		exit(9);
	MPI_Allgather(mine, 2, MPI_INT, theirs, 2, MPI_INT, inter);
	is_root = local == root ? local : -1;
	/* the maximum of the other side's answers: its root's local rank */
	MPI_Allreduce(&is_root, &remote_root, 1, MPI_INT, MPI_MAX, inter);
	ret->n = n;
	for (int i = 0; i < n; i++)
		ret->pids[i] = theirs[2 * i];
	ret->root_pid = theirs[2 * remote_root];
	ret->root_rank = theirs[2 * remote_root + 1];
}

/* The same clock in all processes of this machine. */
static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* When had all processes of both sides begun the call? Before, the MPI library waits for those that are
 * not there yet. */
static double last_start(MPI_Comm inter, double start)
{
	double theirs = 0, ours = 0;

	MPI_Allreduce(&start, &theirs, 1, MPI_DOUBLE, MPI_MAX, inter);
	/* the maximum that the other side has seen is ours */
	MPI_Allreduce(&theirs, &ours, 1, MPI_DOUBLE, MPI_MAX, inter);
	return theirs > ours ? theirs : ours;
}

/* @param start now(), before the call; 0: the call is the other side's */
static void note(const char *call, int rc, double start, MPI_Comm inter, int root, int nth)
{
	double end = now(), seconds = start > 0 ? end - start : 0;
	struct side other = { 0 };
	int waiting = -1, local = -1, other_nth = -1;

	if (rc == MPI_SUCCESS) {
		/* nothing is there yet, of us or of anybody */
		MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, inter, &waiting, MPI_STATUS_IGNORE);
		MPI_Comm_rank(inter, &local);
		exchange(inter, root, &other);
		double both = last_start(inter, start);
		seconds = start > 0 ? end - both : 0;
		int mine = local == root ? nth : -1;
		MPI_Allreduce(&mine, &other_nth, 1, MPI_INT, MPI_MAX, inter);
	}
	pthread_mutex_lock(&lock);
	emit(&connections, "%s{\"call\": \"%s\", \"ok\": %d, \"seconds\": %.3f, \"is_root\": %d, \"waiting\": %d, ",
	     connections.n ? ", " : "", call, rc == MPI_SUCCESS, seconds, local == root, waiting);
	emit(&connections, "\"root_pid\": %d, \"root_rank\": %d, \"nth\": %d, \"pids\": [", other.root_pid,
	     other.root_rank, other_nth);
	for (int i = 0; i < other.n; i++)
		emit(&connections, "%s%d", i ? ", " : "", other.pids[i]);
	emit(&connections, "]}");
	pthread_mutex_unlock(&lock);
}

static void write_truth(void)
{
	char path[PATH_MAX], hidden[PATH_MAX], host[256] = "", executable[PATH_MAX] = "";
	const char *dir = getenv("TRUTH_DIR"), *own = getenv("WORLDS_OWN");

	if (!dir || gethostname(host, sizeof(host) - 1) != 0 ||
	    readlink("/proc/self/exe", executable, sizeof(executable) - 1) < 0)
		exit(9);
	emit(&document, "{\"pid\": %d, \"rank\": %d, \"size\": %d, \"host\": \"%s\", \"executable\": \"%s\", ",
	     (int)getpid(), rank, size, host, executable);
	emit(&document, "\"own\": \"%s\", \"codes\": [%s], \"variable\": %d, ", own ? own : "", codes_text.text,
	     getenv("MPI2DD_PARENT") != NULL);
	emit(&document, "\"world\": [");
	for (int i = 0; i < size; i++)
		emit(&document, "%s%d", i ? ", " : "", world[i]);
	emit(&document, "], \"connections\": [%s], \"events\": [%s], \"info\": ", connections.text, event_text.text);
	emit_info(&document);
	emit(&document, "}");
	snprintf(path, sizeof(path), "%s/truth.%d.json", dir, (int)getpid());
	snprintf(hidden, sizeof(hidden), "%s/new.%d", dir, (int)getpid());
	FILE *f = fopen(hidden, "w");
	if (!f || fputs(document.text, f) < 0 || fclose(f) != 0 || rename(hidden, path) != 0)
		exit(9);
}

/* ---- spawn --------------------------------------------------------------------------------------- */

static MPI_Comm spawn(const char *command, char **argv, int n, MPI_Info info, int root, MPI_Comm comm, int nth)
{
	MPI_Comm inter = MPI_COMM_NULL;
	double start = now();
	int rc = MPI_Comm_spawn(command, argv, n, info, root, comm, &inter, MPI_ERRCODES_IGNORE);

	note("spawn", rc, start, inter, root, nth);
	return inter;
}

static char child_word[] = "child", grand_word[] = "grand";
static char *child_argv[] = { child_word, NULL }, *grand_argv[] = { child_word, grand_word, NULL };

/* The key for lines of NAME=VALUE; Open MPI 5 prints a warning for the older one. */
#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION >= 5
#define ENVIRONMENT_KEY "PMIX_ENVAR"
#else
#define ENVIRONMENT_KEY "env"
#endif

static void spawn_with_info(const char *line)
{
	char value[MPI_MAX_INFO_VAL + 1] = "", value_after[MPI_MAX_INFO_VAL + 1] = "";
	int flag, keys = 0, keys_after = 0;
	MPI_Info info;

	MPI_Info_create(&info);
	MPI_Info_set(info, ENVIRONMENT_KEY, line);
	MPI_Info_set(info, "map_by", "slot");
	MPI_Info_get(info, ENVIRONMENT_KEY, MPI_MAX_INFO_VAL, value, &flag);
	MPI_Info_get_nkeys(info, &keys);
	spawn(program, child_argv, 2, info, 0, MPI_COMM_WORLD, 0);
	MPI_Info_get(info, ENVIRONMENT_KEY, MPI_MAX_INFO_VAL, value_after, &flag);
	MPI_Info_get_nkeys(info, &keys_after);
	if (keys != keys_after || strcmp(value, value_after) != 0)
		exit(9);
	MPI_Info_free(&info);
}

static void spawn_multiple(void)
{
	char *commands[] = { (char *)program, (char *)program }, **argvs[] = { child_argv, child_argv };
	int counts[] = { 1, 2 }, codes[3] = { -1, -1, -1 };
	MPI_Info infos[] = { MPI_INFO_NULL, MPI_INFO_NULL };
	MPI_Comm inter;
	double start = now();
	int rc = MPI_Comm_spawn_multiple(2, commands, argvs, counts, infos, 0, MPI_COMM_WORLD, &inter, codes);

	if (infos[0] != MPI_INFO_NULL || infos[1] != MPI_INFO_NULL || codes[0] || codes[1] || codes[2])
		exit(9);
	note("spawn", rc, start, inter, 0, 0);
	spawn(program, child_argv, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, 1);
}

/* Calls that fail, one by one, with their results: the same with and without the library. */
static void spawn_wrongly(void)
{
	char port[MPI_MAX_PORT_NAME] = "no such port";
	MPI_Comm inter = MPI_COMM_NULL;
	int codes[8] = { 7, 7, 7, 7, 7, 7, 7, 7 }, n = 0, given[10];

	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	errno = 99;
	given[n++] = MPI_Comm_spawn(program, child_argv, -1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter, codes);
	given[n++] = errno;
	given[n++] = MPI_Comm_spawn(program, child_argv, 1, MPI_INFO_NULL, 5, MPI_COMM_SELF, &inter, codes);
	given[n++] = MPI_Comm_spawn(program, child_argv, 1, MPI_INFO_NULL, 0, MPI_COMM_NULL, &inter, codes);
	given[n++] = MPI_Comm_spawn(NULL, child_argv, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter, codes);
	given[n++] = MPI_Comm_spawn_multiple(0, NULL, NULL, NULL, NULL, 0, MPI_COMM_SELF, &inter, codes);
	given[n++] = MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_NULL, &inter);
	given[n++] = inter == MPI_COMM_NULL && codes[0] == 7;
	for (int i = 0; i < n; i++)
		emit(&codes_text, "%s%d", i ? ", " : "", given[i]);
}

/* For an MPI without dynamic processes: print its results on standard output, and end. */
static void ask_unsupported(void)
{
	char port[MPI_MAX_PORT_NAME] = "untouched";
	MPI_Comm inter = MPI_COMM_NULL;
	int codes[1] = { 7 }, class = 0;

	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	errno = 99;
	int rc = MPI_Comm_spawn(program, child_argv, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter, codes),
	    number = errno;
	MPI_Error_class(rc, &class);
	printf("spawn %d, code %d, errno %d, %s\n", class, codes[0], number,
	       inter == MPI_COMM_NULL ? "no communicator" : "a communicator");
	errno = 99;
	rc = MPI_Open_port(MPI_INFO_NULL, port);
	number = errno;
	MPI_Error_class(rc, &class);
	printf("open port %d, errno %d, %s\n", class, number, port);
	fflush(stdout);
	MPI_Finalize();
	exit(0);
}

static void *spawn_in_thread(void *comm)
{
	spawn(program, child_argv, 1, MPI_INFO_NULL, 0, *(MPI_Comm *)comm, -1);
	return NULL;
}

static void spawn_in_threads(void)
{
	pthread_t threads[2];
	MPI_Comm comms[2];

	for (int i = 0; i < 2; i++)
		MPI_Comm_dup(MPI_COMM_SELF, &comms[i]);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, spawn_in_thread, &comms[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

static void spawn_command(int n_words, char **words)
{
	char *argv[32];
	int n = 0;

	if (n_words > 24)
		exit(9);
	for (int i = 1; i < n_words; i++)
		argv[n++] = words[i];
	argv[n++] = (char *)program;
	argv[n++] = child_word;
	argv[n] = NULL;
	spawn(words[0], argv, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, 0);
}

/* ---- connect, accept, join ----------------------------------------------------------------------- */

static void write_file(const char *path, const char *text)
{
	char hidden[PATH_MAX];

	snprintf(hidden, sizeof(hidden), "%s.new", path);
	FILE *f = fopen(hidden, "w");
	if (!f || fputs(text, f) < 0 || fclose(f) != 0 || rename(hidden, path) != 0)
		exit(9);
}

static void read_file(const char *path, char *ret, int ret_bytes)
{
	FILE *f;

	while (!(f = fopen(path, "r")))
		nap();
	if (!fgets(ret, ret_bytes, f))
		exit(9);
	fclose(f);
}

/* The name of a port's socket: FNV-1a of the port's name, twice. */
static void name_of_port(const char *port, char *ret, size_t ret_bytes)
{
	uint64_t a = UINT64_C(0xcbf29ce484222325), b = UINT64_C(0x9e3779b97f4a7c15);

	for (; *port; port++) {
		a = (a ^ (unsigned char)*port) * UINT64_C(0x100000001b3);
		b = (b ^ (unsigned char)*port) * UINT64_C(0x100000001b3);
	}
	snprintf(ret, ret_bytes, "mpi2dd.%u.P.%016llx%016llx", (unsigned)getuid(), (unsigned long long)a,
		 (unsigned long long)b);
}

/* A fake root of another job with this many processes, which carries the library and waits forever to be accepted. */
static void pretend_connector(const char *port, int group_size)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	char name[100], letter[512] = "";
	size_t n = 17;

	name_of_port(port, name, sizeof(name));
	memcpy(to.sun_path + 1, name, strlen(name));
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	if (connect(fd, (struct sockaddr *)&to, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name))))
		exit(9);
	n += (size_t)snprintf(letter + n, sizeof(letter) - n, "%c%s%c%s%c%s%c%d%c%s%c%s%c%d%c%d%c%d%c%d%c", 0,
			      "a-world", 0, "nowhere", 0, "/nothing", 0, 999999, 0, "nowhere", 0, "/nothing", 0, 999998,
			      0, 0, 0, -1, 0, group_size, 0);
	snprintf(letter, 17, "%016zx", n - 17);
	if (write(fd, letter, n) != (ssize_t)n)
		exit(9);
}

static void accept_some(const char *path, int n, int waiting)
{
	char port[MPI_MAX_PORT_NAME] = "";
	MPI_Comm inter;

	if (rank == 0) {
		MPI_Open_port(MPI_INFO_NULL, port);
		if (waiting)
			pretend_connector(port, waiting);
		write_file(path, port);
	}
	for (int i = 0; i < n; i++) {
		double start = now();
		int rc = MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter);
		note("accept", rc, start, inter, 0, -1);
	}
	if (rank == 0)
		MPI_Close_port(port);
}

static void connect_to(const char *path)
{
	char port[MPI_MAX_PORT_NAME] = "";
	MPI_Comm inter;

	if (rank == 0)
		read_file(path, port, sizeof(port));
	double start = now();
	int rc = MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter);
	note("connect", rc, start, inter, 0, -1);
}

static void join_by(int fd)
{
	MPI_Comm inter;
	double start = now();
	int rc = MPI_Comm_join(fd, &inter);

	note("join", rc, start, inter, 0, -1);
}

static void join_listening(const char *path)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t bytes = sizeof(at);
	char text[16];
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (bind(fd, (struct sockaddr *)&at, sizeof(at)) != 0 || listen(fd, 1) != 0 ||
	    getsockname(fd, (struct sockaddr *)&at, &bytes) != 0)
		exit(9);
	snprintf(text, sizeof(text), "%d", ntohs(at.sin_port));
	write_file(path, text);
	join_by(accept(fd, NULL, NULL));
}

static void join_connecting(const char *path)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	char text[16] = "";
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	read_file(path, text, sizeof(text));
	to.sin_port = htons((uint16_t)atoi(text));
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) != 0)
		exit(9);
	join_by(fd);
}

/* ---- main ---------------------------------------------------------------------------------------- */

static void run_child(MPI_Comm parent, int argc, char **argv)
{
	note("parent", MPI_SUCCESS, 0, parent, 0, -1);
	if (argc > 2 && strcmp(argv[2], "grand") == 0)
		spawn(program, child_argv, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, 0);
}

static void run(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (strcmp(what, "spawn") == 0 && argc > 3) {
		for (int i = 0; i < atoi(argv[3]); i++)
			spawn(program, child_argv, 2, MPI_INFO_NULL, atoi(argv[2]), MPI_COMM_WORLD, i);
	} else if (strcmp(what, "self") == 0) {
		spawn(program, child_argv, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, 0);
	} else if (strcmp(what, "multiple") == 0) {
		spawn_multiple();
	} else if (strcmp(what, "grand") == 0) {
		spawn(program, grand_argv, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, 0);
	} else if (strcmp(what, "threads") == 0) {
		spawn_in_threads();
	} else if (strcmp(what, "fail") == 0) {
		spawn_wrongly();
		spawn(program, child_argv, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, 0);
	} else if (strcmp(what, "unsupported") == 0) {
		ask_unsupported();
	} else if (strcmp(what, "info") == 0 && argc > 2) {
		spawn_with_info(argv[2]);
	} else if (strcmp(what, "command") == 0 && argc > 2) {
		spawn_command(argc - 2, argv + 2);
	} else if (strcmp(what, "accept") == 0 && argc > 3) {
		accept_some(argv[2], atoi(argv[3]), argc > 4 ? atoi(argv[4]) : 0);
	} else if (strcmp(what, "connect") == 0 && argc > 2) {
		connect_to(argv[2]);
	} else if (strcmp(what, "join") == 0 && argc > 2) {
		join_listening(argv[2]);
	} else if (strcmp(what, "joining") == 0 && argc > 2) {
		join_connecting(argv[2]);
	} else {
		exit(9);
	}
}

int main(int argc, char **argv)
{
	MPI_Comm parent;
	int provided;

	program = argv[0];
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	alarm(300);
	if (!event_trap_set())
		exit(77);
	struct MPI2DD_INFO *info = dlsym(RTLD_DEFAULT, "MPI2DD_info");
	if (info && getenv("WORLDS_REQUEST")) /* as a debugger does */
		info->debugger_flags |= MPI2DD_FLAG_REQUEST_DIRECTORY_EVENTS;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	int pid = (int)getpid();
	if (size > MEMBERS_MAX)
		exit(9);
	MPI_Allgather(&pid, 1, MPI_INT, world, 1, MPI_INT, MPI_COMM_WORLD);
	MPI_Comm_get_parent(&parent);
	if (parent != MPI_COMM_NULL)
		run_child(parent, argc, argv);
	else
		run(argc, argv);
	write_truth();
	for (;;)
		pause();
}
