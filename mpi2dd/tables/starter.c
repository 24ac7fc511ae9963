/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A rank's questions to mpi2dd-run. One short connection per question, every step of it bounded in time.
 */
#include "starter.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum {
	JOB_MAX = 256,
	NAME_MAX_CHARS = 100, /* of one address; an abstract name has 107 bytes at most */
	CONNECT_MS = 1000,    /* per address: a firewall may swallow it */
	RETRY_MS = 5,
	FD_HIGH = 512, /* above what programs count on */
	ANSWER_MAX = 16
};

/* The variable's value, taken once: the program may change its environment. */
static struct {
	bool taken, usable;
	char places[M2D_STARTER_PLACE_MAX]; /* comma-separated, as they came */
	char cookie[M2D_STARTER_COOKIE_CHARS + 1];
	char job[JOB_MAX];
	int world_rank;
	bool greeted;
} starter;

static void take(void)
{
	starter.taken = true;
	const char *value = getenv(M2D_STARTER_VARIABLE);
	const char *end = value ? strrchr(value, ';') : NULL;

	if (!end || (size_t)(end - value) >= sizeof(starter.places) || strlen(end + 1) != M2D_STARTER_COOKIE_CHARS)
		return;
	memcpy(starter.places, value, (size_t)(end - value));
	memcpy(starter.cookie, end + 1, sizeof(starter.cookie));
	starter.usable = true;
}

bool m2d_starter_known(void)
{
	if (!starter.taken) {
		int saved = errno;
		take();
		errno = saved;
	}
	return starter.usable;
}

/* ---- time ---------------------------------------------------------------------------------------- */

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Wait for the events. After the limit it looks once more: a debugger may have held us beyond it. */
static bool wait_for(int fd, short events, int64_t deadline)
{
	for (;;) {
		int64_t left = deadline - now_ms();
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

/* ---- connections --------------------------------------------------------------------------------- */

static int high_socket(int family)
{
	int low = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (low < 0)
		return -1;
	int high = fcntl(low, F_DUPFD_CLOEXEC, FD_HIGH);
	if (high < 0)
		return low; /* a small limit of descriptors */
	close(low);
	return high;
}

static int reach(int family, const struct sockaddr *to, socklen_t to_bytes, int64_t deadline)
{
	int fd = high_socket(family);
	int error = 0;
	socklen_t bytes = sizeof(error);

	if (fd < 0)
		return -1;
	/* EAGAIN: the queue of a local socket is full, and poll() does not tell when there is room. */
	while (connect(fd, to, to_bytes) != 0 && errno != EISCONN) {
		if (errno == EAGAIN && now_ms() < deadline) {
			poll(NULL, 0, RETRY_MS);
			continue;
		}
		if ((errno != EINPROGRESS && errno != EINTR && errno != EALREADY) || !wait_for(fd, POLLOUT, deadline) ||
		    getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &bytes) != 0 || error != 0) {
			close(fd);
			return -1;
		}
		break;
	}
	return fd;
}

/* Only to ourselves: the name may be anybody's on a host where the starter is not. */
static bool is_same_user(int fd)
{
	struct ucred who;
	socklen_t bytes = sizeof(who);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &bytes) == 0 &&
	       (who.uid == geteuid() || who.uid == getuid());
}

static int reach_unix(const char *name, int64_t deadline)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	size_t n = strlen(name);

	if (n == 0 || n > sizeof(to.sun_path) - 1)
		return -1;
	memcpy(to.sun_path + 1, name, n);
	int fd = reach(AF_UNIX, (struct sockaddr *)&to, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + n),
		       deadline);
	if (fd >= 0 && !is_same_user(fd)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* "192.0.2.1:5000" or "[2001:db8::1]:5000", numbers only: no resolver in the program. Changes the text. */
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
			       ? reach(AF_INET6, (struct sockaddr *)&to6, sizeof(to6), deadline)
			       : -1;
	}
	to4.sin_port = htons((uint16_t)port);
	return inet_pton(AF_INET, place, &to4.sin_addr) == 1
		       ? reach(AF_INET, (struct sockaddr *)&to4, sizeof(to4), deadline)
		       : -1;
}

static int reach_hub(int64_t deadline)
{
	for (const char *at = starter.places; *at;) {
		char place[NAME_MAX_CHARS];
		size_t n = strcspn(at, ",");
		int fd = -1;

		if (n < sizeof(place)) {
			int64_t limit = now_ms() + CONNECT_MS;

			memcpy(place, at, n);
			place[n] = '\0';
			if (limit > deadline)
				limit = deadline;
			if (strncmp(place, "unix:", 5) == 0)
				fd = reach_unix(place + 5, limit);
			else if (strncmp(place, "tcp:", 4) == 0)
				fd = reach_tcp(place + 4, limit);
		}
		if (fd >= 0)
			return fd;
		at += n + (at[n] == ',');
	}
	return -1;
}

