/* SPDX-License-Identifier: BSD-3-Clause */
#include "state.h"

#include "callbacks.h"
#include "new_process.h"
#include "target.h"

#include "../readers/jobs/mpi2dd_info.h"

#include <stdio.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

/* Arbitrary numbers that no other plugin stores at the start of its data. */
#define IMAGE_MAGIC   UINT64_C(0x6d70696462673169)
#define PROCESS_MAGIC UINT64_C(0x6d70696462673170)

static bool in_use(const unsigned n_setups[MQS_N_FACES])
{
	return n_setups[MQS_FACE_QUEUES] || n_setups[MQS_FACE_HANDLES];
}

static void *new_state(size_t bytes)
{
	void *state = mqs_callbacks_alloc(bytes);

	return state ? memset(state, 0, bytes) : NULL;
}

/* ---- images ----------------------------------------------------------------------------------------- */

static bool image_callbacks_complete(const mqs_image_callbacks *c)
{
	/* functions, types and fields are optional: a pack may replace them */
	return c && c->mqs_get_type_sizes_fp && c->mqs_find_symbol_fp;
}

struct _mqs_image_info *mqs_state_image(mqs_image *image)
{
	if (!image || !mqs_callbacks())
		return NULL;

	struct _mqs_image_info *info = mqs_callbacks()->mqs_get_image_info_fp(image);
	return info && info->magic == IMAGE_MAGIC && in_use(info->n_setups) ? info : NULL;
}

enum acc_rc mqs_state_image_setup(enum mqs_face face, mqs_image *image, const mqs_image_callbacks *callbacks)
{
	if (!image || !mqs_callbacks() || !image_callbacks_complete(callbacks))
		return ACC_EINVAL;

	struct _mqs_image_info *info = mqs_state_image(image);
	if (!info) {
		info = new_state(sizeof(*info));
		if (!info)
			return ACC_ENOMEM;
		info->magic = IMAGE_MAGIC;
		info->image = image;
		mqs_callbacks()->mqs_put_image_info_fp(image, info);
	}
	info->callbacks[face] = callbacks;
	info->n_setups[face]++;
	return ACC_OK;
}

static void image_free_unused(struct _mqs_image_info *info)
{
	if (in_use(info->n_setups) || info->n_processes)
		return;
	acc_pack_list_destroy(&mqs_pack_alloc, &info->packs);
	info->magic = 0;
	mqs_callbacks_release(info);
}

void mqs_state_image_release(enum mqs_face face, struct _mqs_image_info *info)
{
	if (!info || !mqs_callbacks() || info->magic != IMAGE_MAGIC || !info->n_setups[face])
		return;
	if (--info->n_setups[face] == 0)
		info->callbacks[face] = NULL;
	if (!in_use(info->n_setups))
		mqs_callbacks()->mqs_put_image_info_fp(info->image, NULL);
	image_free_unused(info);
}

/* ---- processes -------------------------------------------------------------------------------------- */

static bool process_callbacks_complete(const mqs_process_callbacks *c)
{
	return c && c->mqs_get_image_fp && c->mqs_fetch_data_fp && c->mqs_target_to_host_fp;
}

/* The contents of the debugger's slot, even if its image was released. */
static struct _mqs_process_info *process_in_slot(mqs_process *process)
{
	if (!process || !mqs_callbacks())
		return NULL;

	struct _mqs_process_info *info = mqs_callbacks()->mqs_get_process_info_fp(process);
	return info && info->magic == PROCESS_MAGIC && in_use(info->n_setups) ? info : NULL;
}

struct _mqs_process_info *mqs_state_process(mqs_process *process)
{
	struct _mqs_process_info *info = process_in_slot(process);

	return info && in_use(info->image->n_setups) ? info : NULL;
}

/* Discard everything that was read. */
static void end_keep(struct _mqs_process_info *p)
{
	if (p->users)
		p->users_free(p);
	p->users = NULL;
	p->kept_reader = p->kept_track = false;
	if (p->kept)
		acc_space_end(&p->space);
	p->kept = false;
}

static void process_forget(struct _mqs_process_info *info)
{
	end_keep(info);
	mqs_state_end_operations(info);
	mqs_state_end_new_processes(info);
	info->comm_current = false;
	info->updated = false;
	rd_close(info->reader);
	info->reader = NULL;
	mqs_state_end_merge(info);
	rd_track_close(info->track);
	info->track = NULL;
	rd_python_close(info->python);
	info->python = NULL;
	if (info->space_made)
		acc_space_deinit(&info->space);
	info->space_made = false;
}

static void process_leave_image(struct _mqs_process_info *info)
{
	info->image->n_processes--;
	image_free_unused(info->image);
	info->image = NULL;
}

