/* SPDX-License-Identifier: BSD-3-Clause */
#include "connection.h"

#include "random.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum {
	CONNECT_MS = 1000, /* per address: a firewall may drop the packets */
	RETRY_MS = 5,
	FD_HIGH = 512,  /* above the numbers that programs rely on */
	BACKLOG = 4096, /* a node may have hundreds of processes */
	PLACE_MAX = M2D_CONNECTION_NAME_MAX + 8
};

int64_t m2d_connection_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

bool m2d_connection_wait(int fd, short events, int64_t deadline)
{
	for (;;) {
		int64_t left = deadline - m2d_connection_now();
		struct pollfd p = { .fd = fd, .events = events };
		int n = poll(&p, 1, left > 0 ? (int)left : 0);

		if (n > 0)
			return true;
		if (n == 0 && left <= 0)
			return false;
		if (n < 0 && errno != EINTR)
			return false;
	}
}

void m2d_connection_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* ---- sockets ------------------------------------------------------------------------------------- */

static int raise_fd(int low)
{
	if (low < 0)
		return -1;
	int high = fcntl(low, F_DUPFD_CLOEXEC, FD_HIGH);
	if (high < 0)
		return low; /* the limit on descriptors is too small */
	close(low);
	return high;
}

static int open_socket(int family)
{
	return raise_fd(socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

static socklen_t local_address(const char *name, struct sockaddr_un *ret)
{
	size_t n = strlen(name);

	if (n == 0 || n > M2D_CONNECTION_NAME_MAX)
		return 0;
	memset(ret, 0, sizeof(*ret));
	ret->sun_family = AF_UNIX;
	memcpy(ret->sun_path + 1, name, n);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + n);
}

int m2d_connection_listen(const char *name)
{
	struct sockaddr_un at;
	socklen_t bytes = local_address(name, &at);
	int fd = bytes ? open_socket(AF_UNIX) : -1;

	if (fd >= 0 && (bind(fd, (struct sockaddr *)&at, bytes) != 0 || listen(fd, BACKLOG) != 0))
		m2d_connection_close(&fd);
	return fd;
}

int m2d_connection_listen_tcp(int *ret_port)
{
	/* one socket for both families; without IPv6, IPv4 only */
	struct sockaddr_in6 at6 = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_ANY_INIT };
	struct sockaddr_in at4 = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_ANY) };
	struct sockaddr_storage bound;
	socklen_t bytes = sizeof(bound);
	int off = 0;
	int fd = open_socket(AF_INET6);

	if (fd >= 0 && (setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off)) != 0 ||
			bind(fd, (struct sockaddr *)&at6, sizeof(at6)) != 0))
		m2d_connection_close(&fd);
	if (fd < 0) {
		fd = open_socket(AF_INET);
		if (fd >= 0 && bind(fd, (struct sockaddr *)&at4, sizeof(at4)) != 0)
			m2d_connection_close(&fd);
	}
	if (fd < 0)
		return -1;
	if (listen(fd, BACKLOG) != 0 || getsockname(fd, (struct sockaddr *)&bound, &bytes) != 0) {
		m2d_connection_close(&fd);
		return -1;
	}
	*ret_port = ntohs(bound.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&bound)->sin6_port
						      : ((struct sockaddr_in *)&bound)->sin_port);
	return fd;
}

static bool append_text(char *text, size_t text_bytes, const char *more)
{
	size_t n = strlen(text), n_more = strlen(more);

	if (n + n_more >= text_bytes)
		return false;
	memcpy(text + n, more, n_more + 1);
	return true;
}

static char *decimal(int value, char ret[12])
{
	size_t i = 11;

	ret[i] = '\0';
	do {
		ret[--i] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	return ret + i;
}

void m2d_connection_own_addresses(int port, char *text, size_t text_bytes)
{
	struct ifaddrs *all;
	char digits[12];

	if (getifaddrs(&all) != 0)
		return;
	for (struct ifaddrs *i = all; i; i = i->ifa_next) {
		char one[INET6_ADDRSTRLEN + 24] = ",tcp:", address[INET6_ADDRSTRLEN];
		if (!i->ifa_addr || !(i->ifa_flags & IFF_UP) || (i->ifa_flags & IFF_LOOPBACK))
			continue;
		if (i->ifa_addr->sa_family == AF_INET) {
			inet_ntop(AF_INET, &((struct sockaddr_in *)i->ifa_addr)->sin_addr, address, sizeof(address));
			append_text(one, sizeof(one), address);
		} else if (i->ifa_addr->sa_family == AF_INET6) {
			struct in6_addr *a = &((struct sockaddr_in6 *)i->ifa_addr)->sin6_addr;
			if (IN6_IS_ADDR_LINKLOCAL(a)) /* a link-local address is useless without the interface */
				continue;
			inet_ntop(AF_INET6, a, address, sizeof(address));
			append_text(one, sizeof(one), "[");
			append_text(one, sizeof(one), address);
			append_text(one, sizeof(one), "]");
		} else {
			continue;
		}
		append_text(one, sizeof(one), ":");
		append_text(one, sizeof(one), decimal(port, digits));
		if (!append_text(text, text_bytes, one))
			break;
	}
	freeifaddrs(all);
}

/* Any user can bind a name in the abstract name space, so check the peer. */
static bool is_same_user(int fd)
{
	struct ucred who;
	socklen_t bytes = sizeof(who);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &bytes) == 0 &&
	       (who.uid == geteuid() || who.uid == getuid());
}

