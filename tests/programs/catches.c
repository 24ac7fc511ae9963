/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One process that does all that `mpi catch` stops at, in this order: it starts, spawns a process, accepts that one,
 * connects to it, joins it over a socket, and aborts with code 7. Run it with one process.
 */
#include <arpa/inet.h>
#include <mpi.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { TAG_PORT = 1, ALARM_S = 200, ABORT_CODE = 7 };

static MPI_Comm other; /* the two of them, from the spawn */

static void accept_other(void)
{
	char port[MPI_MAX_PORT_NAME] = "";
	MPI_Comm met;

	MPI_Open_port(MPI_INFO_NULL, port);
	MPI_Send(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, TAG_PORT, other);
	MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &met);
	MPI_Close_port(port);
}

static void connect_other(void)
{
	char port[MPI_MAX_PORT_NAME];
	MPI_Comm met;

	MPI_Recv(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, TAG_PORT, other, MPI_STATUS_IGNORE);
	MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &met);
}

static int fail(const char *what)
{
	perror(what);
	MPI_Abort(MPI_COMM_WORLD, 1);
	return -1;
}

/* Two ends of a TCP connection. */
static void join_other(int listens)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t n = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM, 0), number;
	MPI_Comm met;

	if (fd < 0)
		fail("socket");
	if (listens) {
		if (bind(fd, (struct sockaddr *)&at, n) || listen(fd, 1) || getsockname(fd, (struct sockaddr *)&at, &n))
			fail("listen");
		number = ntohs(at.sin_port);
		MPI_Send(&number, 1, MPI_INT, 0, TAG_PORT, other);
		fd = accept(fd, NULL, NULL);
	} else {
		MPI_Recv(&number, 1, MPI_INT, 0, TAG_PORT, other, MPI_STATUS_IGNORE);
		at.sin_port = htons((unsigned short)number);
		if (connect(fd, (struct sockaddr *)&at, n))
			fail("connect");
	}
	MPI_Comm_join(fd, &met);
}

int main(int argc, char **argv)
{
	alarm(ALARM_S);
	MPI_Init(&argc, &argv);
	MPI_Comm_get_parent(&other);
	if (other == MPI_COMM_NULL) {
		MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other,
			       MPI_ERRCODES_IGNORE);
		accept_other();
		connect_other();
		join_other(1);
		MPI_Abort(MPI_COMM_WORLD, ABORT_CODE);
	}
	connect_other();
	accept_other();
	join_other(0);
	for (;;)
		pause();
}
