/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file schema.h
 * Indexes of the types (U_...) and fields (UF_type_field) that schema.def declares.
 */
#ifndef RD_UCX_SCHEMA_H
#define RD_UCX_SCHEMA_H

#include "../../access/layout.h"

enum rd_ucx_type {
#define ACC_TYPE(type, needed) U_##type,
#include "schema.def"
	RD_UCX_N_TYPES
};

enum rd_ucx_field {
#define ACC_FIELD(type, field, kind, count, needed) UF_##type##_##field,
#include "schema.def"
	RD_UCX_N_FIELDS
};

/** The rows, in the order of the enums. */
extern const struct acc_schema rd_ucx_schema;

#endif /* RD_UCX_SCHEMA_H */
