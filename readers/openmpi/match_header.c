/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Size of a message's match header on the wire (ompi/mca/pml/ob1/pml_ob1_hdr.h, OMPI_PML_OB1_MATCH_HDR_LEN): the
 * header, padded to 16 bytes in builds with --enable-heterogeneous, and since 5.0 also with --enable-debug. The padding
 * is declared, but up to 4.1 no class size depends on it, so that the witnesses of a pack do not tell a heterogeneous
 * build from another one. Its library does: only there ompi/proc/proc.c, which exchanges the architectures of the
 * processes, has the name under which it does so, "opal.pmix.arch" in 4.0 and 4.1, "OMPI_ARCH" since 5.0. The text is
 * in the library's read-only data, like the version string.
 */
#include "openmpi.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum {
	PAGE = 4096,
	/* the read-only data of a libmpi with all components of 5.0 inside has 170 KB */
	PAGES_MAX = 64, /* on either side of the version string */
	TEXT_MAX = 16,
	PADDING = 2,
};

static const char *const only_heterogeneous[] = { "opal.pmix.arch", "OMPI_ARCH" };

/* Is one of the texts, with its NUL, among the bytes? */
static bool has_text(const char *bytes, size_t n)
{
	for (size_t i = 0; i < sizeof(only_heterogeneous) / sizeof(only_heterogeneous[0]); i++) {
		const char *text = only_heterogeneous[i], *at = bytes;
		size_t length = strlen(text) + 1;

		while ((at = memchr(at, text[0], n - (size_t)(at - bytes)))) {
			if (n - (size_t)(at - bytes) >= length && !memcmp(at, text, length))
				return true;
			at++;
		}
	}
	return false;
}

enum acc_rc rd_ompi_heterogeneous(struct rd_ompi *o)
{
	char bytes[PAGE + TEXT_MAX];
	uint64_t addr;

	if (rd_ompi_symbol(o, S_ompi_version_string, &addr))
		return ACC_EREAD;
	uint64_t page = addr & ~(uint64_t)(PAGE - 1), first = page, end = page;
	for (unsigned n = 0; n < PAGES_MAX && first >= PAGE && !acc_read(o->sp, first - PAGE, PAGE, bytes); n++)
		first -= PAGE;
	for (unsigned n = 0; n < PAGES_MAX && !acc_read(o->sp, end, PAGE, bytes); n++)
		end += PAGE;
	if (end == page)
		return ACC_EREAD;
	for (page = first; page < end; page += PAGE) {
		size_t n = page + PAGE < end ? sizeof(bytes) : PAGE; /* a text may continue on the next page */

		if (acc_read(o->sp, page, n, bytes))
			return ACC_EREAD;
		if (has_text(bytes, n))
			return ACC_OK;
	}
	return ACC_NONE;
}

/* Its objects are larger than a pointer to the class and a count. */
static bool is_debug_build(const struct rd_ompi *o)
{
	return acc_layout_bytes(o->layout, T_opal_object_t) > 2 * o->sp->sizes.pointer_bytes;
}

static bool is_padded(struct rd_ompi *o)
{
	bool declared = rd_ompi_has(o, F_mca_pml_ob1_match_hdr_t_hdr_padding);

	if (o->layout->fields[F_mca_pml_ob1_match_hdr_t_hdr_seq].source == ACC_SRC_DEBUGGER)
		return declared;
	switch (rd_ompi_heterogeneous(o)) {
	case ACC_OK:
		return true;
	case ACC_NONE:
		return declared && is_debug_build(o);
	default:
		return declared;
	}
}

uint32_t rd_ompi_match_header_bytes(struct rd_ompi *o)
{
	const struct acc_field_at *seq = &o->layout->fields[F_mca_pml_ob1_match_hdr_t_hdr_seq];

	if (!o->match_header_bytes && seq->source != ACC_SRC_NONE)
		o->match_header_bytes = seq->offset + seq->width + (is_padded(o) ? PADDING : 0);
	return o->match_header_bytes;
}
