/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file reader.h
 * The registry as a reader of communicators and queues, for an MPI whose own memory cannot be read.
 */
#ifndef RD_TRACK_READER_H
#define RD_TRACK_READER_H

#include "../reader.h"

extern const struct rd_reader rd_track_reader;

#endif /* RD_TRACK_READER_H */
