/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The handle face of the plugin on a process with a damaged registry. The first byte: bits 0 and 1, word size and
 * byte order; bit 2, MPICH; bit 3, the plugin has opened the registry before it is changed; bit 4, its memory ends
 * soon; bits 5 to 7, the query, 0: all, 7: none, but what a few changes leave is compared with the undamaged registry.
 * The rest are changes of 8 bytes each: which table (1), which bytes of it (2), how wide (1), the value (4).
 */
#include "changes.h"
#include "describe.h"
#include "fuzz.h"
#include "losses.h"

#include "../include/mpidbg.h"
#include "../include/mqs.h"
#include "../tests/support/fake_track.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHANGE_BYTES = 8, CHANGES_MAX = 512, READS_MAX = 1 << 22 };

/* ---- a debugger over the fake ------------------------------------------------------------------------------ */

static struct fake_track *m;
static mqs_image_info *image_slot;
static mqs_process_info *process_slot;
static char the_image, the_process; /* their addresses are the debugger's objects */

static void *d_malloc(size_t n)
{
	return fake_ops.alloc(m->f, n);
}

static void d_free(void *p)
{
	if (p)
		fake_ops.release(m->f, p);
}

static void d_dprints(const char *text)
{
	FUZZ_MUST(text);
}

static char *d_errorstring(int code)
{
	static char text[] = "an error";

	(void)code;
	return text;
}

static void d_put_image_info(mqs_image *image, mqs_image_info *info)
{
	(void)image;
	image_slot = info;
}

static mqs_image_info *d_get_image_info(mqs_image *image)
{
	(void)image;
	return image_slot;
}

static void d_put_process_info(mqs_process *process, mqs_process_info *info)
{
	(void)process;
	process_slot = info;
}

static mqs_process_info *d_get_process_info(mqs_process *process)
{
	(void)process;
	return process_slot;
}

static void d_type_sizes(mqs_process *process, mqs_target_type_sizes *ret)
{
	int word = (int)m->f->word_bytes;

	(void)process;
	*ret = (mqs_target_type_sizes){ 2, 4, word, 8, word, 1, word };
}

static int d_find_symbol(mqs_image *image, char *name, mqs_taddr_t *ret)
{
	uint64_t addr;

	(void)image;
	if (!fake_ops.symbol(m->f, name, &addr))
		return mqs_no_information;
	*ret = addr;
	return mqs_ok;
}

static int d_global_rank(mqs_process *process)
{
	(void)process;
	return -1;
}

static mqs_image *d_get_image(mqs_process *process)
{
	(void)process;
	return (mqs_image *)(void *)&the_image;
}

static int d_fetch_data(mqs_process *process, mqs_taddr_t addr, int n, void *ret)
{
	FUZZ_MUST((char *)process == &the_process && n > 0);
	return fake_ops.read(m->f, addr, (size_t)n, ret) ? mqs_ok : mqs_no_information;
}

/* Convert a number from the target's byte order to the host's, as a debugger does. */
static void d_target_to_host(mqs_process *process, const void *from, void *to, int n)
{
	(void)process;
	for (int i = 0; i < n; i++)
		((char *)to)[i] = ((const char *)from)[m->f->big_endian ? n - 1 - i : i];
}

static const mqs_basic_callbacks basic = { d_malloc,         d_free,           d_dprints,          d_errorstring,
					   d_put_image_info, d_get_image_info, d_put_process_info, d_get_process_info };
static const mqs_image_callbacks of_image = { .mqs_get_type_sizes_fp = d_type_sizes,
					      .mqs_find_symbol_fp = d_find_symbol };
static const mqs_process_callbacks of_process = { d_global_rank, d_get_image, d_fetch_data, d_target_to_host };

/* ---- the process ------------------------------------------------------------------------------------------- */

