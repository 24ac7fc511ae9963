/* SPDX-License-Identifier: BSD-3-Clause */
#include "thread_states.h"

#include "job.h"
#include "json.h"

#include "../host/stopped.h"
#include "../verdict/verdict.h"
#include "../waits/kept.h"

#include <stdio.h>
#include <stdlib.h>

static const char *doing_text(enum host_doing doing)
{
	static const char *const texts[] = { NULL, "runs", "waits", "sleeps" };

	return texts[doing];
}

static void write_peers(const struct wt_wait *x, struct cmd_spool *out, bool *first)
{
	cmd_json_member(out, first, "relation", wt_relation_text(x));
	cmd_json_name(out, first, "processes");
	cmd_spool_puts(out, "[");
	for (size_t i = 0; i < x->n_peers; i++) {
		bool inner = true;
		cmd_spool_puts(out, i ? ",{" : "{");
		cmd_json_number(out, &inner, "pid", x->peers[i].pid);
		if (*x->peers[i].name)
			cmd_json_member(out, &inner, "name", x->peers[i].name);
		if (*x->peers[i].does)
			cmd_json_member(out, &inner, "does", x->peers[i].does);
		cmd_json_name(out, &inner, "waits_back");
		cmd_spool_puts(out, x->peers[i].waits_back ? "true" : "false");
		cmd_spool_puts(out, "}");
	}
	cmd_spool_puts(out, "]");
}

static void write_enders(const struct wt_enders *e, struct cmd_spool *out, bool *first)
{
	bool inner = true;
	char pid[24];

	cmd_json_name(out, first, "ended_by");
	cmd_spool_puts(out, "{");
	cmd_json_name(out, &inner, "processes");
	cmd_spool_puts(out, "[");
	for (size_t i = 0; i < e->n; i++) {
		snprintf(pid, sizeof(pid), "%s%d", i ? "," : "", (int)e->v[i]);
		cmd_spool_puts(out, pid);
	}
	cmd_spool_puts(out, "]");
	cmd_json_number(out, &inner, "state", (long long)e->state);
	cmd_spool_puts(out, "}");
}

static void write_wait(const struct wt_wait *x, struct cmd_spool *out, bool *first)
{
	char addr[24], text[WT_TEXT_BYTES];
	bool inner = true;

	cmd_json_name(out, first, "waits_for");
	cmd_spool_puts(out, "{");
	cmd_json_member(out, &inner, "kind", wt_kind_text(x->kind));
	cmd_json_member(out, &inner, "what", x->what);
	if (x->addr) {
		snprintf(addr, sizeof(addr), "0x%llx", (unsigned long long)x->addr);
		cmd_json_member(out, &inner, "address", addr);
	}
	cmd_json_member(out, &inner, "holder", wt_holder_text(x->holder));
	if (x->owner)
		cmd_json_number(out, &inner, "owner", x->owner);
	cmd_json_name(out, &inner, "other_process");
	cmd_spool_puts(out, x->foreign ? "true" : "false");
	cmd_json_name(out, &inner, "ends");
	cmd_spool_puts(out, x->ends ? "true" : "false");
	if (x->kind == WT_CALL && x->peers_known)
		write_peers(x, out, &inner);
	if (x->kind == WT_CALL && x->enders.known)
		write_enders(&x->enders, out, &inner);
	if (x->hidden) {
		cmd_json_name(out, &inner, "others_hidden");
		cmd_spool_puts(out, "true");
	}
	if (*x->signal)
		cmd_json_member(out, &inner, "signal", x->signal);
	wt_text(x, 0, text);
	cmd_json_member(out, &inner, "text", text);
	cmd_spool_puts(out, "}");
}

static void write_sends(const struct cmd_doing *d, struct cmd_spool *out, bool *first)
{
	char text[64];

	cmd_json_name(out, first, "sends_at");
	snprintf(text, sizeof(text), "[\"0x%llx\",\"0x%llx\"]", (unsigned long long)d->sends_at[0],
		 (unsigned long long)d->sends_at[1]);
	cmd_spool_puts(out, text);
}

