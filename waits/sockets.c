/* SPDX-License-Identifier: BSD-3-Clause */
#include "sockets.h"

#include "../host/maps.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- TCP --------------------------------------------------------------------------------------------------------- */

enum { ADDRESS_MAX = 32, LISTENS = 0x0a };

/* A line of /proc/PID/net/tcp: addresses as the kernel has them, in hexadecimal. */
struct connection {
	char local[ADDRESS_MAX + 8], remote[ADDRESS_MAX + 8]; /* "0100007F:1F90" */
	unsigned state;
	uint64_t inode;
};

static bool parse(const char *line, struct connection *ret)
{
	return sscanf(line, " %*[0-9]: %39s %39s %x %*s %*s %*s %*s %*s %" SCNu64, ret->local, ret->remote, &ret->state,
		      &ret->inode) == 4;
}

/* @param inode 0: find the connection with these two ends instead */
static bool find(const char *text, uint64_t inode, const char *local, const char *remote, struct connection *ret)
{
	for (const char *line = strchr(text, '\n'); line; line = strchr(line, '\n')) {
		line++;
		if (parse(line, ret) &&
		    (inode ? ret->inode == inode : strcmp(ret->local, local) == 0 && strcmp(ret->remote, remote) == 0))
			return true;
	}
	return false;
}

/* "0100007F:1F90" is "127.0.0.1:8080"; the words of an IPv6 address are in the order of this machine. */
static void append_address(const char *from, char *ret, size_t size)
{
	char digits[9] = "", text[INET6_ADDRSTRLEN] = "?";
	const char *colon = strchr(from, ':');
	size_t n = colon ? (size_t)(colon - from) : 0;
	uint32_t words[4];

	for (size_t i = 0; i < n / 8 && i < 4; i++) {
		memcpy(digits, from + 8 * i, 8);
		words[i] = (uint32_t)strtoul(digits, NULL, 16);
	}
	if (n == 8 || n == ADDRESS_MAX)
		inet_ntop(n == 8 ? AF_INET : AF_INET6, words, text, sizeof(text));
	snprintf(ret, size, n == 8 ? "%s:%lu" : "[%s]:%lu", text, colon ? strtoul(colon + 1, NULL, 16) : 0);
}

static bool read_tcp(pid_t pid, const char *name, uint64_t inode, char *ret, size_t size, uint64_t *peer)
{
	struct connection c, other;
	char path[64], address[80];

	snprintf(path, sizeof(path), "/proc/%d/net/%s", (int)pid, name);
	char *text = host_read_file(path, NULL);
	bool found = text && find(text, inode, "", "", &c);
	if (found && c.state == LISTENS) {
		append_address(c.local, address, sizeof(address));
		snprintf(ret, size, "a TCP socket that listens at %s", address);
	} else if (found) {
		append_address(c.remote, address, sizeof(address));
		snprintf(ret, size, "a TCP connection to %s", address);
		if (find(text, 0, c.remote, c.local, &other))
			*peer = other.inode;
	}
	free(text);
	return found;
}

/* ---- Unix sockets ------------------------------------------------------------------------------------- */