/* ---- lines --------------------------------------------------------------------------------------- */

struct line {
	char text[M2D_STARTER_LINE_MAX];
	size_t n;
	bool over;
};

static void put(struct line *l, char c)
{
	if (l->n < sizeof(l->text))
		l->text[l->n++] = c;
	else
		l->over = true;
}

static void put_word(struct line *l, const char *word)
{
	if (l->n > 0)
		put(l, ' ');
	while (*word)
		put(l, *word++);
}

static void put_text(struct line *l, const char *text)
{
	static const char digits[] = "0123456789abcdef";

	put_word(l, *text ? "" : "%");
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		    strchr("-._/:@+,", c)) {
			put(l, (char)c);
		} else {
			put(l, '%');
			put(l, digits[c >> 4]);
			put(l, digits[c & 15]);
		}
	}
}

static void put_number(struct line *l, int value)
{
	char text[12];
	size_t i = sizeof(text);
	unsigned left = value < 0 ? 0U - (unsigned)value : (unsigned)value;

	text[--i] = '\0';
	do {
		text[--i] = (char)('0' + left % 10);
		left /= 10;
	} while (left);
	if (value < 0)
		text[--i] = '-';
	put_word(l, text + i);
}

static void begin(struct line *l, const char *verb, const char *job)
{
	l->n = 0;
	l->over = false;
	put_word(l, M2D_STARTER_GREETING);
	put_word(l, starter.cookie);
	put_word(l, verb);
	put_text(l, job);
}

/* ---- questions ----------------------------------------------------------------------------------- */

static bool send_all(int fd, const char *text, size_t n, int64_t deadline)
{
	while (n > 0) {
		ssize_t sent = send(fd, text, n, MSG_NOSIGNAL);

		if (sent > 0) {
			text += sent;
			n -= (size_t)sent;
		} else if (sent < 0 && (errno == EAGAIN || errno == EINTR)) {
			if (!wait_for(fd, POLLOUT, deadline))
				return false;
		} else {
			return false;
		}
	}
	return true;
}

/* The whole answer is as expected, with its newline. */
static bool answer_is(int fd, const char *expected, int64_t deadline)
{
	char text[ANSWER_MAX];
	size_t n = 0;

	while (n < sizeof(text)) {
		ssize_t got = recv(fd, text + n, sizeof(text) - n, 0);

		if (got > 0) {
			n += (size_t)got;
			if (text[n - 1] == '\n')
				break;
		} else if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
			if (!wait_for(fd, POLLIN, deadline))
				return false;
		} else {
			return false;
		}
	}
	return n == strlen(expected) && memcmp(text, expected, n) == 0;
}

static bool ask(struct line *l, const char *expected, int timeout_ms)
{
	int64_t deadline = now_ms() + timeout_ms;

	put(l, '\n');
	if (l->over)
		return false;
	int fd = reach_hub(deadline);
	if (fd < 0)
		return false;
	bool ok = send_all(fd, l->text, l->n, deadline) && answer_is(fd, expected, deadline);
	close(fd);
	return ok;
}

bool m2d_starter_hello(const char *job, int world_rank, int local_size)
{
	struct line l;
	int saved = errno;

	if (!m2d_starter_known())
		return false;
	size_t n = strnlen(job, sizeof(starter.job) - 1);
	memcpy(starter.job, job, n);
	starter.job[n] = '\0';
	starter.world_rank = world_rank;
	begin(&l, "HELLO", starter.job);
	put_number(&l, world_rank);
	put_number(&l, local_size);
	starter.greeted = ask(&l, "OK\n", M2D_STARTER_ANSWER_MS);
	if (!starter.greeted)
		starter.usable = false;
	errno = saved;
	return starter.greeted;
}

bool m2d_starter_verdict(bool mine_good, int world_size, int timeout_ms)
{
	struct line l;
	int saved = errno;

	if (!m2d_starter_known() || !starter.greeted)
		return false;
	begin(&l, "VERDICT", starter.job);
	put_number(&l, starter.world_rank);
	put_number(&l, world_size);
	put_number(&l, mine_good);
	bool yes = ask(&l, "YES\n", timeout_ms);
	errno = saved;
	return yes;
}

bool m2d_starter_place(const char *job, const char *host, const char *executable, int pid, const char *world_id)
{
	struct line l;
	int saved = errno;

	if (!m2d_starter_known())
		return false;
	begin(&l, "PLACE", job);
	put_text(&l, host);
	put_text(&l, executable);
	put_number(&l, pid);
	put_text(&l, world_id);
	bool known = ask(&l, "OK\n", M2D_STARTER_ANSWER_MS);
	errno = saved;
	return known;
}
