/* SPDX-License-Identifier: BSD-3-Clause */
#include "watching.h"

unsigned m2d_watching;

/* Number of listeners for each bit. */
static unsigned wanted[M2D_N_WATCHES];

static unsigned mask(void)
{
	unsigned ret = 0;

	for (unsigned i = 0; i < M2D_N_WATCHES; i++)
		if (__atomic_load_n(&wanted[i], __ATOMIC_SEQ_CST))
			ret |= 1u << i;
	return ret;
}

void m2d_watch_listen(unsigned bits, int more)
{
	unsigned now;

	for (unsigned i = 0; i < M2D_N_WATCHES; i++)
		if (bits & 1u << i)
			__atomic_add_fetch(&wanted[i], (unsigned)more, __ATOMIC_SEQ_CST);
	/* with concurrent callers, the last one stores the mask of all that is wanted */
	do {
		now = mask();
		__atomic_store_n(&m2d_watching, now, __ATOMIC_SEQ_CST);
	} while (now != mask());
}
