/* SPDX-License-Identifier: BSD-3-Clause */
#include "pack_types.h"

#include "packs.h"

#include <check.h>
#include <stdlib.h>

/* Each field at its offset, independent of other fields: a union of one structure per field. */
static void write_type(FILE *f, const struct acc_pack *pack, const struct acc_pack_type *type)
{
	fprintf(f, "typedef struct %s {\n\tunion {\n\t\tchar all_[%u];\n", type->name, type->bytes);
	for (size_t i = 0; i < pack->n_fields; i++) {
		const struct acc_pack_field *field = &pack->fields[i];

		if (strcmp(field->type, type->name) != 0)
			continue;
		fprintf(f, "\t\tstruct {\n");
		if (field->offset)
			fprintf(f, "\t\t\tchar before_%zu_[%u];\n", i, field->offset);
		fprintf(f, "\t\t\tchar %s[%u];\n\t\t};\n", field->name, field->bytes);
	}
	fprintf(f, "\t};\n} %s;\n", type->name);
}

void pack_types_write(const char *path, const char *release, const char *last)
{
	const struct acc_pack_builtin *builtin = pack_of_release(release);
	struct acc_note note = { 0 };
	struct acc_pack *pack;

	ck_assert_ptr_nonnull(builtin);
	ck_assert_int_eq(acc_pack_parse(&acc_pack_heap, builtin->text, builtin->n, &note, &pack), ACC_OK);
	FILE *f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	for (size_t i = 0; i < pack->n_types; i++)
		write_type(f, pack, &pack->types[i]);
	fprintf(f, "%s\n", last);
	ck_assert_int_eq(fclose(f), 0);
	acc_pack_destroy(&acc_pack_heap, pack);
}
