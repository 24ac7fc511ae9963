/* SPDX-License-Identifier: BSD-3-Clause */
#include "schema.h"

#pragma GCC poison assert abort exit printf fprintf malloc free

static const struct acc_type_row types[] = {
#define ACC_TYPE ACC_TYPE_ROW
#include "schema.def"
};

static const struct acc_field_row fields[] = {
#define ACC_FIELD(type, ...) ACC_FIELD_ROW(PY_##type, type, __VA_ARGS__)
#include "schema.def"
};

const struct acc_schema rd_python_schema = ACC_SCHEMA("python", types, fields);
