/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A statically linked MPICH may contain no version string, because the linker omits unused functions. If the program
 * was not stripped, its pools have symbols, and the object sizes in them identify the pack.
 */
#include "mpich.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

static const struct {
	const char *symbol, *type;
} pools[] = {
	{ "MPIR_Comm_mem", "MPIR_Comm" },     { "MPIR_Datatype_mem", "MPIR_Datatype" },
	{ "MPIR_Group_mem", "MPIR_Group" },   { "MPIR_Win_mem", "MPIR_Win" },
	{ "MPIR_Op_mem", "MPIR_Op" },         { "MPIR_Info_mem", "MPIR_Info" },
	{ "MPII_Keyval_mem", "MPII_Keyval" },
};

bool rd_mpich_is_static(struct acc_space *sp)
{
	uint64_t addr;

	return acc_symbol(sp, "MPIR_Comm_mem", &addr) == ACC_OK && acc_symbol(sp, "MPIR_Win_mem", &addr) == ACC_OK;
}

static const struct acc_pack_field *field_of(const struct acc_pack *pack, const char *type, const char *name)
{
	for (size_t i = 0; i < pack->n_fields; i++)
		if (!strcmp(pack->fields[i].type, type) && !strcmp(pack->fields[i].name, name))
			return &pack->fields[i];
	return NULL;
}

/* @return the number of pools that agree; 0: at least one disagrees */
static unsigned agreeing(struct acc_space *sp, const struct acc_pack *pack)
{
	const struct acc_pack_field *size = field_of(pack, "MPIR_Object_alloc_t", "size");
	const struct acc_pack_field *kind = field_of(pack, "MPIR_Object_alloc_t", "kind");
	unsigned n = 0;

	for (size_t i = 0; size && kind && i < sizeof(pools) / sizeof(pools[0]); i++) {
		const struct acc_pack_type *type = acc_pack_type(pack, pools[i].type);
		uint64_t addr, bytes, number;

		if (!type || acc_symbol(sp, pools[i].symbol, &addr))
			continue;
		if (acc_read_u(sp, addr + size->offset, 4, &bytes) || acc_read_u(sp, addr + kind->offset, 4, &number) ||
		    bytes != type->bytes || !number || number >= RD_MPICH_N_KINDS)
			return 0;
		n++;
	}
	return n;
}

const struct acc_pack *rd_mpich_pack_by_sizes(struct rd_mpich *o, unsigned *n_agree)
{
	enum { ENOUGH = 4 };
	struct acc_note note = o->sp->note;
	const struct acc_pack *found = NULL;
	bool several = false;

	for (size_t i = 0; o->packs && i < o->packs->n; i++) {
		const struct acc_pack *pack = o->packs->packs[i];

		if (!pack || strcmp(pack->implementation, rd_mpich_schema.name))
			continue;
		unsigned n = agreeing(o->sp, pack);
		if (n < ENOUGH)
			continue;
		several |= found != NULL;
		found = pack;
		*n_agree = n;
	}
	o->sp->note = note;
	return several ? NULL : found;
}
