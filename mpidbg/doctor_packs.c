/* SPDX-License-Identifier: BSD-3-Clause */
#include "doctor_packs.h"

#include "../access/pack_choose.h"
#include "../render/json.h"
#include "../render/text.h"

#include <inttypes.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

/* Limit of witnesses shown of the closest pack; more are counted. The column is that of doctor.c. */
enum { WITNESSES_SHOWN = 6, COL_VALUE = 26 };

static void label(struct out *o, const char *what)
{
	out_line(o, 1);
	out_text(o, "%s", what);
	out_column(o, COL_VALUE);
}

static bool fits(enum acc_rc rc, const struct acc_witness_result *r)
{
	return rc == ACC_OK || (rc == ACC_EREAD && r->n_agree && !r->n_disagree);
}

static void json_pack(struct out *o, struct acc_space *sp, const struct acc_pack *pack, const char *file)
{
	struct acc_witness_result r;
	bool fit = fits(acc_witness_check(sp, pack, &r), &r);

	out_json_object(o, NULL);
	out_json_string(o, "file", file);
	out_json_string(o, "implementation", pack->implementation);
	out_json_string(o, "version", pack->version);
	out_json_string(o, "system", pack->system);
	out_json_bool(o, "fits", fit);
	out_json_uint(o, "agree", r.n_agree);
	out_json_uint(o, "absent", r.n_absent);
	out_json_uint(o, "disagree", r.n_disagree);
	if (r.first[0])
		out_json_string(o, "first", r.first);
	out_json_object_end(o);
}

static void text_pack(struct out *o, const char *what, const struct acc_pack *pack, const char *file)
{
	label(o, what);
	out_name(o, file, false);
	out_text(o, "  (");
	out_name(o, pack->implementation, false);
	out_text(o, " ");
	out_name(o, pack->version, false);
	out_text(o, ", ");
	out_name(o, pack->system, false);
	out_text(o, ")");
}

static void text_disagreements(struct out *o, struct acc_space *sp, const struct acc_pack *pack,
			       const struct acc_witness_result *r)
{
	unsigned n = 0;

	label(o, "  its witnesses");
	out_text(o, "%u agree, %u are not in this process, %u disagree", r->n_agree, r->n_absent, r->n_disagree);
	if (!r->n_agree && !r->n_disagree) {
		label(o, "  it disagrees");
		out_name(o, r->first, false); /* another word size or byte order */
		return;
	}
	for (size_t i = 0; i < pack->n_witnesses; i++) {
		char why[ACC_NOTE_BYTES];
		enum acc_rc rc = acc_witness_one(sp, &pack->witnesses[i], why);

		if (rc == ACC_OK || rc == ACC_ESYMBOL || n++ >= WITNESSES_SHOWN)
			continue;
		label(o, n == 1 ? "  it disagrees" : "");
		out_name(o, why, false);
	}
	if (n > WITNESSES_SHOWN) {
		label(o, "");
		out_text(o, "and %u more", n - WITNESSES_SHOWN);
	}
}

static size_t index_of(const struct acc_pack_list *list, const struct acc_pack *pack)
{
	size_t i = 0;

	while (i < list->n && list->packs[i] != pack)
		i++;
	return i;
}

/* The pack that describes the MPI library; NULL: none does, or it was refused. */
static const struct acc_pack *used_pack(const struct mpidbg_description *d)
{
	const struct acc_layout *layout = d->p->reader ? rd_layout(d->p->reader) : NULL;

	return layout && layout->schema ? layout->pack : NULL;
}

/* List the packs of one implementation. @return how many */
static size_t text_implementation(struct mpidbg_description *d, const char *implementation)
{
	const struct acc_pack_list *list = &d->p->image->packs;
	struct acc_pack_choice choice;
	size_t n = 0;

	acc_pack_choose(&d->p->space, list->packs, list->n, implementation, NULL, NULL, &choice);
	const struct acc_pack *used = used_pack(d);
	if (used && !strcmp(used->implementation, implementation) && choice.pack != used) {
		choice.another = choice.pack;
		choice.pack = used;
	}
	if (choice.pack) {
		text_pack(&d->o, "layout pack", choice.pack, list->files[index_of(list, choice.pack)]);
		n++;
		if (choice.another) {
			text_pack(&d->o, "  fits as well", choice.another, list->files[index_of(list, choice.another)]);
			n++;
		}
	} else if (choice.nearest && (choice.result.n_agree || choice.result.n_disagree)) {
		text_pack(&d->o, "nearest layout pack", choice.nearest, list->files[index_of(list, choice.nearest)]);
		text_disagreements(&d->o, &d->p->space, choice.nearest, &choice.result);
		n++;
	}
	return n;
}

/* Those that have a reader: the names of their schemas. A pack for anything else is never used. */
static const char *const implementations[] = { "openmpi", "mpich", "ucx", "python" };

void mpidbg_write_packs(struct mpidbg_description *d)
{
	const struct acc_pack_list *list = &d->p->image->packs;
	size_t n_shown = 0;

	if (d->o.json)
		out_json_array(&d->o, "packs");
	for (size_t i = 0; d->o.json && i < list->n; i++)
		json_pack(&d->o, &d->p->space, list->packs[i], list->files[i]);
	for (size_t i = 0; !d->o.json && i < sizeof(implementations) / sizeof(implementations[0]); i++)
		n_shown += text_implementation(d, implementations[i]);
	if (d->o.json) {
		out_json_array_end(&d->o);
	} else if (list->n > n_shown) {
		label(&d->o, n_shown ? "other layout packs" : "layout packs");
		out_text(&d->o, "%zu, for other libraries, releases or machines (mpidbg layout list)",
			 list->n - n_shown);
		out_line_end(&d->o);
	}
	if (list->n_skipped == 1)
		mpidbg_problem(d, "a layout pack was skipped: %s", d->p->image->packs_note.text);
	else if (list->n_skipped)
		mpidbg_problem(d, "%zu layout packs were skipped, the first: %s", list->n_skipped,
			       d->p->image->packs_note.text);
}
