/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The schema of Open MPI against itself and against every compiled-in pack: no row twice, no row without a pack. Those
 * of MPICH and UCX against their packs.
 */
#include "../../access/pack.h"
#include "../../access/pack_heap.h"
#include "../../readers/mpich/schema.h"
#include "../../readers/openmpi/schema.h"
#include "../../readers/ucx/schema.h"
#include "../support/suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Bytes of a field of this kind; 0: not to be compared. */
static unsigned kind_bytes(enum acc_kind kind, unsigned word_bytes)
{
	switch (kind) {
	case ACC_U8:
	case ACC_BOOL:
		return 1;
	case ACC_U16:
		return 2;
	case ACC_INT:
	case ACC_UINT:
	case ACC_I32:
	case ACC_U32:
	case ACC_ENUM:
		return 4;
	case ACC_U64:
		return 8;
	case ACC_SIZE:
	case ACC_SSIZE:
	case ACC_PTR:
	case ACC_WORD:
		return word_bytes;
	case ACC_CHARS:
	case ACC_EMBED:
		return 0;
	}
	ck_abort_msg("a kind that this test does not know: %d", (int)kind);
	return 0;
}

/** Open MPI's packs among the compiled-in ones: the i-th, parsed, or NULL at the end. */
static struct acc_pack *ompi_pack(unsigned i, const char **file)
{
	for (const struct acc_pack_builtin *b = acc_pack_builtins; b->file; b++) {
		struct acc_note note = { 0 };
		struct acc_pack *pack = NULL;
		enum acc_rc rc = acc_pack_parse(&acc_pack_heap, b->text, b->n, &note, &pack);
		ck_assert_msg(rc == ACC_OK, "%s: %s", b->file, note.text);
		*file = b->file;
		if (strcmp(pack->implementation, rd_ompi_schema.name) == 0 && i-- == 0)
			return pack;
		acc_pack_destroy(&acc_pack_heap, pack);
	}
	return NULL;
}

START_TEST(test_rows_once)
{
	const struct acc_schema *s = &rd_ompi_schema;

	ck_assert_uint_eq(s->n_types, RD_OMPI_N_TYPES);
	ck_assert_uint_eq(s->n_fields, RD_OMPI_N_FIELDS);
	ck_assert_uint_gt(s->n_types, 10);
	for (unsigned i = 0; i < s->n_types; i++)
		for (unsigned j = 0; j < i; j++)
			ck_assert_msg(strcmp(s->types[i].name, s->types[j].name) != 0, "type %s is there twice",
				      s->types[i].name);
	for (unsigned i = 0; i < s->n_fields; i++)
		for (unsigned j = 0; j < i; j++)
			ck_assert_msg(s->fields[i].type != s->fields[j].type ||
					      strcmp(s->fields[i].name, s->fields[j].name) != 0,
				      "field %s.%s is there twice", s->fields[i].type_name, s->fields[i].name);
}
END_TEST

START_TEST(test_rows_fit_together)
{
	const struct acc_schema *s = &rd_ompi_schema;

	for (unsigned i = 0; i < s->n_fields; i++) {
		const struct acc_field_row *f = &s->fields[i];
		ck_assert_msg(f->type < s->n_types, "field %s.%s: no such type", f->type_name, f->name);
		ck_assert_str_eq(f->type_name, s->types[f->type].name);
		ck_assert_msg(i == 0 || f->type >= s->fields[i - 1].type, "field %s.%s stands apart from its type",
			      f->type_name, f->name);
		ck_assert_msg(!f->needed || s->types[f->type].needed, "field %s.%s is needed, its type is not",
			      f->type_name, f->name);
		ck_assert_msg(f->count >= 1, "field %s.%s: count", f->type_name, f->name);
		ck_assert_msg(f->kind == ACC_CHARS || f->count == 1, "field %s.%s: a count is for arrays of char",
			      f->type_name, f->name);
	}
}
END_TEST

/**
 * Does the folder of packs say that releases of this major version have no such type or member
 * (layouts/openmpi/absent_rows-4)?
 *
 * @param field NULL: a type
 */
static bool known_absent(const struct acc_pack *pack, const char *type, const char *field)
{
	char line[256], wanted[256], path[64];
	bool found = false;

	if (pack->word_bytes == 4 && (!strncmp(type, "mca_pml_ucx_", 12) || !strncmp(type, "ompi_osc_ucx_", 13)))
		return true; /* UCX is for 64-bit machines */
	snprintf(path, sizeof(path), "layouts/openmpi/absent_rows-%.1s", pack->version);
	FILE *f = fopen(path, "r");
	if (!f)
		return false;
	if (field)
		snprintf(wanted, sizeof(wanted), "-field %s %s\n", type, field); /* no- or other- */
	else
		snprintf(wanted, sizeof(wanted), "no-type %s\n", type);
	while (!found && fgets(line, sizeof(line), f))
		found = strstr(line, wanted) != NULL;
	fclose(f);
	return found;
}

