/* SPDX-License-Identifier: BSD-3-Clause */
/* readers/mpich/version.c: the version of an MPICH that hides it, from the code that prints it. */
#include "../../readers/mpich/mpich.h"
#include "../support/fake.h"
#include "../support/suite.h"

#include <check.h>
#include <string.h>

enum { CODE_ADDR = 0x400000, CALLED_ADDR = 0x402000, TEXTS_ADDR = 0x500000, CODE_BYTES = 0x1000 };

struct library {
	struct fake *f;
	struct acc_space sp;
	struct rd_mpich o;
	uint64_t at; /* where the next instruction goes */
	uint64_t text_at;
	struct rd_mpich_version found;
};

/* e8 rel32: call; 48 8d 0d rel32: lea rel32(%rip), %rcx */
static void instruction(struct library *l, const char *opcode, size_t n, uint64_t to)
{
	fake_write(l->f, l->at, opcode, n);
	l->at += n + 4;
	fake_write_u(l->f, l->at - 4, 4, (uint32_t)(to - l->at));
}

static void lea(struct library *l, const char *text)
{
	fake_write(l->f, l->text_at, text, strlen(text) + 1);
	instruction(l, "\x48\x8d\x0d", 3, l->text_at);
	l->text_at += 128;
}

/* A function that calls another one, which has the texts. */
static void start(struct library *l, unsigned word_bytes, const char *heading)
{
	memset(l, 0, sizeof(*l));
	l->f = fake_create(word_bytes, false, NULL);
	fake_map(l->f, CODE_ADDR, CODE_BYTES);
	fake_map(l->f, CALLED_ADDR, CODE_BYTES);
	fake_map(l->f, TEXTS_ADDR, CODE_BYTES);
	fake_symbol(l->f, "PMPI_Get_library_version", CODE_ADDR);
	l->text_at = TEXTS_ADDR;
	l->at = CODE_ADDR + 16;
	lea(l, "3.14"); /* not next to any of our files */
	instruction(l, "\xe8", 1, 0x700000);
	instruction(l, "\xe8", 1, CALLED_ADDR);
	l->at = CALLED_ADDR + 3;
	lea(l, "gcc -O2");
	lea(l, "4.2.1");
	lea(l, "ch4:ucx");
	lea(l, heading);
	lea(l, "5.0.0");
	ck_assert_int_eq(fake_space(l->f, &l->sp), ACC_OK);
	l->o.sp = &l->sp;
}

static void look(struct library *l)
{
	rd_mpich_version(&l->o, &l->found);
	ck_assert_int_eq(l->sp.note.rc, ACC_OK);
}

static void end(struct library *l)
{
	acc_space_deinit(&l->sp);
	fake_destroy(l->f);
}

START_TEST(test_found)
{
	struct library l;

	start(&l, 8, "MPICH Version:      %s\n");
	look(&l);
	ck_assert_str_eq(l.found.version, "4.2.1");
	ck_assert_str_eq(l.found.device, "ch4:ucx");
	ck_assert_ptr_null(l.found.vendor);
	end(&l);
}
END_TEST

static void word(struct library *l, uint32_t instruction)
{
	fake_write_u(l->f, l->at, 4, instruction);
	l->at += 4;
}

/* adrp x7, the page of the texts; add x7, x7, AT; then add x5, x7, DISTANCE as Debian 13's arm64 library has it. */
START_TEST(test_aarch64)
{
	static const char *const texts[] = { "MPICH Version:      %s\n", "4.2.1", "ch4:ucx" };
	enum { AT = 0x40, DISTANCE = 0x80 };
	struct library l;

	start(&l, 8, "4.2.1");
	for (unsigned i = 0; i < 3; i++)
		fake_write(l.f, TEXTS_ADDR + AT + i * DISTANCE, texts[i], strlen(texts[i]) + 1);
	l.at = CODE_ADDR;
	word(&l, 0xd503233f);                            /* paciasp */
	word(&l, 0x94000000 | (CALLED_ADDR - l.at) / 4); /* bl */
	for (unsigned i = 2; i < 256; i++)
		word(&l, 0xd503201f); /* nop */
	l.at = CALLED_ADDR;
	word(&l, 0xd503233f);
	word(&l,
	     0x90000007 | (TEXTS_ADDR - CALLED_ADDR) / 0x1000 / 4 << 5 | (TEXTS_ADDR - CALLED_ADDR) / 0x1000 % 4 << 29);
	word(&l, 0x910000e7 | AT << 10);
	word(&l, 0x910000e5 | DISTANCE << 10);
	word(&l, 0xd503201f);
	word(&l, 0x910000e6 | 2 * DISTANCE << 10);
	for (unsigned i = 6; i < 256; i++)
		word(&l, 0xd503201f);
	look(&l);
	ck_assert_str_eq(l.found.version, "4.2.1");
	ck_assert_str_eq(l.found.device, "ch4:ucx");
	end(&l);
}
END_TEST

