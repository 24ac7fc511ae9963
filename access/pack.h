/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file pack.h
 * Layout packs: what a library's types look like, as text, with witnesses that must agree with the target.
 *
 * A pack is a text file, one fact per line, fields separated by one space, '#' starts a comment line:
 *
 *     mpidbg-layout 1
 *     implementation openmpi
 *     version 4.1.4-4.1.8
 *     system x86-64
 *     word-bytes 8
 *     byte-order little
 *     made-by mpidbg layout make, from the source of the releases as configured by default
 *     type ompi_communicator_t 352
 *     field ompi_communicator_t c_my_rank 228 4
 *     witness uint ompi_communicator_t_class 56 8 352
 *     witness one-of ompi_version_string 4.1.3 4.1.4 4.1.5 4.1.6 4.1.7 4.1.8
 *
 * `type NAME BYTES`; `field TYPE NAME OFFSET BYTES` (BYTES is the size of the member); `witness uint SYMBOL
 * OFFSET WIDTH VALUE`: the unsigned integer at SYMBOL+OFFSET; `witness string SYMBOL TEXT`: the NUL-terminated
 * text at SYMBOL; `witness one-of SYMBOL TEXT TEXT ...`: that text is one of these, which have no spaces (the releases
 * that a pack is for). Lines are sorted, so that a pack that is made again has the same bytes. A symbol of a witness
 * that the target does not have (a component that is not loaded) is no disagreement; at least one must agree.
 *
 * This file and its parser are shared with the host and the command (`mpidbg layout`): they use nothing of
 * access/ but this header, rc.h and pack.c.
 */
#ifndef ACC_PACK_H
#define ACC_PACK_H

#include "rc.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Maximum size of a pack and of one of its lines. */
enum { ACC_PACK_BYTES_MAX = 1 << 20, ACC_PACK_LINE_BYTES_MAX = 1024 };

enum acc_witness_kind { ACC_WITNESS_UINT, ACC_WITNESS_STRING, ACC_WITNESS_ONE_OF };

struct acc_pack_type {
	const char *name;
	uint32_t bytes;
};

struct acc_pack_field {
	const char *type, *name;
	uint32_t offset, bytes;
};

struct acc_pack_witness {
	enum acc_witness_kind kind;
	const char *symbol;
	uint32_t offset, width; /**< of an ACC_WITNESS_UINT */
	uint64_t value;
	const char *text; /**< for ACC_WITNESS_STRING; for ACC_WITNESS_ONE_OF all texts, separated by spaces */
};

/** Does a string confirm a witness other than ACC_WITNESS_UINT? */
bool acc_pack_text_agrees(const struct acc_pack_witness *w, const char *text);

/** A parsed pack. All strings and arrays are the pack's. Types and fields are sorted by name. */
struct acc_pack {
	const char *implementation, *version, *system, *made_by; /**< never NULL; "": the line is missing */
	unsigned word_bytes;                                     /**< 4 or 8 */
	bool big_endian;
	const struct acc_pack_type *types;
	size_t n_types;
	const struct acc_pack_field *fields;
	size_t n_fields;
	const struct acc_pack_witness *witnesses;
	size_t n_witnesses;
};

/** Allocator for packs: the debugger's in the plugin, malloc and free in the command. */
struct acc_pack_alloc {
	void *(*alloc)(void *ctx, size_t n);
	void (*release)(void *ctx, void *p);
	void *ctx;
};

/**
 * Parse a pack. One allocation holds everything.
 *
 * @param text  need not be terminated; not referred to after the call.
 * @param[out] note what and on which line, when it fails.
 * @return ACC_OK; ACC_ECORRUPT: not a pack, or an invalid line; ACC_ENOMEM. *ret untouched on failure.
 */
enum acc_rc acc_pack_parse(const struct acc_pack_alloc *alloc, const char *text, size_t n, struct acc_note *note,
			   struct acc_pack **ret);

/** Release. Takes NULL. */
void acc_pack_destroy(const struct acc_pack_alloc *alloc, struct acc_pack *pack);

/** Find a type or a field by name, or NULL. */
const struct acc_pack_type *acc_pack_type(const struct acc_pack *pack, const char *name);
const struct acc_pack_field *acc_pack_field(const struct acc_pack *pack, const char *type, const char *name);

/**
 * The packs that are compiled in (generated from layouts/ by the build): name,
 * text, bytes, and what parsing the text would give; the last is NULL. Parsing all
 * of them for each process of a job would take longer than reading the process.
 */
struct acc_pack_builtin {
	const char *file; /**< "openmpi-4.1.4-4.1.8-x86_64.layout" */
	const char *text;
	size_t n;
	const struct acc_pack *pack; /**< static: not for acc_pack_destroy() */
};
extern const struct acc_pack_builtin acc_pack_builtins[];

#endif /* ACC_PACK_H */