/** attribute_key_value_t came with 4.1.4; before, attribute_value_t had the same members. */
static bool has_old_attributes(const struct acc_pack *pack, const char *type)
{
	return !strcmp(type, "attribute_key_value_t") && acc_pack_field(pack, "attribute_value_t", "av_key");
}

START_TEST(test_rows_in_packs)
{
	const struct acc_schema *s = &rd_ompi_schema;
	const char *file;
	unsigned n_packs = 0;

	for (struct acc_pack *pack; (pack = ompi_pack(n_packs, &file)); n_packs++) {
		for (unsigned i = 0; i < s->n_types; i++)
			ck_assert_msg(acc_pack_type(pack, s->types[i].name) != NULL ||
					      known_absent(pack, s->types[i].name, NULL) ||
					      has_old_attributes(pack, s->types[i].name),
				      "%s has no type %s", file, s->types[i].name);
		for (unsigned i = 0; i < s->n_fields; i++) {
			const struct acc_field_row *row = &s->fields[i];
			const struct acc_pack_field *f = acc_pack_field(pack, row->type_name, row->name);
			if (!f && !row->needed &&
			    (known_absent(pack, row->type_name, row->name) ||
			     known_absent(pack, row->type_name, NULL) || has_old_attributes(pack, row->type_name)))
				continue;
			if (!f && !strcmp(row->type_name, "mca_pml_ucx_persistent_request_t") &&
			    !strcmp(row->name, "ompi_datatype"))
				continue; /* since 4.1.2 */
			if (!f && !strcmp(row->type_name, "opal_info_entry_t") && !strcmp(row->name, "ie_internal"))
				continue; /* since 5.0.4 */
			ck_assert_msg(f != NULL, "%s has no field %s.%s", file, row->type_name, row->name);
			unsigned bytes = kind_bytes(row->kind, pack->word_bytes);
			ck_assert_msg(bytes == 0 || bytes == f->bytes,
				      "%s: %s.%s has %u bytes, the schema's kind says %u", file, row->type_name,
				      row->name, f->bytes, bytes);
			ck_assert_msg(
				row->kind != ACC_CHARS || f->bytes >= row->count ||
					(!strcmp(row->name, "c_name") &&
					 acc_pack_field(pack, row->type_name, "instance")) ||
					(!strcmp(row->name, "w_name") && f->bytes == pack->word_bytes) ||
					(!strcmp(row->type_name, "ompi_datatype_t") && /* a pointer, the last member */
					 f->offset + pack->word_bytes == acc_pack_type(pack, row->type_name)->bytes),
				"%s: %s.%s has %u bytes, the schema reads %u", file, row->type_name, row->name,
				f->bytes, row->count);
			const struct acc_pack_type *t = acc_pack_type(pack, row->type_name);
			ck_assert_msg((uint64_t)f->offset + f->bytes <= t->bytes, "%s: %s.%s is outside of its type",
				      file, row->type_name, row->name);
		}
		ck_assert_msg(pack->n_witnesses > 0, "%s has no witness", file);
		ck_assert_msg(pack->version[0] && pack->system[0] && pack->made_by[0],
			      "%s does not say where it is from", file);
		acc_pack_destroy(&acc_pack_heap, pack);
	}
	ck_assert_msg(n_packs > 0, "no pack of %s is compiled in", s->name);
}
END_TEST

/* Required rows whose size is known from a class symbol must have a witness. */
START_TEST(test_packs_have_class_witnesses)
{
	static const char *const must[] = { "ompi_communicator_t", "ompi_group_t", "ompi_request_t",
					    "opal_pointer_array_t", "mca_pml_ob1_recv_request_t" };
	const char *file;
	struct acc_pack *pack;

	for (unsigned p = 0; (pack = ompi_pack(p, &file)); p++) {
		for (size_t i = 0; i < sizeof(must) / sizeof(must[0]); i++) {
			char symbol[128];
			bool found = false;
			snprintf(symbol, sizeof(symbol), "%s_class", must[i]);
			for (size_t w = 0; w < pack->n_witnesses; w++) {
				const struct acc_pack_witness *wi = &pack->witnesses[w];
				if (wi->kind != ACC_WITNESS_UINT || strcmp(wi->symbol, symbol) != 0)
					continue;
				found = true;
				ck_assert_uint_eq(wi->value, acc_pack_type(pack, must[i])->bytes);
				ck_assert_uint_eq(wi->offset,
						  acc_pack_field(pack, "opal_class_t", "cls_sizeof")->offset);
			}
			ck_assert_msg(found, "%s: no witness %s", file, symbol);
		}
		acc_pack_destroy(&acc_pack_heap, pack);
	}
}
END_TEST