static void add_lists(void)
{
	static const char *const pairs[] = { "key", "value", "a", "b" };
	const int64_t dims[] = { 2, 2 }, ints[] = { 2, 1, 3 };
	const int ranks[] = { 0, 2, 3, 1 };
	struct fake *f = m->f;
	uint64_t comm = m->records[TRK_COMM], win = m->records[TRK_WIN], request = m->records[TRK_REQUEST];
	uint64_t type = m->records[TRK_DATATYPE];

	fake_put_u(f, comm, F_trk_comm_predefined, 1);
	fake_put_chars(f, comm, F_trk_comm_name, "MPI_COMM_WORLD");
	fake_put_i(f, comm, F_trk_comm_size, 4);
	fake_put_i(f, comm, F_trk_comm_remote_size, -1);
	fake_put_u(f, comm, F_trk_comm_topology, TRK_TOPO_CART);
	fake_track_numbers(m, comm, F_trk_comm_dims, 4, dims, 2);
	fake_track_numbers(m, comm, F_trk_comm_periods, 4, dims, 2);
	fake_track_numbers(m, comm, F_trk_comm_coords, 4, dims, 2);
	fake_track_members(m, comm, F_trk_comm_members, ranks, 4);
	fake_track_numbers(m, comm, F_trk_comm_where, 8, ints, 3);
	fake_track_attributes(m, comm, F_trk_comm_attributes, fake_track_id(m, TRK_KEYVAL, m->records[TRK_KEYVAL]), 5,
			      7);
	fake_track_pairs(m, win, F_trk_win_hints, pairs, 2);
	fake_track_pairs(m, m->records[TRK_INFO], F_trk_info_pairs, pairs, 2);
	fake_track_text(m, m->records[TRK_FILE], F_trk_file_path, "/scratch/out");
	fake_put_u(f, request, F_trk_request_object_kind, TRK_COMM);
	fake_put_u(f, request, F_trk_request_comm, 0x100);
	fake_put_u(f, request, F_trk_request_datatype, 0x100 + TRK_DATATYPE);
	fake_put_u(f, request, F_trk_request_call, fake_track_call("MPI_Irecv"));
	fake_put_u(f, request, F_trk_request_has, 0x3f);
	fake_put_u(f, type, F_trk_datatype_predefined, 1);
	fake_put_u(f, type, F_trk_datatype_size, 4);
	fake_put_u(f, type, F_trk_datatype_extent, 4);
}

static void add_types(void)
{
	const int64_t vector[] = { 2, 1, 3 }, structure[] = { 2, 1, 2 }, at[] = { 0, 16 };
	uint64_t ids[2] = { fake_track_id(m, TRK_DATATYPE, m->records[TRK_DATATYPE]), 0 };

	/* the combiners' numbers of both MPIs are among these */
	uint64_t v = fake_track_datatype(m, 0x777, 4, 8, 16, vector, 3, NULL, 0, ids, 1);
	ids[1] = fake_track_id(m, TRK_DATATYPE, v);
	fake_track_datatype(m, 0x778, 12, 24, 48, structure, 3, at, 2, ids, 2);
	uint64_t freed = fake_track_datatype(m, 0x778, 2, 24, 48, structure, 1, NULL, 0, ids, 1);
	fake_put_u(m->f, freed, F_trk_datatype_state, TRK_EARLIER);
	uint64_t slab = m->slabs + TRK_DATATYPE * fake_get_u(m->f, m->registry, F_trk_registry_slab_bytes);
	fake_put_u(m->f, slab, F_trk_slab_n_live, fake_get_u(m->f, slab, F_trk_slab_n_live) - 1);
}

static void add_thread(void)
{
	uint64_t thread = fake_track_thread(m, 0, 4712, 2), frame = fake_track_frame(m, thread, 0);

	fake_put_u(m->f, frame, F_trk_frame_call, fake_track_call("MPI_Recv"));
	fake_put_u(m->f, frame, F_trk_frame_has, 0x3f);
	fake_put_u(m->f, frame, F_trk_frame_comm, 0x100);
	fake_put_u(m->f, frame, F_trk_frame_since, 3);
	fake_put_u(m->f, fake_track_frame(m, thread, 1), F_trk_frame_call, fake_track_call("MPI_Sendrecv"));
}

static void make_process(unsigned flags)
{
	m = fake_track_create(flags & 1 ? 4 : 8, flags & 2, flags & 4 ? "MPICH" : "Open MPI");
	for (int kind = 0; kind < TRK_N_KINDS; kind++)
		for (uint64_t i = 0; i < 2; i++)
			fake_track_add(m, (enum trk_kind)kind, 0x100 + 0x100 * i + (uint64_t)kind);
	add_lists();
	add_types();
	add_thread();
}

