/* SPDX-License-Identifier: BSD-3-Clause */
/* access/rc.c: texts of results, and the note of the first failure. */
#include "../../access/rc.h"
#include "../support/suite.h"

#include <check.h>
#include <string.h>

START_TEST(test_texts)
{
	for (int rc = 0; rc < ACC_N_RC; rc++) {
		const char *text = acc_rc_text(rc);

		ck_assert_ptr_nonnull(text);
		ck_assert_msg(*text, "code %d has no text", rc);
		for (int other = 0; other < rc; other++)
			ck_assert_str_ne(text, acc_rc_text(other));
	}
	ck_assert_str_eq(acc_rc_text(ACC_N_RC), "unknown failure");
	ck_assert_str_eq(acc_rc_text((enum acc_rc) - 1), "unknown failure");
}
END_TEST

START_TEST(test_first_wins)
{
	struct acc_note note = { .rc = ACC_OK };

	ck_assert_int_eq(acc_note(&note, ACC_EREAD, "%s at 0x%x", "comm", 16), ACC_EREAD);
	ck_assert_int_eq(acc_note(&note, ACC_ENOMEM, "second"), ACC_ENOMEM);
	ck_assert_int_eq(note.rc, ACC_EREAD);
	ck_assert_str_eq(note.text, "comm at 0x10");
	acc_note_clear(&note);
	ck_assert_int_eq(note.rc, ACC_OK);
	ck_assert_str_eq(note.text, "");
	ck_assert_int_eq(acc_note(&note, ACC_ENOMEM, "third"), ACC_ENOMEM);
	ck_assert_str_eq(note.text, "third");
}
END_TEST

START_TEST(test_no_failure_is_not_noted)
{
	struct acc_note note = { .rc = ACC_OK };

	ck_assert_int_eq(acc_note(&note, ACC_OK, "x"), ACC_OK);
	ck_assert_int_eq(acc_note(&note, ACC_NONE, "x"), ACC_NONE);
	ck_assert_int_eq(note.rc, ACC_OK);
	ck_assert_str_eq(note.text, "");
	ck_assert_int_eq(acc_note(NULL, ACC_EREAD, "nobody listens"), ACC_EREAD);
	acc_note_clear(NULL);
}
END_TEST

START_TEST(test_long_text_is_cut)
{
	struct {
		struct acc_note note;
		char behind[16];
	} n = { .behind = "untouched" };
	char text[1000];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	acc_note(&n.note, ACC_EREAD, "%s", text);
	ck_assert_uint_eq(strlen(n.note.text), ACC_NOTE_BYTES - 1);
	ck_assert_str_eq(n.behind, "untouched");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("rc");
	TCase *tc = tcase_create("rc");

	tcase_add_test(tc, test_texts);
	tcase_add_test(tc, test_first_wins);
	tcase_add_test(tc, test_no_failure_is_not_noted);
	tcase_add_test(tc, test_long_text_is_cut);
	suite_add_tcase(suite, tc);

	return suite_run(suite);
}
