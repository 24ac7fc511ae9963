/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Predefined objects by their names in the standard. A program may rename MPI_INT or MPI_COMM_SELF, and records contain
 * only the current name; so the handle is identified by its symbol (Open MPI) or value (MPICH, whose mpi.h fixes it).
 */
#include "registry.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

static const struct {
	enum mdl_handle_kind kind;
	const char *name, *symbol;
	uint32_t mpich, abi;
} rows[] = {
#define NAME(kind, name, symbol, mpich, abi) { kind, name, symbol, mpich, abi },
#include "../../model/standard.def"
#undef NAME
};

enum { N_ROWS = sizeof(rows) / sizeof(rows[0]) };
_Static_assert((int)N_ROWS <= (int)RD_TRACK_STANDARD_MAX, "room in struct rd_track");

/* MPICH: bits 8 .. 15 of these handles are the size of the type, which depends on the machine. */
enum { MPICH_BASIC = 0x4c, MPICH_SIZE = 0xff00 };

/* @return 0: not known */
static uint64_t handle_of_row(struct rd_track *t, enum rd_track_mpi mpi, unsigned i)
{
	uint64_t addr;

	if (mpi == RD_TRACK_ABI)
		return rows[i].abi;
	if (mpi != RD_TRACK_OPENMPI)
		return mpi == RD_TRACK_MPICH ? rows[i].mpich : 0;
	if (!t->standard_asked[i]) {
		t->standard_asked[i] = true;
		t->standard[i] = acc_symbol(t->sp, rows[i].symbol, &addr) ? 0 : addr;
	}
	return t->standard[i];
}

/* ---- the standard ABI ---------------------------------------------------------------------------------------- */

/* The MPI that implements the ABI. */
static enum rd_track_mpi own_mpi(const struct rd_track *t)
{
	return !strcmp(t->library.implementation, "Open MPI") ? RD_TRACK_OPENMPI
	       : !strcmp(t->library.implementation, "MPICH")  ? RD_TRACK_MPICH
							      : RD_TRACK_OTHER_MPI;
}

enum acc_rc rd_track_standard_of_native(struct rd_track *t, enum mdl_handle_kind kind, uint64_t native, uint64_t *ret)
{
	enum rd_track_mpi mpi = own_mpi(t);
	uint64_t bare = mpi == RD_TRACK_MPICH && native >> 24 == MPICH_BASIC ? native & ~(uint64_t)MPICH_SIZE : native;

	for (unsigned i = 0; i < (unsigned)N_ROWS; i++)
		if (rows[i].kind == kind && rows[i].abi && bare && handle_of_row(t, mpi, i) == bare) {
			*ret = rows[i].abi;
			return ACC_OK;
		}
	return ACC_NONE;
}

const char *rd_track_name_of_standard(enum mdl_handle_kind kind, uint64_t standard)
{
	for (unsigned i = 0; i < (unsigned)N_ROWS; i++)
		if (rows[i].kind == kind && rows[i].abi && rows[i].abi == standard)
			return rows[i].name;
	return NULL;
}

/* ---- predefined objects -------------------------------------------------------------------------------------- */

static uint64_t handle_of(struct rd_track *t, enum mdl_handle_kind kind, const char *name)
{
	unsigned i = 0;

	while (i < (unsigned)N_ROWS && (rows[i].kind != kind || strcmp(rows[i].name, name) != 0))
		i++;
	return i < (unsigned)N_ROWS ? handle_of_row(t, t->mpi, i) : 0;
}

static bool same(const struct rd_track *t, uint64_t handle, uint64_t standard)
{
	if (t->mpi == RD_TRACK_MPICH && standard >> 24 == MPICH_BASIC)
		handle &= ~(uint64_t)MPICH_SIZE;
	return handle == standard;
}

enum acc_rc rd_track_slot_of_standard(struct rd_track *t, enum mdl_handle_kind kind, const char *name, uint64_t *ret)
{
	uint64_t standard = handle_of(t, kind, name), handle, id;
	enum mdl_life life;
	struct mdl_handle h;

	if (standard && t->objects.find) {
		uint64_t i;

		if (rd_track_slot_of(t, kind, standard, &i) || rd_track_brief(t, kind, i, &h) || !h.predefined)
			return ACC_NONE;
		*ret = i;
		return ACC_OK;
	}
	for (uint64_t i = 0; standard && i < rd_track_high(t, kind); i++)
		if (!rd_track_record_key(t, kind, i, &life, &handle, &id) && life == MDL_LIVE &&
		    same(t, handle, standard) && !rd_track_brief(t, kind, i, &h) && h.predefined) {
			*ret = i;
			return ACC_OK;
		}
	return ACC_NONE;
}

bool rd_track_stands_for(struct rd_track *t, const struct mdl_handle *h, const char *name)
{
	uint64_t standard = h->predefined ? handle_of(t, h->kind, name) : 0, i;

	if (standard && same(t, h->handle, standard))
		return true;
	return h->predefined && !strcmp(h->name, name) && rd_track_slot_of_standard(t, h->kind, name, &i) == ACC_NONE;
}

const char *rd_track_standard_name(struct rd_track *t, const struct mdl_handle *h)
{
	const char *first = NULL;

	for (unsigned i = 0; h->predefined && i < (unsigned)N_ROWS; i++) {
		uint64_t standard = rows[i].kind == h->kind ? handle_of_row(t, t->mpi, i) : 0;

		if (!standard || !same(t, h->handle, standard))
			continue;
		if (!strcmp(rows[i].name, h->name))
			return rows[i].name;
		first = first ? first : rows[i].name;
	}
	return first;
}
