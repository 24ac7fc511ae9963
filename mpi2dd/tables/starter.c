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
	bool taken, usable;
	char places[M2D_STARTER_PLACE_MAX]; /* comma-separated, as in the variable */
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
static int converse(struct line *l, const char *expected, int timeout_ms)
{
	int64_t deadline = m2d_connection_now() + timeout_ms;

	put(l, '\n');
	int fd = l->over ? -1 : m2d_connection_reach(starter.places, deadline);
	if (fd >= 0 && !(m2d_connection_send(fd, l->text, l->n, deadline) && answer_is(fd, expected, deadline)))
		m2d_connection_close(&fd);
	return fd;
}

static bool ask(struct line *l, const char *expected, int timeout_ms)
{
	int fd = converse(l, expected, timeout_ms);
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

/* ---- hangs ----------------------------------------------------------------------------------------- */

int m2d_starter_watch(int pid)
{
	struct utsname host;
	struct line l;

	if (!starter.taken || !starter.places[0] || uname(&host) != 0)
		return -1;
	begin(&l, "WATCH", "");
	put_text(&l, host.nodename);
	put_number(&l, pid);
	return converse(&l, "OK\n", M2D_STARTER_ANSWER_MS);
}

static bool say(int fd, struct line *l)
{
	put(l, '\n');
	return !l->over && m2d_connection_send(fd, l->text, l->n, m2d_connection_now() + M2D_STARTER_ANSWER_MS);
}

bool m2d_starter_stalled(int fd, int world_rank, int seconds, const char *function)
{
	struct line l = { .n = 0 };

	put_word(&l, "STALL");
	put_number(&l, world_rank);
	put_number(&l, seconds);
	put_text(&l, function ? function : "");
	return say(fd, &l);
}

bool m2d_starter_going(int fd)
{
	struct line l = { .n = 0 };

	put_word(&l, "GOING");
	return say(fd, &l);
}
