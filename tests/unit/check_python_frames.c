/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Python frames of a process that does not exist, for each layout pack: what is right, and what a damaged or hostile
 * memory can hold. A frame is read as it is or is unavailable with a reason; every walk ends.
 */
#include "../../readers/python/python.h"
#include "../support/fake_python.h"
#include "../support/suite.h"

#include <check.h>
#include <string.h>

static struct fake_python *p;
static struct acc_space sp;
static struct rd_python *reader;
static struct mdl_python_frame *frames;
static size_t n_frames;
static char why[ACC_NOTE_BYTES];

static enum acc_rc open_it(void)
{
	const struct acc_pack *const packs[] = { p->pack };
	const struct rd_packs list = { packs, 1 };

	why[0] = '\0';
	reader = NULL;
	return rd_python_open(&sp, &list, why, &reader);
}

static void start(size_t pack)
{
	p = fake_python_create(pack);
	ck_assert_int_eq(fake_space(p->f, &sp), ACC_OK);
	ck_assert_msg(open_it() == ACC_OK, "%s: %s", fake_python_pack_name(pack), why);
}

static void release(void)
{
	rd_python_free(&sp, frames, n_frames);
	frames = NULL;
	n_frames = 0;
}

static void finish(void)
{
	release();
	rd_python_close(reader);
	acc_space_deinit(&sp);
	fake_python_destroy(p);
}

static void look(void)
{
	release();
	ck_assert_int_eq(rd_python_frames(reader, FAKE_PYTHON_TID, &frames, &n_frames), ACC_OK);
}

static bool is_right(size_t i)
{
	static const char *const names[] = { "f0", "f1", "f2" };
	const struct mdl_python_frame *f = &frames[i];

	return i < FAKE_PYTHON_FRAMES && f->function && strcmp(f->function, names[i]) == 0 &&
	       strcmp(f->file, "/x/prog.py") == 0 && (f->line == (int64_t)(10 * (i + 1) + i) || (!f->line && f->why));
}

/* This number of valid frames, followed by an unavailable one whose reason contains this text. */
static void unavailable_after(size_t n, const char *words)
{
	look();
	ck_assert_uint_eq(n_frames, n + 1);
	for (size_t i = 0; i < n; i++)
		ck_assert(is_right(i));
	ck_assert_ptr_null(frames[n].function);
	ck_assert_msg(strstr(frames[n].why, words) != NULL, "%s", frames[n].why);
	ck_assert(frames[n].entry);
}

START_TEST(test_right)
{
	start((size_t)_i);
	look();
	ck_assert_uint_eq(n_frames, FAKE_PYTHON_FRAMES);
	for (size_t i = 0; i < n_frames; i++) {
		ck_assert(is_right(i) && frames[i].line);
		ck_assert_ptr_null(frames[i].why);
	}
	ck_assert(frames[1].entry && frames[2].entry);
	/* before 3.11 each has the loop to itself */
	ck_assert_int_eq(frames[0].entry, p->frame_code == PYF_py_frame_object_f_code);
	release();
	ck_assert_int_eq(rd_python_frames(reader, 1, &frames, &n_frames), ACC_OK);
	ck_assert_uint_eq(n_frames, 0);
	ck_assert(!sp.note.rc);
	finish();
}
END_TEST

static void name_is(unsigned width, const uint32_t *characters, size_t n, const char *utf8)
{
	uint64_t text = fake_python_text(p, width, false, characters, n);

	fake_put_u(p->f, p->codes[0], p->code_name, text);
	look();
	ck_assert_uint_eq(n_frames, FAKE_PYTHON_FRAMES);
	ck_assert_str_eq(frames[0].function, utf8);
	ck_assert_int_eq(frames[0].line, 10);
}

START_TEST(test_texts)
{
	start((size_t)_i);
	name_is(1, (const uint32_t[]){ 'g', 0xf6 }, 2, "g\xc3\xb6");
	name_is(2, (const uint32_t[]){ 0x3b1, 0x20ac }, 2, "\xce\xb1\xe2\x82\xac");
	name_is(4, (const uint32_t[]){ 0x1d4d0, 'x' }, 2, "\xf0\x9d\x93\x90x");
	/* a byte of a file name that is no UTF-8; half a pair; more than Unicode has; NUL */
	name_is(2, (const uint32_t[]){ 0xdcff, 0xd800, 0 }, 3, "\xff\xef\xbf\xbd\xef\xbf\xbd");
	name_is(4, (const uint32_t[]){ 0x110000, 0xffffffff }, 2, "\xef\xbf\xbd\xef\xbf\xbd");
	name_is(1, NULL, 0, "");
	finish();
}
END_TEST

