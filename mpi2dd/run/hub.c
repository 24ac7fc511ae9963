/* SPDX-License-Identifier: BSD-3-Clause */
#include "hub.h"

#include "../tables/starter.h"
#include "clock.h"
#include "listen.h"
#include "request.h"
#include "worlds.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	INCOMPLETE_MAX = 4096, /* connections whose request line is not complete */
	PATIENCE_MS = 250,     /* when descriptors run short, a silent client is disconnected after this time */
	FIRST_BYTES = 512,     /* initial size of a line buffer: most requests fit */
	EVENTS = 512,          /* handled in one turn */
	ACCEPTS = 256,         /* per turn, so that a flood of connections does not delay the connected clients */
	LOOK_MS = 1000,        /* between two looks at processes that may be stopped */
	ACCEPT_PAUSE_MS = 100  /* when no descriptor is left: wait this long before accepting again */
};

/* A connected client. It is in exactly one list: request incomplete,
 * waiting for a decision, waiting in MPI_Finalize, or watched. */
struct client {
	struct client *prev, *next;
	int fd;
	int64_t since_ms;
	char *line;
	size_t n, capacity;
	struct run_world *waits_for;
	struct run_world *finishes;  /* it waits in MPI_Finalize of this world */
	struct run_watched *watched; /* all three pointers NULL: its request line is not complete */
};

struct list {
	struct client *first, *last;
	unsigned n;
};

struct run_hub {
	int epoll_fd, unix_fd, tcp_fd;
	char cookie[M2D_STARTER_COOKIE_CHARS + 1];
	char value[M2D_STARTER_PLACE_MAX];
	struct list incomplete, waiting, finishing, watched; /* oldest connection first */
	struct run_worlds worlds;
	run_hub_place_fn *on_place; /* NULL: already called */
	run_hub_hang_fn *on_hang;   /* NULL: no hang detection */
	run_hub_final_fn *on_final; /* NULL: objects that are left are not reported */
	bool hang_reported;
	int64_t accept_again_ms; /* 0: the listening sockets are polled */
};

/* ---- clients ------------------------------------------------------------------------------------- */

static struct list *list_of(struct run_hub *hub, const struct client *c)
{
	return c->watched     ? &hub->watched
	       : c->finishes  ? &hub->finishing
	       : c->waits_for ? &hub->waiting
			      : &hub->incomplete;
}

static void remove_from_list(struct list *list, struct client *c)
{
	*(c->prev ? &c->prev->next : &list->first) = c->next;
	*(c->next ? &c->next->prev : &list->last) = c->prev;
	list->n--;
}

static void add_to_list(struct list *list, struct client *c)
{
	c->prev = list->last;
	c->next = NULL;
	*(list->last ? &list->last->next : &list->first) = c;
	list->last = c;
	list->n++;
}

static void destroy(const struct run_hub *hub, struct client *c)
{
	/* close() alone is not enough: a process forked meanwhile may hold a copy of the descriptor, which would keep
	 * the connection open and in the epoll set. */
	epoll_ctl(hub->epoll_fd, EPOLL_CTL_DEL, c->fd, NULL);
	shutdown(c->fd, SHUT_RDWR);
	close(c->fd);
	run_watched_free(c->watched);
	free(c->line);
	free(c);
}

static void drop(struct run_hub *hub, struct client *c)
{
	if (c->finishes)
		c->finishes->n_final--;
	remove_from_list(list_of(hub, c), c);
	destroy(hub, c);
}

static void destroy_all(const struct run_hub *hub, struct list *list)
{
	for (struct client *c = list->first, *next; c; c = next) {
		next = c->next;
		destroy(hub, c);
	}
	*list = (struct list){ 0 };
}