static int reach_address(int family, const struct sockaddr *to, socklen_t to_bytes, int64_t deadline)
{
	int fd = open_socket(family);
	int error = 0;
	socklen_t bytes = sizeof(error);

	if (fd < 0)
		return -1;
	/* EAGAIN: the queue of a local socket is full; poll() does not report when there is room. */
	while (connect(fd, to, to_bytes) != 0 && errno != EISCONN) {
		if (errno == EAGAIN && m2d_connection_now() < deadline) {
			poll(NULL, 0, RETRY_MS);
			continue;
		}
		if ((errno != EINPROGRESS && errno != EINTR && errno != EALREADY) ||
		    !m2d_connection_wait(fd, POLLOUT, deadline) ||
		    getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &bytes) != 0 || error != 0)
			m2d_connection_close(&fd);
		break;
	}
	return fd;
}

static int reach_name(const char *name, int64_t deadline)
{
	struct sockaddr_un to;
	socklen_t bytes = local_address(name, &to);
	int fd = bytes ? reach_address(AF_UNIX, (struct sockaddr *)&to, bytes, deadline) : -1;

	if (fd >= 0 && !is_same_user(fd))
		m2d_connection_close(&fd);
	return fd;
}

int m2d_connection_reach_name(const char *name)
{
	return reach_name(name, 0); /* if the queue is full, the other side is stopped: do not wait */
}

/* @p place: "192.0.2.1:5000" or "[2001:db8::1]:5000"; modified. */
static int reach_tcp(char *place, int64_t deadline)
{
	struct sockaddr_in to4 = { .sin_family = AF_INET };
	struct sockaddr_in6 to6 = { .sin6_family = AF_INET6 };
	char *colon = strrchr(place, ':');

	if (!colon)
		return -1;
	*colon = '\0';
	char *rest;
	unsigned long port = strtoul(colon + 1, &rest, 10);
	if (*rest || port == 0 || port > 65535)
		return -1;
	size_t n = strlen(place);
	if (n > 2 && place[0] == '[' && place[n - 1] == ']') {
		place[n - 1] = '\0';
		to6.sin6_port = htons((uint16_t)port);
		return inet_pton(AF_INET6, place + 1, &to6.sin6_addr) == 1
			       ? reach_address(AF_INET6, (struct sockaddr *)&to6, sizeof(to6), deadline)
			       : -1;
	}
	to4.sin_port = htons((uint16_t)port);
	return inet_pton(AF_INET, place, &to4.sin_addr) == 1
		       ? reach_address(AF_INET, (struct sockaddr *)&to4, sizeof(to4), deadline)
		       : -1;
}

int m2d_connection_reach(const char *place, int64_t deadline)
{
	int fd = -1;

	for (const char *at = place; *at && fd < 0;) {
		char one[PLACE_MAX];
		size_t n = strcspn(at, ",");

		if (n < sizeof(one)) {
			int64_t limit = m2d_connection_now() + CONNECT_MS;

			memcpy(one, at, n);
			one[n] = '\0';
			if (limit > deadline)
				limit = deadline;
			if (strncmp(one, "unix:", 5) == 0)
				fd = reach_name(one + 5, limit);
			else if (strncmp(one, "tcp:", 4) == 0)
				fd = reach_tcp(one + 4, limit);
		}
		at += n + (at[n] == ',');
	}
	return fd;
}

int m2d_connection_accept(int listener)
{
	for (int i = 0; i < 2 * BACKLOG; i++) {
		struct sockaddr_storage from;
		socklen_t bytes = sizeof(from);
		int fd = accept4(listener, (struct sockaddr *)&from, &bytes, SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd < 0) {
			if (errno == EINTR || errno == ECONNABORTED)
				continue;
			return -1;
		}
		if (from.ss_family != AF_UNIX || is_same_user(fd))
			return raise_fd(fd);
		close(fd);
	}
	return -1;
}

/* ---- bytes --------------------------------------------------------------------------------------- */

bool m2d_connection_send(int fd, const void *bytes, size_t n, int64_t deadline)
{
	const char *at = bytes;

	while (n > 0) {
		ssize_t sent = send(fd, at, n, MSG_NOSIGNAL);

		if (sent > 0) {
			at += sent;
			n -= (size_t)sent;
		} else if (sent < 0 && (errno == EAGAIN || errno == EINTR)) {
			if (!m2d_connection_wait(fd, POLLOUT, deadline))
				return false;
		} else {
			return false;
		}
	}
	return true;
}

bool m2d_connection_receive(int fd, void *ret, size_t n, int64_t deadline)
{
	char *at = ret;

	while (n > 0) {
		ssize_t got = recv(fd, at, n, 0);

		if (got > 0) {
			at += got;
			n -= (size_t)got;
		} else if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
			if (!m2d_connection_wait(fd, POLLIN, deadline))
				return false;
		} else {
			return false;
		}
	}
	return true;
}

/* ---- secrets ------------------------------------------------------------------------------------- */

bool m2d_connection_secret(char *ret, size_t n_chars)
{
	unsigned char bytes[32];

	if (n_chars / 2 > sizeof(bytes) || !m2d_random(bytes, n_chars / 2))
		return false;
	for (size_t i = 0; i < n_chars; i++)
		ret[i] = "0123456789abcdef"[i % 2 ? bytes[i / 2] & 15 : bytes[i / 2] >> 4];
	ret[n_chars] = '\0';
	return true;
}

bool m2d_connection_same_secret(const char *a, const char *b)
{
	size_t n = strlen(a);
	unsigned char differ = 0;

	if (strlen(b) != n)
		return false;
	for (size_t i = 0; i < n; i++)
		differ = (unsigned char)(differ | (a[i] ^ b[i]));
	return differ == 0;
}
