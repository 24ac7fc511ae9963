/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file queues.h
 * The pending operations of each communicator: sends, receives, unexpected messages. Ranks with equal operations
 * share a line, also if they are equal only relative to the rank's own number.
 */
#ifndef RP_QUEUES_H
#define RP_QUEUES_H

#include "source.h"

#include <stdio.h>

/** A table for each communicator with pending operations, and the names of the others. */
void rp_queues(FILE *out, const struct rp_source *s);

#endif /* RP_QUEUES_H */
