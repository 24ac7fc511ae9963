/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file pack_choose.h
 * Chooses the layout pack that describes the target: the one whose witnesses agree; otherwise finds the closest one.
 */
#ifndef ACC_PACK_CHOOSE_H
#define ACC_PACK_CHOOSE_H

#include "layout.h"
#include "witness.h"

struct acc_pack_choice {
	const struct acc_pack *pack;    /**< the pack to use; NULL: none */
	const struct acc_pack *another; /**< another pack that matches as well; NULL: none */
	/** pack; otherwise the one with the fewest witnesses that disagree and the most similar version; or NULL */
	const struct acc_pack *nearest;
	bool lacks_row;                   /**< pack: it has not all needed rows */
	unsigned likeness;                /**< of nearest: common prefix of its version and the target's, bytes */
	struct acc_witness_result result; /**< of nearest */
};

/**
 * Choose among the packs of an implementation.
 *
 * A pack fits when no witness disagrees and at least one agrees; also when some of the others
 * cannot be read (a core holds no read-only data). Of several that fit one with all needed
 * rows is taken, then the one with the most witnesses that agree, then the first. Packs whose
 * text witness (the version) disagrees are not examined further if another one matches.
 *
 * @param packs   may hold NULL.
 * @param schema  says which rows are needed; NULL: none.
 * @param version the target's version if known from another source; a pack that does not name it does not match. NULL:
 *                only the witnesses count.
 * @param ret     always filled.
 */
void acc_pack_choose(struct acc_space *sp, const struct acc_pack *const *packs, size_t n, const char *implementation,
		     const struct acc_schema *schema, const char *version, struct acc_pack_choice *ret);

/** Is the pack for this version? Also true if it names no version. */
bool acc_pack_names(const struct acc_pack *pack, const char *version);

#endif /* ACC_PACK_CHOOSE_H */
