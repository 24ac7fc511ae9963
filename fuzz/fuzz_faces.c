/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Both faces of the plugin on a process with damaged memory: the message queue interface, driven as a debugger does,
 * and descriptions as text and as JSON, which must parse. The first byte: bit 0, the mpidbg face comes first; bit 1,
 * half of the changes are made between the two; bit 2, the caller's write function fails; bit 3, no threads are
 * given; the rest are changes (fuzz/image.h).
 */
#include "describe.h"
#include "fuzz.h"
#include "image.h"

#include "../include/mpidbg.h"
#include "../include/mqs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** A walk with more steps than this is a bug. */
enum { STEPS_MAX = 1 << 18 };

/* ---- a debugger over the image ----------------------------------------------------------------------------- */

static struct image m;
static mqs_image_info *image_slot;
static mqs_process_info *process_slot;
static char the_image, the_process; /* their addresses are the debugger's objects */

static void *d_malloc(size_t n)
{
	return image_ops.alloc(&m, n);
}

static void d_free(void *p)
{
	if (p)
		image_ops.release(&m, p);
}

static void d_dprints(const char *text)
{
	FUZZ_MUST(text);
}

static char *d_errorstring(int code)
{
	(void)code;
	static char text[] = "an error";
	return text;
}

static void d_put_image_info(mqs_image *image, mqs_image_info *info)
{
	FUZZ_MUST((char *)image == &the_image);
	image_slot = info;
}

static mqs_image_info *d_get_image_info(mqs_image *image)
{
	FUZZ_MUST((char *)image == &the_image);
	return image_slot;
}

static void d_put_process_info(mqs_process *process, mqs_process_info *info)
{
	FUZZ_MUST((char *)process == &the_process);
	process_slot = info;
}

static mqs_process_info *d_get_process_info(mqs_process *process)
{
	FUZZ_MUST((char *)process == &the_process);
	return process_slot;
}

static void d_type_sizes(mqs_process *process, mqs_target_type_sizes *ret)
{
	(void)process;
	*ret = (mqs_target_type_sizes){ 2, 4, 8, 8, 8, 1, 8 };
}

static int d_find_function(mqs_image *image, char *name, mqs_lang_code language, mqs_taddr_t *ret)
{
	(void)image;
	(void)name;
	(void)language;
	(void)ret;
	return mqs_no_information;
}

static int d_find_symbol(mqs_image *image, char *name, mqs_taddr_t *ret)
{
	uint64_t addr;
	(void)image;
	if (!image_ops.symbol(&m, name, &addr))
		return mqs_no_information;
	*ret = addr;
	return mqs_ok;
}

static mqs_type *d_find_type(mqs_image *image, char *name, mqs_lang_code language)
{
	(void)image;
	(void)name;
	(void)language;
	return NULL;
}

static int d_field_offset(mqs_type *type, char *name)
{
	(void)type;
	(void)name;
	return -1;
}

static int d_sizeof(mqs_type *type)
{
	(void)type;
	return -1;
}

static int d_global_rank(mqs_process *process)
{
	(void)process;
	return -1;
}

static mqs_image *d_get_image(mqs_process *process)
{
	FUZZ_MUST((char *)process == &the_process);
	return (mqs_image *)(void *)&the_image;
}

static int d_fetch_data(mqs_process *process, mqs_taddr_t addr, int n, void *ret)
{
	FUZZ_MUST((char *)process == &the_process && n > 0);
	return image_ops.read(&m, addr, (size_t)n, ret) ? mqs_ok : mqs_no_information;
}

static void d_target_to_host(mqs_process *process, const void *from, void *to, int n)
{
	(void)process;
	memcpy(to, from, (size_t)n);
}

static const mqs_basic_callbacks basic = { d_malloc,         d_free,           d_dprints,          d_errorstring,
					   d_put_image_info, d_get_image_info, d_put_process_info, d_get_process_info };
static const mqs_image_callbacks of_image = { d_type_sizes, d_find_function, d_find_symbol,
					      d_find_type,  d_field_offset,  d_sizeof };
static const mqs_process_callbacks of_process = { d_global_rank, d_get_image, d_fetch_data, d_target_to_host };

/* ---- queries ---------------------------------------------------------------------------------------------- */

static void check_operation(const mqs_pending_operation *op)
{
	FUZZ_MUST(op->status >= mqs_st_pending && op->status <= mqs_st_complete);
	for (unsigned i = 0; i < 5; i++)
		FUZZ_MUST(memchr(op->extra_text[i], '\0', sizeof(op->extra_text[i])));
}