START_TEST(test_bad_texts)
{
	start((size_t)_i);
	fake_python_set_text(p, p->names[1], 1, true, true, UINT64_C(1) << 62);
	unavailable_after(1, "more than 4096 characters");
	fake_python_set_text(p, p->names[1], 1, true, true, UINT64_MAX);
	unavailable_after(1, "more than 4096 characters");
	fake_python_set_text(p, p->names[1], 1, true, true, 4000); /* fewer follow it */
	look();
	ck_assert(n_frames == 2 || n_frames == FAKE_PYTHON_FRAMES);
	fake_python_set_text(p, p->names[1], 3, true, true, 2);
	unavailable_after(1, "a kind that is not known");
	fake_python_set_text(p, p->names[1], 1, false, true, 2);
	unavailable_after(1, "a kind that is not known");
	fake_put_u(p->f, p->codes[1], p->code_name, p->tables[1]);
	unavailable_after(1, "no text");
	fake_put_u(p->f, p->codes[1], p->code_name, 0);
	unavailable_after(1, "no text");
	fake_put_u(p->f, p->codes[0], PYF_py_code_co_filename, 8);
	unavailable_after(0, "no text");
	finish();
}
END_TEST

START_TEST(test_bad_frames)
{
	start((size_t)_i);
	fake_put_u(p->f, p->frames[2], p->frame_previous, p->frames[0]);
	look();
	ck_assert_uint_ge(n_frames, FAKE_PYTHON_FRAMES + 1);
	ck_assert_uint_le(n_frames, 8 * FAKE_PYTHON_FRAMES);
	ck_assert_ptr_null(frames[n_frames - 1].function);
	ck_assert_ptr_nonnull(strstr(frames[n_frames - 1].why, "in a circle"));
	fake_put_u(p->f, p->frames[2], p->frame_previous, UINT64_C(0x7000000000));
	unavailable_after(FAKE_PYTHON_FRAMES, "cannot be read");
	fake_put_u(p->f, p->frames[2], p->frame_previous, 3);
	unavailable_after(FAKE_PYTHON_FRAMES, "no address");
	fake_put_u(p->f, p->frames[1], p->frame_code, p->names[1]);
	unavailable_after(1, "code object is invalid");
	fake_put_u(p->f, p->frames[1], p->frame_code, 0);
	unavailable_after(1, "code object is invalid");
	finish();
}
END_TEST

START_TEST(test_bad_lines)
{
	start((size_t)_i);
	fake_put_u(p->f, p->tables[0], PYF_py_bytes_ob_size, UINT64_C(1) << 40);
	look();
	ck_assert_uint_eq(n_frames, FAKE_PYTHON_FRAMES);
	ck_assert_int_eq(frames[0].line, 0);
	ck_assert_ptr_nonnull(strstr(frames[0].why, "too long"));
	ck_assert_str_eq(frames[0].function, "f0");
	fake_put_u(p->f, p->tables[0], PYF_py_object_ob_type, p->text_type);
	look();
	ck_assert_int_eq(frames[0].line, 0);
	ck_assert_ptr_nonnull(strstr(frames[0].why, "cannot be read"));
	ck_assert(is_right(1) && is_right(2));
	finish();
}
END_TEST

START_TEST(test_bad_threads)
{
	start((size_t)_i);
	/* a circle of interpreters, of threads: the one that is looked for is not in it */
	fake_put_u(p->f, p->interpreter, PYF_py_interpreter_next, p->interpreter);
	fake_put_u(p->f, p->thread, PYF_py_thread_next, p->thread);
	ck_assert_int_eq(rd_python_frames(reader, 1, &frames, &n_frames), ACC_OK);
	ck_assert_uint_eq(n_frames, 0);
	look();
	ck_assert_uint_eq(n_frames, FAKE_PYTHON_FRAMES);
	fake_put_u(p->f, p->interpreter, PYF_py_interpreter_threads_head, 12345);
	look();
	ck_assert_uint_eq(n_frames, 0);
	finish();
}
END_TEST

