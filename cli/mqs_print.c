/* SPDX-License-Identifier: BSD-3-Clause */
#include "mqs_print.h"

#include "json.h"

#include "../access/quote.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GROUP_MAX = 1 << 20 }; /* maximum number of ranks of a communicator for which memory is allocated */

static const struct queue {
	int op_class;
	const char *member; /* in JSON */
	const char *word;
	const char *kind;
	const char *color;
} queues[] = {
	{ mqs_pending_sends, "pending_sends", "send", "send", "\033[32m" },
	{ mqs_pending_receives, "pending_receives", "receive", "receive", "\033[34m" },
	{ mqs_unexpected_messages, "unexpected", "unexpected", "message", "\033[31m" },
};
enum { N_QUEUES = sizeof(queues) / sizeof(queues[0]) };

struct print {
	struct host_session *s;
	struct host_plugin *dll;
	const struct cmd_options *o;
	struct cmd_spool *out;
	bool with_queues;
	enum cmd_exit rc;
	char *why;
	size_t n_why;
};

static const char *words_of(struct print *p, int code)
{
	const char *words = p->dll->mqs_dll_error_string ? p->dll->mqs_dll_error_string(code) : NULL;

	return words && *words ? words : "no reason given";
}

/* the first failure is reported */
static void note(struct print *p, enum cmd_exit rc, const char *what, int code)
{
	if (p->rc == CMD_DONE) {
		p->rc = rc;
		snprintf(p->why, p->n_why, "%s: %s (code %d)", what, words_of(p, code), code);
	}
}

/* Copy a text of the plugin or the target, which may lack a terminating NUL. */
static void copy(char *ret, size_t n, const char *text, size_t n_text)
{
	size_t length = strnlen(text, n_text < n ? n_text : n - 1);

	memcpy(ret, text, length);
	ret[length] = '\0';
}

/* The same, quoted, for one line of text. */
static void quote(char *ret, size_t n, const char *text, size_t n_text)
{
	char whole[256];

	copy(whole, sizeof(whole), text, n_text);
	acc_quote(ret, n, whole);
}

static const char *status_word(int status)
{
	switch (status) {
	case mqs_st_pending:
		return "pending";
	case mqs_st_matched:
		return "matched";
	case mqs_st_complete:
		return "complete";
	default:
		return "unknown";
	}
}

/* ---- text ---------------------------------------------------------------------------------------- */

static void operation_text(struct print *p, const struct queue *q, const mqs_pending_operation *op)
{
	struct cmd_spool *out = p->out;
	char text[4 * sizeof(op->extra_text[0])];
	bool unexpected = q->op_class == mqs_unexpected_messages;
	const char *preposition = q->op_class == mqs_pending_sends ? "to" : "from";

	cmd_spool_printf(out, "    %s%-10s%s ", p->o->color ? q->color : "", q->word, p->o->color ? "\033[0m" : "");
	long peer = unexpected && op->status != mqs_st_pending ? op->actual_local_rank : op->desired_local_rank;
	long world = unexpected && op->status != mqs_st_pending ? op->actual_global_rank : op->desired_global_rank;
	if (peer == MQS_INVALID_PROCESS)
		cmd_spool_printf(out, " %s any", preposition);
	else if (world != peer)
		cmd_spool_printf(out, " %s %ld (world rank %ld)", preposition, peer, world);
	else
		cmd_spool_printf(out, " %s %ld", preposition, peer);
	if (op->tag_wild)
		cmd_spool_puts(out, "  tag any");
	else
		cmd_spool_printf(out, "  tag %ld", unexpected ? (long)op->actual_tag : (long)op->desired_tag);
	cmd_spool_printf(out, "  %ld bytes  %s", unexpected ? (long)op->actual_length : (long)op->desired_length,
			 status_word(op->status));
	if (!unexpected && op->status != mqs_st_pending && q->op_class == mqs_pending_receives)
		cmd_spool_printf(out, "  from %ld tag %ld %ld bytes", op->actual_local_rank, op->actual_tag,
				 op->actual_length);
	if (p->o->all)
		cmd_spool_printf(out, "  buffer 0x%lx%s", op->buffer, op->system_buffer ? " (of the library)" : "");
	for (size_t i = 0; i < 5 && op->extra_text[i][0]; i++) {
		quote(text, sizeof(text), op->extra_text[i], sizeof(op->extra_text[i]));
		cmd_spool_printf(out, "%s%s", i ? "; " : "  | ", text);
	}
	cmd_spool_puts(out, "\n");
}

/* ---- JSON ---------------------------------------------------------------------------------------- */