static void walk_queues(mqs_process *process)
{
	mqs_communicator comm;
	mqs_pending_operation op;
	unsigned n = 0;

	mqs_update_communicator_list(process);
	for (int rc = mqs_setup_communicator_iterator(process); rc == mqs_ok; rc = mqs_next_communicator(process)) {
		FUZZ_MUST(n++ < STEPS_MAX);
		if (mqs_get_communicator(process, &comm) != mqs_ok)
			continue;
		FUZZ_MUST(comm.size > 0 && comm.local_rank < comm.size);
		FUZZ_MUST(memchr(comm.name, '\0', sizeof(comm.name)));
		if (comm.size < 1 << 16) {
			int *ranks = malloc((size_t)comm.size * sizeof(*ranks));
			FUZZ_MUST(ranks);
			mqs_get_comm_group(process, ranks);
			free(ranks);
		}
		for (int c = mqs_pending_sends; c <= mqs_unexpected_messages + 1; c++) {
			if (mqs_setup_operation_iterator(process, c) != mqs_ok)
				continue;
			for (; mqs_next_operation(process, &op) == mqs_ok; n++) {
				check_operation(&op);
				FUZZ_MUST(n < STEPS_MAX);
			}
		}
	}
	for (int code = 0; code < 200; code++)
		FUZZ_MUST(mqs_dll_error_string(code) && strlen(mqs_dll_error_string(code)) < 4096);
}

static void queues_face(mqs_process *process)
{
	mqs_image *image = (mqs_image *)(void *)&the_image;
	char *message = NULL;

	if (mqs_setup_image(image, &of_image) != mqs_ok)
		return;
	mqs_image_has_queues(image, &message);
	if (mqs_setup_process(process, &of_process) == mqs_ok) {
		mqs_get_global_rank(process);
		message = NULL;
		int rc = mqs_process_has_queues(process, &message);
		FUZZ_MUST(rc == mqs_ok || message == NULL || message[0]);
		walk_queues(process); /* a debugger that queries although there are none */
		mqs_destroy_process_info(process_slot);
	}
	mqs_destroy_image_info(image_slot);
}

static int refuse(void *ctx, const char *text, size_t n)
{
	(void)text;
	(void)n;
	return ++*(unsigned *)ctx > 1;
}

static void describe(mqs_process *process, int what, uint8_t flags, int all)
{
	static const char *const lines[] = { "poll", "MPI_Recv", "main at ring.c:10" };
	const struct mpidbg_thread threads[] = {
		{ 4712, "MPI_Recv", IMAGE_ADDR, IMAGE_ADDR + IMAGE_BYTES, lines, 3 },
		{ 4713, NULL, 0, 0, NULL, 0 },
	};
	struct mpidbg_options o = {
		.size = sizeof(o), .all = all, .pid = 4712, .host = "node1", .executable = "a\"b\n"
	};
	unsigned n_writes = 0;

	if (!(flags & 8)) {
		o.threads = threads;
		o.n_threads = 2;
	}
	if (flags & 4) {
		o.write = refuse;
		o.write_ctx = &n_writes;
		mpidbg_describe(process, what, &o, NULL);
		return;
	}
	o.color = all;
	fuzz_describe(process, what, &o);
}

static void handles_face(mqs_process *process, uint8_t flags)
{
	mqs_image *image = (mqs_image *)(void *)&the_image;
	struct mpidbg_handle_info_t types = { 0 };
	struct mpidbg_stats stats;
	struct mpidbg_proc *procs = NULL;
	size_t n_procs = 0;

	if (mpidbg_init_per_image(image, &of_image, &types) != MPIDBG_SUCCESS)
		return;
	if (mpidbg_init_per_process(process, &of_process, &types) == MPIDBG_SUCCESS) {
		for (int what = MPIDBG_WHAT_COMMS; what <= MPIDBG_WHAT_PROCS; what++)
			for (int all = 0; all < 2; all++)
				describe(process, what, flags, all);
		FUZZ_MUST(mpidbg_error_string(process));
		FUZZ_MUST(mpidbg_get_stats(process, &stats) == MPIDBG_SUCCESS);
		if (mpidbg_get_proctable(process, &procs, &n_procs) == MPIDBG_SUCCESS)
			mpidbg_free(procs);
		mpidbg_finalize_per_process(process, process_slot);
	}
	mpidbg_finalize_per_image(image, image_slot);
}

int fuzz_faces(const uint8_t *data, size_t n)
{
	mqs_process *process = (mqs_process *)(void *)&the_process;
	uint8_t flags = n ? data[0] : 0;
	size_t first = n > 1 ? (flags & 2 ? (n - 1) / 2 & ~(size_t)7 : n - 1) : 0;

	image_reset(&m);
	image_change(&m, data + 1, first);
	image_slot = NULL;
	process_slot = NULL;
	FUZZ_MUST(mpidbg_init_once(&basic) == MPIDBG_SUCCESS);
	mqs_setup_basic_callbacks(&basic);
	if (flags & 1)
		handles_face(process, flags);
	else
		queues_face(process);
	if (n > 1)
		image_change(&m, data + 1 + first, n - 1 - first);
	if (flags & 1)
		queues_face(process);
	else
		handles_face(process, flags);
	FUZZ_MUST(!image_slot && !process_slot);
	FUZZ_MUST(m.n_live == 0);
	return 0;
}
