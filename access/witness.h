/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file witness.h
 * Checks whether a target confirms a layout pack.
 */
#ifndef ACC_WITNESS_H
#define ACC_WITNESS_H

#include "pack.h"
#include "space.h"

/** Results of the witnesses of a pack. */
struct acc_witness_result {
	unsigned n_agree, n_absent, n_disagree;
	char first[ACC_NOTE_BYTES]; /**< the first one that disagrees:
				     *   "ompi_request_t_class+56 is 168, the pack says 160" */
};

/**
 * Check one witness.
 *
 * @param[out] why in words, of ACC_EREAD and ACC_EWITNESS: "ompi_request_t_class+56 is 168, the pack says 160".
 * @return ACC_OK: it agrees; ACC_ESYMBOL: the target has no such symbol; ACC_EREAD; ACC_EWITNESS: it disagrees.
 */
enum acc_rc acc_witness_one(struct acc_space *sp, const struct acc_pack_witness *w, char why[ACC_NOTE_BYTES]);

/**
 * Check every witness of a pack, and its word size and byte order.
 *
 * @return ACC_OK: at least one agrees and none disagrees; ACC_EWITNESS: one disagrees, or none could be found;
 *         ACC_EREAD: a symbol was found and its memory cannot be read. @p ret is filled in every case.
 */
enum acc_rc acc_witness_check(struct acc_space *sp, const struct acc_pack *pack, struct acc_witness_result *ret);

#endif /* ACC_WITNESS_H */
