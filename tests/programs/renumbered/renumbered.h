/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef RENUMBERED_H
#define RENUMBERED_H

/** 1: the MPI library's control variables 0 and 1 have each other's index. */
extern int renumbered;

#endif /* RENUMBERED_H */
