/* SPDX-License-Identifier: BSD-3-Clause */
#include "demo.h"

static const struct acc_type_row types[] = {
#define ACC_TYPE(type, needed) { #type, needed },
#define ACC_FIELD(type, field, kind, count, needed)
#include "demo.def"
#undef ACC_TYPE
#undef ACC_FIELD
};

static const struct acc_field_row fields[] = {
#define ACC_TYPE(type, needed)
#define ACC_FIELD(type, field, kind, count, needed) { T_##type, #type, #field, kind, count, needed },
#include "demo.def"
#undef ACC_TYPE
#undef ACC_FIELD
};

const struct acc_schema demo_schema = {
	.name = "demo",
	.types = types,
	.n_types = DEMO_N_TYPES,
	.fields = fields,
	.n_fields = DEMO_N_FIELDS,
};

struct fake *demo_fake(int i)
{
	return fake_create(i & 1 ? 4 : 8, i & 2, &demo_schema);
}

struct fake *demo_fake_laid_out(int i)
{
	struct fake *f = demo_fake(i);

	fake_base(f, T_demo_node_t, T_demo_base_t);
	fake_fix_type(f, T_demo_wide_t, 4096);
	fake_fix_field(f, F_demo_wide_t_first, 0);
	fake_fix_field(f, F_demo_wide_t_text, 8);
	fake_fix_field(f, F_demo_wide_t_last, 4088);
	fake_lay_out(f);
	return f;
}
