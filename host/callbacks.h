/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file callbacks.h
 * The callbacks that this host, as a debugger, offers to a
 * plugin: the objects behind mqs_image, mqs_process and mqs_type.
 */
#ifndef HOST_CALLBACKS_H
#define HOST_CALLBACKS_H

#include "../access/pack.h"
#include "host.h"
#include "types.h"

/** The one executable of a session, with the plugin's slot. */
struct mqs_image_ {
	struct host_state *state;
	mqs_image_info *info;
};

/** The one process of a session, with the plugin's slot. */
struct mqs_process_ {
	struct host_state *state;
	mqs_process_info *info;
};

/** A type that a plugin has requested: from DWARF or from a layout pack. */
struct mqs_type_ {
	struct mqs_type_ *next;
	const struct host_type *dwarf;
	const struct acc_pack *pack;
	const struct acc_pack_type *packed;
};

/** The state behind a session. */
struct host_state {
	struct mqs_image_ image;
	struct mqs_process_ process;
	struct host_target *target;
	struct host_types *types;
	struct acc_pack *pack; /**< answers for types that DWARF does not have; NULL: none */
	struct mqs_type_ *handed_out;
	bool mqs_image, mqs_process, mpidbg_image, mpidbg_process; /**< which of a face's image and
								    *   process have been set up */
	uint64_t n_reads, bytes;
};

/** The callback tables; static. A plugin may call them from within any of its entry points. */
const mqs_basic_callbacks *host_basic_callbacks(void);
const mqs_image_callbacks *host_image_callbacks(void);
const mqs_process_callbacks *host_process_callbacks(void);

#endif /* HOST_CALLBACKS_H */
