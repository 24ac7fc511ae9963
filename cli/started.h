/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file started.h
 * When this command was started: with host and boot it identifies what it has read.
 */
#ifndef CMD_STARTED_H
#define CMD_STARTED_H

#include <stdint.h>

/** In milliseconds since 1970, by the clock of this machine. The same at each call, also after the clock was set. */
int64_t cmd_started_ms(void);

#endif /* CMD_STARTED_H */
