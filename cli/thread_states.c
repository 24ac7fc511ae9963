/* SPDX-License-Identifier: BSD-3-Clause */
#include "thread_states.h"

#include "job.h"
#include "json.h"

#include <stdio.h>

static const char *doing_text(enum host_doing doing)
{
	static const char *const texts[] = { NULL, "runs", "waits", "sleeps" };

	return texts[doing];
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
	wt_text(x, 0, text);
	cmd_json_member(out, &inner, "text", text);
	cmd_spool_puts(out, "}");
}

static void write_state(struct host_target *t, const struct host_thread_state *s, struct cmd_spool *out, bool *first)
{
	const char *call, *state = cmd_state_text(s->letter);
	double ends_s;
	enum host_doing doing = host_doing_of(t, s, &ends_s, &call);

	if (state)
		cmd_json_member(out, first, "state", state);
	if (s->timed) {
		cmd_json_number(out, first, "ran_ns", (long long)s->ran_ns);
		cmd_json_number(out, first, "runs", (long long)s->n_runs);
	}
	if (call)
		cmd_json_member(out, first, "system_call", call);
	if (doing != HOST_DOING_UNKNOWN)
		cmd_json_member(out, first, "does", doing_text(doing));
	if (doing == HOST_SLEEPS && ends_s < 1e12)
		cmd_json_number(out, first, "ends_in_ms", (long long)(ends_s * 1e3));
}

/* @param s NULL: not known. @param x NULL: it waits for nothing that is known */
static void write_one(struct host_target *t, int64_t tid, const struct host_thread_state *s, const struct wt_wait *x,
		      struct cmd_spool *out, bool *any)
{
	bool first = true;

	cmd_spool_puts(out, *any ? ",{" : "{");
	*any = true;
	cmd_json_number(out, &first, "thread", tid);
	if (s)
		write_state(t, s, out, &first);
	if (x)
		write_wait(x, out, &first);
	cmd_spool_puts(out, "}");
}

void cmd_thread_states_write(struct host_target *t, const struct host_thread_state *states, size_t n,
			     const struct wt_waits *waits, struct cmd_spool *out)
{
	bool any = false;

	cmd_spool_puts(out, "[");
	for (size_t i = 0; i < n; i++)
		write_one(t, states[i].tid, &states[i], wt_of(waits, states[i].tid), out, &any);
	for (size_t i = 0; !n && i < waits->n; i++)
		write_one(t, waits->v[i].tid, NULL, &waits->v[i], out, &any);
	cmd_spool_puts(out, "]");
}