/* Of a release and machine there is one pack. */
START_TEST(test_releases_once)
{
	const char *file, *other_file;
	struct acc_pack *pack, *other;

	for (unsigned p = 0; (pack = ompi_pack(p, &file)); p++) {
		for (unsigned q = 0; q < p; q++) {
			other = ompi_pack(q, &other_file);
			for (size_t i = 0; i < pack->n_witnesses; i++) {
				const struct acc_pack_witness *w = &pack->witnesses[i];
				if (w->kind == ACC_WITNESS_UINT || strcmp(other->system, pack->system))
					continue;
				char release[64];
				for (const char *at = w->text; sscanf(at, "%63s", release) == 1;
				     at += strcspn(at, " "), at += strspn(at, " "))
					for (size_t k = 0; k < other->n_witnesses; k++)
						ck_assert_msg(
							other->witnesses[k].kind == ACC_WITNESS_UINT ||
								!acc_pack_text_agrees(&other->witnesses[k], release),
							"%s and %s are both for %s", file, other_file, release);
			}
			acc_pack_destroy(&acc_pack_heap, other);
		}
		acc_pack_destroy(&acc_pack_heap, pack);
	}
}
END_TEST

static const struct acc_schema *const with_devices[] = { &rd_mpich_schema, &rd_ucx_schema };

/* Packs of MPICH and UCX: every row that is needed, with the width of its kind, inside its type; a witness. */
START_TEST(test_packs_of_mpich_and_ucx)
{
	const struct acc_schema *s = with_devices[_i];
	unsigned n_packs = 0;

	for (const struct acc_pack_builtin *b = acc_pack_builtins; b->file; b++) {
		struct acc_note note = { 0 };
		struct acc_pack *pack = NULL;

		ck_assert_msg(acc_pack_parse(&acc_pack_heap, b->text, b->n, &note, &pack) == ACC_OK, "%s: %s", b->file,
			      note.text);
		for (unsigned i = 0; !strcmp(pack->implementation, s->name) && i < s->n_fields; i++) {
			const struct acc_field_row *row = &s->fields[i];
			const struct acc_pack_field *f = acc_pack_field(pack, row->type_name, row->name);
			const struct acc_pack_type *t = acc_pack_type(pack, row->type_name);
			unsigned bytes = kind_bytes(row->kind, pack->word_bytes);

			if (!f && !row->needed)
				continue;
			ck_assert_msg(f && t, "%s has no field %s.%s", b->file, row->type_name, row->name);
			/* int before 4.0, and read as wide as the pack says */
			bool is_int = (!strncmp(row->name, "nr_", 3) || !strcmp(row->type_name, "MPII_Group_pmap_t")) &&
				      f->bytes == 4 && !strncmp(pack->version, "3.", 2);
			ck_assert_msg(bytes == 0 || bytes == f->bytes || is_int,
				      "%s: %s.%s has %u bytes, the schema's kind says %u", b->file, row->type_name,
				      row->name, f->bytes, bytes);
			ck_assert_msg((uint64_t)f->offset + f->bytes <= t->bytes, "%s: %s.%s is outside of its type",
				      b->file, row->type_name, row->name);
		}
		if (!strcmp(pack->implementation, s->name)) {
			ck_assert_msg(pack->n_witnesses > 0, "%s has no witness", b->file);
			ck_assert_msg(pack->version[0] && pack->system[0] && pack->made_by[0],
				      "%s does not say where it is from", b->file);
			n_packs++;
		}
		acc_pack_destroy(&acc_pack_heap, pack);
	}
	ck_assert_msg(n_packs >= 2, "%u packs of %s are compiled in", n_packs, s->name);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("schema");
	TCase *tc = tcase_create("schema");
	tcase_add_test(tc, test_rows_once);
	tcase_add_test(tc, test_rows_fit_together);
	tcase_add_test(tc, test_rows_in_packs);
	tcase_add_test(tc, test_packs_have_class_witnesses);
	tcase_add_test(tc, test_releases_once);
	tcase_add_loop_test(tc, test_packs_of_mpich_and_ucx, 0, sizeof with_devices / sizeof with_devices[0]);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
