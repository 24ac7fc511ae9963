/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file schema.h
 * Indexes of the types (T_...) and fields (F_type_field) that schema.def declares.
 */
#ifndef RD_MPICH_SCHEMA_H
#define RD_MPICH_SCHEMA_H

#include "../../access/layout.h"

enum rd_mpich_type {
#define ACC_TYPE(type, needed) T_##type,
#include "schema.def"
	RD_MPICH_N_TYPES
};

enum rd_mpich_field {
#define ACC_FIELD(type, field, kind, count, needed) F_##type##_##field,
#include "schema.def"
	RD_MPICH_N_FIELDS
};

/** The rows, in the order of the enums. */
extern const struct acc_schema rd_mpich_schema;

#endif /* RD_MPICH_SCHEMA_H */
