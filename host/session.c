/* SPDX-License-Identifier: BSD-3-Clause */
#include "callbacks.h"
#include "error.h"
#include "host.h"
#include "layout_types.h"

#include <stdlib.h>
#include <string.h>

static enum host_errc failed(struct host_session *s, const char *what, const char *why, struct host_error *err)
{
	enum host_errc code = host_error_set(err, HOST_UNREADABLE, "%s: %s: %s", s->plugin->path, what,
					     why && *why ? why : "unknown reason");
	host_session_close(s);
	return code;
}

static const char *mqs_why(const struct host_session *s, int code)
{
	return s->plugin->mqs_dll_error_string ? s->plugin->mqs_dll_error_string(code) : NULL;
}

static const char *mpidbg_why(const struct host_session *s)
{
	return s->plugin->mpidbg_error_string ? s->plugin->mpidbg_error_string(s->process) : NULL;
}

enum host_errc host_session_open(struct host_plugin *plugin, struct host_target *target, const char *layout_file,
				 struct host_session *ret, struct host_error *err)
{
	memset(ret, 0, sizeof(*ret));
	struct host_state *state = calloc(1, sizeof(*state));
	struct host_types *types = host_types_of_target(target);
	if (!state || !types) {
		free(state);
		host_types_destroy(types);
		return host_error_set(err, HOST_UNREADABLE, "%s: out of memory", plugin->path);
	}
	state->target = target;
	state->types = types;
	state->image.state = state->process.state = state;
	struct host_session s = { plugin, target, &state->image, &state->process };

	if (layout_file) {
		enum host_errc code = host_layout_open(layout_file, &state->pack, err);
		if (!code && state->pack->word_bytes != host_word_bytes(target))
			code = host_error_set(err, HOST_UNREADABLE, "%s: is for words of %u bytes, the target has %u",
					      layout_file, state->pack->word_bytes, host_word_bytes(target));
		if (code) {
			host_session_close(&s);
			return code;
		}
	}

	int rc = plugin->mqs_setup_image(s.image, host_image_callbacks());
	if (rc != mqs_ok)
		return failed(&s, "executable cannot be set up", mqs_why(&s, rc), err);
	state->mqs_image = true;
	if (plugin->mpidbg_init_per_image) {
		rc = plugin->mpidbg_init_per_image(s.image, host_image_callbacks(), NULL);
		if (rc != MPIDBG_SUCCESS)
			return failed(&s, "executable cannot be set up", mpidbg_why(&s), err);
		state->mpidbg_image = true;
	}
	rc = plugin->mqs_setup_process(s.process, host_process_callbacks());
	if (rc != mqs_ok)
		return failed(&s, "process cannot be set up", mqs_why(&s, rc), err);
	state->mqs_process = true;
	if (plugin->mpidbg_init_per_process) {
		rc = plugin->mpidbg_init_per_process(s.process, host_process_callbacks(), NULL);
		if (rc != MPIDBG_SUCCESS)
			return failed(&s, "process cannot be set up", mpidbg_why(&s), err);
		state->mpidbg_process = true;
	}
	*ret = s;
	return HOST_OK;
}

/* Tear down the faces in reverse order. A plugin may or may not clear its slot; an empty slot is skipped. */
static void close_faces(const struct host_plugin *p, struct host_state *state)
{
	if (state->mpidbg_process && state->process.info && p->mpidbg_finalize_per_process)
		p->mpidbg_finalize_per_process(&state->process, state->process.info);
	if (state->mqs_process && state->process.info && p->mqs_destroy_process_info)
		p->mqs_destroy_process_info(state->process.info);
	if (state->mpidbg_image && state->image.info && p->mpidbg_finalize_per_image)
		p->mpidbg_finalize_per_image(&state->image, state->image.info);
	if (state->mqs_image && state->image.info && p->mqs_destroy_image_info)
		p->mqs_destroy_image_info(state->image.info);
}

void host_session_close(struct host_session *s)
{
	if (s->image) {
		struct host_state *state = s->image->state;
		close_faces(s->plugin, state);
		for (mqs_type *type = state->handed_out, *next; type; type = next) {
			next = type->next;
			free(type);
		}
		host_types_destroy(state->types);
		host_layout_close(state->pack);
		free(state);
	}
	memset(s, 0, sizeof(*s));
}

void host_session_reads(const struct host_session *s, uint64_t *n_reads, uint64_t *bytes)
{
	*n_reads = s->image ? s->image->state->n_reads : 0;
	*bytes = s->image ? s->image->state->bytes : 0;
}
