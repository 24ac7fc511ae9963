/* SPDX-License-Identifier: BSD-3-Clause */
#include "handle_value.h"

#include "../render/handle_kind.h"
#include "../access/quote.h"

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

/* The object that the user has specified: text for messages, and the search key, a name or otherwise a value. */
struct meant {
	const char *words; /* "0x5", "0x5 (the value at 0x7f..)", "MPI_INT" */
	const char *name;  /* NULL: none */
	uint64_t value;
};

enum { KEYVALS_MIN = 4096 };

/*
 * Search for an object of another kind with this value, live
 * objects first. @return the kind, or MDL_N_HANDLE_KINDS: none
 */
static enum mdl_handle_kind other_kind(struct _mqs_process_info *p, enum mdl_handle_kind kind, const struct meant *m,
				       struct mdl_handle *ret)
{
	struct acc_note note = p->space.note;
	enum mdl_handle_kind found = MDL_N_HANDLE_KINDS;
	struct mdl_handle h;

	for (int k = 0; k < MDL_N_HANDLE_KINDS; k++) {
		enum mdl_handle_kind other = (enum mdl_handle_kind)k;
		/* keyvals of Open MPI are small numbers, which are likely meant for another kind */
		bool skip = other == kind || (other == MDL_KEYVAL && !m->name && m->value < KEYVALS_MIN);
		enum acc_rc rc = skip      ? ACC_NONE
				 : m->name ? rd_track_find_name(p->track, other, m->name, &h)
					   : rd_track_find(p->track, other, m->value, &h);
		if (rc || (found != MDL_N_HANDLE_KINDS && h.life != MDL_LIVE))
			continue;
		found = other;
		*ret = h;
		if (h.life == MDL_LIVE)
			break;
	}
	p->space.note = note;
	return found;
}

static enum acc_rc absent(struct _mqs_process_info *p, enum mdl_handle_kind kind, const struct meant *m)
{
	char text[ACC_NOTE_BYTES], clean[96], value[96];
	struct mdl_handle_count about = rd_track_count(p->track, kind);
	enum mdl_handle_kind other = MDL_N_HANDLE_KINDS;
	struct mdl_handle h;

	acc_clean(clean, sizeof(clean), m->words);
	if (m->name || m->value)
		other = other_kind(p, kind, m, &h);
	/* do not suggest a freed object if the intended one may not have been recorded */
	if (other != MDL_N_HANDLE_KINDS && (h.life == MDL_LIVE || !about.n_dropped)) {
		const char *quote = m->name && strpbrk(m->name, " \t") ? "\"" : "", *kind_word = out_handle_word(other);

		if (m->name)
			acc_clean(value, sizeof(value), m->name);
		else
			snprintf(value, sizeof(value), "0x%" PRIx64, m->value);
		snprintf(text, sizeof(text), "%s is no %s but %s %s%s: mpidbg print %s %s%s%s", clean,
			 out_handle_word(kind), strchr("aeiou", kind_word[0]) && h.life == MDL_LIVE ? "an" : "a",
			 h.life == MDL_LIVE ? "" : "freed ", kind_word, out_handle_kind(other), quote, value, quote);
	} else if (!about.known && rd_track_library(p->track)->state == MDL_BEFORE_INIT)
		snprintf(text, sizeof(text), "%s are not known before MPI_Init has returned", out_handle_words(kind));
	else if (!about.known)
		snprintf(text, sizeof(text), "%s: %s", out_handle_words(kind),
			 rd_track_lacks(p->track, kind) ? rd_track_lacks(p->track, kind)
							: "this kind is not recorded in this process");
	else if (rd_track_lacks(p->track, kind)) {
		snprintf(text, sizeof(text), "no %s is %s; %s: incomplete: %s", out_handle_word(kind), clean,
			 out_handle_words(kind), rd_track_lacks(p->track, kind));
		return mqs_state_fail(p, ACC_ECORRUPT, text);
	} else if (about.n_dropped)
		snprintf(text, sizeof(text), "no %s is %s; %" PRIu64 " were not recorded because there was no space",
			 out_handle_word(kind), clean, about.n_dropped);
	else if (!m->name && rd_track_absent(p->track, kind, m->value))
		snprintf(text, sizeof(text), "no %s is %s: %s", out_handle_word(kind), clean,
			 rd_track_absent(p->track, kind, m->value));
	else
		snprintf(text, sizeof(text), "no %s is %s: mpidbg handles %s lists them", out_handle_word(kind), clean,
			 out_handle_kind(kind));
	return mqs_state_fail(p, ACC_NONE, text);
}

enum acc_rc mpidbg_read_handle(struct _mqs_process_info *p, uint64_t addr, unsigned bytes, uint64_t *ret)
{
	if (!acc_read_u(&p->space, addr, bytes, ret))
		return ACC_OK;
	acc_note(&p->space.note, ACC_EREAD, "0x%" PRIx64 ": %s", addr, acc_rc_text(ACC_EREAD));
	return mqs_state_fail(p, ACC_EREAD, "the handle's variable");
}

enum acc_rc mpidbg_read_fortran_handle(struct _mqs_process_info *p, uint64_t addr, uint64_t *ret)
{
	enum acc_rc rc = mpidbg_read_handle(p, addr, 4, ret);

	if (!rc)
		*ret = (uint64_t)(int64_t)(int32_t)(uint32_t)*ret;
	return rc;
}

