/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The cases of waits.c that wait for a file, pipe, socket or signal.
 */
#ifndef WAITS_DESCRIPTORS_H
#define WAITS_DESCRIPTORS_H

static int to_child[2], to_parent[2];

/* A process that has both pipes, and ends with its parent. @return in the parent */
static pid_t child(void (*run)(void))
{
	if (pipe(to_child) != 0 || pipe(to_parent) != 0)
		MPI_Abort(MPI_COMM_WORLD, 3);
	pid_t ret = fork();
	if (ret == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		run();
		sleep_on();
	}
	return ret;
}

static void nothing(void)
{
}

static void read_one(int fd)
{
	char byte;

	while (read(fd, &byte, 1) < 0)
		;
}

static void signal_wait(void)
{
	for (;;)
		pause();
}

static void fd_pipe_own(void)
{
	if (pipe(to_parent) == 0)
		read_one(to_parent[0]);
}

/* Beside 50,000 others, or as many as it may have. */
static void fd_pipe_many(void)
{
	enum { MANY = 50000 };
	struct rlimit most = { MANY, MANY };

	if (setrlimit(RLIMIT_NOFILE, &most) != 0 && getrlimit(RLIMIT_NOFILE, &most) == 0) {
		most.rlim_cur = most.rlim_max;
		setrlimit(RLIMIT_NOFILE, &most);
	}
	if (pipe(to_parent) != 0)
		MPI_Abort(MPI_COMM_WORLD, 3);
	while (dup(to_parent[1]) >= 0)
		;
	read_one(to_parent[0]);
}

static void fd_terminal(void)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY);

	if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0)
		MPI_Abort(MPI_COMM_WORLD, 3);
	read_one(open(ptsname(master), O_RDWR | O_NOCTTY));
}

static void fd_pipe_full(void)
{
	static const char bytes[1 << 20];

	if (pipe(to_parent) != 0)
		MPI_Abort(MPI_COMM_WORLD, 3);
	while (write(to_parent[1], bytes, sizeof(bytes)) != 0) /* a stop ends it with a part written */
		;
}

static void fd_pipe_child(void)
{
	child(nothing);
	close(to_parent[1]);
	read_one(to_parent[0]);
}

static void fd_poll(void)
{
	child(nothing);
	close(to_parent[1]);
	struct pollfd one[2] = { { .fd = -1 }, { .fd = to_parent[0], .events = POLLIN } };
	poll(one, 2, -1);
}

static void fd_select(void)
{
	fd_set set;

	child(nothing);
	FD_ZERO(&set);
	FD_SET(to_parent[0], &set);
	FD_SET(to_child[0], &set);
	select(FD_SETSIZE, &set, NULL, NULL, NULL);
}

static void fd_epoll(void)
{
	struct epoll_event event = { .events = EPOLLIN };
	int set = epoll_create1(0);

	child(nothing);
	close(to_parent[1]);
	epoll_ctl(set, EPOLL_CTL_ADD, to_parent[0], &event);
	for (;;)
		epoll_wait(set, &event, 1, -1);
}

static int pair[2];

static void close_first(void)
{
	close(pair[0]);
}

static void fd_socket_pair(void)
{
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
		MPI_Abort(MPI_COMM_WORLD, 3);
	child(close_first);
	close(pair[1]);
	read_one(pair[0]);
}

/* A socket that listens at a port of this machine. */
static int listening(struct sockaddr_in *at)
{
	socklen_t n = sizeof(*at);
	int ret = socket(AF_INET, SOCK_STREAM, 0);

	*at = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	if (bind(ret, (struct sockaddr *)at, n) != 0 || listen(ret, 1) != 0 ||
	    getsockname(ret, (struct sockaddr *)at, &n) != 0)
		MPI_Abort(MPI_COMM_WORLD, 3);
	return ret;
}

static void fd_accept(void)
{
	struct sockaddr_in at;

	accept(listening(&at), NULL, NULL);
}

static int server;

static void accept_and_sleep(void)
{
	accept(server, NULL, NULL);
	sleep_on();
}

static void fd_tcp(void)
{
	struct sockaddr_in at;
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	server = listening(&at);
	child(accept_and_sleep);
	if (connect(fd, (struct sockaddr *)&at, sizeof(at)) == 0)
		read_one(fd);
}

static char locked[4096];
static bool by_fcntl;

static int lock_file(int fd)
{
	struct flock range = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	return by_fcntl ? fcntl(fd, F_SETLKW, &range) : flock(fd, LOCK_EX);
}

static void hold_file(void)
{
	int fd = open(locked, O_RDWR | O_CREAT, 0600);

	if (lock_file(fd) != 0 || write(to_parent[1], "", 1) != 1)
		_exit(1);
	sleep_on();
}

static void fd_flock(void)
{
	snprintf(locked, sizeof(locked), "%s/locked", getenv("TRUTH_DIR") ? getenv("TRUTH_DIR") : "/tmp");
	child(hold_file);
	read_one(to_parent[0]);
	lock_file(open(locked, O_RDWR));
}

static void fd_fcntl(void)
{
	by_fcntl = true;
	fd_flock();
}

#endif
