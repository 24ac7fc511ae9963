/* SPDX-License-Identifier: BSD-3-Clause */
/* The entry point of mpidbg_describe(): takes the options, writes the requested description, returns its text. */
#include "describe.h"

#include "code.h"

#include "../mqs/callbacks.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

/* ---- output ---------------------------------------------------------------------------- */

/* Collects the text in a buffer that doubles, in the debugger's memory. */
static int collect(void *ctx, const char *text, size_t n)
{
	struct mpidbg_description *d = ctx;

	if (d->cap_text - d->n_text <= n) {
		size_t cap = d->cap_text ? d->cap_text : 4 * OUT_BUFFER_BYTES;

		while (cap - d->n_text <= n) {
			if (cap > SIZE_MAX / 2) {
				d->no_memory = true;
				return 1;
			}
			cap *= 2;
		}

		char *more = mqs_callbacks_alloc(cap);
		if (!more) {
			d->no_memory = true;
			return 1;
		}
		if (d->n_text)
			memcpy(more, d->text, d->n_text);
		mqs_callbacks_release(d->text);
		d->text = more;
		d->cap_text = cap;
	}
	memcpy(d->text + d->n_text, text, n);
	d->n_text += n;
	d->text[d->n_text] = '\0';
	return 0;
}

/* ---- options ---------------------------------------------------------------------------------------- */

/* Copy the part of the options that this debugger's version of the structure has; the rest is 0. */
static bool take_options(struct mpidbg_description *d, const struct mpidbg_options *options)
{
	if (!options)
		return true;
	if (options->size < offsetof(struct mpidbg_options, color))
		return false;
	memcpy(&d->options, options, options->size < sizeof(d->options) ? options->size : sizeof(d->options));
	return d->options.format == MPIDBG_FORMAT_TEXT || d->options.format == MPIDBG_FORMAT_JSON;
}

static void start_writer(struct mpidbg_description *d)
{
	if (d->options.write)
		out_begin(&d->o, d->options.format == MPIDBG_FORMAT_JSON, d->options.write, d->options.write_ctx);
	else
		out_begin(&d->o, d->options.format == MPIDBG_FORMAT_JSON, collect, d);
	d->o.color = d->options.color && !d->o.json;
	d->o.all = d->options.all;
	d->o.indent = d->options.indent > 0 ? (unsigned)d->options.indent : 0;
}

static int describe(struct mpidbg_description *d)
{
	switch (d->what) {
	case MPIDBG_WHAT_DOCTOR:
		return mpidbg_describe_doctor(d);
	case MPIDBG_WHAT_PROCS:
		return mpidbg_describe_procs(d);
	case MPIDBG_WHAT_HANDLES:
		return mpidbg_describe_handles(d);
	case MPIDBG_WHAT_HANDLE:
		return d->options.brief && !d->o.json ? mpidbg_describe_brief(d) : mpidbg_describe_handle(d);
	case MPIDBG_WHAT_CALLS:
		return d->options.brief && !d->o.json ? mpidbg_describe_brief_calls(d) : mpidbg_describe_calls(d);
	case MPIDBG_WHAT_VARS:
		return mpidbg_describe_vars(d);
	default:
		return mpidbg_describe_comms(d);
	}
}

/* The blocked probes that the debugger has seen. */
static void take_probes(struct mpidbg_description *d)
{
	const struct mpidbg_options *o = &d->options;

	for (size_t i = 0; o->probes && i < o->n_probes; i++)
		for (size_t k = 0; o->threads && k < o->n_threads && d->n_probes < MPIDBG_PROBES_MAX; k++) {
			uint32_t facts = o->threads[k].id == o->probes[i].thread ? fn_facts(o->threads[k].function) : 0;
			if (!(facts & (FN_PROBES | FN_MPROBES)))
				continue;
			d->probes[d->n_probes++] = (struct rd_probe){ .info_addr = o->probes[i].info_addr,
								      .tag = o->probes[i].tag,
								      .mask = o->probes[i].mask,
								      .removes = facts & FN_MPROBES };
		}
}

/* Write one description. The state is allocated, because it is too large for some stacks. */
static int describe_all(struct mpidbg_description *d)
{
	struct _mqs_process_info *p = d->p;
	if (d->what == MPIDBG_WHAT_COMMS || d->what == MPIDBG_WHAT_QUEUES || d->what == MPIDBG_WHAT_CALLS)
		mpidbg_python_init(&d->python, p, d->options.threads, d->options.n_threads);
	if (d->python.merged)
		d->options.threads = d->python.merged;
	take_probes(d);

	int code = mpidbg_code(mpidbg_threads_init(&d->threads, &p->space, d->options.threads, d->options.n_threads));

	if (!code) {
		acc_space_begin(&p->space);
		code = describe(d);
		if (p->reader) /* stacks of d are valid only in this call, but an iteration of the queue face may
				  continue */
			rd_set_stacks(p->reader, &p->stack, p->comm_current && p->stack.hi);
		if (p->reader)
			rd_set_probes(p->reader, NULL, 0);
		mpidbg_threads_deinit(&d->threads);
		acc_space_end(&p->space);
	}
	mpidbg_python_deinit(&d->python);
	if (!out_end(&d->o) && !code)
		code = MPIDBG_ERR_UNAVAILABLE;
	if (d->no_memory)
		code = MPIDBG_ERR_NO_MEM;
	if (d->n_problems && !p->note.rc)
		acc_note(&p->note, ACC_EREAD, "%s", d->problems[0]);
	if (code == MPIDBG_SUCCESS && d->n_problems)
		code = MPIDBG_ERR_UNAVAILABLE;
	return code;
}

int mpidbg_describe(mqs_process *process, int what, const struct mpidbg_options *options, char **text)
{
	struct _mqs_process_info *p = mqs_state_process(process);

	if (text)
		*text = NULL;
	if (!p)
		return MPIDBG_ERR_OUT_OF_RANGE;
	if (what < MPIDBG_WHAT_COMMS || what > MPIDBG_WHAT_VARS) {
		mqs_state_begin(p);
		mqs_state_fail(p, ACC_NONE, "mpidbg " MPIDBG_VERSION " has no such description");
		return MPIDBG_ERR_OUT_OF_RANGE;
	}

	struct mpidbg_description *d = mqs_callbacks_alloc(sizeof(*d));
	if (!d)
		return MPIDBG_ERR_NO_MEM;
	memset(d, 0, sizeof(*d));
	d->p = p;
	d->what = what;

	int code = MPIDBG_ERR_OUT_OF_RANGE;
	if (take_options(d, options) && (d->options.write || text)) {
		mqs_state_begin(p);
		start_writer(d);
		code = mqs_state_space(p) ? MPIDBG_ERR_UNAVAILABLE : describe_all(d);
	}
	if (text && code != MPIDBG_ERR_NO_MEM && code != MPIDBG_ERR_OUT_OF_RANGE)
		*text = d->text;
	else
		mqs_callbacks_release(d->text);
	mqs_callbacks_release(d);
	return code;
}
