/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file lines.h
 * How an answer travels from a host to the command that asked:
 * as lines on the standard output of whatever reached the host.
 *
 * Launchers merge the outputs of many hosts, put a name before each line, and tear long ones. So a text is compressed,
 * and its bytes travel in base64, in lines of at most HS_LINE_MAX characters that each name their host, the kind of the
 * text and the offset of their bytes. The last line of a text has its sizes and its checksum. A line that is torn,
 * missing, or mixed with another one is noticed, and the text counts as damaged. Lines of anything else are skipped.
 *
 *     mpidbg1 HOST KIND OFFSET BASE64
 *     mpidbg1 HOST KIND end COMPRESSED_BYTES BYTES CRC32
 *     mpidbg1 HOST none
 *     mpidbg1 HOST noexec
 *
 * The last forms come from the shell of a host that has no mpidbg, or cannot run the one that was copied there.
 * HOST is "-" where only the way to the host knows its name.
 */
#ifndef HS_LINES_H
#define HS_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** The first word of each line. */
#define HS_LINE_WORD "mpidbg1"

enum {
	HS_LINE_MAX = 800,         /**< characters, without the newline */
	HS_HOST_MAX = 256,         /**< bytes of the name of a host, with the NUL */
	HS_PACKED_MAX = 256 << 20, /**< bytes of a compressed text: 4096 ranks of 64 KiB each */
	HS_TEXT_MAX = 1 << 30,     /**< bytes of a text */
	HS_RATIO_MAX = 1100        /**< zlib compresses by a factor of 1032 at most */
};

/** What a text is. */
enum hs_kind {
	HS_KIND_FIRST = 'a',  /**< what was read at the first moment */
	HS_KIND_SECOND = 'b', /**< what was read at the second moment */
	HS_KIND_ABOUT = 'i'   /**< about the host and its mpidbg: JSON; always the last */
};

/**
 * Write a text as lines, and flush them.
 *
 * @param host a word, or "-"
 * @return false: out of memory, longer than HS_TEXT_MAX, or @p out cannot be written
 */
bool hs_lines_write(FILE *out, const char *host, enum hs_kind kind, const char *text, size_t n);

/** A line that was taken apart. Strings point into it. */
struct hs_line {
	char host[HS_HOST_MAX];  /**< before HS_LINE_WORD, as pdsh and clush write it ("n1: "), else in the line; "":
				    none */
	bool none;               /**< the host has no mpidbg */
	bool noexec;             /**< the mpidbg that was copied to the host cannot be run there */
	char kind;               /**< an enum hs_kind, or anything else */
	bool end;                /**< the last line of a text */
	uint64_t offset;         /**< of a line with bytes */
	const char *bytes;       /**< base64, up to the end of the line */
	size_t n_bytes;          /**< characters of it */
	uint64_t packed, n_text; /**< of a last line: compressed and original size */
	uint32_t crc;            /**< of the compressed bytes */
};

/**
 * Take a line apart.
 *
 * @param line NUL-terminated, without a newline
 * @return false: it is not one of these lines, or it is damaged
 */
bool hs_line_parse(const char *line, struct hs_line *ret);

/** A text that arrives. Start with all zero. */
struct hs_text {
	unsigned char *packed;
	size_t n_packed, room;
	char *text; /**< the whole text, NUL-terminated; NULL: not, or not yet */
	size_t n;
	bool ended;   /**< its last line has arrived */
	bool damaged; /**< a line was missing, torn or repeated, or the text could not be unpacked */
};

/** Add a line with bytes, or the last line, which unpacks the text. @return false: the text is damaged. */
bool hs_text_add(struct hs_text *t, const struct hs_line *line);

/** Release. Leaves all zero. */
void hs_text_deinit(struct hs_text *t);

#endif /* HS_LINES_H */
