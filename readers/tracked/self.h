/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file self.h
 * The registry's description of itself: the first bytes of the head, and the tables of types and fields.
 *
 * Only the first bytes have a fixed layout, for every word size and
 * byte order; everything else is looked up by name in the tables.
 */
#ifndef RD_TRACK_SELF_H
#define RD_TRACK_SELF_H

#include "../../access/layout.h"

/** The checked contents of the first bytes. */
struct rd_track_head {
	uint64_t types_addr, fields_addr;
	uint32_t bytes;
	uint32_t n_types, n_fields;
	uint32_t type_bytes, field_bytes;
};

/**
 * Read and check the first bytes.
 *
 * @return ACC_OK; ACC_EREAD; ACC_ECORRUPT: cookie, byte order, word size, an invalid size or address;
 *         ACC_EFIELD: a version that is not known here; ACC_ELIMIT. Failures are noted with the field.
 */
enum acc_rc rd_track_head(struct acc_space *sp, uint64_t addr, struct rd_track_head *ret);

/** The tables, copied from the target. */
struct rd_track_self {
	struct acc_space *sp;
	struct rd_track_head head;
	unsigned char *types, *fields; /**< n entries, with their strides */
	uint32_t last;                 /**< the type looked up last */
};

/** Copy the tables and check that each type's fields lie in the table. Release with _deinit(), also after a failure. */
enum acc_rc rd_track_self_init(struct rd_track_self *ret, struct acc_space *sp, const struct rd_track_head *head);
void rd_track_self_deinit(struct rd_track_self *self);

/** The description in the form that acc_layout_resolve() takes; borrows @p self. */
struct acc_self rd_track_self(struct rd_track_self *self);

#endif /* RD_TRACK_SELF_H */
