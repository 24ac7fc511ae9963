/* SPDX-License-Identifier: BSD-3-Clause */
#include "grouping_text.h"

#include "../access/grow.h"

#include <stdlib.h>
#include <string.h>

enum {
	COMPARED_BYTES_MAX = 1
			     << 20, /* longer texts are printed without comparison, because that would take too long */
	THREADS_MAX = 64,           /* threads that are numbered individually */
	NAMES_MAX = 64              /* communicators whose names are compared; if there are more, none are */
};

/* The name of a communicator, including quotes if any, and the position of a number in it, as in "row 2". */
struct name {
	const char *text;
	size_t n, digits_at, n_digits; /* n_digits 0: no number in it, or several */
};

/* State of the walk through a text. */
struct walk {
	const struct cmd_proc *p;
	struct cmd_common *c;
	const char *from, *end;
	char *to;
	bool line_start;
	bool is_operation; /* the line belongs to the communicator above */
	int64_t own, size; /* own rank and size of that communicator; own -1: not shown, or an intercommunicator */
	long long threads[THREADS_MAX];
	size_t n_threads;
	struct name names[NAMES_MAX]; /* those whose number varies */
	size_t n_names;
	char core[4200]; /* name of the core; "": none, or already replaced */
	bool first_line;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Skip @p word if it is present. */
static bool skip(const char **at, const char *word)
{
	size_t n = strlen(word);

	if (strncmp(*at, word, n) != 0)
		return false;
	*at += n;
	return true;
}

/* Skip a number in the range of int. */
static bool skip_any_number(const char **at, int64_t *ret)
{
	const char *p = *at;
	int64_t n = 0;

	if (!is_digit(*p))
		return false;
	for (; is_digit(*p); p++) {
		n = n * 10 + (*p - '0');
		if (n > INT32_MAX)
			return false;
	}
	*ret = n;
	*at = p;
	return true;
}

static bool skip_number(const char **at, const char *before, long long number)
{
	char word[64];
	const char *end = *at;

	snprintf(word, sizeof(word), "%s%lld", before, number);
	if (!skip(&end, word) || is_digit(*end))
		return false;
	*at = end;
	return true;
}

/* Color sequences, "\033[...m". */
static void skip_colors(const char **at)
{
	while ((*at)[0] == '\033' && (*at)[1] == '[') {
		*at += strcspn(*at, "m\n");
		*at += **at == 'm';
	}
}

/* @return false: out of memory; the part is then compared like any other text */
static bool add_varying(struct walk *w, const struct cmd_varying *v)
{
	struct cmd_common *c = w->c;

	if (!ACC_GROW(c->varying, c->n))
		return false;
	c->varying[c->n++] = *v;
	*w->to++ = (char)v->kind;
	return true;
}

/*
 * " rank 2 of 4 world ranks [4-7]" in the line of a communicator: the rank differs between the ranks of a group, and
 * the members may differ. For a communicator without operations the size may differ, too.
 */
static bool take_communicator(struct walk *w)
{
	const char *from = w->from;
	int64_t own, size;

	if (!skip(&from, "  rank ") || !skip_any_number(&from, &own))
		return false;
	const char *of = from;
	if (!skip(&from, " of ") || !skip_any_number(&from, &size))
		return false;
	const char *line_end = from + strcspn(from, "\n"), *idle = strstr(from, "(no pending operations)");
	bool is_idle = idle && idle < line_end;

	w->own = own;
	w->size = size;
	w->to = stpcpy(w->to, "  ");
	if (!is_idle || size == 1 ||
	    !add_varying(w, &(struct cmd_varying){ .kind = CMD_VARYING_WHOLE, .number = (double)size })) {
		memcpy(w->to, of + 4, (size_t)(from - of - 4));
		w->to += from - of - 4;
	}
	w->to = stpcpy(w->to, size == 1 ? " rank" : " ranks");
	if (from[0] == ',') {
		w->own = -1; /* peers are in the other group */
		w->from = from;
		return true;
	}
	const char *members = from;
	if (skip(&members, "  world ranks [")) {
		const char *text = members - 1;
		members += strcspn(members, "]\n");
		if (*members == ']')
			members++;
		if (size == 1 || add_varying(w, &(struct cmd_varying){ .kind = CMD_VARYING_MEMBERS,
								       .size = size,
								       .text = text,
								       .n_text = (size_t)(members - text) }))
			from = members;
	} else if (from[0] == '\n' || (from[0] == ' ' && from[1] == ' ' && from[2] == '(')) {
		if (size > 1)
			add_varying(w, &(struct cmd_varying){ .kind = CMD_VARYING_MEMBERS, .size = size });
	}
	if (from[0] == ' ' && from[1] == ' ')
		from += strspn(from, " ") - 2;
	w->from = from;
	return true;
}

/* ---- numbered names ---- */

/* Names set by the library are not changed, nor are numbers with leading zeros, which could not be restored. */
static struct name name_at(const char *text, size_t n)
{
	struct name ret = { text, n, 0, 0 };
	size_t n_runs = 0;