enum acc_rc mqs_state_process_setup(enum mqs_face face, mqs_process *process, const mqs_process_callbacks *callbacks)
{
	if (!process || !mqs_callbacks() || !process_callbacks_complete(callbacks))
		return ACC_EINVAL;

	struct _mqs_image_info *image = mqs_state_image(callbacks->mqs_get_image_fp(process));
	if (!image)
		return ACC_EINVAL;

	struct _mqs_process_info *info = process_in_slot(process);
	if (info && info->image != image) {
		/* another program (exec), or the image was released and set up again */
		process_forget(info);
		image->n_processes++;
		process_leave_image(info);
		info->image = image;
	}
	if (!info) {
		info = new_state(sizeof(*info));
		if (!info)
			return ACC_ENOMEM;
		info->magic = PROCESS_MAGIC;
		info->process = process;
		info->image = image;
		image->n_processes++;
		mqs_callbacks()->mqs_put_process_info_fp(process, info);
	}
	info->callbacks[face] = callbacks;
	info->n_setups[face]++;
	return ACC_OK;
}

void mqs_state_process_release(enum mqs_face face, struct _mqs_process_info *info)
{
	if (!info || !mqs_callbacks() || info->magic != PROCESS_MAGIC || !info->n_setups[face])
		return;
	if (--info->n_setups[face] == 0)
		info->callbacks[face] = NULL;
	if (in_use(info->n_setups))
		return;

	mqs_callbacks()->mqs_put_process_info_fp(info->process, NULL);
	process_forget(info);
	process_leave_image(info);
	info->magic = 0;
	mqs_callbacks_release(info);
}

/* ---- reading ---------------------------------------------------------------------------------------- */

void mqs_state_begin(struct _mqs_process_info *p)
{
	acc_note_clear(&p->note);
	acc_note_clear(&p->space.note);
}

/* acc_note() accepts only failures; absence is noted here */
static enum acc_rc note_absence(struct _mqs_process_info *p, const char *text)
{
	if (!p->note.rc) {
		p->note.rc = ACC_NONE;
		snprintf(p->note.text, sizeof(p->note.text), "%s", text);
	}
	return ACC_NONE;
}

enum acc_rc mqs_state_fail(struct _mqs_process_info *p, enum acc_rc rc, const char *text)
{
	if (p->space.note.rc)
		acc_note(&p->note, rc, "%s", p->space.note.text);
	else if (rc == ACC_NONE)
		note_absence(p, text);
	else
		acc_note(&p->note, rc, "%s: %s", text, acc_rc_text(rc));
	return rc;
}

enum acc_rc mqs_state_space(struct _mqs_process_info *p)
{
	if (p->space_made)
		return ACC_OK;

	enum acc_rc rc = mqs_target_space(p, &p->space);
	if (!rc)
		p->space_made = true;
	return rc;
}

static enum acc_rc load_packs(struct _mqs_image_info *image)
{
	if (image->packs_loaded)
		return ACC_OK;

	enum acc_rc rc = acc_pack_list_load(&mqs_pack_alloc, &image->packs_note, &image->packs);
	if (!rc)
		image->packs_loaded = true;
	return rc;
}

enum acc_rc mqs_state_open(struct _mqs_process_info *p)
{
	if (p->reader)
		return ACC_OK;

	enum acc_rc rc = mqs_state_space(p);
	if (rc)
		return rc;
	rc = load_packs(p->image);
	if (rc)
		return mqs_state_fail(p, rc, "layout packs");
	p->packs = (struct rd_packs){ p->image->packs.packs, p->image->packs.n };
	acc_space_begin(&p->space);
	rc = rd_open(&p->space, &p->packs, &p->reader);
	acc_space_end(&p->space);
	if (rc == ACC_NONE)
		return note_absence(p, "no MPI library that this plugin knows");
	if (rc)
		return mqs_state_fail(p, rc, "the MPI library");
	return ACC_OK;
}

enum acc_rc mqs_state_update(struct _mqs_process_info *p)
{
	mqs_state_end_operations(p);
	mqs_state_end_new_processes(p);
	mqs_state_end_merge(p);
	p->comm_current = false;
	p->updated = false;
	if (p->reader && p->kept_reader)
		return ACC_OK;
	if (!p->reader) {
		enum acc_rc opened = mqs_state_open(p);

		p->kept_reader = p->kept && !opened;
		return opened;
	}

	acc_space_begin(&p->space);
	enum acc_rc rc = rd_update(p->reader);
	acc_space_end(&p->space);
	p->kept_reader = p->kept && !rc;
	return rc ? mqs_state_fail(p, rc, "the MPI library") : ACC_OK;
}

void mqs_state_end_new_processes(struct _mqs_process_info *p)
{
	mqs_new_processes_end(p->new_processes);
	p->new_processes = NULL;
}

/*
 * Find the registry by its symbol, or through MPI2DD_info if the library is linked in and its symbols are not visible.
 */