/* @param inode 0: ask for all */
static int ask(uint64_t inode, uint32_t show)
{
	struct {
		struct nlmsghdr head;
		struct unix_diag_req request;
	} message = {
		.head = { .nlmsg_len = sizeof(message),
			  .nlmsg_type = SOCK_DIAG_BY_FAMILY,
			  .nlmsg_flags = NLM_F_REQUEST | (inode ? 0 : NLM_F_DUMP) },
		.request = { .sdiag_family = AF_UNIX,
			     .udiag_states = UINT32_MAX,
			     .udiag_ino = (uint32_t)inode,
			     .udiag_show = show,
			     .udiag_cookie = { UINT32_MAX, UINT32_MAX } },
	};
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);

	if (fd >= 0 && send(fd, &message, sizeof(message), 0) != (ssize_t)sizeof(message)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Is there a Unix socket with this inode in our network namespace? */
static bool read_unix(uint64_t inode, uint64_t *peer)
{
	union {
		struct nlmsghdr head;
		char bytes[4096];
	} answer;
	int fd = ask(inode, UDIAG_SHOW_PEER);
	ssize_t n = fd < 0 ? -1 : recv(fd, &answer, sizeof(answer), MSG_DONTWAIT);
	bool found = n > 0 && NLMSG_OK(&answer.head, (size_t)n) && answer.head.nlmsg_type == SOCK_DIAG_BY_FAMILY &&
		     answer.head.nlmsg_len >= NLMSG_LENGTH(sizeof(struct unix_diag_msg));

	if (found) {
		struct unix_diag_msg *m = NLMSG_DATA(&answer.head);
		struct rtattr *a = (struct rtattr *)(m + 1);
		int left = (int)(answer.head.nlmsg_len - NLMSG_LENGTH(sizeof(*m)));
		uint32_t there;
		for (; RTA_OK(a, left); a = RTA_NEXT(a, left))
			if (a->rta_type == UNIX_DIAG_PEER && RTA_PAYLOAD(a) >= sizeof(there)) {
				memcpy(&there, RTA_DATA(a), sizeof(there));
				*peer = there;
			}
	}
	if (fd >= 0)
		close(fd);
	return found;
}

/* @return false: no more messages follow */
static bool add_unread(const struct nlmsghdr *head, uint64_t *ret, size_t max, size_t *n, bool *all)
{
	const struct unix_diag_msg *m = NLMSG_DATA(head);
	struct unix_diag_rqlen unread;

	if (head->nlmsg_type == NLMSG_DONE)
		return false;
	if (head->nlmsg_type != SOCK_DIAG_BY_FAMILY || head->nlmsg_len < NLMSG_LENGTH(sizeof(*m))) {
		*all = false;
		return false;
	}
	const struct rtattr *a = (const struct rtattr *)(m + 1);
	int left = (int)(head->nlmsg_len - NLMSG_LENGTH(sizeof(*m)));
	for (; RTA_OK(a, left); a = RTA_NEXT(a, left)) {
		if (a->rta_type != UNIX_DIAG_RQLEN || RTA_PAYLOAD(a) < sizeof(unread))
			continue;
		memcpy(&unread, RTA_DATA(a), sizeof(unread));
		*all &= !unread.udiag_rqueue || *n < max;
		if (unread.udiag_rqueue && *n < max)
			ret[(*n)++] = m->udiag_ino;
	}
	return true;
}

size_t wt_sockets_unread(uint64_t *ret, size_t max, bool *all)
{
	union {
		struct nlmsghdr head;
		char bytes[1 << 15];
	} answer;
	int fd = ask(0, UDIAG_SHOW_RQLEN);
	bool more = fd >= 0;
	size_t n = 0;

	*all = more;
	while (more) {
		ssize_t got = recv(fd, &answer, sizeof(answer), MSG_DONTWAIT | MSG_TRUNC);
		*all &= got > 0 && (size_t)got <= sizeof(answer);
		if (!*all)
			break;
		size_t left = (size_t)got;
		for (struct nlmsghdr *h = &answer.head; more && NLMSG_OK(h, left); h = NLMSG_NEXT(h, left))
			more = add_unread(h, ret, max, &n, all);
	}
	if (fd >= 0)
		close(fd);
	return n;
}

void wt_socket_read(pid_t pid, uint64_t inode, char *ret, size_t size, uint64_t *peer)
{
	*peer = 0;
	if (read_tcp(pid, "tcp", inode, ret, size, peer) || read_tcp(pid, "tcp6", inode, ret, size, peer))
		return;
	snprintf(ret, size, read_unix(inode, peer) ? "a Unix socket" : "a socket");
}
