/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The cases of waits.c that wait for children, or for pipes whose other ends processes have that wait.
 */
#ifndef WAITS_CHILDREN_H
#define WAITS_CHILDREN_H

static void child_sleeps(void)
{
	waitpid(child(nothing), NULL, 0);
}

static void read_from_parent(void)
{
	close(to_child[1]);
	read_one(to_child[0]);
}

static void child_waits(void)
{
	waitpid(child(read_from_parent), NULL, 0);
}

/* A process beside it can write into the pipe, too. */
static void read_beside_another(void)
{
	if (fork() == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		sleep_on();
	}
	read_from_parent();
}

static void child_waits_another(void)
{
	waitpid(child(read_beside_another), NULL, 0);
}

static void poll_parent(void)
{
	struct pollfd one = { .fd = to_child[0], .events = POLLIN };

	close(to_child[1]);
	poll(&one, 1, 3600000);
}

static void child_polls(void)
{
	waitpid(child(poll_parent), NULL, 0);
}

static void work_on(void)
{
	for (;;)
		usleep(10000);
}

static void child_works(void)
{
	waitpid(child(work_on), NULL, 0);
}

/* A program of tests/programs/child, with all libraries in it. */
static void run_child(const char *name)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 64);

	for (int i = 0; i < 2; i++)
		while (n > 0 && path[--n] != '/')
			;
	snprintf(path + (n > 0 ? n : 0), 64, "/programs/child_%s", name);
	execl(path, path, NULL);
	_exit(1);
}

static void run_static(void)
{
	run_child("static");
}

static void child_static(void)
{
	waitpid(child(run_static), NULL, 0);
}

static void run_musl(void)
{
	run_child("musl");
}

static void child_musl(void)
{
	waitpid(child(run_musl), NULL, 0);
}

static void on_alarm(int unused)
{
	(void)unused;
}

/* An alarm ends the child, and so the wait of the rank. */
static void read_until_alarm(void)
{
	close(to_child[1]);
	dup2(to_child[0], 0);
	execlp("perl", "perl", "-e", "alarm 3600; <STDIN>", NULL);
	_exit(1);
}

static void child_alarm(void)
{
	waitpid(child(read_until_alarm), NULL, 0);
}

static void read_or_handle(void)
{
	signal(SIGALRM, on_alarm);
	read_from_parent();
}

static void child_handles(void)
{
	waitpid(child(read_or_handle), NULL, 0);
}

/* The end of the pipe is on its way to a process that sleeps, and may write into it later. */
static void child_passes(void)
{
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(sizeof(int))];
	} rights = { .head = { .cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS } };
	struct iovec data = { .iov_base = &rank, .iov_len = 1 };
	struct msghdr message = {
		.msg_iov = &data, .msg_iovlen = 1, .msg_control = &rights, .msg_controllen = sizeof(rights)
	};

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
		MPI_Abort(MPI_COMM_WORLD, 3);
	if (fork() == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		sleep_on();
	}
	pid_t reader = child(read_from_parent);
	memcpy(CMSG_DATA(&rights.head), &to_child[1], sizeof(int));
	if (sendmsg(pair[0], &message, 0) != 1)
		MPI_Abort(MPI_COMM_WORLD, 3);
	waitpid(reader, NULL, 0);
}

static void fd_pipe_signal(void)
{
	signal(SIGALRM, on_alarm);
	fd_pipe_own();
}

static void semaphore_signal(void)
{
	signal(SIGALRM, on_alarm);
	sem_wait(&slots);
}

static void signal_timer(void)
{
	struct itimerspec once = { .it_value = { .tv_sec = 3600 } };
	struct sigevent how = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR2 };
	timer_t timer;

	if (timer_create(CLOCK_MONOTONIC, &how, &timer) != 0 || timer_settime(timer, 0, &once, NULL) != 0)
		MPI_Abort(MPI_COMM_WORLD, 3);
	signal_wait();
}

static void write_to_parent(void)
{
	static const char bytes[1 << 20];

	close(to_parent[0]);
	while (write(to_parent[1], bytes, sizeof(bytes)) != 0)
		;
}

static void child_writes(void)
{
	waitpid(child(write_to_parent), NULL, 0);
}

static void wait_for_child(void)
{
	pid_t reader = fork();

	if (reader == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		read_from_parent();
	}
	close(to_child[1]);
	waitpid(reader, NULL, 0);
}

static void child_of_child(void)
{
	waitpid(child(wait_for_child), NULL, 0);
}

static void fd_pipe_both(void)
{
	child(read_from_parent);
	close(to_parent[1]);
	read_one(to_parent[0]);
}

/* Give the writing end of to_child from the last rank to rank 1, which enters MPI_Barrier with it. */
static void give_end(void)
{
	int at[2] = { getpid(), 0 };
	char path[64];

	if (rank == size - 1) {
		if (pipe(to_child) != 0)
			MPI_Abort(MPI_COMM_WORLD, 3);
		at[1] = to_child[1];
	}
	MPI_Bcast(at, 2, MPI_INT, size - 1, MPI_COMM_WORLD);
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", at[0], at[1]);
	if (rank == 1 && open(path, O_WRONLY) < 0)
		MPI_Abort(MPI_COMM_WORLD, 3);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == size - 1)
		close(to_child[1]);
}

static void rank_pipe(void)
{
	read_one(to_child[0]);
}

static void rank_pipe_child(void)
{
	pid_t reader = fork();

	if (reader == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		read_one(to_child[0]);
	}
	waitpid(reader, NULL, 0);
}

static void rank_pipe_another(void)
{
	rank_pipe();
}

static void *sleep_beside(void *unused)
{
	sem_post(&began);
	sleep_on();
	return unused;
}

static void rank_pipe_thread(void)
{
	rank_pipe();
}

static void rank_pipe_signal(void)
{
	rank_pipe();
}

static void rank_pipe_alone(void)
{
	rank_pipe();
}

#endif
