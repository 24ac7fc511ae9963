/* SPDX-License-Identifier: BSD-3-Clause */
#include "transfer_args.h"

#include "references.h"

#include "../render/fact.h"
#include "../render/text.h"

#pragma GCC poison assert abort exit printf fprintf malloc free

/* Names of the facts for each enum mdl_second_side, and the text in a line. */
static const struct {
	const char *buffer, *count, *datatype, *word;
} sides[] = {
	[MDL_SECOND_RECEIVED] = { "receive_buffer", "receive_count", "receive_datatype", "receiving " },
	[MDL_SECOND_SENT] = { "send_buffer", "send_count", "send_datatype", "sending " },
	[MDL_SECOND_AT_TARGET] = { "target_displacement", "target_count", "target_datatype", "at the target " },
};

static bool alike(struct mdl_num a, struct mdl_num b)
{
	return a.known == b.known && a.value == b.value;
}

/* @param before ", "; @param word "receiving "; "": none */
static void data(struct mpidbg_description *d, const char *before, const char *word, struct mdl_num count,
		 struct mdl_num datatype)
{
	struct out *o = &d->o;
	bool named = datatype.known == MDL_KNOWN;

	if (count.known == MDL_NOT_APPLICABLE)
		return;
	out_text(o, "%s%s", before, word);
	if (count.known == MDL_KNOWN)
		out_num(o, count);
	else
		out_text(o, "%s", count.why);
	if (named)
		mpidbg_summary_name(d, count.known == MDL_KNOWN ? " x " : " of ", MDL_DATATYPE, datatype);
	else if (count.known == MDL_KNOWN)
		out_text(o, count.value == 1 ? " element" : " elements");
}

void mpidbg_transfer_words(struct mpidbg_description *d, const char *before, struct mdl_num count,
			   struct mdl_num datatype, const struct mdl_second *second)
{
	bool both = count.known != MDL_NOT_APPLICABLE;

	data(d, before, "", count, datatype);
	if (second->side == MDL_SECOND_NONE ||
	    (both && alike(count, second->count) && alike(datatype, second->datatype)))
		return;
	data(d, both ? ", " : before, sides[second->side].word, second->count, second->datatype);
}

void mpidbg_transfer_facts(struct mpidbg_description *d, const struct mdl_second *second)
{
	struct out *o = &d->o;

	if (second->side == MDL_SECOND_NONE)
		return;
	out_fact_num(o, sides[second->side].count, second->count);
	mpidbg_ref_fact(d, sides[second->side].datatype, MDL_DATATYPE, second->datatype, second->datatype_id);
	if (second->side == MDL_SECOND_AT_TARGET)
		out_fact_num(o, sides[second->side].buffer, second->buffer);
	else
		out_fact_handle(o, sides[second->side].buffer, second->buffer,
				rd_track_buffer_name(d->p->track, second->buffer));
}
