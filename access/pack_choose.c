/* SPDX-License-Identifier: BSD-3-Clause */
#include "pack_choose.h"

#include <stdio.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

/* The witness with the releases of a pack; NULL: none. */
static const struct acc_pack_witness *version_witness(const struct acc_pack *pack)
{
	for (size_t i = 0; i < pack->n_witnesses; i++)
		if (pack->witnesses[i].kind != ACC_WITNESS_UINT)
			return &pack->witnesses[i];
	return NULL;
}

bool acc_pack_names(const struct acc_pack *pack, const char *version)
{
	const struct acc_pack_witness *w = version_witness(pack);

	return !w || acc_pack_text_agrees(w, version);
}

/* The target's version string, read once: all packs of an implementation use the same symbol. */
struct version {
	const char *symbol;
	bool known;
	char text[64];
};

static const char *target_version(struct acc_space *sp, const struct acc_pack_witness *w, struct version *v)
{
	uint64_t addr;

	if (!v->symbol || strcmp(v->symbol, w->symbol)) {
		v->symbol = w->symbol;
		v->known = !acc_symbol(sp, w->symbol, &addr) && !acc_read_string(sp, addr, v->text, sizeof(v->text));
	}
	return v->known ? v->text : NULL;
}

/* Most packs are for other releases: comparing one string avoids reading thirty numbers. */
static bool other_release(struct acc_space *sp, const struct acc_pack *pack, struct version *v)
{
	const struct acc_pack_witness *w = version_witness(pack);
	const char *text = w ? target_version(sp, w, v) : NULL;

	return text && !acc_pack_text_agrees(w, text);
}

/* Length of the longest common prefix of the target's version and a version in the pack. */
static unsigned likeness_of(struct acc_space *sp, const struct acc_pack *pack, struct version *v)
{
	const struct acc_pack_witness *w = version_witness(pack);
	const char *text = w ? target_version(sp, w, v) : NULL;
	unsigned most = 0;

	for (const char *name = text ? w->text : ""; *name; name += strcspn(name, " "), name += strspn(name, " ")) {
		unsigned n = 0;

		while (text[n] && text[n] == name[n])
			n++;
		if (n > most)
			most = n;
	}
	return most;
}

static bool fits(enum acc_rc rc, const struct acc_witness_result *r)
{
	return rc == ACC_OK || (rc == ACC_EREAD && r->n_agree && !r->n_disagree);
}

/* Is a closer than b? For a pack of another word size or byte order no witness was compared. */
static bool nearer(const struct acc_witness_result *a, unsigned likeness, const struct acc_pack_choice *choice)
{
	const struct acc_witness_result *b = &choice->result;
	bool a_compared = a->n_agree + a->n_disagree > 0, b_compared = b->n_agree + b->n_disagree > 0;

	if (a_compared != b_compared)
		return a_compared;
	if (a->n_disagree != b->n_disagree)
		return a->n_disagree < b->n_disagree;
	if (a->n_agree != b->n_agree)
		return a->n_agree > b->n_agree;
	return likeness > choice->likeness;
}

/* A pack without a row that is needed was damaged, or made for another version of mpidbg. */
static bool lacks_row(const struct acc_pack *pack, const struct acc_schema *schema)
{
	for (unsigned i = 0; schema && i < schema->n_fields; i++)
		if (schema->fields[i].needed &&
		    !acc_pack_field(pack, schema->fields[i].type_name, schema->fields[i].name))
			return true;
	return false;
}

/* Is a pack that fits better than the one that was chosen so far? */
static bool better(const struct acc_witness_result *r, bool lacks, const struct acc_pack_choice *choice)
{
	if (lacks != choice->lacks_row)
		return !lacks;
	return r->n_agree > choice->result.n_agree;
}

static void consider(struct acc_space *sp, const struct acc_pack *pack, const struct acc_schema *schema,
		     const char *version, struct version *v, struct acc_pack_choice *choice)
{
	struct acc_witness_result r;
	bool fit = fits(acc_witness_check(sp, pack, &r), &r);

	if (fit && version && !acc_pack_names(pack, version)) {
		r.n_disagree++;
		snprintf(r.first, sizeof(r.first), "its version is %.40s, the pack is for %.40s", version,
			 pack->version);
		fit = false;
	}
	unsigned likeness = fit ? 0 : likeness_of(sp, pack, v);
	bool lacks = fit && lacks_row(pack, schema);
	if (fit && choice->pack)
		choice->another = better(&r, lacks, choice) ? choice->pack : pack;
	if (choice->pack ? fit && better(&r, lacks, choice) : fit || !choice->nearest || nearer(&r, likeness, choice)) {
		choice->nearest = pack;
		choice->result = r;
		choice->lacks_row = lacks;
		choice->likeness = likeness;
		if (fit)
			choice->pack = pack;
	}
}

void acc_pack_choose(struct acc_space *sp, const struct acc_pack *const *packs, size_t n, const char *implementation,
		     const struct acc_schema *schema, const char *version, struct acc_pack_choice *ret)
{
	struct version v = { 0 };

	memset(ret, 0, sizeof(*ret));
	for (int all = 0; all < 2 && !ret->pack; all++) {
		memset(ret, 0, sizeof(*ret));
		for (size_t i = 0; i < n; i++)
			if (packs[i] && !strcmp(packs[i]->implementation, implementation) &&
			    (all || !other_release(sp, packs[i], &v)))
				consider(sp, packs[i], schema, version, &v, ret);
	}
}