/* The nth read fails: everything shown is correct, and missing parts are reported. */
START_TEST(test_reads_fail)
{
	start((size_t)_i);
	for (int64_t n = 0;; n++) {
		fake_fuse(&p->f->reads, n, n % 2);
		release();
		rd_python_frames(reader, FAKE_PYTHON_TID, &frames, &n_frames);
		bool done = !p->f->reads.n_failed;
		fake_fuse_off(&p->f->reads);
		for (size_t i = 0; i < n_frames; i++)
			ck_assert(is_right(i) || (!frames[i].function && frames[i].why && i + 1 == n_frames));
		if (done)
			break;
	}
	ck_assert_uint_eq(n_frames, FAKE_PYTHON_FRAMES);
	finish();
}
END_TEST

START_TEST(test_memory_fails)
{
	start((size_t)_i);
	for (int64_t n = 0;; n++) {
		fake_fuse(&p->f->allocs, n, true);
		release();
		rd_python_frames(reader, FAKE_PYTHON_TID, &frames, &n_frames);
		rd_python_close(reader);
		enum acc_rc rc = open_it();
		bool done = !p->f->allocs.n_failed;
		fake_fuse_off(&p->f->allocs);
		if (rc) {
			ck_assert_ptr_null(reader);
			ck_assert_str_ne(why, "");
			ck_assert_int_eq(open_it(), ACC_OK);
		}
		if (done)
			break;
	}
	finish();
}
END_TEST

START_TEST(test_witness)
{
	start((size_t)_i);
	rd_python_close(reader);
	uint64_t addr = 0;
	for (size_t i = 0; i < p->pack->n_witnesses; i++) {
		const struct acc_pack_witness *w = &p->pack->witnesses[i];
		ck_assert_int_eq(acc_symbol(&sp, w->symbol, &addr), ACC_OK);
		fake_write_u(p->f, addr + w->offset, w->width, w->value ^ 1);
		ck_assert_int_eq(open_it(), ACC_EWITNESS);
		ck_assert_msg(strstr(why, "no layout pack fits; the nearest is for 3.") != NULL, "%s", why);
		fake_write_u(p->f, addr + w->offset, w->width, w->value);
	}
	fake_symbol_remove(p->f, "PyCode_Type");
	ck_assert_int_ne(open_it(), ACC_OK);
	fake_symbol_remove(p->f, "_PyRuntime");
	ck_assert_int_eq(open_it(), ACC_ESYMBOL);
	fake_symbol_remove(p->f, "PyFrame_Type");
	ck_assert_int_eq(open_it(), ACC_NONE);
	reader = NULL;
	finish();
}
END_TEST

/* An interpreter's description is input like any other: a huge or a senseless offset is no layout. */
START_TEST(test_description)
{
	start((size_t)_i);
	for (size_t i = 0; i < p->pack->n_fields; i++) {
		const struct acc_pack_field *f = &p->pack->fields[i];
		if (strcmp(f->type, "_Py_DebugOffsets") != 0)
			continue;
		uint64_t was = fake_peek_u(p->f, p->runtime + f->offset, 8);
		rd_python_close(reader);
		fake_write_u(p->f, p->runtime + f->offset, 8, UINT64_C(1) << 60);
		if (open_it() == ACC_OK) { /* a size, or a field that not all have */
			look();
			ck_assert_uint_le(n_frames, FAKE_PYTHON_FRAMES + 1);
		}
		release();
		rd_python_close(reader);
		fake_write_u(p->f, p->runtime + f->offset, 8, was);
		ck_assert_int_eq(open_it(), ACC_OK);
	}
	finish();
}
END_TEST

int main(void)
{
	Suite *s = suite_create("python frames");
	TCase *tc = tcase_create("frames");
	int n = (int)fake_python_packs();

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, test_right, 0, n);
	tcase_add_loop_test(tc, test_texts, 0, n);
	tcase_add_loop_test(tc, test_bad_texts, 0, n);
	tcase_add_loop_test(tc, test_bad_frames, 0, n);
	tcase_add_loop_test(tc, test_bad_lines, 0, n);
	tcase_add_loop_test(tc, test_bad_threads, 0, n);
	tcase_add_loop_test(tc, test_reads_fail, 0, n);
	tcase_add_loop_test(tc, test_memory_fails, 0, n);
	tcase_add_loop_test(tc, test_witness, 0, n);
	tcase_add_loop_test(tc, test_description, 0, n);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
