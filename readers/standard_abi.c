/* SPDX-License-Identifier: BSD-3-Clause */
#include "standard_abi.h"

#include "../model/handle.h"

#pragma GCC poison assert abort exit printf fprintf malloc free

enum {
	ABI_ANY_SOURCE = -1,
	ABI_ANY_TAG = -2,
	ABI_PROC_NULL = -3,
	ABI_ROOT = -4,
	ABI_COMBINER_NAMED = 101,
	ABI_FLAVOR = 310, /* before the first */
	ABI_UNIFIED = 321,
	ABI_SEPARATE = 322,
};

struct mdl_num rd_abi_rank(int64_t value)
{
	return value == ABI_ANY_SOURCE  ? mdl_any()
	       : value == ABI_PROC_NULL ? mdl_known(MDL_PROC_NULL)
	       : value == ABI_ROOT      ? mdl_known(MDL_ROOT)
					: mdl_known(value);
}

struct mdl_num rd_abi_tag(int64_t value)
{
	return value == ABI_ANY_TAG ? mdl_any() : mdl_known(value);
}

int rd_abi_combiner(int64_t value)
{
	static const unsigned char combiners[] = {
		MDL_NAMED,    MDL_DUP,           MDL_CONTIGUOUS,     MDL_VECTOR,  MDL_HVECTOR,    MDL_INDEXED,
		MDL_HINDEXED, MDL_INDEXED_BLOCK, MDL_HINDEXED_BLOCK, MDL_STRUCT,  MDL_SUBARRAY,   MDL_DARRAY,
		MDL_F90_REAL, MDL_F90_COMPLEX,   MDL_F90_INTEGER,    MDL_RESIZED, MDL_VALUE_INDEX
	};

	value -= ABI_COMBINER_NAMED;
	return value >= 0 && value < (int64_t)sizeof(combiners) ? combiners[value] : -1;
}

int rd_abi_win_model(int64_t value)
{
	return value == ABI_UNIFIED ? MDL_WIN_UNIFIED : value == ABI_SEPARATE ? MDL_WIN_SEPARATE : -1;
}

int rd_abi_win_flavor(int64_t value)
{
	value -= ABI_FLAVOR;
	return value >= MDL_WIN_CREATE && value <= MDL_WIN_SHARED ? (int)value : -1;
}

int64_t rd_abi_file_mode(int64_t value)
{
	/* of bit 0, 1 ... */
	static const int of_bits[] = { MDL_MODE_APPEND,     MDL_MODE_CREATE,      MDL_MODE_DELETE_ON_CLOSE,
				       MDL_MODE_EXCL,       MDL_MODE_RDONLY,      MDL_MODE_RDWR,
				       MDL_MODE_SEQUENTIAL, MDL_MODE_UNIQUE_OPEN, MDL_MODE_WRONLY };
	int64_t ret = 0;

	for (unsigned i = 0; i < sizeof(of_bits) / sizeof(of_bits[0]); i++)
		ret |= value >> i & 1 ? of_bits[i] : 0;
	return ret;
}
