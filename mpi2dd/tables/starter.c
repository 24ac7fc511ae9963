/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The rank's side of the starter protocol. One short connection per request; every step has a deadline.
 */
#include "starter.h"

#include "connection.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/utsname.h>

enum { JOB_MAX = 256, ANSWER_MAX = 16 };

/* The variable's value, read once, because the program may change its environment. */
static struct {
	bool is_read, usable;
	char places[M2D_STARTER_PLACE_MAX]; /* comma-separated, as in the variable */
	char cookie[M2D_STARTER_COOKIE_CHARS + 1];
	char job[JOB_MAX];
	int world_rank;
	bool hello_counted;
} starter;

static void read_variable(void)
{
	starter.is_read = true;
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
	if (!starter.is_read) {
		int saved = errno;
		read_variable();
		errno = saved;
	}
	return starter.usable;
}

/* ---- lines --------------------------------------------------------------------------------------- */

struct line {
	char text[M2D_STARTER_LINE_MAX];
	size_t n;
	bool too_long;
};

static void put_char(struct line *l, char c)
{
	if (l->n < sizeof(l->text))
		l->text[l->n++] = c;
	else
		l->too_long = true;
}

static void put_word(struct line *l, const char *word)
{
	if (l->n > 0)
		put_char(l, ' ');
	while (*word)
		put_char(l, *word++);
}

static void put_text(struct line *l, const char *text)
{
	static const char digits[] = "0123456789abcdef";

	put_word(l, *text ? "" : "%");
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		    strchr("-._/:@+,", c)) {
			put_char(l, (char)c);
		} else {
			put_char(l, '%');
			put_char(l, digits[c >> 4]);
			put_char(l, digits[c & 15]);
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

static void begin_request(struct line *l, const char *verb, const char *job)
{
	l->n = 0;
	l->too_long = false;
	put_word(l, M2D_STARTER_GREETING);
	put_word(l, starter.cookie);
	put_word(l, verb);
	put_text(l, job);
}

/* ---- questions ----------------------------------------------------------------------------------- */

/* Receive an answer. @return true: it is exactly @p expected, which includes the newline. */
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
			if (!m2d_connection_wait(fd, POLLIN, deadline))
				return false;
		} else {
			return false;
		}
	}
	return n == strlen(expected) && memcmp(text, expected, n) == 0;
}

/* Send a request. @return the connection, if the answer was @p expected; else -1. */
static int send_request(struct line *l, const char *expected, int timeout_ms)
{
	int64_t deadline = m2d_connection_now() + timeout_ms;

	put_char(l, '\n');
	int fd = l->too_long ? -1 : m2d_connection_reach(starter.places, deadline);
	if (fd >= 0 && !(m2d_connection_send(fd, l->text, l->n, deadline) && answer_is(fd, expected, deadline)))
		m2d_connection_close(&fd);
	return fd;
}

static bool request_confirmed(struct line *l, const char *expected, int timeout_ms)
{
	int fd = send_request(l, expected, timeout_ms);
	bool ok = fd >= 0;

	m2d_connection_close(&fd);
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
	begin_request(&l, "HELLO", starter.job);
	put_number(&l, world_rank);
	put_number(&l, local_size);
	starter.hello_counted = request_confirmed(&l, "OK\n", M2D_STARTER_ANSWER_MS);
	if (!starter.hello_counted)
		starter.usable = false;
	errno = saved;
	return starter.hello_counted;
}

bool m2d_starter_decide(bool mine_good, int world_size, int timeout_ms)
{
	struct line l;
	int saved = errno;

	if (!m2d_starter_known() || !starter.hello_counted)
		return false;
	begin_request(&l, "VERDICT", starter.job);
	put_number(&l, starter.world_rank);
	put_number(&l, world_size);
	put_number(&l, mine_good);
	bool yes = request_confirmed(&l, "YES\n", timeout_ms);
	errno = saved;
	return yes;
}

bool m2d_starter_place(const char *job, const char *host, const char *executable, int pid, const char *world_id)
{
	struct line l;
	int saved = errno;

	if (!m2d_starter_known())
		return false;
	begin_request(&l, "PLACE", job);
	put_text(&l, host);
	put_text(&l, executable);
	put_number(&l, pid);
	put_text(&l, world_id);
	bool known = request_confirmed(&l, "OK\n", M2D_STARTER_ANSWER_MS);
	errno = saved;
	return known;
}

void m2d_starter_final(const char *job, int world_rank, int world_size, int pid)
{
	struct line l;
	int saved = errno;

	if (m2d_starter_known()) {
		begin_request(&l, "FINAL", job);
		put_number(&l, world_rank);
		put_number(&l, world_size);
		put_number(&l, pid);
		request_confirmed(&l, "OK\n", M2D_STARTER_FINAL_MS);
	}
	errno = saved;
}

/* ---- hangs ----------------------------------------------------------------------------------------- */

int m2d_starter_watch(int pid)
{
	struct utsname host;
	struct line l;

	if (!starter.is_read || !starter.places[0] || uname(&host) != 0)
		return -1;
	begin_request(&l, "WATCH", "");
	put_text(&l, host.nodename);
	put_number(&l, pid);
	return send_request(&l, "OK\n", M2D_STARTER_ANSWER_MS);
}

static bool send_line(int fd, struct line *l)
{
	put_char(l, '\n');
	return !l->too_long && m2d_connection_send(fd, l->text, l->n, m2d_connection_now() + M2D_STARTER_ANSWER_MS);
}

bool m2d_starter_stalled(int fd, int world_rank, int seconds, const char *function)
{
	struct line l = { .n = 0 };

	put_word(&l, "STALL");
	put_number(&l, world_rank);
	put_number(&l, seconds);
	put_text(&l, function ? function : "");
	return send_line(fd, &l);
}

bool m2d_starter_going(int fd)
{
	struct line l = { .n = 0 };

	put_word(&l, "GOING");
	return send_line(fd, &l);
}
