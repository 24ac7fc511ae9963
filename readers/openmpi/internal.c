/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Internal communicators of the library are in the same table as those of the program, without a mark. They are
 * identified by the objects that refer to them:
 * - an intercommunicator has an intracommunicator of its local group (c_local_comm);
 * - a window's module has a duplicate of the communicator passed by the program (ompi/mca/osc/...);
 * - a file of io/ompio has one in ompio_file_t (ompi/mca/common/ompio), unless it uses the program's own; a file of
 *   io/romio has one in ROMIO's own structure.
 * A word counts only if it is the address of a live communicator in the table other than the program's own.
 */
#include "openmpi.h"
#include "../../access/sort.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum { INTERNALS_FIRST = 32, INTERNALS_MAX = 1 << 20, ROMIO_BYTES = 256 };

static bool add_internal(struct rd_ompi *o, uint64_t comm_addr, const char *why, uint64_t inter_addr)
{
	if (o->n_internals == o->cap_internals) {
		uint64_t cap = o->cap_internals ? 2 * o->cap_internals : INTERNALS_FIRST;
		struct rd_ompi_internal *wider = cap <= INTERNALS_MAX ? acc_array(o->sp, cap, sizeof(*wider)) : NULL;

		if (!wider)
			return false;
		if (o->n_internals)
			memcpy(wider, o->internals, o->n_internals * sizeof(*wider));
		acc_array_free(o->sp, o->internals);
		o->internals = wider;
		o->cap_internals = cap;
	}
	o->internals[o->n_internals++] = (struct rd_ompi_internal){ comm_addr, why, inter_addr };
	return true;
}

/* Is it a live communicator? */
static bool is_comm(struct rd_ompi *o, uint64_t addr)
{
	struct rd_ompi_comm c;

	return addr && rd_ompi_comm_find(o, addr, &c) == ACC_OK && !c.facts.predefined;
}

static void add_local_comms(struct rd_ompi *o)
{
	struct acc_slots slots;
	struct rd_ompi_comm c;
	uint64_t table_addr, addr;

	if (rd_ompi_symbol(o, S_ompi_mpi_communicators, &table_addr) || rd_ompi_array(o, table_addr, &slots))
		return;
	while (acc_slots_next(&slots, &addr) == ACC_OK) {
		if (!acc_plausible(o->sp, addr, 4) || rd_ompi_comm_load(o, addr, &c))
			continue;
		if (c.facts.inter && is_comm(o, c.local_comm_addr))
			add_internal(o, c.local_comm_addr, "of an intercommunicator", addr);
	}
}

/* The word at the offset of a row in the structure at @p addr. */
static uint64_t word_of(struct rd_ompi *o, uint64_t addr, unsigned field)
{
	uint64_t word;

	if (!addr || !rd_ompi_has(o, field) || acc_read_ptr(o->sp, addr + o->layout->fields[field].offset, &word))
		return 0;
	return word;
}

static void add_windows(struct rd_ompi *o)
{
	/* offsets of the communicator in the modules of one-sided components */
	static const unsigned rows[] = { F_ompi_osc_rdma_module_t_comm, F_ompi_osc_sm_module_t_comm,
					 F_ompi_osc_pt2pt_module_t_comm, F_ompi_osc_ucx_module_t_comm };
	struct acc_slots slots;
	uint64_t table_addr, win_addr;

	if (rd_ompi_symbol(o, S_ompi_mpi_windows, &table_addr) || rd_ompi_array(o, table_addr, &slots))
		return;
	while (acc_slots_next(&slots, &win_addr) == ACC_OK) {
		if (!acc_plausible(o->sp, win_addr, 4))
			continue;
		uint64_t module_addr = word_of(o, win_addr, F_ompi_win_t_w_osc_module);
		for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
			uint64_t comm_addr = word_of(o, module_addr, rows[i]);

			if (is_comm(o, comm_addr)) {
				add_internal(o, comm_addr, "of a window", 0);
				break;
			}
		}
	}
}

/*
 * ROMIO's file structure is not described: take any word at its
 * beginning that is a live communicator other than the program's.
 */
static void add_romio(struct rd_ompi *o, uint64_t data_addr, uint64_t user_comm_addr)
{
	unsigned width = o->sp->sizes.pointer_bytes;
	unsigned char bytes[ROMIO_BYTES];
	uint64_t file_addr;

	if (acc_read_ptr(o->sp, data_addr, &file_addr) || !acc_plausible(o->sp, file_addr, width) ||
	    acc_read(o->sp, file_addr, sizeof(bytes), bytes))
		return;
	for (unsigned i = 0; i < sizeof(bytes); i += width) {
		uint64_t word = acc_decode_u(o->sp, bytes + i, width);

		if (word != user_comm_addr && acc_plausible(o->sp, word, width) && is_comm(o, word))
			add_internal(o, word, "of a file", 0);
	}
}

static void add_files(struct rd_ompi *o)
{
	struct acc_slots slots;
	uint64_t table_addr, file_addr;

	if (rd_ompi_symbol(o, S_ompi_file_f_to_c_table, &table_addr) || rd_ompi_array(o, table_addr, &slots))
		return;
	while (acc_slots_next(&slots, &file_addr) == ACC_OK) {
		if (!acc_plausible(o->sp, file_addr, 4))
			continue;
		uint64_t user_comm_addr = word_of(o, file_addr, F_ompi_file_t_f_comm);
		uint64_t data_addr = word_of(o, file_addr, F_ompi_file_t_f_io_selected_data);
		if (!acc_plausible(o->sp, data_addr, 4))
			continue;
		uint64_t comm_addr = word_of(o, data_addr, F_ompio_file_t_f_comm);
		if (is_comm(o, comm_addr)) {
			if (comm_addr != user_comm_addr)
				add_internal(o, comm_addr, "of a file", 0);
		} else {
			add_romio(o, data_addr, user_comm_addr);
		}
	}
}

const struct rd_ompi_internal *rd_ompi_internal(struct rd_ompi *o, uint64_t addr)
{
	if (!o->internals_built) {
		/* failures here only mean that nothing is hidden: no note */
		struct acc_note note = o->sp->note;

		acc_space_begin(o->sp);
		add_local_comms(o);
		add_windows(o);
		add_files(o);
		acc_space_end(o->sp);
		o->sp->note = note;
		acc_sort(o->internals, o->n_internals, sizeof(*o->internals), acc_compare_u64);
		o->internals_built = true;
	}
	for (uint64_t lo = 0, hi = o->n_internals; lo < hi;) {
		uint64_t mid = lo + (hi - lo) / 2;

		if (o->internals[mid].comm_addr == addr)
			return &o->internals[mid];
		if (o->internals[mid].comm_addr < addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

void rd_ompi_internal_clear(struct rd_ompi *o)
{
	acc_array_free(o->sp, o->internals);
	o->internals = NULL;
	o->n_internals = o->cap_internals = 0;
	o->internals_built = false;
}