/* The in-target library's function hides the symbol and stores
 * a pointer to it; without the library there is no pointer. */
START_TEST(test_in_target_library)
{
	enum { POINTER_ADDR = TEXTS_ADDR + CODE_BYTES - 8 };
	struct library l;

	start(&l, 8, "MPICH Version:      %s\n");
	fake_symbol_remove(l.f, "PMPI_Get_library_version");
	fake_symbol(l.f, "PMPI_Get_library_version", TEXTS_ADDR);
	fake_symbol(l.f, "MPI2DD_get_library_version", POINTER_ADDR);
	fake_write_u(l.f, POINTER_ADDR, 8, CODE_ADDR);
	look(&l);
	ck_assert_str_eq(l.found.version, "4.2.1");
	fake_write_u(l.f, POINTER_ADDR, 8, 0x4711); /* leads nowhere */
	look(&l);
	ck_assert_str_eq(l.found.version, "");
	fake_write_u(l.f, POINTER_ADDR, 8, 0);
	fake_symbol_remove(l.f, "PMPI_Get_library_version");
	fake_symbol(l.f, "PMPI_Get_library_version", CODE_ADDR);
	look(&l);
	ck_assert_str_eq(l.found.version, "4.2.1");
	end(&l);
}
END_TEST

static void check_unknown(struct library *l)
{
	look(l);
	ck_assert_str_eq(l->found.version, "");
	ck_assert_str_eq(l->found.device, "");
	end(l);
}

START_TEST(test_others)
{
	struct library l;

	start(&l, 8, "Another Version:      %s\n");
	check_unknown(&l);
	start(&l, 4, "MPICH Version:      %s\n");
	check_unknown(&l);
	start(&l, 8, "MPICH Version:      %s\n");
	fake_symbol_remove(l.f, "PMPI_Get_library_version");
	check_unknown(&l);
}
END_TEST

/* Derived from MPICH: the vendor is reported, and other numbers are not taken for MPICH's version. */
START_TEST(test_vendors)
{
	static const struct {
		const char *heading, *vendor;
	} made[] = {
		{ "Intel(R) MPI Library %s for Linux* OS\n", "Intel MPI" },
		{ "MPI VERSION    : CRAY MPICH version %s (ANL base %s)\nMPI BUILD INFO : %s (git hash %s)\n",
		  "Cray MPICH" },
		{ "MVAPICH Version:\t%s\n", "MVAPICH" },
		{ "MVAPICH2 Version      :\t%s\n", "MVAPICH" },
		{ "A CRAY MPI", NULL },
		{ "", NULL },
	};

	for (size_t i = 0; i < sizeof made / sizeof made[0]; i++) {
		struct library l;

		start(&l, 8, made[i].heading);
		look(&l);
		if (made[i].vendor)
			ck_assert_str_eq(l.found.vendor, made[i].vendor);
		else
			ck_assert_ptr_null(l.found.vendor);
		ck_assert_str_eq(l.found.version, "");
		ck_assert_str_eq(l.found.device, "");
		end(&l);
	}
}
END_TEST

/* The reader refuses it in one line, before any pack is considered. */
START_TEST(test_vendor_refused)
{
	struct rd_process p = { 0 };
	struct library l;
	void *state = NULL;

	start(&l, 8, "Intel(R) MPI Library %s for Linux* OS\n");
	fake_symbol(l.f, "MPIR_Dup_fn", CODE_ADDR);
	p.sp = &l.sp;
	ck_assert_int_eq(rd_mpich_reader.open(&p, NULL, &state), ACC_EWITNESS);
	ck_assert_ptr_null(state);
	ck_assert_str_eq(p.library.implementation, "Intel MPI");
	ck_assert_msg(strstr(l.sp.note.text, "Intel MPI: made from MPICH") &&
			      strstr(l.sp.note.text, "start the job with mpi2dd-run"),
		      "%s", l.sp.note.text);
	end(&l);
}
END_TEST

/* The code ends in memory that cannot be read, and each read fails once. */
START_TEST(test_unreadable)
{
	struct library l;

	start(&l, 8, "MPICH Version:      %s\n");
	fake_symbol(l.f, "PMPI_Get_library_version", CODE_ADDR + CODE_BYTES - 16);
	check_unknown(&l);
	for (int64_t n = 0; n < 8; n++) {
		start(&l, 8, "MPICH Version:      %s\n");
		fake_fuse(&l.f->reads, n, true);
		look(&l);
		ck_assert(!l.found.version[0] || !strcmp(l.found.version, "4.2.1"));
		end(&l);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("mpich version");
	TCase *tc = tcase_create("version");

	tcase_add_test(tc, test_found);
	tcase_add_test(tc, test_aarch64);
	tcase_add_test(tc, test_in_target_library);
	tcase_add_test(tc, test_others);
	tcase_add_test(tc, test_vendors);
	tcase_add_test(tc, test_vendor_refused);
	tcase_add_test(tc, test_unreadable);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
