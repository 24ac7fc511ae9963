/* SPDX-License-Identifier: BSD-3-Clause */
/* How MPI functions wait (enum vd_call), from the table of functions/. */
#include "verdict.h"

#include "../functions/functions.h"

#include <stddef.h>
#include <string.h>

enum vd_call vd_call_of(const char *function)
{
	static const enum vd_call calls[] = {
		[FN_LOCAL] = VD_CALL_OTHER,         [FN_POLL] = VD_CALL_POLL,
		[FN_BUFFERED] = VD_CALL_ALL,        [FN_ALL] = VD_CALL_ALL,
		[FN_SOME] = VD_CALL_SOME,           [FN_COLLECTIVE] = VD_CALL_COLLECTIVE,
		[FN_NEIGHBORS] = VD_CALL_NEIGHBORS, [FN_WINDOW] = VD_CALL_WINDOW,
		[FN_INIT] = VD_CALL_INIT,           [FN_FINALIZE] = VD_CALL_FINALIZE,
		[FN_UNFOLLOWED] = VD_CALL_OTHER,
	};
	const struct fn_function *f = fn_find(function);

	return f ? calls[f->wait] : function ? VD_CALL_OTHER : VD_CALL_NONE;
}

bool vd_is_probe(const char *function)
{
	return vd_call_of(function) == VD_CALL_ALL && (fn_facts(function) & (FN_PROBES | FN_MPROBES));
}

bool vd_takes_message(const char *function)
{
	return vd_is_probe(function) && (fn_facts(function) & FN_MPROBES);
}

bool vd_only_waits(const char *function)
{
	/* not those that move data at a window, for however long */
	return vd_is_probe(function) ||
	       (function && (strcmp(function, "MPI_Intercomm_create") == 0 || strcmp(function, "MPI_Win_lock") == 0 ||
			     strcmp(function, "MPI_Win_lock_all") == 0));
}

bool vd_returns_count(const char *function)
{
	enum vd_call call = vd_call_of(function);

	return vd_only_waits(function) || call == VD_CALL_SOME || call == VD_CALL_WINDOW;
}

bool vd_connects(const char *function)
{
	return fn_facts(function) & FN_CONNECTS;
}

bool vd_synchronizes(const struct vd_comm *c, const char *function)
{
	return !c->inter && c->kind == VD_COMM && (fn_facts(function) & (FN_SYNC_ALWAYS | FN_SYNC_DATA));
}

bool vd_has_root(const char *function)
{
	const struct fn_function *f = fn_find(function);

	return f && strstr(f->parameters, "int root");
}

bool vd_has_data(const char *function)
{
	uint32_t facts = fn_facts(function);

	return (facts & FN_COUNTED) && !(facts & FN_SYNC_ALWAYS);
}
