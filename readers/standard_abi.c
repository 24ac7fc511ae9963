/* SPDX-License-Identifier: BSD-3-Clause */
#include "standard_abi.h"

#include <string.h>

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
	ABI_PREDEFINED = 4096, /* above the constants */
};

static const struct {
	enum mdl_handle_kind kind;
	const char *symbol;
	uint32_t mpich, abi;
} predefined[] = {
#define NAME(kind, name, symbol, mpich, abi) { kind, symbol, mpich, abi },
#include "../model/standard.def"
#undef NAME
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

bool rd_abi_is_openmpi(struct acc_space *sp)
{
	struct acc_note note = sp->note;
	uint64_t addr;
	bool is = acc_symbol(sp, "ompi_convert_abi_obj_handle_intern_obj_handle", &addr) == ACC_OK;

	sp->note = note;
	return is;
}

static enum acc_rc native_of_constant(struct acc_space *sp, bool mpich, enum mdl_handle_kind kind, uint64_t handle,
				      uint64_t *ret)
{
	for (size_t i = 0; i < sizeof(predefined) / sizeof(predefined[0]); i++) {
		if (predefined[i].kind != kind || !predefined[i].abi || predefined[i].abi != handle)
			continue;
		if (!mpich)
			return acc_symbol(sp, predefined[i].symbol, ret) ? ACC_NONE : ACC_OK;
		if (!predefined[i].mpich)
			return ACC_NONE;
		*ret = predefined[i].mpich;
		return ACC_OK;
	}
	return ACC_NONE;
}

/* MPICH's own handles have 32 bits, of which the first two are not 0; no object is at such an address. */
enum acc_rc rd_abi_native(struct acc_space *sp, const char *implementation, enum mdl_handle_kind kind, uint64_t handle,
			  uint64_t *ret)
{
	bool mpich = !strcmp(implementation, "MPICH");
	struct acc_note note = sp->note;
	enum acc_rc rc;

	if (!mpich && strcmp(implementation, "Open MPI") != 0)
		return ACC_NONE;
	if (handle < ABI_PREDEFINED)
		rc = native_of_constant(sp, mpich, kind, handle, ret);
	else if (mpich && !(handle >> 30 && !(handle >> 32)))
		rc = acc_plausible(sp, handle, 4) ? acc_read_u(sp, handle, 4, ret) : ACC_EREAD;
	else {
		*ret = handle;
		rc = ACC_OK;
	}
	sp->note = note;
	return rc;
}
