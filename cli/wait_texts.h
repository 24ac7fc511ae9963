/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file wait_texts.h
 * What the threads of a process wait for outside MPI, as the plugin shows it (mpidbg_options.waits).
 */
#ifndef CMD_WAIT_TEXTS_H
#define CMD_WAIT_TEXTS_H

#include "../include/mpidbg.h"
#include "../waits/waits.h"

/** Texts for the plugin. @return NULL: none, or out of memory; cmd_wait_texts_destroy() frees */
struct mpidbg_wait *cmd_wait_texts_create(const struct wt_waits *w, int64_t pid);

/** Takes NULL. */
void cmd_wait_texts_destroy(struct mpidbg_wait *texts, const struct wt_waits *w);

#endif /* CMD_WAIT_TEXTS_H */