static void rank_json(struct cmd_spool *out, bool *first, const char *name, long rank, const char *why)
{
	char name_why[64];

	if (rank != MQS_INVALID_PROCESS) {
		cmd_json_number(out, first, name, rank);
		return;
	}
	cmd_json_member(out, first, name, NULL);
	snprintf(name_why, sizeof(name_why), "%s_why", name);
	cmd_json_member(out, first, name_why, why);
}

static void operation_json(struct print *p, const struct queue *q, const mqs_pending_operation *op)
{
	struct cmd_spool *out = p->out;
	bool first = true, unexpected = q->op_class == mqs_unexpected_messages;
	char text[64], *extra[5];
	size_t n = 0;

	cmd_spool_puts(out, "{");
	cmd_json_member(out, &first, "kind", q->kind);
	cmd_json_member(out, &first, "status", status_word(op->status));
	if (!unexpected) {
		bool any = op->desired_local_rank == MQS_INVALID_PROCESS;
		rank_json(out, &first, "peer", op->desired_local_rank, "any");
		rank_json(out, &first, "peer_world", op->desired_global_rank, any ? "any" : "unavailable");
		if (op->tag_wild) {
			cmd_json_member(out, &first, "tag", NULL);
			cmd_json_member(out, &first, "tag_why", "any");
		} else {
			cmd_json_number(out, &first, "tag", op->desired_tag);
		}
		cmd_json_number(out, &first, "bytes", op->desired_length);
	} else {
		rank_json(out, &first, "peer", op->actual_local_rank, "unavailable");
		rank_json(out, &first, "peer_world", op->actual_global_rank, "unavailable");
		cmd_json_number(out, &first, "tag", op->actual_tag);
		cmd_json_number(out, &first, "bytes", op->actual_length);
	}
	snprintf(text, sizeof(text), "0x%lx", op->buffer);
	cmd_json_member(out, &first, "buffer", text);
	cmd_json_name(out, &first, "system_buffer");
	cmd_spool_printf(out, "%s", op->system_buffer ? "true" : "false");
	if (!unexpected && op->status != mqs_st_pending) {
		rank_json(out, &first, "actual_peer", op->actual_local_rank, "unavailable");
		rank_json(out, &first, "actual_peer_world", op->actual_global_rank, "unavailable");
		cmd_json_number(out, &first, "actual_tag", op->actual_tag);
		cmd_json_number(out, &first, "actual_bytes", op->actual_length);
	}
	char lines[5][64];
	for (; n < 5 && op->extra_text[n][0]; n++) {
		copy(lines[n], sizeof(lines[n]), op->extra_text[n], sizeof(op->extra_text[n]));
		extra[n] = lines[n];
	}
	if (n)
		cmd_json_lines(out, &first, "extra", extra, n);
	cmd_spool_puts(out, "}");
}

/* ---- walking the plugin's lists ------------------------------------------------------------------ */

static void unavailable(struct print *p, const struct queue *q, int code)
{
	char name_why[64], words[256];
	bool first = true;

	copy(words, sizeof(words), words_of(p, code), sizeof(words));
	if (!p->o->json) {
		cmd_spool_printf(p->out, "    %s: unavailable (%s)\n", q->word, words);
		return;
	}
	cmd_json_member(p->out, &first, q->member, NULL);
	snprintf(name_why, sizeof(name_why), "%s_why", q->member);
	cmd_json_member(p->out, &first, name_why, words);
}

static void walk_queue(struct print *p, const struct queue *q)
{
	mqs_process *process = p->s->process;
	mqs_pending_operation op;
	bool first = true;
	size_t n = 0;
	int rc = p->dll->mqs_setup_operation_iterator(process, q->op_class);

	if (rc != mqs_ok && rc != mqs_end_of_list) {
		if (rc != mqs_no_information) /* mqs_no_information: the plugin does not support this list */
			note(p, CMD_PARTIAL, q->member, rc);
		unavailable(p, q, rc);
		return;
	}
	if (p->o->json) {
		cmd_json_name(p->out, &first, q->member);
		cmd_spool_puts(p->out, "[");
	}
	for (; rc == mqs_ok; n++) {
		memset(&op, 0, sizeof(op));
		rc = n < CMD_MQS_OPERATIONS_MAX ? p->dll->mqs_next_operation(process, &op) : mqs_no_information;
		if (rc != mqs_ok)
			break;
		if (p->o->json && n)
			cmd_spool_puts(p->out, ",\n      ");
		if (p->o->json)
			operation_json(p, q, &op);
		else
			operation_text(p, q, &op);
	}
	if (p->o->json)
		cmd_spool_puts(p->out, "]");
	if (rc == mqs_end_of_list)
		return;
	note(p, CMD_PARTIAL, n == CMD_MQS_OPERATIONS_MAX ? "a list that does not end" : q->member, rc);
	if (!p->o->json)
		cmd_spool_printf(p->out, "    %s: the list breaks off here (%s)\n", q->word, words_of(p, rc));
}

