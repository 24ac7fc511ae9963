/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file start.h
 * How the job was started: launcher, command line, programs, hosts, MPI libraries, and the ranks with each value.
 */
#ifndef RP_START_H
#define RP_START_H

#include "source.h"

#include <stdio.h>

void rp_start(FILE *out, const struct rp_source *s);

/** The program's name without its folder, from the first rank where it is known; borrowed; NULL: unknown. */
const char *rp_program(const struct rp_source *s);

#endif /* RP_START_H */
