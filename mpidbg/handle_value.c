/* SPDX-License-Identifier: BSD-3-Clause */
#include "handle_value.h"

#include "../render/handle_kind.h"
#include "../render/utf8.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

bool mpidbg_number(const char *text, uint64_t *ret)
{
	bool negative = text[0] == '-';
	const char *digits = text + negative;
	char *end;

	if (digits[0] < '0' || digits[0] > '9')
		return false;
	errno = 0;
	uint64_t value = strtoull(digits, &end, digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X') ? 16 : 10);
	if (*end || errno)
		return false;
	*ret = negative ? 0 - value : value;
	return true;
}

static enum acc_rc absent(struct _mqs_process_info *p, enum mdl_handle_kind kind, const char *what)
{
	char text[ACC_NOTE_BYTES], clean[96];
	uint64_t n_dropped = rd_track_count(p->track, kind).n_dropped;

	out_clean(clean, sizeof(clean), what);
	if (!rd_track_count(p->track, kind).known)
		snprintf(text, sizeof(text), "%s: this kind is not recorded in this process", out_handle_words(kind));
	else if (n_dropped)
		snprintf(text, sizeof(text), "no %s is %s; %" PRIu64 " were not recorded for want of room",
			 out_handle_word(kind), clean, n_dropped);
	else
		snprintf(text, sizeof(text), "no %s is %s: mpidbg handles %s lists them", out_handle_word(kind), clean,
			 out_handle_kind(kind));
	return mqs_state_fail(p, ACC_NONE, text);
}

/* A variable that holds a C handle. */
static enum acc_rc find_at(struct _mqs_process_info *p, enum mdl_handle_kind kind, uint64_t addr, const char *what,
			   struct mdl_handle *ret)
{
	uint64_t value;
	char text[96];

	if (acc_read_u(&p->space, addr, rd_track_handle_bytes(p->track, kind), &value)) {
		acc_note(&p->space.note, ACC_EREAD, "0x%" PRIx64 ": %s", addr, acc_rc_text(ACC_EREAD));
		return mqs_state_fail(p, ACC_EREAD, "the handle's variable");
	}
	enum acc_rc rc = rd_track_find(p->track, kind, value, ret);
	if (rc != ACC_NONE)
		return rc;
	snprintf(text, sizeof(text), "0x%" PRIx64 " (the value at %.40s)", value, what + 1);
	return absent(p, kind, text);
}

/* An object of the C++ bindings: query_convert.c says how the handle lies in it. */
static enum acc_rc find_in_object(struct _mqs_process_info *p, enum mdl_handle_kind kind, uint64_t object,
				  const char *what, struct mdl_handle *ret)
{
	uint64_t addr;
	char text[64];

	if (__builtin_add_overflow(object, p->space.sizes.pointer_bytes, &addr)) {
		acc_note(&p->space.note, ACC_EREAD, "0x%" PRIx64 ": %s", object, acc_rc_text(ACC_EREAD));
		return mqs_state_fail(p, ACC_EREAD, "the C++ object");
	}
	snprintf(text, sizeof(text), "?0x%" PRIx64 " in %.30s", addr, what);
	return find_at(p, kind, addr, text, ret);
}

enum acc_rc mpidbg_find_fortran(struct _mqs_process_info *p, enum mdl_handle_kind kind, int64_t fortran,
				struct mdl_handle *ret)
{
	uint64_t handle;

	if (kind != MDL_REQUEST || rd_track_mpi(p->track) != RD_TRACK_OPENMPI)
		return rd_track_find_fortran(p->track, kind, fortran, ret);
	struct acc_note note = p->space.note, message = p->note;
	enum acc_rc rc = p->reader ? ACC_OK : mqs_state_open(p);
	if (!rc)
		rc = rd_request_fortran(p->reader, fortran, &handle);
	p->space.note = note;
	p->note = message;
	return rc ? ACC_NONE : rd_track_find(p->track, kind, handle, ret);
}

enum acc_rc mpidbg_find_value(struct _mqs_process_info *p, enum mdl_handle_kind kind, const char *text,
			      struct mdl_handle *ret)
{
	static const char fortran[] = "fortran:", cxx[] = "cxx:";
	enum acc_rc rc;
	uint64_t value;

	if (text[0] == '@' && mpidbg_number(text + 1, &value))
		return find_at(p, kind, value, text, ret);
	if (!strncmp(text, cxx, sizeof(cxx) - 1) && mpidbg_number(text + sizeof(cxx) - 1, &value))
		return find_in_object(p, kind, value, text, ret);
	if (!strncmp(text, fortran, sizeof(fortran) - 1) && mpidbg_number(text + sizeof(fortran) - 1, &value))
		rc = mpidbg_find_fortran(p, kind, (int64_t)value, ret);
	else if (mpidbg_number(text, &value))
		rc = rd_track_find(p->track, kind, value, ret);
	else
		rc = rd_track_find_name(p->track, kind, text, ret);
	if (rc == ACC_NONE)
		return absent(p, kind, text);
	return rc ? mqs_state_fail(p, rc, out_handle_words(kind)) : ACC_OK;
}
