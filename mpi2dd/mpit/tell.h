/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file tell.h
 * What the wrappers tell the events of MPI_T. After a call of the program's, with no lock of ours held.
 */
#ifndef MPIT_TELL_H
#define MPIT_TELL_H

/** The call with this number has returned an error code. */
void mpit_tell_error(int call, int code);

/** MPI_Abort is about to be called. */
void mpit_tell_abort(int code);

#endif /* MPIT_TELL_H */