enum acc_rc mpidbg_handle_in_object(struct _mqs_process_info *p, uint64_t object, uint64_t *ret)
{
	if (!__builtin_add_overflow(object, p->space.sizes.pointer_bytes, ret))
		return ACC_OK;
	acc_note(&p->space.note, ACC_EREAD, "0x%" PRIx64 ": %s", object, acc_rc_text(ACC_EREAD));
	return mqs_state_fail(p, ACC_EREAD, "the C++ object");
}

/* Read a variable that contains a C handle. */
static enum acc_rc find_at(struct _mqs_process_info *p, enum mdl_handle_kind kind, uint64_t addr, const char *what,
			   struct mdl_handle *ret)
{
	uint64_t value;
	char text[96];
	enum acc_rc rc = mpidbg_read_handle(p, addr, rd_track_handle_bytes(p->track, kind), &value);

	if (rc)
		return rc;
	rc = rd_track_find(p->track, kind, value, ret);
	if (rc != ACC_NONE)
		return rc;
	snprintf(text, sizeof(text), "0x%" PRIx64 " (the value at %.40s)", value, what + 1);
	return absent(p, kind, &(struct meant){ .words = text, .value = value });
}

/* Read an object of the C++ bindings. */
static enum acc_rc find_in_object(struct _mqs_process_info *p, enum mdl_handle_kind kind, uint64_t object,
				  const char *what, struct mdl_handle *ret)
{
	uint64_t addr;
	char text[64];
	enum acc_rc rc = mpidbg_handle_in_object(p, object, &addr);

	if (rc)
		return rc;
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
		rc = rd_handle_fortran(p->reader, kind, fortran, &handle);
	p->space.note = note;
	p->note = message;
	return rc ? ACC_NONE : rd_track_find(p->track, kind, handle, ret);
}

static const char at[] = "@", number_of[] = "#", fortran[] = "fortran:", cxx[] = "cxx:";

/* The part of a string after @p prefix; NULL: it has no such prefix. */
static const char *behind(const char *text, const char *prefix)
{
	size_t n = strlen(prefix);

	return strncmp(text, prefix, n) ? NULL : text + n;
}

/* Is it a malformed number: "0x", "0xfg", or too many digits? "2d grid" is a name. */
static bool is_broken_number(const char *text)
{
	const char *digits = text + (text[0] == '-');
	uint64_t value;

	if (mpidbg_number(text, &value))
		return false;
	return behind(digits, "0x") || behind(digits, "0X") ||
	       (*digits && digits[strspn(digits, "0123456789")] == '\0');
}

enum acc_rc mpidbg_check_value(struct _mqs_process_info *p, const char *text)
{
	static const char *const prefixes[] = { at, number_of, fortran, cxx };
	char words[ACC_NOTE_BYTES], clean[96];
	bool broken = !*text || is_broken_number(text);
	uint64_t value;

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		const char *number = behind(text, prefixes[i]);

		if (number && prefixes[i] == fortran && number[0] == '@')
			number++;
		broken |= number && !mpidbg_number(number, &value);
	}
	if (!broken)
		return ACC_OK;
	acc_clean(clean, sizeof(clean), text);
	snprintf(words, sizeof(words),
		 "\"%s\" is no value: give a number (5, 0x44000000), a name (MPI_COMM_WORLD), #N (an object's number), "
		 "fortran:N, @ADDRESS, fortran:@ADDRESS or cxx:ADDRESS",
		 clean);
	mqs_state_fail(p, ACC_NONE, words); /* stores only the text */
	return ACC_EINVAL;
}

enum acc_rc mpidbg_find_value(struct _mqs_process_info *p, enum mdl_handle_kind kind, const char *text,
			      struct mdl_handle *ret)
{
	struct meant m = { .words = text };
	const char *number;
	enum acc_rc rc = mpidbg_check_value(p, text);
	uint64_t value;

	if (rc)
		return rc;
	if ((number = behind(text, at)) && mpidbg_number(number, &value))
		return find_at(p, kind, value, text, ret);
	if ((number = behind(text, number_of)) && mpidbg_number(number, &value)) {
		rc = rd_track_find_id(p->track, kind, value, ret);
		if (rc == ACC_NONE)
			return absent(p, kind, &m);
		return rc ? mqs_state_fail(p, rc, out_handle_words(kind)) : ACC_OK;
	}
	if ((number = behind(text, cxx)) && mpidbg_number(number, &value))
		return find_in_object(p, kind, value, text, ret);
	if ((number = behind(text, fortran)) && number[0] == '@' && mpidbg_number(number + 1, &value)) {
		rc = mpidbg_read_fortran_handle(p, value, &value);
		if (rc)
			return rc;
		rc = mpidbg_find_fortran(p, kind, (int64_t)value, ret);
		rd_track_fortran_handle(p->track, (int64_t)value, &m.value);
	} else if ((number = behind(text, fortran)) && mpidbg_number(number, &value)) {
		rc = mpidbg_find_fortran(p, kind, (int64_t)value, ret);
		/* in Open MPI it is an index, separate for each kind */
		rd_track_fortran_handle(p->track, (int64_t)value, &m.value);
	} else if (mpidbg_number(text, &m.value)) {
		rc = rd_track_find(p->track, kind, m.value, ret);
	} else {
		m.name = text;
		rc = rd_track_find_name(p->track, kind, text, ret);
	}
	if (rc == ACC_NONE)
		return absent(p, kind, &m);
	return rc ? mqs_state_fail(p, rc, out_handle_words(kind)) : ACC_OK;
}
