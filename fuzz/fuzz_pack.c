/* SPDX-License-Identifier: BSD-3-Clause */
/* The text of a layout pack: it may come from a folder that $MPIDBG_LAYOUTS names. */
#include "fuzz.h"

#include "../access/pack.h"

#include <stdlib.h>
#include <string.h>

static size_t n_live;

static void *alloc(void *ctx, size_t n)
{
	(void)ctx;
	void *p = malloc(n);
	n_live += p != NULL;
	return p;
}

static void release(void *ctx, void *p)
{
	(void)ctx;
	FUZZ_MUST(p);
	n_live--;
	free(p);
}

static void *no_memory(void *ctx, size_t n)
{
	(void)ctx;
	(void)n;
	return NULL;
}

/** Conditions that hold for every accepted pack, so that its users need not check them. */
static void check(const struct acc_pack *pack)
{
	FUZZ_MUST(pack->implementation && pack->version && pack->system && pack->made_by);
	FUZZ_MUST(pack->word_bytes == 4 || pack->word_bytes == 8);
	for (size_t i = 0; i < pack->n_types; i++) {
		const struct acc_pack_type *t = &pack->types[i];
		FUZZ_MUST(t->name[0]);
		FUZZ_MUST(i == 0 || strcmp(pack->types[i - 1].name, t->name) < 0);
		FUZZ_MUST(acc_pack_type(pack, t->name) == t);
	}
	for (size_t i = 0; i < pack->n_fields; i++) {
		const struct acc_pack_field *f = &pack->fields[i];
		FUZZ_MUST(f->type[0] && f->name[0]);
		FUZZ_MUST(acc_pack_field(pack, f->type, f->name) == f);
	}
	for (size_t i = 0; i < pack->n_witnesses; i++) {
		const struct acc_pack_witness *w = &pack->witnesses[i];
		FUZZ_MUST(w->symbol && w->symbol[0]);
		if (w->kind == ACC_WITNESS_UINT)
			FUZZ_MUST(w->width >= 1 && w->width <= 8);
		else
			FUZZ_MUST(w->text);
	}
	FUZZ_MUST(!acc_pack_type(pack, "no_such_type_t"));
	FUZZ_MUST(!acc_pack_field(pack, "no_such_type_t", "no_such_field"));
}

int fuzz_pack(const uint8_t *data, size_t n)
{
	const struct acc_pack_alloc heap = { alloc, release, NULL }, none = { no_memory, release, NULL };
	struct acc_pack *const untouched = (struct acc_pack *)&n_live;
	struct acc_pack *pack = untouched;
	struct acc_note note = { 0 };

	/* A copy of the exact size, so that the sanitizer detects reading beyond the end. */
	char *text = malloc(n ? n : 1);
	FUZZ_MUST(text);
	memcpy(text, data, n);
	enum acc_rc rc = acc_pack_parse(&heap, text, n, &note, &pack);
	FUZZ_MUST(rc == ACC_OK || rc == ACC_ECORRUPT);
	if (rc == ACC_OK) {
		memset(text, 'x', n); /* the pack does not refer to it */
		check(pack);
		acc_pack_destroy(&heap, pack);
	} else {
		FUZZ_MUST(pack == untouched);
		FUZZ_MUST(note.rc == rc && note.text[0] && memchr(note.text, '\0', sizeof(note.text)));
	}
	FUZZ_MUST(n_live == 0);

	memcpy(text, data, n);
	pack = untouched;
	acc_note_clear(&note);
	rc = acc_pack_parse(&none, text, n, &note, &pack);
	FUZZ_MUST(rc != ACC_OK && pack == untouched);
	free(text);
	return 0;
}
