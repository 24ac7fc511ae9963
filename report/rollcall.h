/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file rollcall.h
 * Who has entered each collective that some rank is in, and where the others are.
 */
#ifndef RP_ROLLCALL_H
#define RP_ROLLCALL_H

#include "source.h"

#include <stdio.h>

/** A table for each collective. @return how many there are */
size_t rp_rollcall(FILE *out, const struct rp_source *s);

#endif /* RP_ROLLCALL_H */
