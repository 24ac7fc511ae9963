/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file schema.h
 * Indexes of the types (PY_...) and fields (PYF_type_field) that schema.def declares.
 */
#ifndef RD_PYTHON_SCHEMA_H
#define RD_PYTHON_SCHEMA_H

#include "../../access/layout.h"

enum rd_python_type {
#define ACC_TYPE(type, needed) PY_##type,
#include "schema.def"
	RD_PYTHON_N_TYPES
};

enum rd_python_field {
#define ACC_FIELD(type, field, kind, count, needed) PYF_##type##_##field,
#include "schema.def"
	RD_PYTHON_N_FIELDS
};

/** The rows, in the order of the enums. */
extern const struct acc_schema rd_python_schema;

#endif /* RD_PYTHON_SCHEMA_H */
