/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file rc.h
 * Results of everything that reads a target, and the note of the first failure.
 *
 * Three kinds of answer: ACC_OK; ACC_NONE, "there is nothing here", which is no error; ACC_E..., a failure. The
 * failures are distinguished by what the user can do: a byte that cannot be read, an invalid value, a
 * field that this MPI does not have, a layout with a witness that disagrees.
 */
#ifndef ACC_RC_H
#define ACC_RC_H

#include <stdint.h>

enum acc_rc {
	ACC_OK = 0,
	ACC_NONE,     /**< nothing there; the end of a walk */
	ACC_EREAD,    /**< the debugger could not read target memory */
	ACC_ECORRUPT, /**< read, but invalid: out of range, a cycle, a wrong class */
	ACC_EFIELD,   /**< no source has this type or field */
	ACC_ESYMBOL,  /**< no such symbol in the target */
	ACC_EWITNESS, /**< a layout was found and a witness disagrees */
	ACC_ELIMIT,   /**< longer than a limit of access/limits.h */
	ACC_ENOMEM,   /**< the debugger's allocator returned NULL */
	ACC_EINVAL,   /**< invalid argument of the caller */
	ACC_N_RC
};

/** A short lower-case text for @p rc, static, never NULL: "cannot be read", "makes no sense" ... */
const char *acc_rc_text(enum acc_rc rc);

/** Size of a note, with its NUL. */
enum { ACC_NOTE_BYTES = 256 };

/**
 * The first failure of a query, in words. The first one wins: it is the cause, later ones are consequences.
 * Written by acc_note(), read by mqs_dll_error_string() and mpidbg_describe().
 */
struct acc_note {
	enum acc_rc rc;            /**< ACC_OK: nothing noted */
	char text[ACC_NOTE_BYTES]; /**< "ompi_communicator_t.c_my_rank at 0x55d0: cannot be read" */
};

/** Clear the note. */
void acc_note_clear(struct acc_note *note);

/**
 * Note a failure unless one is noted already. Text that does not fit is cut.
 *
 * @return @p rc, so that a caller can write return acc_note(...).
 */
enum acc_rc acc_note(struct acc_note *note, enum acc_rc rc, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif /* ACC_RC_H */
