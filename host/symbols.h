/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file symbols.h
 * The symbol tables of one ELF file: symbols by name, and functions
 * by address. Addresses are those in the file, without bias.
 *
 * .dynsym is searched through .gnu.hash without being read
 * completely; .symtab is indexed once, when the table is created.
 */
#ifndef HOST_SYMBOLS_H
#define HOST_SYMBOLS_H

#include "elf_file.h"

enum host_symbols_kind {
	HOST_SYMBOLS_DYNAMIC, /**< .dynsym, through section headers or, without them, through PT_DYNAMIC */
	HOST_SYMBOLS_FULL     /**< .symtab */
};

enum host_symbol_scope {
	HOST_SCOPE_GLOBAL, /**< global, weak, unique */
	HOST_SCOPE_LOCAL
};

struct host_symbol_info {
	const char *name;  /**< the file's */
	size_t name_bytes; /**< without the version that may follow: "poll@@GLIBC_2.2.5" */
	uint64_t value, bytes;
	bool absolute; /**< no bias is added */
};

struct host_symbols;

/**
 * Create a table.
 *
 * @param e    borrowed: must outlive the table.
 * @param bias what the loader may have added to pointers in PT_DYNAMIC (an image from memory); 0 for a file.
 * @return released by host_symbols_destroy(); NULL: the file has no such table, it is invalid, or out of memory.
 */
struct host_symbols *host_symbols_create(const struct host_elf *e, enum host_symbols_kind kind, uint64_t bias);

/** Takes NULL. */
void host_symbols_destroy(struct host_symbols *s);

/** Find a defined object, function or untyped symbol by name; thread-local ones are not found. @p s may be NULL. */
bool host_symbols_by_name(const struct host_symbols *s, const char *name, enum host_symbol_scope scope,
			  struct host_symbol_info *ret);

/** The function that contains an address; of several names the one that users know best. @p s may be NULL. */
bool host_symbols_function(struct host_symbols *s, uint64_t addr, struct host_symbol_info *ret);

/** The object with a size that contains an address; thread-local
 * ones are not found. Searches the whole table. @p s may be NULL. */
bool host_symbols_object(const struct host_symbols *s, uint64_t addr, struct host_symbol_info *ret);

#endif /* HOST_SYMBOLS_H */
