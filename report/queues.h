/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file queues.h
 * The pending operations of each communicator: sends, receives, unexpected messages. Ranks with the same are
 * one line; so are those that have the same relative to their own number.
 */
#ifndef RP_QUEUES_H
#define RP_QUEUES_H

#include "source.h"

#include <stdio.h>

/** A table for each communicator on which something is pending, and the names of the others. */
void rp_queues(FILE *out, const struct rp_source *s);

#endif /* RP_QUEUES_H */
