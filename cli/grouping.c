/* SPDX-License-Identifier: BSD-3-Clause */
#include "grouping.h"

#include <stdlib.h>
#include <string.h>

/* Texts longer than this are printed as they are: nobody waits for a million messages to be compared. */
enum { COMPARED_BYTES_MAX = 1 << 20 };

/*
 * What stands for a number that differs from rank to rank though they do the same: how old values are, since when a call
 * lasts, how many calls there were. No text has these characters.
 */
enum { WHOLE = '\001', TENTH = '\002' };

/* Such numbers of one text, or of several that are equal but for them. */
struct numbers {
	struct number {
		double least, most;
	} * v;
	size_t n, room;
};

/* Of processes that say the same. */
struct group {
	struct cmd_ranks ranks;
	const struct numbers *numbers; /* borrowed */
};

static const char bold[] = "\033[1m", plain[] = "\033[0m";

/* Step over @p word when it stands there. */
static bool skip(const char **at, const char *word)
{
	size_t n = strlen(word);

	if (strncmp(*at, word, n) != 0)
		return false;
	*at += n;
	return true;
}

static bool skip_number(const char **at, const char *before, long long number)
{
	char word[64];
	const char *end = *at;

	snprintf(word, sizeof(word), "%s%lld", before, number);
	if (!skip(&end, word) || (*end >= '0' && *end <= '9'))
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

/* "  rank 2 of 4  " in the line of a communicator: its number there is not what the ranks of a group share. */
static bool skip_own_rank(const char **at, char **to)
{
	const char *from = *at, *size;

	if (!skip(&from, "  rank ") || !(from += strspn(from, "0123456789")) || !skip(&from, " of "))
		return false;
	size = from;
	from += strspn(from, "0123456789");
	memcpy(*to, "  ", 2);
	memcpy(*to + 2, size, (size_t)(from - size));
	*to += 2 + (from - size);
	const char *word = from - size == 1 && *size == '1' ? " rank" : " ranks";
	*to = stpcpy(*to, word);
	if (from[0] == ' ' && from[1] == ' ')
		from += strspn(from, " ") - 2;
	*at = from;
	return true;
}

/* A communicator of this process alone. */
static bool skip_self(const char **at, char **to, long long rank)
{
	const char *from = *at;

	if (skip_number(&from, "  world ranks [", rank) && skip(&from, "]")) {
		*at = from;
		return true;
	}
	from = *at;
	if (skip_number(&from, "members [", rank) && skip(&from, "] (1 rank)")) {
		*to = stpcpy(*to, "members [itself]");
		*at = from;
		return true;
	}
	return false;
}

/* @return false: no memory, and the number is compared like any other text */
static bool keep(struct numbers *numbers, double number)
{
	if (numbers->n == numbers->room) {
		size_t room = numbers->room ? 2 * numbers->room : 64;
		struct number *bigger = realloc(numbers->v, room * sizeof(*bigger));
		if (!bigger)
			return false;
		numbers->v = bigger;
		numbers->room = room;
	}
	numbers->v[numbers->n++] = (struct number){ number, number };
	return true;
}

/*
 * ", 12 s ago, at MPI_Init", of a variable of MPI_T: the ranks are asked one after the other, and were refreshed when each
 * of them came to that; ", for 12.0 s", of a call: each has come to it when it did; " (7 calls so far)".
 */
static bool skip_varying(const char **at, char **to, struct numbers *numbers)
{
	static const struct {
		const char *before, *after;
		char kind;
	} rows[] = { { ", ", " s ago, at ", WHOLE }, { ", for ", " s", TENTH }, { " (", " calls so far)", WHOLE } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *from = *at;
		char *end;

		if (!skip(&from, rows[i].before) || *from < '0' || *from > '9')
			continue;
		double number = strtod(from, &end);
		if (strncmp(end, rows[i].after, strlen(rows[i].after)) != 0 ||
		    (strchr(from, '.') && strchr(from, '.') < end) != (rows[i].kind == TENTH))
			continue;
		if (!keep(numbers, number))
			return false;
		*to = stpcpy(*to, rows[i].before);
		*(*to)++ = rows[i].kind;
		*at = end;
		return true;
	}
	return false;
}

/*
 * What a process says, without what tells it from the others: "rank 3 of 4  pid 4716" and the core's name are cut out
 * of the first line, its main thread, whose number is the pid, is called so, and so is a communicator of itself; numbers
 * that differ though the ranks do the same stand beside the text.
 *
 * @return malloc'ed; NULL: cannot be compared
 */
static char *common_text(const struct cmd_proc *p, struct numbers *numbers)
{
	const struct cmd_answer *a = p->answer;
	char core[4200] = "";

	if (!a->text.n || a->text.rest || a->text.n > COMPARED_BYTES_MAX || p->rank < 0)
		return NULL;
	const char *from = a->text.text, *end = from + a->text.n;
	skip_colors(&from);
	if (!skip_number(&from, "rank ", p->rank))
		return NULL;
	if (skip(&from, " of "))
		from += strspn(from, "0123456789");
	skip_colors(&from);
	if (!skip_number(&from, "  pid ", p->pid))
		return NULL;
	if (p->core)
		snprintf(core, sizeof(core), "  core %s", p->core);
	char *text = malloc(2 * a->text.n + 1), *to = text;
	while (text && from < end) {
		if (core[0] && skip(&from, core)) {
			core[0] = '\0'; /* once: in the first line */
		} else if (skip_number(&from, "thread ", p->pid)) {
			to = stpcpy(to, "main thread");
		} else if (!skip_own_rank(&from, &to) && !skip_self(&from, &to, p->rank) &&
			   !skip_varying(&from, &to, numbers)) {
			*to++ = *from++;
		}
	}
	if (text)
		*to = '\0';
	return text;
}

static bool is_shown(const struct cmd_proc *p)
{
	return !p->answer->left_out && p->answer->text.n;
}

static void print_group(const struct group *g, const char *text)
{
	char *set = cmd_ranks_text(&g->ranks);
	bool colored = strchr(text, '\033') != NULL;

	printf("%sranks %s (%llu ranks)%s", colored ? bold : "", set ? set : "?",
	       (unsigned long long)cmd_ranks_count(&g->ranks), colored ? plain : "");
	for (size_t i = 0; i < g->numbers->n; i++) {
		const struct number *v = &g->numbers->v[i];
		size_t n = strcspn(text, "\001\002");
		int digits = text[n] == TENTH;
		fwrite(text, 1, n, stdout);
		printf("%.*f", digits, v->least);
		if (v->most > v->least)
			printf("-%.*f", digits, v->most);
		text += n + 1;
	}
	fputs(text, stdout);
	free(set);
}

/* The text of a process, to compare it with others'. */
struct common {
	char *text; /* NULL: cannot be compared */
	struct numbers numbers;
};

/* A process and those behind it that say the same, which are marked as printed. */
static struct group gather(const struct cmd_job *job, struct common *common, bool *printed, size_t first)
{
	struct numbers *all = &common[first].numbers;
	struct group g = { .numbers = all };

	for (size_t i = first; common[first].text && i < job->n; i++) {
		const struct cmd_proc *p = &job->procs[i];

		if (!is_shown(p) || printed[i] || !common[i].text || !cmd_same_world(&job->procs[first], p) ||
		    strcmp(common[first].text, common[i].text) != 0)
			continue;
		printed[i] = cmd_ranks_add(&g.ranks, p->rank, p->rank);
		/* the texts are equal: so is how many numbers stand beside them */
		for (size_t k = 0; k < all->n; k++) {
			double v = common[i].numbers.v[k].least;
			all->v[k].least = v < all->v[k].least ? v : all->v[k].least;
			all->v[k].most = v > all->v[k].most ? v : all->v[k].most;
		}
	}
	return g;
}

void cmd_grouping_print(struct cmd_job *job)
{
	struct common *common = calloc(job->n + 1, sizeof(*common));
	bool *printed = calloc(job->n + 1, sizeof(*printed));
	bool first = !job->is_job, can_group = common && printed && job->n > 1;

	for (size_t i = 0; can_group && i < job->n; i++)
		common[i].text = common_text(&job->procs[i], &common[i].numbers);
	for (size_t i = 0; i < job->n; i++) {
		struct cmd_proc *p = &job->procs[i];
		struct group g = { 0 };

		if (!is_shown(p) || (can_group && printed[i]))
			continue;
		if (!first)
			putchar('\n');
		first = false;
		if (can_group)
			g = gather(job, common, printed, i);
		if (cmd_ranks_count(&g.ranks) > 1)
			print_group(&g, common[i].text);
		else
			cmd_spool_copy(&p->answer->text, 0, stdout);
		cmd_ranks_deinit(&g.ranks);
	}
	for (size_t i = 0; common && i < job->n; i++) {
		free(common[i].text);
		free(common[i].numbers.v);
	}
	free(common);
	free(printed);
}
