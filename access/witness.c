/* SPDX-License-Identifier: BSD-3-Clause */
#include "witness.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

/* Maximum length of the target's text that is shown. */
enum { SHOWN_BYTES = 64 };

/* Quote text of a target for a message: truncated, without bytes that affect a terminal. */
static void shown(const char *text, char ret[SHOWN_BYTES])
{
	size_t n = 0;

	for (; n < SHOWN_BYTES - 1 && text[n]; n++)
		ret[n] = text[n] >= ' ' && text[n] <= '~' ? text[n] : '?';
	ret[n] = '\0';
}

enum acc_rc acc_witness_one(struct acc_space *sp, const struct acc_pack_witness *w, char why[ACC_NOTE_BYTES])
{
	uint64_t addr;
	enum acc_rc rc = acc_symbol(sp, w->symbol, &addr);

	if (rc)
		return rc;

	if (w->kind == ACC_WITNESS_UINT) {
		uint64_t value;

		if (__builtin_add_overflow(addr, w->offset, &addr) || acc_read_u(sp, addr, w->width, &value)) {
			snprintf(why, ACC_NOTE_BYTES, "%.100s+%" PRIu32 " cannot be read", w->symbol, w->offset);
			return ACC_EREAD;
		}
		if (value == w->value)
			return ACC_OK;
		snprintf(why, ACC_NOTE_BYTES, "%.100s+%" PRIu32 " is %" PRIu64 ", the pack says %" PRIu64, w->symbol,
			 w->offset, value, w->value);
		return ACC_EWITNESS;
	}

	char text[ACC_PACK_LINE_BYTES_MAX + 1], ours[SHOWN_BYTES], theirs[SHOWN_BYTES];
	if (acc_read_string(sp, addr, text, sizeof(text))) {
		snprintf(why, ACC_NOTE_BYTES, "%.100s cannot be read", w->symbol);
		return ACC_EREAD;
	}
	if (acc_pack_text_agrees(w, text))
		return ACC_OK;
	shown(text, theirs);
	shown(w->text, ours);
	snprintf(why, ACC_NOTE_BYTES, "%.100s is \"%s\", the pack %s \"%s\"", w->symbol, theirs,
		 w->kind == ACC_WITNESS_STRING ? "says" : "is for", ours);
	return ACC_EWITNESS;
}

enum acc_rc acc_witness_check(struct acc_space *sp, const struct acc_pack *pack, struct acc_witness_result *ret)
{
	char unreadable[ACC_NOTE_BYTES] = "";

	memset(ret, 0, sizeof(*ret));
	if (pack->word_bytes != sp->sizes.pointer_bytes || pack->big_endian != sp->big_endian) {
		snprintf(ret->first, sizeof(ret->first),
			 "the process has %u-byte words, %s-endian, the pack is for %u-byte words, %s-endian",
			 sp->sizes.pointer_bytes, sp->big_endian ? "big" : "little", pack->word_bytes,
			 pack->big_endian ? "big" : "little");
		return ACC_EWITNESS;
	}

	for (size_t i = 0; i < pack->n_witnesses; i++) {
		char why[ACC_NOTE_BYTES] = "";

		switch (acc_witness_one(sp, &pack->witnesses[i], why)) {
		case ACC_OK:
			ret->n_agree++;
			break;
		case ACC_ESYMBOL:
			ret->n_absent++;
			break;
		case ACC_EWITNESS:
			if (!ret->n_disagree++)
				memcpy(ret->first, why, sizeof(ret->first));
			break;
		default:
			if (!unreadable[0])
				memcpy(unreadable, why, sizeof(unreadable));
			break;
		}
	}
	if (ret->n_disagree)
		return ACC_EWITNESS;
	if (unreadable[0]) {
		memcpy(ret->first, unreadable, sizeof(ret->first));
		return ACC_EREAD;
	}
	if (ret->n_agree)
		return ACC_OK;
	snprintf(ret->first, sizeof(ret->first), "none of the pack's %zu witnesses is in the process",
		 pack->n_witnesses);
	return ACC_EWITNESS;
}
