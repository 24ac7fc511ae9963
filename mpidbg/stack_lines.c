/* SPDX-License-Identifier: BSD-3-Clause */
#include "stack_lines.h"

#include "../render/json.h"
#include "../render/text.h"

#pragma GCC poison assert abort exit printf fprintf malloc free

/* The debugger's backtrace of the same thread, if it has passed one. */
static void backtrace(struct mpidbg_description *d, uint64_t tid)
{
	for (size_t i = 0; d->options.threads && i < d->options.n_threads; i++) {
		const struct mpidbg_thread *t = &d->options.threads[i];

		if ((uint64_t)t->id != tid || !t->backtrace)
			continue;
		if (d->o.json)
			out_json_array(&d->o, "backtrace");
		for (size_t k = 0; k < t->n_backtrace; k++) {
			if (d->o.json) {
				out_json_string(&d->o, NULL, t->backtrace[k]);
			} else if (d->o.all) {
				out_line(&d->o, 2);
				out_text(&d->o, "#%zu ", k);
				out_name(&d->o, t->backtrace[k], false);
			}
		}
		if (d->o.json)
			out_json_array_end(&d->o);
		return;
	}
}

/* Functions of Python and C, as the debugger has passed them. */
void mpidbg_write_stack(struct mpidbg_description *d, uint64_t tid)
{
	backtrace(d, tid);
	mpidbg_write_python(d, (int64_t)tid);
}
