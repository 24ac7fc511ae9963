/* SPDX-License-Identifier: BSD-3-Clause */
#include "waits.h"

#include "../render/json.h"
#include "../render/text.h"

#pragma GCC poison assert abort exit printf fprintf malloc free

const char *mpidbg_wait_of(const struct mpidbg_description *d, uint64_t tid)
{
	size_t lo = 0, hi = d->options.waits ? d->options.n_waits : 0;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if ((uint64_t)d->options.waits[mid].thread == tid)
			return d->options.waits[mid].text;
		if ((uint64_t)d->options.waits[mid].thread < tid)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

void mpidbg_write_wait(struct mpidbg_description *d, uint64_t tid)
{
	const char *text = mpidbg_wait_of(d, tid);

	if (text && d->o.json) {
		out_json_string(&d->o, "waits", text);
	} else if (text) {
		out_text(&d->o, ", ");
		out_name(&d->o, text, false);
	}
}
