/* SPDX-License-Identifier: BSD-3-Clause */
#include "schema.h"

#pragma GCC poison assert abort exit printf fprintf malloc free

static const struct acc_type_row types[] = {
#define ACC_TYPE(type, needed) { #type, needed },
#define ACC_FIELD(type, field, kind, count, needed)
#include "schema.def"
#undef ACC_TYPE
#undef ACC_FIELD
};

static const struct acc_field_row fields[] = {
#define ACC_TYPE(type, needed)
#define ACC_FIELD(type, field, kind, count, needed) { PY_##type, #type, #field, kind, count, needed },
#include "schema.def"
#undef ACC_TYPE
#undef ACC_FIELD
};

const struct acc_schema rd_python_schema = {
	.name = "python",
	.types = types,
	.n_types = RD_PYTHON_N_TYPES,
	.fields = fields,
	.n_fields = RD_PYTHON_N_FIELDS,
};