	if (n > 3 && !strncmp(text + (*text == '"'), "MPI", 3))
		return ret;
	for (size_t i = 0; i < n; i++) {
		if (!is_digit(text[i]))
			continue;
		ret.digits_at = i;
		while (i < n && is_digit(text[i]))
			i++;
		n_runs++;
		ret.n_digits = i - ret.digits_at;
	}
	if (n_runs != 1 || ret.n_digits > 9 || (ret.n_digits > 1 && text[ret.digits_at] == '0'))
		ret.n_digits = 0;
	return ret;
}

static bool same_but_number(const struct name *a, const struct name *b)
{
	size_t behind = a->digits_at + a->n_digits, behind_b = b->digits_at + b->n_digits;

	return a->n_digits && b->n_digits && a->digits_at == b->digits_at && a->n - behind == b->n - behind_b &&
	       !memcmp(a->text, b->text, a->digits_at) && !memcmp(a->text + behind, b->text + behind_b, a->n - behind);
}

/*
 * Programs name parts of a grid "row 0", "row 1", and ranks that are in one of them each do the same. If a rank is
 * in two, the number is needed to tell them apart and is kept.
 */
static void find_names(struct walk *w)
{
	struct name all[NAMES_MAX];
	size_t n = 0;

	for (const char *line = w->from, *stop; line < w->end; line = stop + 1) {
		stop = memchr(line, '\n', (size_t)(w->end - line));
		if (!stop)
			stop = w->end;
		const char *at = line;
		skip_colors(&at);
		const char *name = at + strspn(at, " ");
		const char *behind = name - at == 2 ? strstr(name, "  rank ") : NULL;
		if (!behind || behind > stop)
			continue;
		if (n == NAMES_MAX)
			return;
		all[n++] = name_at(name, (size_t)(behind - name));
	}
	for (size_t i = 0; i < n; i++) {
		bool alone = all[i].n_digits != 0;
		for (size_t j = 0; j < n; j++)
			alone = alone && (j == i || !same_but_number(&all[i], &all[j]));
		if (alone)
			w->names[w->n_names++] = all[i];
	}
}

/* The name of a communicator in its own line, or in "in MPI_Barrier on row 2". */
static bool take_name(struct walk *w)
{
	const char *from = w->from;
	bool on = skip(&from, " on ");

	for (size_t i = 0; i < w->n_names; i++) {
		const struct name *v = &w->names[i];
		if (on ? (size_t)(w->end - from) < v->n || memcmp(from, v->text, v->n) != 0 ||
				    !strchr("\n, \033", from[v->n])
		       : from != v->text)
			continue;
		char *before = w->to;
		w->to = stpcpy(w->to, on ? " on " : "");
		w->to = mempcpy(w->to, v->text, v->digits_at);
		if (!add_varying(w, &(struct cmd_varying){ .kind = CMD_VARYING_WHOLE,
							   .number = (double)atol(v->text + v->digits_at) })) {
			w->to = before;
			return false;
		}
		size_t behind = v->digits_at + v->n_digits;
		w->to = mempcpy(w->to, v->text + behind, v->n - behind);
		w->from = from + v->n;
		return true;
	}
	return false;
}

/* A communicator that contains only this process. */
static bool take_self(struct walk *w)
{
	const char *from = w->from;

	if (!skip_number(&from, "members [", w->p->rank) || !skip(&from, "] (1 rank)"))
		return false;
	w->to = stpcpy(w->to, "members [itself]");
	w->from = from;
	return true;
}

/* " to 3" and " from 3" of an operation, with a following "(world rank 3)" and the spaces up to the next column. */
static bool take_peer(struct walk *w)
{
	const char *from = w->from;
	struct cmd_varying v = { .kind = CMD_VARYING_PEER, .own = w->own, .size = w->size };
	const char *word;

	if (!w->is_operation)
		return false;
	if (skip(&from, word = " to ") || skip(&from, word = " from ")) {
		if (w->own < 0)
			return false;
	} else if (skip(&from, word = "(world rank ")) {
		v.own = w->p->rank;
		v.size = w->p->world_size;
	} else {
		return false;
	}
	if (!skip_any_number(&from, &v.value) || !strchr(" ,)\n", *from) || v.own < 0 || v.size <= 0 ||
	    v.value >= v.size)
		return false;
	char *to = w->to;
	w->to = stpcpy(w->to, word);
	if (!add_varying(w, &v)) {
		w->to = to;
		return false;
	}
	if (skip(&from, ")"))
		*w->to++ = ')';
	if (from[0] == ' ' && from[1] == ' ')
		from += strspn(from, " ") - 2;
	w->from = from;
	return true;
}

/*
 * ", 12 s ago, at MPI_Init" of an MPI_T variable: its values were refreshed at a different time in each rank. ",
 * for 12.0 s" of a call: each rank entered it at a different time. " (7 calls so far)".
 */
static bool take_time(struct walk *w)
{
	static const struct {
		const char *before, *after;
		enum cmd_varying_kind kind;
	} rows[] = { { ", ", " s ago, at ", CMD_VARYING_WHOLE },
		     { ", for ", " s", CMD_VARYING_TENTH },
		     { " (", " calls so far)", CMD_VARYING_WHOLE } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *from = w->from;
		char *end, *to = w->to;

		if (!skip(&from, rows[i].before) || !is_digit(*from))
			continue;
		double number = strtod(from, &end);
		if (strncmp(end, rows[i].after, strlen(rows[i].after)) != 0 ||
		    (strchr(from, '.') && strchr(from, '.') < end) != (rows[i].kind == CMD_VARYING_TENTH))
			continue;
		w->to = stpcpy(w->to, rows[i].before);
		if (!add_varying(w, &(struct cmd_varying){ .kind = rows[i].kind, .number = number })) {
			w->to = to;
			return false;
		}
		w->from = end;
		return true;
	}
	return false;
}

/* "thread 4716": becomes "main thread" if the id is the pid; other threads are numbered in order of appearance. */
static bool take_thread(struct walk *w)
{
	const char *from = w->from;
	int64_t tid;
	size_t i = 0;

	if (skip_number(&from, "thread ", w->p->pid)) {
		w->to = stpcpy(w->to, "main thread");
		w->from = from;
		return true;
	}
	if (w->p->pid <= 0 || !skip(&from, "thread ") || !skip_any_number(&from, &tid))
		return false;
	while (i < w->n_threads && w->threads[i] != tid)
		i++;
	if (i == THREADS_MAX)
		return false;
	if (i == w->n_threads)
		w->threads[w->n_threads++] = tid;
	w->to += sprintf(w->to, "thread #%zu", i + 2);
	w->from = from;
	return true;
}

static bool take_first_line(struct walk *w)
{
	const char *from = w->from;

	if (!w->first_line)
		return false;
	if (w->core[0] && skip(&from, w->core)) {
		w->core[0] = '\0';
		w->from = from;
		return true;
	}
	if (!skip(&from, "  host "))
		return false;
	size_t n = strcspn(from, " \n");
	w->to = stpcpy(w->to, "  ");
	if (!add_varying(w, &(struct cmd_varying){ .kind = CMD_VARYING_HOST, .text = from, .n_text = n }))
		w->to = stpncpy(stpcpy(w->to, "host "), from, n);
	w->from = from + n;
	return true;
}

/* A line of handles ("      0x55d0 0x55e0, 3 more"): they differ between
 * ranks that have left the same objects, and are left out. */
static bool take_handles(struct walk *w)
{
	const char *from = w->from;

	if (!skip(&from, "\n      0x"))
		return false;
	size_t n = strcspn(from, "\n");
	if (strspn(from, "0123456789abcdefx ,mor") < n)
		return false;
	w->from = from + n;
	return true;
}

/* Determine the kind of the line that starts here. */
static void begin_line(struct walk *w)
{
	const char *at = w->from;
	size_t n;

	skip_colors(&at);
	n = strspn(at, " ");
	if (n < 4) {
		w->own = -1;
		w->size = 0;
	}
	w->is_operation = n == 4 && w->size > 0;
	w->line_start = false;
}

static bool begin_text(struct walk *w)
{
	skip_colors(&w->from);
	if (!skip_number(&w->from, "rank ", w->p->rank))
		return false;
	if (skip(&w->from, " of "))
		w->from += strspn(w->from, "0123456789");
	skip_colors(&w->from);
	return skip_number(&w->from, "  pid ", w->p->pid);
}

void cmd_common_take(const struct cmd_proc *p, struct cmd_common *ret)
{
	const struct cmd_answer *a = p->answer;

	*ret = (struct cmd_common){ .text = NULL };
	if (!a->text.n || a->text.rest || a->text.n > COMPARED_BYTES_MAX || p->rank < 0)
		return;
	struct walk w = {
		.p = p, .c = ret, .from = a->text.text, .end = a->text.text + a->text.n, .own = -1, .first_line = true
	};
	if (!begin_text(&w))
		return;
	find_names(&w);
	if (p->core)
		snprintf(w.core, sizeof(w.core), "  core %s", p->core);
	/* A replacement is at most twice as long as the original. */
	char *text = w.to = malloc(2 * a->text.n + 1);
	while (text && w.from < w.end) {
		if (w.line_start)
			begin_line(&w);
		if (take_first_line(&w) || take_thread(&w) || take_name(&w) || take_communicator(&w) || take_self(&w) ||
		    take_peer(&w) || take_time(&w) || take_handles(&w))
			continue;
		w.line_start = *w.from == '\n';
		w.first_line &= !w.line_start;
		*w.to++ = *w.from++;
	}
	if (text)
		*w.to = '\0';
	ret->text = text;
}

void cmd_common_deinit(struct cmd_common *c)
{
	free(c->text);
	free(c->varying);
	*c = (struct cmd_common){ .text = NULL };
}
