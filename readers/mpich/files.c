/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Open files: ADIOI_FileD of ROMIO (src/mpi/romio/adio/include/adio.h, the same in MPICH 3.4 to 5.0), allocated with
 * malloc() and in no list. Each has an info of its own with ROMIO's hints, which is in the pool of infos, and whose
 * texts were allocated in the same MPI_File_open(). Near them a structure is searched that has ROMIO's cookie, the
 * handle of that info, and handles of live objects.
 */
#include "objects.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum {
	COOKIE = 2487376, /* ADIOI_FILE_COOKIE; a freed structure does not keep it: malloc()'s link replaces it */
	TEXTS_MAX = 128,
	NEAR = 1 << 18,     /* bytes on either side of each text of the hints */
	FAR = 1 << 22,      /* of the first text, where nothing is found near: the info may be the program's copy */
	FAR_ALL = 32 << 20, /* bytes searched so, for all infos */
	BLOCK = 1 << 16,
	PAGE = 4096,
	FILES_MAX = 4096,
	MODES = 511,   /* all bits of MPI_MODE_* */
	BUILTIN = 1,   /* kind of a handle */
	WRONG_MAX = 2, /* so many members without sense, side by side, are damage; with more it is something else */
};

static bool can(const struct rd_mpich *o)
{
	for (unsigned f = F_ADIOI_FileD_cookie; f <= F_ADIOI_FileD_is_external32; f++)
		if (!acc_layout_has(o->layout, f))
			return false;
	return true;
}

static bool is_handle_of(uint64_t handle, enum rd_mpich_kind kind)
{
	return handle >> 30 >= BUILTIN && (handle >> 26 & 15) == (uint64_t)kind;
}

static bool is_comm(struct rd_mpich *o, uint32_t handle)
{
	const struct rd_mpich_pool *comms = rd_mpich_pool(o, RD_MPICH_COMM);
	uint64_t slot;

	return comms && rd_mpich_slot_of_handle(comms, handle, &slot) && !comms->is_free[slot];
}

static bool is_info(struct rd_mpich *o, uint32_t handle)
{
	const struct rd_mpich_pool *infos = rd_mpich_pool(o, RD_MPICH_INFO);
	uint64_t slot;
	uint32_t own;

	return infos && rd_mpich_slot_of_handle(infos, handle, &slot) && !infos->is_free[slot] &&
	       rd_mpich_is_info(o, rd_mpich_slot(infos, slot, RD_MPICH_INFO, &own));
}

/*
 * Is there an open file? Sets files_damaged if there was one: a structure in freed memory, whose communicator and info
 * have ended, too, may still have the cookie, but its members make sense.
 */
static bool load_file(struct rd_mpich *o, uint64_t addr, struct rd_mpich_file *ret)
{
	struct acc_note note = o->sp->note;
	struct acc_obj f;
	char first = '\0';

	acc_obj_load(&f, o->sp, o->layout, T_ADIOI_FileD, addr);
	uint64_t cookie = acc_get_u(&f, F_ADIOI_FileD_cookie), is_open = acc_get_u(&f, F_ADIOI_FileD_is_open);
	uint64_t atomic = acc_get_u(&f, F_ADIOI_FileD_atomicity), mode = acc_get_u(&f, F_ADIOI_FileD_orig_access_mode);
	uint64_t name_addr = acc_get_u(&f, F_ADIOI_FileD_filename);
	uint64_t shared_addr = acc_get_u(&f, F_ADIOI_FileD_shared_fp_fd);
	*ret = (struct rd_mpich_file){ .addr = addr,
				       .shared_addr = shared_addr,
				       .comm = (uint32_t)acc_get_u(&f, F_ADIOI_FileD_comm),
				       .info = (uint32_t)acc_get_u(&f, F_ADIOI_FileD_info),
				       .etype = (uint32_t)acc_get_u(&f, F_ADIOI_FileD_etype),
				       .filetype = (uint32_t)acc_get_u(&f, F_ADIOI_FileD_filetype),
				       .errhandler = (uint32_t)acc_get_u(&f, F_ADIOI_FileD_err_handler) };
	bool has_comm = is_handle_of(ret->comm, RD_MPICH_COMM), has_info = is_handle_of(ret->info, RD_MPICH_INFO);
	int wrong = (is_open > 1) + (atomic > 1) + (mode > MODES) + !is_handle_of(ret->etype, RD_MPICH_DATATYPE) +
		    !is_handle_of(ret->filetype, RD_MPICH_DATATYPE) +
		    !is_handle_of(ret->errhandler, RD_MPICH_ERRHANDLER) + !has_comm + !has_info +
		    (acc_read(o->sp, name_addr, 1, &first) != ACC_OK);
	bool is_file = !f.rc && cookie == COOKIE, live = !has_comm || is_comm(o, ret->comm);

	live = live && (!has_info || is_info(o, ret->info));
	o->files_damaged |= is_file && live && wrong && wrong <= WRONG_MAX;
	o->sp->note = note;
	return is_file && live && !wrong && first;
}

bool rd_mpich_add_file(struct rd_mpich *o, uint64_t addr)
{
	struct rd_mpich_file f;

	for (uint64_t i = 0; i < o->n_files; i++)
		if (o->files[i].addr == addr)
			return true;
	if (!can(o) || !acc_plausible(o->sp, addr, 8) || !load_file(o, addr, &f) || o->n_files == FILES_MAX)
		return false;
	if (!o->files) {
		o->files = acc_array(o->sp, FILES_MAX, sizeof(*o->files));
		if (!o->files)
			return false;
	}
	o->files[o->n_files++] = f;
	return true;
}

