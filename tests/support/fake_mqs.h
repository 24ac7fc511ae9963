/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file fake_mqs.h
 * A complete debugger for fakes: it loads the built DLL and answers the callbacks of the mqs interface.
 *
 *     struct fake_mqs *m = fake_mqs_create(f);                 loads $MPIDBG_BUILD/libmpidbg.so, gives it malloc
 *     char *message;
 *     ck_assert_int_eq(fake_mqs_setup(m, &message), mqs_ok);   image, process, has_queues, update
 *     ck_assert_int_eq(m->dll.mqs_setup_communicator_iterator(m->process), mqs_ok);
 *     ...
 *     fake_mqs_teardown(m);                                    process and image, as a debugger does
 *     fake_mqs_destroy(m);                                     fails when a slot is still full
 *     fake_destroy(f);                                         fails when memory leaked
 *
 * A test that needs a different order calls m->dll instead of fake_mqs_setup(). Before the DLL gets the callback
 * tables, the test may change them: remove a callback (NULL), or replace it.
 *
 * The memory that the DLL allocates is that of the fake given to fake_mqs_create(): its fuse lets mqs_malloc fail,
 * the fuse `reads` of each fake lets mqs_fetch_data fail. One debugger at a time (the interface has no context).
 */
#ifndef FAKE_MQS_H
#define FAKE_MQS_H

#include "fake.h"

#include "../../include/mpidbg.h"
#include "../../include/mqs.h"

/** The functions that the DLL exports; NULL: missing. */
struct fake_dll {
#define HOST_ENTRY(name) __typeof__(name) *name;
#include "../../host/entry_points.def"
	HOST_ENTRY(mqs_setup_job)
	HOST_ENTRY(mqs_destroy_job_info)
	HOST_ENTRY(mqs_setup_new_process_iterator)
	HOST_ENTRY(mqs_next_new_process)
	HOST_ENTRY(mqs_set_process_identity)
#undef HOST_ENTRY
	char *mpidbg_dll_is_big_endian, *mpidbg_dll_bitness;
};

struct fake_mqs {
	void *dl;
	struct fake_dll dll;
	struct fake *fake; /**< of the image, of the first process and of the memory */
	mqs_image *image;
	mqs_process *process; /**< the first one */
	mqs_basic_callbacks basic;
	mqs_image_callbacks image_callbacks;
	mqs_process_callbacks process_callbacks;
	mqs_target_type_sizes sizes; /**< result of mqs_get_type_sizes */
	int global_rank;             /**< result of mqs_get_global_rank; initially -1 */
	unsigned n_dprints;          /**< calls of mqs_dprints, which the DLL must not use */
	unsigned n_fetches;          /**< calls of mqs_fetch_data */
};

/** Load the DLL of the build folder. Ends the test when there is none. */
struct fake_mqs *fake_mqs_create(struct fake *f);

/** Unload. Fails the test when an image or a process still has its info. Takes NULL. */
void fake_mqs_destroy(struct fake_mqs *m);

/** Another process of the same image, with separate memory. Released by fake_mqs_destroy(). */
mqs_process *fake_mqs_add_process(struct fake_mqs *m, struct fake *memory);

/**
 * The first calls of a debugger: mqs_setup_image, mqs_image_has_queues, mqs_setup_process, mqs_process_has_queues,
 * mqs_update_communicator_list, up to the first that is not mqs_ok. Completed set-ups remain.
 *
 * @param[out] message the last message of the has_queues functions, or NULL. May be NULL.
 * @return the last function's code.
 */
int fake_mqs_setup(struct fake_mqs *m, char **message);

/** mqs_destroy_process_info for every process that has one, then mqs_destroy_image_info. Empties the slots. */
void fake_mqs_teardown(struct fake_mqs *m);

/** The data that the DLL has stored in the slot of the image, or NULL. */
mqs_image_info *fake_mqs_image_info(const struct fake_mqs *m);
mqs_process_info *fake_mqs_process_info(const mqs_process *process);

/** Clear the slots that the DLL has not cleared, as a debugger does after mpidbg_finalize_per_...(). */
void fake_mqs_forget(struct fake_mqs *m);

#endif /* FAKE_MQS_H */