/* World ranks, indexed by local rank; NULL: unavailable. */
static int *members(struct print *p, const mqs_communicator *c)
{
	if (c->size < 1 || c->size > GROUP_MAX || !p->dll->mqs_get_comm_group)
		return NULL;
	int *ranks = calloc((size_t)c->size, sizeof(*ranks));
	if (ranks && p->dll->mqs_get_comm_group(p->s->process, ranks) != mqs_ok) {
		free(ranks);
		ranks = NULL;
	}
	return ranks;
}

static void communicator_text(struct print *p, const mqs_communicator *c, const int *ranks)
{
	char name[4 * sizeof(c->name)];
	struct cmd_ranks set = { 0 };
	bool ordered = ranks != NULL, world = ranks != NULL;

	quote(name, sizeof(name), c->name, sizeof(c->name));
	cmd_spool_printf(p->out, "  %s  rank %ld of %ld", name, c->local_rank, c->size);
	for (long i = 0; ordered && i < c->size; i++) {
		ordered = ranks[i] >= 0 && (i == 0 || ranks[i] > ranks[i - 1]) &&
			  cmd_ranks_add(&set, ranks[i], ranks[i]);
		world = world && ranks[i] == i;
	}
	char *text = ordered && !world ? cmd_ranks_text(&set) : NULL;
	if (text)
		cmd_spool_printf(p->out, "  world ranks %.8000s", text);
	free(text);
	cmd_ranks_deinit(&set);
	for (long i = 0; ranks && !ordered && i < c->size; i++)
		cmd_spool_printf(p->out, "%s%d%s", i ? "," : "  world ranks (", ranks[i], i + 1 == c->size ? ")" : "");
	if (p->o->all)
		cmd_spool_printf(p->out, "  id 0x%lx", c->unique_id);
	cmd_spool_puts(p->out, "\n");
	for (size_t i = 0; p->with_queues && i < N_QUEUES; i++)
		walk_queue(p, &queues[i]);
}

static void communicator_json(struct print *p, const mqs_communicator *c, const int *ranks)
{
	struct cmd_spool *out = p->out;
	bool first = true;
	char text[64];

	cmd_spool_puts(out, "{");
	snprintf(text, sizeof(text), "0x%lx", c->unique_id);
	cmd_json_member(out, &first, "id", text);
	copy(text, sizeof(text), c->name, sizeof(c->name));
	cmd_json_member(out, &first, "name", text);
	cmd_json_number(out, &first, "rank", c->local_rank);
	cmd_json_number(out, &first, "size", c->size);
	if (ranks) {
		cmd_json_name(out, &first, "members");
		for (long i = 0; i < c->size; i++)
			cmd_spool_printf(out, ranks[i] < 0 ? "%snull" : "%s%d", i ? ", " : "[", ranks[i]);
		cmd_spool_puts(out, "]");
	} else {
		cmd_json_member(out, &first, "members", NULL);
		cmd_json_member(out, &first, "members_why", "not available from the plugin");
	}
	for (size_t i = 0; p->with_queues && i < N_QUEUES; i++) {
		cmd_spool_puts(out, ",\n     ");
		walk_queue(p, &queues[i]);
	}
	cmd_spool_puts(out, "}");
}

static void walk_communicators(struct print *p)
{
	mqs_process *process = p->s->process;
	int rc = mqs_ok;

	if (p->dll->mqs_update_communicator_list)
		rc = p->dll->mqs_update_communicator_list(process);
	if (rc != mqs_ok)
		note(p, CMD_PARTIAL, "communicators", rc);
	rc = p->dll->mqs_setup_communicator_iterator(process);
	size_t n = 0;
	for (; rc == mqs_ok && n < CMD_MQS_COMMS_MAX; n++) {
		mqs_communicator c = { 0 };
		rc = p->dll->mqs_get_communicator(process, &c);
		if (rc != mqs_ok)
			break;
		int *ranks = members(p, &c);
		if (p->o->json)
			cmd_spool_printf(p->out, n ? ",\n    " : "\n    ");
		if (p->o->json)
			communicator_json(p, &c, ranks);
		else
			communicator_text(p, &c, ranks);
		free(ranks);
		rc = p->dll->mqs_next_communicator(process);
	}
	if (n == CMD_MQS_COMMS_MAX)
		note(p, CMD_PARTIAL, "a list of communicators that does not end", rc);
	else if (rc != mqs_end_of_list)
		note(p, CMD_PARTIAL, "communicators", rc);
}

