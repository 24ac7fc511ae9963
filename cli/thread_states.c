/* SPDX-License-Identifier: BSD-3-Clause */
#include "thread_states.h"

#include "job.h"
#include "json.h"

static const char *doing_text(enum host_doing doing)
{
	static const char *const texts[] = { NULL, "runs", "waits", "sleeps" };

	return texts[doing];
}

static void write_one(struct host_target *t, const struct host_thread_state *s, struct cmd_spool *out)
{
	const char *call, *state = cmd_state_text(s->letter);
	double ends_s;
	enum host_doing doing = host_doing_of(t, s, &ends_s, &call);
	bool first = true;

	cmd_spool_puts(out, "{");
	cmd_json_number(out, &first, "thread", s->tid);
	if (state)
		cmd_json_member(out, &first, "state", state);
	if (s->timed) {
		cmd_json_number(out, &first, "ran_ns", (long long)s->ran_ns);
		cmd_json_number(out, &first, "runs", (long long)s->n_runs);
	}
	if (call)
		cmd_json_member(out, &first, "system_call", call);
	if (doing != HOST_DOING_UNKNOWN)
		cmd_json_member(out, &first, "does", doing_text(doing));
	if (doing == HOST_SLEEPS && ends_s < 1e12)
		cmd_json_number(out, &first, "ends_in_ms", (long long)(ends_s * 1e3));
	cmd_spool_puts(out, "}");
}

void cmd_thread_states_write(struct host_target *t, const struct host_thread_state *states, size_t n,
			     struct cmd_spool *out)
{
	cmd_spool_puts(out, "[");
	for (size_t i = 0; i < n; i++) {
		if (i)
			cmd_spool_puts(out, ",");
		write_one(t, &states[i], out);
	}
	cmd_spool_puts(out, "]");
}
