/* SPDX-License-Identifier: BSD-3-Clause */
#include "op.h"

void trk_op_made(const void *function, int commutative, bool large, unsigned language, MPI_Op op)
{
	if (!trk_lock())
		return;
	struct trk_op *r = trk_create(TRK_OP, TRK_BITS(op), 0);
	if (r) {
		r->function = (uintptr_t)function;
		r->commutative = commutative != 0;
		r->large = large;
		r->language = (uint8_t)language;
		TRK_SET_FORTRAN(r, Op, op);
		trk_publish(TRK_OP, r);
	}
	trk_unlock();
}

void trk_op_set_function(MPI_Op op, const void *function, unsigned language)
{
	if (!trk_lock())
		return;
	struct trk_op *r = trk_find(TRK_OP, TRK_BITS(op));
	if (r) {
		trk_change(r);
		r->function = (uintptr_t)function;
		r->language = (uint8_t)language;
		trk_changed(r);
	}
	trk_unlock();
}
