/* SPDX-License-Identifier: BSD-3-Clause */
#include "errhandler.h"

static void write_record(struct trk_errhandler *r, enum trk_kind kind, const void *function, unsigned language)
{
	r->object_kind = kind;
	r->function = (uintptr_t)function;
	r->language = (uint8_t)language;
	TRK_SET_FORTRAN(r, Errhandler, TRK_HANDLE(MPI_Errhandler, r->handle));
	trk_publish(TRK_ERRHANDLER, r);
}

void trk_errhandler_made(enum trk_kind kind, const void *function, unsigned language, uint64_t errhandler)
{
	if (!trk_lock())
		return;
	struct trk_errhandler *r = trk_create(TRK_ERRHANDLER, errhandler, 0);
	if (r)
		write_record(r, kind, function, language);
	trk_unlock();
}

void trk_errhandler_returned(enum trk_kind kind, uint64_t errhandler)
{
	if (!trk_lock())
		return;
	struct trk_errhandler *r = trk_find_any(TRK_ERRHANDLER, errhandler);
	if (r && r->state == TRK_LIVE) {
		trk_add_reference(r);
	} else if (r) {
		/* freed by the program, but still attached: it is the same object */
		trk_revive(TRK_ERRHANDLER, r);
	} else {
		r = trk_create(TRK_ERRHANDLER, errhandler, 0);
		if (r)
			write_record(r, kind, NULL, 0);
	}
	trk_unlock();
}