/* Where a change lands: the head, the tables, the records of a kind, the threads, lists. */
static uint64_t place_of(unsigned table, unsigned at)
{
	static const unsigned n_fixed = 5;
	uint64_t base, bytes;

	table %= n_fixed + 2 * TRK_N_KINDS;
	switch (table) {
	case 0:
		base = m->registry;
		bytes = fake_type_bytes(m->f, T_trk_registry);
		break;
	case 1:
		base = m->types;
		bytes = m->fields - m->types;
		break;
	case 2:
		base = m->fields;
		bytes = (uint64_t)rd_track_schema.n_fields * 88;
		break;
	case 3:
		base = m->slabs;
		bytes = fake_get_u(m->f, m->registry, F_trk_registry_slab_bytes) * TRK_N_KINDS;
		break;
	case 4:
		base = m->threads;
		bytes = m->thread_stride;
		break;
	default:
		base = m->records[(table - n_fixed) % TRK_N_KINDS];
		bytes = (uint64_t)m->stride[(table - n_fixed) % TRK_N_KINDS] * (table - n_fixed < TRK_N_KINDS ? 1 : 4);
	}
	if (bytes < 16 || bytes > 1 << 20)
		bytes = 16;
	return base + at % (bytes - 8);
}

struct undo {
	uint64_t at;
	unsigned char was[8];
};
static struct undo undone[CHANGES_MAX];
static size_t n_undone;

static void change(const uint8_t *data, size_t n)
{
	for (size_t i = 0; i + CHANGE_BYTES <= n && n_undone < CHANGES_MAX; i += CHANGE_BYTES) {
		uint64_t at = place_of(data[i], data[i + 1] | (unsigned)data[i + 2] << 8);
		unsigned width = 1u << (data[i + 3] & 3);
		int32_t value;
		struct undo *u = &undone[n_undone++];

		memcpy(&value, &data[i + 4], sizeof(value));
		u->at = at;
		fake_peek(m->f, at, u->was, sizeof(u->was));
		/* a small value may be an address in one of the tables */
		uint64_t wide = data[i + 3] & 4 ? place_of((unsigned)value & 255, (unsigned)value >> 8)
						: (uint64_t)(int64_t)value;
		fake_write_u(m->f, at, width, width == 8 ? wide : wide & ((UINT64_C(1) << 8 * width) - 1));
	}
}

static void undo(void)
{
	while (n_undone) {
		n_undone--;
		fake_write(m->f, undone[n_undone].at, undone[n_undone].was, sizeof(undone[0].was));
	}
}

/* ---- queries ----------------------------------------------------------------------------------------- */

static int place(void *ctx, uint64_t addr, char *ret, size_t size)
{
	(void)ctx;
	if (addr % 3 == 0)
		return 1;
	snprintf(ret, size, "main at ring.c:%u", (unsigned)(addr % 1000));
	return 0;
}

static void describe_all(mqs_process *process, unsigned part)
{
	static const char *const asked[][2] = {
		{ "comm", "0x100" },    { "comm", "MPI_COMM_WORLD" }, { "request", "0x107" }, { "datatype", "0x778" },
		{ "win", "fortran:0" }, { "file", "@0x1000" },        { "info", "cxx:0x8" },  { "status", "0x2000" },
		{ "group", "0x201" },   { "errhandler", "259" },      { "op", "0x106" },      { "message", "0x109" },
		{ "session", "0x10a" }, { "keyval", "0x10b" },
	};
	struct mpidbg_options o = { .size = sizeof(o), .pid = 4712, .now_ns = 9000000000, .now_s = 9, .place = place };

	for (int what = MPIDBG_WHAT_COMMS; what <= MPIDBG_WHAT_CALLS; what++)
		if (what != MPIDBG_WHAT_PROCS && what != MPIDBG_WHAT_HANDLE &&
		    (!part || part == 1 + (unsigned)what % 3))
			fuzz_describe(process, what, &o);
	for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		if (part && part != 4 + i % 2)
			continue;
		o.kind = asked[i][0];
		o.value = asked[i][1];
		fuzz_describe(process, MPIDBG_WHAT_HANDLE, &o);
	}
	o.kind = o.value = NULL;
	o.all = o.freed = 1;
	o.leaks = part == 6;
	if (!part || part == 6)
		fuzz_describe(process, MPIDBG_WHAT_HANDLES, &o);
}

