/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file pack_choose.h
 * Which of many layout packs describes the target: the one whose witnesses agree. When none does: which is nearest.
 */
#ifndef ACC_PACK_CHOOSE_H
#define ACC_PACK_CHOOSE_H

#include "witness.h"

struct acc_pack_choice {
	const struct acc_pack *pack;    /**< to be believed; NULL: none */
	const struct acc_pack *another; /**< fits as well; NULL: none */
	/** pack; else the one with the fewest witnesses that disagree, of several that for the most similar version; or NULL */
	const struct acc_pack *nearest;
	unsigned likeness;                /**< of nearest: bytes that its version and the target's begin with alike */
	struct acc_witness_result result; /**< of nearest */
};

/**
 * Choose among the packs of an implementation.
 *
 * A pack fits when no witness disagrees and at least one agrees; also when some of the others cannot be read (a core
 * holds no read-only data). Of several that fit the one with the most witnesses that agree is taken, then the first.
 * Packs whose text witness (the version) disagrees are looked at no further while another one fits.
 *
 * @param packs   may hold NULL.
 * @param version the target's version when it is known from elsewhere; a pack that does not name it does not fit. NULL:
 *                only the witnesses count.
 * @param ret     always filled.
 */
void acc_pack_choose(struct acc_space *sp, const struct acc_pack *const *packs, size_t n, const char *implementation,
		     const char *version, struct acc_pack_choice *ret);

/** Is the pack for this version? Also true when it names none. */
bool acc_pack_names(const struct acc_pack *pack, const char *version);

#endif /* ACC_PACK_CHOOSE_H */
