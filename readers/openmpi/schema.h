/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file schema.h
 * Indexes of the types (T_...) and fields (F_type_field) of Open MPI that schema.def declares.
 */
#ifndef RD_OMPI_SCHEMA_H
#define RD_OMPI_SCHEMA_H

#include "../../access/layout.h"

enum rd_ompi_type {
#define ACC_TYPE(type, needed) T_##type,
#include "schema.def"
	RD_OMPI_N_TYPES
};

enum rd_ompi_field {
#define ACC_FIELD(type, field, kind, count, needed) F_##type##_##field,
#include "schema.def"
	RD_OMPI_N_FIELDS
};

/** The rows, in the order of the enums. */
extern const struct acc_schema rd_ompi_schema;

#endif /* RD_OMPI_SCHEMA_H */