/* Cannot block: a line always fits into the empty send buffer of a socket. */
static void send_line(const struct client *c, const char *text)
{
	send(c->fd, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void answer(struct run_hub *hub, struct client *c, const char *text)
{
	send_line(c, text);
	drop(hub, c);
}

static void answer_waiting(struct run_hub *hub, const struct run_world *w)
{
	for (struct client *c = hub->waiting.first, *next; c; c = next) {
		next = c->next;
		if (c->waits_for == w)
			answer(hub, c, w->decision == RUN_YES ? "YES\n" : "NO\n");
	}
}

/* ---- requests ------------------------------------------------------------------------------------ */

static void handle_decide(struct run_hub *hub, struct client *c, struct run_world *w, const struct run_request *r)
{
	if (run_world_decide(w, r->size, r->good, run_now_ms())) {
		answer(hub, c, w->decision == RUN_YES ? "YES\n" : "NO\n");
		answer_waiting(hub, w);
		return;
	}
	remove_from_list(&hub->incomplete, c);
	c->waits_for = w;
	add_to_list(&hub->waiting, c);
}

static void handle_place(struct run_hub *hub, struct client *c, const struct run_request *r)
{
	run_hub_place_fn *first = hub->on_place;
	char *host = strdup(r->host), *executable = strdup(r->executable);
	int pid = r->pid;

	/* Reply before the callback, in which a debugger may stop us. This frees the line that r points into. */
	answer(hub, c, "OK\n");
	if (first && host && executable) {
		hub->on_place = NULL;
		first(host, executable, pid);
	}
	free(host);
	free(executable);
}

static void handle_watch(struct run_hub *hub, struct client *c, const struct run_request *r)
{
	struct run_watched *w = hub->on_hang ? run_watched_make(r->host, r->pid) : NULL;

	if (!w) {
		drop(hub, c);
		return;
	}
	remove_from_list(&hub->incomplete, c);
	c->watched = w;
	c->n = 0;
	add_to_list(&hub->watched, c);
	send_line(c, "OK\n");
}

/* When all processes of the world are in MPI_Finalize, none of them runs, and nobody else needs the hub: the call may
 * take its time. */
static void handle_final(struct run_hub *hub, struct client *c, struct run_world *w, const struct run_request *r)
{
	int size = r->size;

	if (!hub->on_final) {
		answer(hub, c, "OK\n");
		return;
	}
	remove_from_list(&hub->incomplete, c);
	c->finishes = w;
	add_to_list(&hub->finishing, c);
	if (++w->n_final < size)
		return;
	hub->on_final();
	for (struct client *p = hub->finishing.first, *next; p; p = next) {
		next = p->next;
		if (p->finishes == w)
			answer(hub, p, "OK\n");
	}
}

static void handle_request(struct run_hub *hub, struct client *c, size_t n)
{
	struct run_request r;

	if (!run_request_parse(c->line, n, hub->cookie, &r)) {
		drop(hub, c);
		return;
	}
	if (r.verb == RUN_PLACE || r.verb == RUN_WATCH) {
		(r.verb == RUN_PLACE ? handle_place : handle_watch)(hub, c, &r);
		return;
	}
	struct run_world *w = run_worlds_get(&hub->worlds, r.job);
	if (!w) {
		drop(hub, c);
	} else if (r.verb == RUN_HELLO) {
		run_world_hello(w, r.size);
		answer(hub, c, "OK\n");
	} else if (r.verb == RUN_FINAL) {
		handle_final(hub, c, w, &r);
	} else {
		handle_decide(hub, c, w, &r);
	}
}

static bool grow_line(struct client *c)
{
	if (c->n < c->capacity)
		return true;
	size_t capacity = c->capacity ? 2 * c->capacity : FIRST_BYTES;
	if (capacity > M2D_STARTER_LINE_MAX)
		return false;
	char *line = realloc(c->line, capacity);
	if (!line)
		return false;
	c->line = line;
	c->capacity = capacity;
	return true;
}

/* The longest time for which a watched process has finished no call; -1: each goes on. */
static int stalled_for(const struct run_hub *hub)
{
	int ret = -1;

	for (const struct client *c = hub->watched.first; c; c = c->next)
		if (c->watched->stalled && c->watched->seconds > ret)
			ret = c->watched->seconds;
	return ret;
}

/*
 * Report a hang if every watched process has stalled, or is stopped by a signal while another one waits, and at least
 * one of them is inside an MPI call.
 */
static void check_for_hang(struct run_hub *hub)
{
	size_t n = 0, n_in_calls = 0;
	int seconds = stalled_for(hub);

	if (hub->hang_reported || seconds < 0)
		return;
	const struct run_watched **processes = calloc(hub->watched.n, sizeof(const struct run_watched *));
	for (struct client *c = hub->watched.first; c && processes; c = c->next) {
		if (!c->watched->stalled)
			run_watched_look(c->watched);
		if (!c->watched->stalled && !c->watched->stopped)
			break;
		if (c->watched->stopped)
			c->watched->seconds = seconds;
		processes[n++] = c->watched;
		n_in_calls += c->watched->stalled && c->watched->function[0];
	}
	if (n == hub->watched.n && n_in_calls) {
		hub->hang_reported = true;
		if (hub->on_hang(processes, n))
			for (struct client *c = hub->watched.first; c; c = c->next)
				send_line(c, "BREAK\n");
	}
	free(processes);
}

/* Process the complete lines of a watched process; @p got new bytes. @return false: a line is not valid. */
static bool process_lines(struct client *c, size_t got)
{
	char *from = c->line, *newline;
	size_t left = c->n + got;

	while ((newline = memchr(from, '\n', left))) {
		*newline = '\0';
		if (!run_watched_hear(c->watched, from))
			return false;
		left -= (size_t)(newline + 1 - from);
		from = newline + 1;
	}
	memmove(c->line, from, left);
	c->n = left;
	return true;
}

static void receive(struct run_hub *hub, struct client *c)
{
	if (c->waits_for) {
		/* The client has disconnected or sent more than one
		 * request: without it, the other nodes must not get YES. */
		struct run_world *w = c->waits_for;
		char more;

		if (recv(c->fd, &more, 1, MSG_DONTWAIT) < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		drop(hub, c);
		run_world_give_up(w);
		answer_waiting(hub, w);
		return;
	}
	if (c->finishes) { /* it has waited long enough, or has ended */
		drop(hub, c);
		return;
	}
	bool is_watched = c->watched != NULL;
	if ((is_watched && c->n == c->capacity) || !grow_line(c)) {
		drop(hub, c);
		return;
	}
	ssize_t got = recv(c->fd, c->line + c->n, c->capacity - c->n, MSG_DONTWAIT);
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (got <= 0 || (is_watched && !process_lines(c, (size_t)got))) {
		drop(hub, c); /* the remaining processes may all have stalled */
		if (is_watched)
			check_for_hang(hub);
		return;
	}
	if (is_watched) {
		check_for_hang(hub);
		return;
	}
	char *newline = memchr(c->line + c->n, '\n', (size_t)got);
	c->n += (size_t)got;
	if (newline)
		handle_request(hub, c, (size_t)(newline - c->line));
	else if (!run_request_may_be(c->line, c->n, hub->cookie))
		drop(hub, c);
}

/* ---- coming and going ---------------------------------------------------------------------------- */

static bool poll_listening(struct run_hub *hub, int how)
{
	struct epoll_event e = { .events = EPOLLIN };

	e.data.ptr = &hub->unix_fd;
	if (epoll_ctl(hub->epoll_fd, how, hub->unix_fd, &e) != 0)
		return false;
	e.data.ptr = &hub->tcp_fd;
	return hub->tcp_fd < 0 || epoll_ctl(hub->epoll_fd, how, hub->tcp_fd, &e) == 0;
}

static bool is_same_user(int fd)
{
	struct ucred who;
	socklen_t bytes = sizeof(who);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &bytes) == 0 &&
	       (who.uid == geteuid() || who.uid == getuid());
}

static void add_client(struct run_hub *hub, int fd)
{
	struct client *c = calloc(1, sizeof(*c));
	struct epoll_event e = { .events = EPOLLIN, .data.ptr = c };

	if (!c || epoll_ctl(hub->epoll_fd, EPOLL_CTL_ADD, fd, &e) != 0) {
		free(c);
		close(fd);
		return;
	}
	c->fd = fd;
	c->since_ms = run_now_ms();
	add_to_list(&hub->incomplete, c);
}

static void accept_from(struct run_hub *hub, int listening_fd)
{
	for (int i = 0; i < ACCEPTS; i++) {
		int fd = accept4(listening_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd < 0) {
			bool out_of_descriptors = errno == EMFILE || errno == ENFILE || errno == ENOBUFS ||
						  errno == ENOMEM;
			struct client *first = hub->incomplete.first;

			if (out_of_descriptors && first && run_now_ms() - first->since_ms >= PATIENCE_MS) {
				drop(hub, first);
				continue;
			}
			if (out_of_descriptors && !hub->accept_again_ms) {
				poll_listening(hub, EPOLL_CTL_DEL);
				hub->accept_again_ms = run_now_ms() + ACCEPT_PAUSE_MS;
			}
			return;
		}
		if (listening_fd == hub->unix_fd && !is_same_user(fd))
			close(fd);
		else
			add_client(hub, fd);
	}
}

/* Drop the clients whose deadline has passed. Not while a turn's events are processed: they point to clients. */
static void drop_expired(struct run_hub *hub)
{
	int64_t now = run_now_ms();

	for (struct client *c = hub->incomplete.first, *next; c; c = next) {
		next = c->next;
		if (hub->incomplete.n <= INCOMPLETE_MAX && now - c->since_ms < M2D_STARTER_SILENCE_MS)
			break;
		drop(hub, c);
	}
	for (struct run_world *w = hub->worlds.first; w; w = w->next)
		if (!w->decision && w->deadline_ms && now >= w->deadline_ms) {
			run_world_give_up(w);
			answer_waiting(hub, w);
		}
	if (hub->accept_again_ms && now >= hub->accept_again_ms) {
		hub->accept_again_ms = 0;
		poll_listening(hub, EPOLL_CTL_ADD);
	}
}

/* Does this client still exist? An earlier event of the same turn may have removed it. */
static bool is_connected(const struct run_hub *hub, const struct client *c)
{
	for (const struct client *p = hub->waiting.first; p; p = p->next)
		if (p == c)
			return true;
	for (const struct client *p = hub->incomplete.first; p; p = p->next)
		if (p == c)
			return true;
	for (const struct client *p = hub->watched.first; p; p = p->next)
		if (p == c)
			return true;
	for (const struct client *p = hub->finishing.first; p; p = p->next)
		if (p == c)
			return true;
	return false;
}

/* Has a process stalled, and others not, which may be stopped? They cannot say so: look at them now and then. */
static bool must_look(const struct run_hub *hub)
{
	return hub->on_hang && !hub->hang_reported && stalled_for(hub) >= 0;
}

void run_hub_turn(struct run_hub *hub)
{
	struct epoll_event events[EVENTS];
	int n = epoll_wait(hub->epoll_fd, events, EVENTS, 0);
	bool unix_ready = false, tcp_ready = false;

	for (int i = 0; i < n; i++) {
		if (events[i].data.ptr == &hub->unix_fd)
			unix_ready = true;
		else if (events[i].data.ptr == &hub->tcp_fd)
			tcp_ready = true;
		else if (is_connected(hub, events[i].data.ptr))
			receive(hub, events[i].data.ptr);
	}
	/* New clients come last: otherwise one could get the address of a removed client that a later event of this
	 * turn still points to. */
	if (unix_ready)
		accept_from(hub, hub->unix_fd);
	if (tcp_ready)
		accept_from(hub, hub->tcp_fd);
	drop_expired(hub);
	if (must_look(hub))
		check_for_hang(hub);
}

int run_hub_fd(const struct run_hub *hub)
{
	return hub->epoll_fd;
}

const char *run_hub_value(const struct run_hub *hub)
{
	return hub->value;
}

int run_hub_timeout(const struct run_hub *hub)
{
	int64_t next = INT64_MAX, now = run_now_ms();

	if (hub->incomplete.first)
		next = hub->incomplete.first->since_ms + M2D_STARTER_SILENCE_MS;
	for (const struct client *c = hub->waiting.first; c; c = c->next)
		if (c->waits_for->deadline_ms < next)
			next = c->waits_for->deadline_ms;
	if (hub->accept_again_ms && hub->accept_again_ms < next)
		next = hub->accept_again_ms;
	if (must_look(hub) && now + LOOK_MS < next)
		next = now + LOOK_MS;
	if (next == INT64_MAX)
		return -1;
	return next > now ? (int)(next - now) : 0;
}

struct run_hub *run_hub_open(run_hub_place_fn *on_place, bool is_local)
{
	struct run_hub *hub = calloc(1, sizeof(*hub));
	char local[128] = "", tcp[512] = "";

	if (!hub)
		return NULL;
	hub->on_place = on_place;
	hub->tcp_fd = -1;
	hub->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	hub->unix_fd = run_listen_unix(local, sizeof(local));
	if (hub->epoll_fd >= 0 && hub->unix_fd >= 0 &&
	    run_listen_random(hub->cookie, M2D_STARTER_COOKIE_CHARS / 2) == 0) {
		hub->tcp_fd = is_local ? run_listen_loopback(tcp, sizeof(tcp)) : run_listen_tcp(tcp, sizeof(tcp));
		snprintf(hub->value, sizeof(hub->value), "%s%s%s;%s", local, tcp[0] ? "," : "", tcp, hub->cookie);
		if (poll_listening(hub, EPOLL_CTL_ADD))
			return hub;
	}
	int saved = errno;
	run_hub_close(hub);
	errno = saved;
	return NULL;
}

void run_hub_watch(struct run_hub *hub, run_hub_hang_fn *on_hang)
{
	hub->on_hang = on_hang;
}

void run_hub_final(struct run_hub *hub, run_hub_final_fn *on_final)
{
	hub->on_final = on_final;
}

void run_hub_close(struct run_hub *hub)
{
	if (!hub)
		return;
	destroy_all(hub, &hub->incomplete);
	destroy_all(hub, &hub->waiting);
	destroy_all(hub, &hub->watched);
	destroy_all(hub, &hub->finishing);
	run_worlds_deinit(&hub->worlds);
	if (hub->tcp_fd >= 0)
		close(hub->tcp_fd);
	if (hub->unix_fd >= 0)
		close(hub->unix_fd);
	if (hub->epoll_fd >= 0)
		close(hub->epoll_fd);
	free(hub);
}
