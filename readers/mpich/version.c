/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Version and device of an MPICH that does not export them: since 4.1 MPII_Version_string and
 * similar symbols are hidden in the shared library. MPI_Get_library_version prints them; its code
 * (x86-64 or aarch64), or that of a function that it calls, contains the addresses of the strings.
 * They are used only if "MPICH Version:" is among them. Libraries that derive from MPICH and export
 * its symbols print other texts: "Intel(R) MPI Library 2021.6 for Linux* OS", "MPI VERSION : CRAY
 * MPICH version 8.1.25.17 (ANL base 3.4a2)", "MVAPICH Version: 3.0", "MVAPICH2 Version: 2.3.7".
 */
#include "mpich.h"

#include "../../access/aarch64.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum {
	CODE = 768, /* bytes of a function that are read */
	INSTRUCTION = 7,
	TEXT = 256,
	TEXTS_MAX = 64,
	CALLS_MAX = 16,
};

struct texts {
	bool ours; /* "MPICH Version:" is among them */
	struct rd_mpich_version found;
};

static uint64_t relative(const struct rd_mpich *o, const unsigned char *at, uint64_t next_addr)
{
	return next_addr + (uint64_t)(int64_t)(int32_t)acc_decode_u(o->sp, at, 4);
}

static void take_version(char *ret, size_t size, const char *text)
{
	size_t n = strlen(text);

	if (!ret[0] && n < size)
		memcpy(ret, text, n + 1);
}

static bool is_version(const char *s)
{
	size_t n = strspn(s, "0123456789");

	return n && s[n] == '.' && s[n + 1] >= '0' && s[n + 1] <= '9' &&
	       !s[strspn(s, "0123456789.abcdefghijklmnopqrstuvwxyz-")];
}

static const char *vendor_of(const char *s)
{
	if (!strncmp(s, "Intel(R) MPI", 12))
		return "Intel MPI";
	if (!strncmp(s, "MVAPICH", 7))
		return "MVAPICH";
	return strstr(s, "CRAY MPICH") ? "Cray MPICH" : NULL;
}

static void sort_text(const char *s, struct texts *ret)
{
	struct rd_mpich_version *found = &ret->found;

	if (!strncmp(s, "MPICH Version:", 14))
		ret->ours = true;
	else if (is_version(s))
		take_version(found->version, sizeof(found->version), s);
	else if ((!strncmp(s, "ch3", 3) || !strncmp(s, "ch4", 3)) &&
		 !s[strspn(s, "0123456789:abcdefghijklmnopqrstuvwxyz")])
		take_version(found->device, sizeof(found->device), s);
	else if (!found->vendor)
		found->vendor = vendor_of(s);
}

static void take_text(struct rd_mpich *o, uint64_t addr, struct texts *ret)
{
	char text[TEXT];

	if (!acc_read_string(o->sp, addr, text, sizeof(text)))
		sort_text(text, ret);
}

/* lea disp32(%rip), REGISTER */
static void read_texts_x86_64(struct rd_mpich *o, const unsigned char *code, uint64_t addr, struct texts *ret)
{
	unsigned n = 0;

	for (unsigned i = 0; i + INSTRUCTION <= CODE && n < TEXTS_MAX; i++)
		if ((code[i] & 0xfb) == 0x48 && code[i + 1] == 0x8d && (code[i + 2] & 0xc7) == 0x05) {
			n++;
			take_text(o, relative(o, code + i + 3, addr + i + INSTRUCTION), ret);
		}
}

/* adrp REGISTER, page; add ANOTHER, REGISTER, number, maybe several times; with other instructions between them */
static void read_texts_aarch64(struct rd_mpich *o, const unsigned char *code, uint64_t addr, struct texts *ret)
{
	uint64_t registers[32] = { 0 };
	struct acc_a64 x;
	unsigned n = 0;

	for (unsigned i = 0; i < CODE / ACC_A64_BYTES && n < TEXTS_MAX; i++) {
		uint32_t word = acc_a64_word(code, i);

		if (acc_a64_adrp(word, addr + (uint64_t)i * ACC_A64_BYTES, &x)) {
			registers[x.to] = x.value;
		} else if (acc_a64_add(word, &x) && registers[x.from]) {
			n++;
			registers[x.to] = registers[x.from] + x.value;
			take_text(o, registers[x.to], ret);
		}
	}
}

/* Whose code it is nobody says: of the other machine it has no text of MPICH. */
static void read_texts(struct rd_mpich *o, const unsigned char *code, uint64_t addr, struct texts *ret)
{
	memset(ret, 0, sizeof(*ret));
	read_texts_x86_64(o, code, addr, ret);
	if (!ret->ours && !ret->found.vendor) {
		memset(ret, 0, sizeof(*ret));
		read_texts_aarch64(o, code, addr, ret);
	}
}

/* The function that the instruction at code + i calls. */
static bool is_call(struct rd_mpich *o, const unsigned char *code, unsigned i, uint64_t addr, uint64_t *to)
{
	if (i + 5 <= CODE && code[i] == 0xe8) { /* x86-64 */
		*to = relative(o, code + i + 1, addr + i + 5);
		return true;
	}
	return i % ACC_A64_BYTES == 0 && acc_a64_call(acc_a64_word(code, i / ACC_A64_BYTES), addr + i, to);
}

static bool read_code(struct rd_mpich *o, uint64_t addr, unsigned char *ret)
{
	return acc_plausible(o->sp, addr, 1) && !acc_read(o->sp, addr, CODE, ret);
}

/* The MPI library's function: the in-target library has one with the same name and publishes the address of the
 * original (mpi2dd/calls/library.c). */
bool rd_mpich_known_function(struct rd_mpich *o, uint64_t *addr)
{
	uint64_t at, told;

	if (!acc_symbol(o->sp, "MPI2DD_get_library_version", &at) && !acc_read_u(o->sp, at, 8, &told) && told) {
		*addr = told;
		return true;
	}
	return !acc_symbol(o->sp, "PMPI_Get_library_version", addr);
}

void rd_mpich_version(struct rd_mpich *o, struct rd_mpich_version *ret)
{
	struct acc_note note = o->sp->note;
	unsigned char code[CODE], called[CODE];
	unsigned n_calls = 0;
	struct texts t;
	uint64_t addr;

	memset(ret, 0, sizeof(*ret));
	if (o->sp->sizes.pointer_bytes == 8 && !o->sp->big_endian && rd_mpich_known_function(o, &addr) &&
	    read_code(o, addr, code)) {
		read_texts(o, code, addr, &t);
		for (unsigned i = 0; !t.ours && !t.found.vendor && i < CODE && n_calls < CALLS_MAX; i++) {
			uint64_t to;

			if (!is_call(o, code, i, addr, &to) || !read_code(o, to, called))
				continue;
			n_calls++;
			read_texts(o, called, to, &t);
		}
		if (t.ours)
			*ret = t.found;
		ret->vendor = t.found.vendor;
	}
	o->sp->note = note;
}