static enum acc_rc open_track(struct _mqs_process_info *p)
{
	struct rd_mpi2dd info;
	enum acc_rc rc = rd_track_open(&p->space, &p->track);

	if (rc != ACC_NONE)
		return rc;
	rc = rd_jobs_mpi2dd(&p->space, &info);
	if (rc || !info.registry_addr) {
		acc_note_clear(&p->space.note);
		return ACC_NONE;
	}
	return rd_track_open_at(&p->space, info.registry_addr, &p->track);
}

/* Use the objects found by the reader in place of a registry. */
static void close_objects(struct _mqs_process_info *p)
{
	if (!rd_track_has_no_registry(p->track))
		return;
	rd_track_close(p->track);
	p->track = NULL;
}

enum acc_rc mqs_state_track(struct _mqs_process_info *p)
{
	enum acc_rc rc = mqs_state_space(p);

	if (rc)
		return rc;
	if (p->track && p->kept_track && !rd_track_has_no_registry(p->track))
		return ACC_OK;
	close_objects(p);
	acc_space_begin(&p->space);
	if (p->track && rd_track_update(p->track)) {
		mqs_state_end_merge(p);
		rd_track_close(p->track);
		p->track = NULL;
		acc_note_clear(&p->space.note);
	}
	rc = p->track ? ACC_OK : open_track(p);
	acc_space_end(&p->space);
	p->kept_track = p->kept && !rc;
	if (p->kept_track)
		rd_track_keep(p->track);
	if (rc == ACC_NONE)
		return note_absence(p, "no registry of MPI objects: start the program with mpi2dd-run, or preload "
				       "libmpi2dd-openmpi.so or libmpi2dd-mpich.so");
	return rc ? mqs_state_fail(p, rc, "the registry of MPI objects") : ACC_OK;
}

enum acc_rc mqs_state_python(struct _mqs_process_info *p, char why[ACC_NOTE_BYTES])
{
	struct acc_note message = p->note;
	enum acc_rc rc = p->python ? ACC_OK : mqs_state_space(p);

	if (!rc && !p->python)
		rc = load_packs(p->image);
	p->note = message;
	if (rc) {
		snprintf(why, ACC_NOTE_BYTES, "%s", acc_rc_text(rc));
		return rc;
	}
	if (p->python)
		return ACC_OK;
	struct rd_packs packs = { p->image->packs.packs, p->image->packs.n };
	return rd_python_open(&p->space, &packs, why, &p->python);
}

static enum rd_track_mpi which_mpi(const struct _mqs_process_info *p)
{
	return strcmp(rd_library(p->reader)->implementation, "Open MPI") ? RD_TRACK_MPICH : RD_TRACK_OPENMPI;
}

enum acc_rc mqs_state_keep(struct _mqs_process_info *p, bool keep)
{
	enum acc_rc rc = mqs_state_space(p);

	if (rc)
		return rc;
	mqs_state_end_operations(p);
	end_keep(p);
	p->kept = keep;
	if (keep)
		acc_space_begin(&p->space);
	return ACC_OK;
}

enum acc_rc mqs_state_objects(struct _mqs_process_info *p)
{
	struct rd_objects objects;

	if (p->track && p->kept_track)
		return ACC_OK;
	enum acc_rc rc = mqs_state_track(p);
	if (rc != ACC_NONE)
		return rc;
	struct acc_note absence = p->note, note = p->space.note;
	/* in the middle of an iteration over queues, what was read is kept */
	rc = p->reader && p->comm_current ? ACC_OK : mqs_state_update(p);
	acc_space_begin(&p->space);
	if (!rc)
		rc = rd_objects_open(p->reader, &objects);
	if (!rc)
		rc = rd_track_open_objects(&p->space, rd_library(p->reader), which_mpi(p), &objects, &p->track);
	acc_space_end(&p->space);
	p->space.note = note;
	p->kept_track = p->kept && !rc;
	if (!rc)
		mqs_state_begin(p);
	else
		p->note = absence;
	return rc ? ACC_NONE : ACC_OK;
}

void mqs_state_merge(struct _mqs_process_info *p)
{
	struct acc_note note = p->space.note, message = p->note;

	if (p->merge_tried)
		return;
	p->merge_tried = true;
	if (!rd_library(p->reader)->origin && !mqs_state_track(p))
		rd_track_merge_open(p->track, &p->merge);
	/* missing additional facts are not a failure */
	p->space.note = note;
	p->note = message;
}

void mqs_state_end_merge(struct _mqs_process_info *p)
{
	rd_track_merge_close(p->merge);
	p->merge = NULL;
	p->merge_tried = false;
}

void mqs_state_end_operations(struct _mqs_process_info *p)
{
	if (!p->ops_current)
		return;
	p->ops_current = p->op_given = false;
	acc_space_end(&p->space);
}