bool rd_mpich_is_files(const struct rd_mpich *o, uint32_t handle)
{
	for (uint64_t i = 0; i < o->n_files; i++) {
		const struct rd_mpich_file *f = &o->files[i];

		/* the program's own datatypes are copied, predefined ones are used as they are */
		if (handle == f->info || (handle >> 30 != BUILTIN && (handle == f->etype || handle == f->filetype)))
			return true;
	}
	return false;
}

bool rd_mpich_is_shared_pointer(const struct rd_mpich *o, uint64_t addr)
{
	for (uint64_t i = 0; i < o->n_files; i++)
		if (o->files[i].shared_addr == addr)
			return true;
	return false;
}

/* ---- search ------------------------------------------------------------------------------------------------- */

struct search {
	struct rd_mpich *o;
	unsigned char *block;
	uint64_t left; /* bytes that may still be read */
};

static bool has_file(const struct rd_mpich *o, uint32_t info)
{
	for (uint64_t i = 0; i < o->n_files; i++)
		if (o->files[i].info == info)
			return true;
	return false;
}

static void search_block(struct search *s, uint64_t addr, uint64_t bytes)
{
	uint64_t cookie_at = s->o->layout->fields[F_ADIOI_FileD_cookie].offset;

	for (uint64_t i = 0; i + 8 <= bytes; i += 8)
		if (acc_decode_u(s->o->sp, s->block + i, 4) == COOKIE)
			rd_mpich_add_file(s->o, addr + i - cookie_at);
}

/* Until the file with this info is found. What cannot be read is passed over, page by page. */
static void search_range(struct search *s, uint32_t info, uint64_t lo, uint64_t hi)
{
	lo &= ~(uint64_t)(PAGE - 1);
	for (uint64_t addr = lo; addr < hi && s->left >= BLOCK && !has_file(s->o, info); addr += BLOCK) {
		s->left -= BLOCK;
		if (!acc_read(s->o->sp, addr, BLOCK, s->block)) {
			search_block(s, addr, BLOCK);
			continue;
		}
		for (uint64_t page = addr; page < addr + BLOCK; page += PAGE)
			if (!acc_read(s->o->sp, page, PAGE, s->block))
				search_block(s, page, PAGE);
	}
}

/* The texts of an info's pairs, if it has ROMIO's hints. @return number of addresses; 0: it has none of them, or its
 * pairs are damaged and may have been a file's */
static unsigned texts_of(struct rd_mpich *o, uint64_t info_addr, uint64_t ret[TEXTS_MAX])
{
	static const char prefix[] = "romio_";
	struct mdl_list pairs = rd_mpich_pairs(o, info_addr);
	char text[sizeof(prefix)] = "";
	bool found = false;
	unsigned n = 0;

	o->files_damaged |= !pairs.known;
	for (uint64_t i = 0; pairs.known && i < pairs.n && n + 2 <= TEXTS_MAX; i++, n += 2) {
		if (rd_mpich_pair_addrs(o, info_addr, i, &ret[n], &ret[n + 1]) || ret[n] < FAR || ret[n + 1] < FAR ||
		    ret[n] > UINT64_MAX - FAR || ret[n + 1] > UINT64_MAX - FAR) {
			o->files_damaged = true;
			return 0;
		}
		found |= !acc_read(o->sp, ret[n], sizeof(text) - 1, text) && !strcmp(text, prefix);
	}
	return found ? n : 0;
}

/* Around each text that is not near an earlier one. */
static void search_near(struct search *s, uint32_t info, const uint64_t *texts, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		bool done = false;

		for (unsigned k = 0; k < i; k++)
			done |= texts[i] - texts[k] < NEAR / 2 || texts[k] - texts[i] < NEAR / 2;
		s->left = 2 * NEAR + BLOCK;
		if (!done)
			search_range(s, info, texts[i] - NEAR, texts[i] + NEAR);
	}
}

/* For each info that has ROMIO's hints and no file yet. */
static void search_infos(struct search *s, bool far)
{
	const struct rd_mpich_pool *infos = rd_mpich_pool(s->o, RD_MPICH_INFO);
	uint64_t texts[TEXTS_MAX];
	uint32_t info;

	for (uint64_t i = 0; infos && i < infos->n_slots; i++) {
		uint64_t addr = infos->is_free[i] ? 0 : rd_mpich_slot(infos, i, RD_MPICH_INFO, &info);

		if (!addr || !rd_mpich_is_info(s->o, addr) || has_file(s->o, info))
			continue;
		unsigned n = texts_of(s->o, addr, texts);
		if (n && far)
			search_range(s, info, texts[0] - FAR, texts[0] + FAR);
		else
			search_near(s, info, texts, n);
	}
}

void rd_mpich_find_files(struct rd_mpich *o)
{
	struct acc_note note = o->sp->note;
	struct search s = { .o = o };

	if (o->files_found)
		return;
	o->files_found = true;
	if (can(o))
		s.block = acc_array(o->sp, BLOCK, 1);
	if (!s.block)
		return;
	/* without its hints an info is not recognized as that of a file */
	o->files_damaged |= !rd_mpich_infos_are_whole(o);
	search_infos(&s, false);
	s.left = FAR_ALL;
	search_infos(&s, true);
	acc_array_free(o->sp, s.block);
	o->sp->note = note;
}
