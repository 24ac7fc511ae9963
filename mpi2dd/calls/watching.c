/* SPDX-License-Identifier: BSD-3-Clause */
#include "watching.h"

unsigned m2d_watching;

/* How many want each of the bits. */
static unsigned wanted[M2D_N_WATCHES];

static unsigned mask(void)
{
	unsigned ret = 0;

	for (unsigned i = 0; i < M2D_N_WATCHES; i++)
		if (__atomic_load_n(&wanted[i], __ATOMIC_SEQ_CST))
			ret |= 1u << i;
	return ret;
}

void m2d_watch_want(unsigned bits, int more)
{
	unsigned now;

	for (unsigned i = 0; i < M2D_N_WATCHES; i++)
		if (bits & 1u << i)
			__atomic_add_fetch(&wanted[i], (unsigned)more, __ATOMIC_SEQ_CST);
	/* concurrent callers: the last one stores the mask of all that is wanted */
	do {
		now = mask();
		__atomic_store_n(&m2d_watching, now, __ATOMIC_SEQ_CST);
	} while (now != mask());
}