#define QUERY(name, KIND)                                                                                              \
	do {                                                                                                           \
		struct mpidbg_##name##_info_t *info = NULL;                                                            \
		for (mqs_taddr_t h = 0x100 + KIND; h < 0x300; h += 0x100)                                              \
			if (mpidbg_##name##_query(NULL, NULL, process, NULL, h, &info) == MPIDBG_SUCCESS)              \
				mpidbg_free_info(KIND, info);                                                          \
	} while (0)

static void query_all(mqs_process *process)
{
	QUERY(comm, MPIDBG_COMM);
	QUERY(group, MPIDBG_GROUP);
	QUERY(datatype, MPIDBG_DATATYPE);
	QUERY(errhandler, MPIDBG_ERRHANDLER);
	QUERY(file, MPIDBG_FILE);
	QUERY(info, MPIDBG_INFO);
	QUERY(op, MPIDBG_OP);
	QUERY(request, MPIDBG_REQUEST);
	QUERY(win, MPIDBG_WIN);
	QUERY(message, MPIDBG_MESSAGE);
	QUERY(session, MPIDBG_SESSION);
	for (int kind = 0; kind < MPIDBG_STATUS; kind++) {
		struct mpidbg_name_map_t *map = NULL;
		mqs_taddr_t *handles = NULL;
		uint64_t n_missing;
		size_t n;

		if (mpidbg_get_name_map(process, kind, &map) == MPIDBG_SUCCESS)
			mpidbg_free(map);
		if (mpidbg_get_handles(process, kind, 1, &handles, &n, &n_missing) == MPIDBG_SUCCESS)
			mpidbg_free(handles);
	}
	for (mqs_taddr_t type = 0x777; type <= 0x778; type++) {
		struct mpidbg_type_map_entry_t *entries = NULL;
		uint64_t total;
		size_t n = 0;

		if (mpidbg_get_type_map(process, type, 1000, &entries, &n, &total) == MPIDBG_SUCCESS)
			mpidbg_free(entries);
		FUZZ_MUST(n <= 1000);
	}
}

/* ---- comparison -------------------------------------------------------------------------------------------- */

static bool see(struct fuzz_seen *ret)
{
	struct acc_space sp;
	struct rd_track *t;

	memset(ret, 0, sizeof(*ret));
	FUZZ_MUST(fake_space(m->f, &sp) == ACC_OK);
	acc_space_begin(&sp);
	bool is_open = rd_track_open(&sp, &t) == ACC_OK;
	if (is_open) {
		fuzz_see_objects(t, ret);
		rd_track_close(t);
		ret->partial |= sp.note.rc != ACC_OK;
	}
	acc_space_end(&sp);
	acc_space_deinit(&sp);
	return is_open;
}

/* @param which process */
static void compare(unsigned which, const uint8_t *data, size_t n)
{
	static struct fuzz_seen whole[8];
	static bool is_seen[8];
	struct fuzz_seen now;

	if (!is_seen[which])
		FUZZ_MUST(see(&whole[which]) && !whole[which].partial);
	is_seen[which] = true;
	change(data, n < CHANGE_BYTES * FUZZ_COMPARED_MAX ? n : CHANGE_BYTES * FUZZ_COMPARED_MAX);
	bool is_open = see(&now);
	undo();
	FUZZ_MUST(!is_open || !fuzz_lost(&whole[which], &now));
	FUZZ_MUST(m->f->n_live == 0);
}

int fuzz_tracked(const uint8_t *data, size_t n)
{
	static struct fake_track *made[8];
	mqs_process *process = (mqs_process *)(void *)&the_process;
	mqs_image *image = (mqs_image *)(void *)&the_image;
	uint8_t flags = n ? data[0] : 0;

	if (!made[flags & 7]) {
		make_process(flags & 7);
		made[flags & 7] = m;
	}
	m = made[flags & 7];
	m->f->n_reads = 0;
	if (flags >> 5 == 7) {
		compare(flags & 7, data + 1, n - 1);
		return 0;
	}
	image_slot = NULL;
	process_slot = NULL;
	FUZZ_MUST(mpidbg_init_once(&basic) == MPIDBG_SUCCESS);
	if (!(flags & 8) && n > 1)
		change(data + 1, n - 1);
	if (flags & 16)
		fake_fuse(&m->f->reads, n > 2 ? data[1] * 8 : 100, true);
	if (mpidbg_init_per_image(image, &of_image, NULL) == MPIDBG_SUCCESS) {
		if (mpidbg_init_per_process(process, &of_process, NULL) == MPIDBG_SUCCESS) {
			if (flags & 8 && n > 1) {
				query_all(process);
				change(data + 1, n - 1);
			}
			describe_all(process, flags >> 5);
			if (!(flags >> 5) || flags >> 5 == 3)
				query_all(process);
			FUZZ_MUST(mpidbg_error_string(process));
			mpidbg_finalize_per_process(process, process_slot);
		}
		mpidbg_finalize_per_image(image, image_slot);
	}
	fake_fuse_off(&m->f->reads);
	undo();
	FUZZ_MUST(m->f->n_reads < READS_MAX);
	FUZZ_MUST(!image_slot && !process_slot);
	FUZZ_MUST(m->f->n_live == 0);
	return 0;
}
