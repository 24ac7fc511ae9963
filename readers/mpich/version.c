/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Version and device of an MPICH that does not export them: since 4.1 MPII_Version_string and similar symbols are
 * hidden in the shared library. MPI_Get_library_version prints them; its code (x86-64), or that of a function that it
 * calls, contains the addresses of the strings. They are used only if "MPICH Version:" is among them. Libraries that
 * derive from MPICH and export its symbols print other texts: "Intel(R) MPI Library 2021.6 for Linux* OS", "MPI VERSION
 * : CRAY MPICH version 8.1.25.17 (ANL base 3.4a2)", "MVAPICH Version: 3.0", "MVAPICH2 Version: 2.3.7".
 */
#include "mpich.h"

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

/* lea disp32(%rip), REGISTER */
static void read_texts(struct rd_mpich *o, const unsigned char *code, uint64_t addr, struct texts *ret)
{
	unsigned n = 0;

	memset(ret, 0, sizeof(*ret));
	for (unsigned i = 0; i + INSTRUCTION <= CODE && n < TEXTS_MAX; i++) {
		char text[TEXT];

		if ((code[i] & 0xfb) != 0x48 || code[i + 1] != 0x8d || (code[i + 2] & 0xc7) != 0x05)
			continue;
		n++;
		if (!acc_read_string(o->sp, relative(o, code + i + 3, addr + i + INSTRUCTION), text, sizeof(text)))
			sort_text(text, ret);
	}
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
		for (unsigned i = 0; !t.ours && !t.found.vendor && i + 5 <= CODE && n_calls < CALLS_MAX; i++) {
			uint64_t to = relative(o, code + i + 1, addr + i + 5);

			if (code[i] != 0xe8 || !read_code(o, to, called)) /* call */
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
