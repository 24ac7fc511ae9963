/* SPDX-License-Identifier: BSD-3-Clause */
#include "listen.h"

#include "../tables/random.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { NAME_RANDOM = 8, RANDOM_MAX = 64, ADDRESSES_MAX = 4 };

int run_listen_random(char *ret, size_t n)
{
	unsigned char bytes[RANDOM_MAX];

	if (n > sizeof(bytes) || !m2d_random(bytes, n))
		return -1;
	for (size_t i = 0; i < n; i++)
		snprintf(ret + 2 * i, 3, "%02x", bytes[i]);
	return 0;
}

static int listening(int family, const struct sockaddr *at, socklen_t at_bytes)
{
	int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -1;
	/* an IPv6 socket would also take the IPv4 port; other families ignore the option */
	setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &(int){ 0 }, sizeof(int));
	if (bind(fd, at, at_bytes) != 0 || listen(fd, SOMAXCONN) != 0) {
		int saved = errno;
		close(fd);
		errno = saved;
		return -1;
	}
	return fd;
}

int run_listen_unix(char *ret, size_t size)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	char random[2 * NAME_RANDOM + 1];

	if (run_listen_random(random, NAME_RANDOM) != 0)
		return -1;
	int n = snprintf(at.sun_path + 1, sizeof(at.sun_path) - 1, "mpi2dd-%s", random);
	snprintf(ret, size, "unix:%s", at.sun_path + 1);
	return listening(AF_UNIX, (struct sockaddr *)&at,
			 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n));
}

/* Is this an address by which other hosts can reach this one? */
static bool is_reachable(const struct ifaddrs *a, int family)
{
	if (!a->ifa_addr || a->ifa_addr->sa_family != family || !(a->ifa_flags & IFF_UP) ||
	    (a->ifa_flags & IFF_LOOPBACK))
		return false;
	if (family != AF_INET6)
		return true;
	const struct in6_addr *v6 = &((const struct sockaddr_in6 *)(const void *)a->ifa_addr)->sin6_addr;
	return !IN6_IS_ADDR_LINKLOCAL(v6) && !IN6_IS_ADDR_LOOPBACK(v6);
}

/* Append the reachable addresses of one family. @return how many were written. */
static int addresses(const struct ifaddrs *list, int family, int most, unsigned port, char *ret, size_t size)
{
	int n = 0;

	for (const struct ifaddrs *a = list; a && n < most; a = a->ifa_next) {
		char text[INET6_ADDRSTRLEN];
		size_t at = strlen(ret);

		if (!is_reachable(a, family))
			continue;
		const void *bytes = family == AF_INET6
					    ? (const void *)&((struct sockaddr_in6 *)(void *)a->ifa_addr)->sin6_addr
					    : &((struct sockaddr_in *)(void *)a->ifa_addr)->sin_addr;
		if (!inet_ntop(family, bytes, text, sizeof(text)))
			continue;
		snprintf(ret + at, size - at, family == AF_INET6 ? "%stcp:[%s]:%u" : "%stcp:%s:%u", at ? "," : "", text,
			 port);
		n++;
	}
	return n;
}

int run_listen_tcp(char *ret, size_t size)
{
	struct sockaddr_in6 any6 = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_ANY_INIT };
	struct sockaddr_in any4 = { .sin_family = AF_INET };
	struct sockaddr_storage bound;
	socklen_t bytes = sizeof(bound);
	struct ifaddrs *list;

	ret[0] = '\0';
	int fd = listening(AF_INET6, (struct sockaddr *)&any6, sizeof(any6));
	if (fd < 0)
		fd = listening(AF_INET, (struct sockaddr *)&any4, sizeof(any4));
	if (fd < 0)
		return -1;
	if (getsockname(fd, (struct sockaddr *)&bound, &bytes) == 0 && getifaddrs(&list) == 0) {
		bool is_6 = bound.ss_family == AF_INET6;
		unsigned port = ntohs(is_6 ? ((struct sockaddr_in6 *)&bound)->sin6_port
					   : ((struct sockaddr_in *)&bound)->sin_port);
		int n = addresses(list, AF_INET, ADDRESSES_MAX, port, ret, size);
		if (is_6)
			addresses(list, AF_INET6, ADDRESSES_MAX - n, port, ret, size);
		freeifaddrs(list);
	}
	if (!ret[0]) {
		close(fd);
		return -1;
	}
	return fd;
}

int run_listen_loopback(char *ret, size_t size)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t bytes = sizeof(at);

	ret[0] = '\0';
	int fd = listening(AF_INET, (struct sockaddr *)&at, sizeof(at));
	if (fd < 0)
		return -1;
	if (getsockname(fd, (struct sockaddr *)&at, &bytes) != 0) {
		close(fd);
		return -1;
	}
	snprintf(ret, size, "tcp:127.0.0.1:%u", (unsigned)ntohs(at.sin_port));
	return fd;
}