/* @return true: the plugin finds queues; else why contains the plugin's own message */
static bool has_queues(struct print *p)
{
	char *message = NULL;
	int rc = mqs_ok;

	if (p->dll->mqs_image_has_queues)
		rc = p->dll->mqs_image_has_queues(p->s->image, &message);
	if (rc == mqs_ok && p->dll->mqs_process_has_queues) {
		message = NULL;
		rc = p->dll->mqs_process_has_queues(p->s->process, &message);
	}
	if (rc == mqs_ok)
		return true;
	note(p, rc == mqs_no_information ? CMD_ABSENT : CMD_PARTIAL, "no message queues", rc);
	if (!message)
		return false;
	/* Text for a pop-up window: several lines; the image's message is a format with a %s for the image's name. */
	const char *head = "the plugin finds no message queues: ";
	bool wants_types = rc >= mqs_first_user_code && !p->o->layout && !p->dll->mpidbg_describe;
	const char *hint = wants_types ? " (a plugin that asks for types wants --layout FILE)" : "";
	char text[512], *to = text, *end = text + sizeof(text) - 1;
	for (const char *from = message; *from && to < end; from++) {
		if (from[0] == '%' && from[1] == 's') {
			to += snprintf(to, (size_t)(end - to), "%.*s", (int)(end - to) - 1, "the program");
			from++;
		} else {
			*to++ = *from == '\n' ? ' ' : *from;
		}
	}
	*to = '\0';
	snprintf(p->why, p->n_why, "%s%s%s", head, text, hint);
	return false;
}

static bool is_complete(const struct host_plugin *dll)
{
	return dll->mqs_setup_communicator_iterator && dll->mqs_get_communicator && dll->mqs_next_communicator &&
	       dll->mqs_setup_operation_iterator && dll->mqs_next_operation;
}

static void heading(struct print *p, const struct cmd_proc *proc)
{
	const char *slash = strrchr(p->dll->path, '/');
	char text[8192];

	if (proc->rank >= 0 && proc->world_size > 0)
		cmd_spool_printf(p->out, "rank %lld of %lld  ", (long long)proc->rank, (long long)proc->world_size);
	else if (proc->rank >= 0)
		cmd_spool_printf(p->out, "rank %lld  ", (long long)proc->rank);
	if (proc->pid > 0)
		cmd_spool_printf(p->out, "pid %lld  ", (long long)proc->pid);
	if (*proc->host) {
		acc_quote(text, 1024, proc->host);
		cmd_spool_printf(p->out, "host %s  ", text);
	}
	acc_quote(text, sizeof(text), *proc->executable ? proc->executable : "unknown program");
	cmd_spool_printf(p->out, "%.4000s  (through %s)\n", text, slash ? slash + 1 : p->dll->path);
}

static void heading_json(struct print *p, const struct cmd_proc *proc, const char *version)
{
	bool first = true;

	cmd_spool_puts(p->out, "{");
	if (proc->rank >= 0)
		cmd_json_number(p->out, &first, "rank", proc->rank);
	if (proc->pid > 0)
		cmd_json_number(p->out, &first, "pid", proc->pid);
	if (*proc->host)
		cmd_json_member(p->out, &first, "host", proc->host);
	if (*proc->executable)
		cmd_json_member(p->out, &first, "executable", proc->executable);
	if (proc->core)
		cmd_json_member(p->out, &first, "core", proc->core);
	cmd_json_member(p->out, &first, "plugin", p->dll->path);
	cmd_json_member(p->out, &first, "plugin_version", version);
	cmd_spool_puts(p->out, ",\n   \"communicators\": [");
}

enum cmd_exit cmd_mqs_print(struct host_session *s, int what, const struct cmd_options *o, const struct cmd_proc *proc,
			    struct cmd_spool *out, char *why, size_t n_why)
{
	struct print p = { .s = s,
			   .dll = s->plugin,
			   .o = o,
			   .out = out,
			   .with_queues = what == MPIDBG_WHAT_QUEUES,
			   .why = why,
			   .n_why = n_why };
	char version[256];
	const char *text = s->plugin->mqs_version_string ? s->plugin->mqs_version_string() : "";

	why[0] = '\0';
	copy(version, sizeof(version), text, strlen(text));
	if (o->json)
		heading_json(&p, proc, version);
	else
		heading(&p, proc);
	if (!is_complete(s->plugin)) {
		p.rc = CMD_PARTIAL;
		snprintf(why, n_why, "%s lacks functions that list communicators and queues", s->plugin->path);
	} else if (has_queues(&p) && what != MPIDBG_WHAT_DOCTOR) {
		walk_communicators(&p);
	} else if (what == MPIDBG_WHAT_DOCTOR && p.rc == CMD_DONE && !o->json) {
		cmd_spool_puts(out, "  the plugin finds message queues\n");
	}
	if (o->json) {
		bool first = true;
		cmd_spool_puts(out, "],\n   ");
		cmd_json_lines(out, &first, "problems", &why, why[0] != '\0');
		cmd_spool_puts(out, "}\n");
	}
	return p.rc;
}