static void write_state(const struct host_thread_state *s, const struct cmd_doing *d, struct cmd_spool *out,
			bool *first)
{
	const char *state = cmd_state_text(s->letter);

	if (state)
		cmd_json_member(out, first, "state", state);
	if (s->timed) {
		cmd_json_number(out, first, "ran_ns", (long long)s->ran_ns);
		cmd_json_number(out, first, "runs", (long long)s->n_runs);
	}
	if (d && d->call)
		cmd_json_member(out, first, "system_call", d->call);
	char file[4096];
	if (s->letter == 'D' && host_thread_file(s, file, sizeof(file)))
		cmd_json_member(out, first, "file", file);
	if (s->letter == 'D' && host_thread_kernel_function(s->tid, file, sizeof(file)))
		cmd_json_member(out, first, "kernel_function", file);
	if (d && d->doing != HOST_DOING_UNKNOWN)
		cmd_json_member(out, first, "does", doing_text(d->doing));
	if (d && d->doing == HOST_SLEEPS && d->ends_s < 1e12)
		cmd_json_number(out, first, "ends_in_ms", (long long)(d->ends_s * 1e3));
	if (d && d->returns_to) {
		char addr[24];
		snprintf(addr, sizeof(addr), "0x%llx", (unsigned long long)d->returns_to);
		cmd_json_member(out, first, "returns_to", addr);
	}
	if (d && d->sends_at[0])
		write_sends(d, out, first);
}

/* @param s NULL: not known. @param x NULL: it waits for nothing that is known */
static void write_one(int64_t tid, const struct host_thread_state *s, const struct cmd_doing *d,
		      const struct wt_wait *x, struct cmd_spool *out, bool *any)
{
	bool first = true;

	cmd_spool_puts(out, *any ? ",{" : "{");
	*any = true;
	cmd_json_number(out, &first, "thread", tid);
	if (s)
		write_state(s, d, out, &first);
	if (x)
		write_wait(x, out, &first);
	cmd_spool_puts(out, "}");
}

void cmd_kept_write(pid_t pid, struct cmd_spool *out)
{
	struct wt_kept kept;
	bool first = true;

	wt_kept_read(pid, &kept);
	if (!*kept.why && kept.throttled_ms <= 0 && kept.swapped_kb <= 0)
		return;
	cmd_spool_puts(out, "{");
	if (*kept.why)
		cmd_json_member(out, &first, "why", kept.why);
	if (kept.throttled_ms > 0)
		cmd_json_number(out, &first, "throttled_ms", kept.throttled_ms);
	if (kept.swapped_kb > 0)
		cmd_json_number(out, &first, "swapped_kb", kept.swapped_kb);
	cmd_spool_puts(out, "}");
}

/* Messages that these send are not seen until they arrive. UCX's other functions that send with a tag call the first
 * one. */
static void find_sends(struct host_target *t, struct cmd_doing *doings, size_t n)
{
	uint64_t send, send_sync;

	if (!host_symbol(t, "ucp_tag_send_nbx", &send) || !host_symbol(t, "ucp_tag_send_sync_nbx", &send_sync))
		return;
	for (size_t i = 0; i < n; i++) {
		doings[i].sends_at[0] = send;
		doings[i].sends_at[1] = send_sync;
	}
}

static void find_return(struct host_target *t, const struct host_thread_state *states, size_t n, pid_t tid,
			struct cmd_doing *doings)
{
	struct host_stopped x;
	uint64_t addr = 0;

	for (size_t i = 0; !addr && host_stopped_thread(t, i, &x); i++)
		if (x.tid == tid)
			addr = x.return_addr;
	for (size_t i = 0; addr && i < n; i++)
		if (states[i].tid == tid)
			doings[i].returns_to = addr;
}

void cmd_thread_returns(struct host_target *t, const struct host_thread_state *states, size_t n,
			struct cmd_doing *doings)
{
	size_t n_threads;
	const struct mpidbg_thread *threads = doings ? host_threads(t, &n_threads) : NULL;

	if (doings)
		find_sends(t, doings, n);
	for (size_t i = 0; threads && i < n_threads; i++)
		if (threads[i].function && vd_returns_count(threads[i].function))
			find_return(t, states, n, (pid_t)threads[i].id, doings);
}

struct cmd_doing *cmd_thread_doings(struct host_target *t, const struct host_thread_state *states, size_t n)
{
	struct cmd_doing *ret = n ? calloc(n, sizeof(*ret)) : NULL;

	for (size_t i = 0; ret && i < n; i++)
		ret[i].doing = host_doing_of(t, &states[i], &ret[i].ends_s, &ret[i].call);
	return ret;
}

void cmd_thread_states_write(const struct host_thread_state *states, const struct cmd_doing *doings, size_t n,
			     const struct wt_waits *waits, struct cmd_spool *out)
{
	bool any = false;

	cmd_spool_puts(out, "[");
	for (size_t i = 0; i < n; i++)
		write_one(states[i].tid, &states[i], doings ? &doings[i] : NULL, wt_of(waits, states[i].tid), out,
			  &any);
	for (size_t i = 0; !n && i < waits->n; i++)
		write_one(waits->v[i].tid, NULL, NULL, &waits->v[i], out, &any);
	cmd_spool_puts(out, "]");
}
