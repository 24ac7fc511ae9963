/* SPDX-License-Identifier: BSD-3-Clause */
#include "rc.h"

#include "quote.h"

#include <stdarg.h>
#include <stdio.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

const char *acc_rc_text(enum acc_rc rc)
{
	static const char *const texts[ACC_N_RC] = {
		[ACC_OK] = "ok",
		[ACC_NONE] = "nothing there",
		[ACC_EREAD] = "cannot be read",
		[ACC_ECORRUPT] = "makes no sense",
		[ACC_EFIELD] = "no source describes it",
		[ACC_ESYMBOL] = "no such symbol",
		[ACC_EWITNESS] = "the layout does not match this process",
		[ACC_ELIMIT] = "longer than a limit",
		[ACC_ENOMEM] = "out of memory",
		[ACC_EINVAL] = "wrong argument",
	};

	if ((unsigned)rc >= ACC_N_RC)
		return "unknown failure";
	return texts[rc];
}

void acc_note_clear(struct acc_note *note)
{
	if (!note)
		return;
	note->rc = ACC_OK;
	note->text[0] = '\0';
}

enum acc_rc acc_note(struct acc_note *note, enum acc_rc rc, const char *format, ...)
{
	if (!note || rc == ACC_OK || rc == ACC_NONE || note->rc != ACC_OK)
		return rc;

	char text[ACC_NOTE_BYTES];
	va_list args;
	va_start(args, format);
	bool ok = vsnprintf(text, sizeof(text), format, args) >= 0;

	acc_quote(note->text, sizeof(note->text), ok ? text : "");
	va_end(args);
	note->rc = rc;
	return rc;
}
