/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file layout.h
 * Shared by the three forms of `mpidbg layout`: reading rows, and checking witnesses against a library file.
 */
#ifndef CMD_LAYOUT_H
#define CMD_LAYOUT_H

#include "../access/pack.h"
#include "../host/host.h"

#include <stdbool.h>
#include <stdint.h>

/**
 * Read the flags that `check` and `list` have in common, --json and --help; optind is then at the first argument.
 *
 * @param[out] as_json set when --json was given.
 * @return -1: continue; otherwise the exit code, and the usage was printed.
 */
int cmd_layout_flags(int argc, char **argv, const char *usage, bool *as_json);

/** The forms; argv[0] is "make", "check", "list". @return an enum cmd_exit. */
int cmd_layout_make(int argc, char **argv);
int cmd_layout_check(int argc, char **argv);
int cmd_layout_list(int argc, char **argv);

/** Make the pack of an Open MPI from its configured source tree (`mpidbg layout make --source`): runs the installed
 * script layouts/openmpi/make_site_pack in place of this process.
 *
 * @param build  the folder in which configure was run; NULL: @p source
 * @param output NULL: stdout
 * @return an enum cmd_exit, only if the script cannot be run.
 */
int cmd_layout_source(const char *source, const char *build, const char *output);

/**
 * Kinds of rows of `mpidbg layout make`. A row is a line of text; '#' starts a comment line, empty lines are skipped:
 *
 *     implementation openmpi              and version, system, made-by: lines of the pack's head
 *     type ompi_request_t                 a type and its size
 *     field ompi_request_t req_status     a member
 *     class ompi_request_t_class ompi_request_t
 *                                         a witness: the size of the type, as in its opal_class_t
 *     no-field mca_pml_ob1_match_hdr_t hdr_padding
 *                                         the library does not have this member; a field row may name it
 *     other-field ompi_communicator_t c_contextid
 *                                         the library's member of this name is something else; leave it out
 *     no-type ompi_osc_pt2pt_module_t     the library does not have this type: type and field rows may name it
 *     optional-type ompi_osc_pt2pt_module_t
 *                                         a type: left out when no probe defines it
 *     optional-field ompi_communicator_t c_contextid 4
 *                                         a member: left out when there is none, or one of another size (the size may
 *                                         be missing)
 *     witness string SYMBOL TEXT          a literal witness
 */
enum layout_row_kind {
	LAYOUT_HEAD,
	LAYOUT_TYPE,
	LAYOUT_FIELD,
	LAYOUT_NO_FIELD,
	LAYOUT_OTHER_FIELD,
	LAYOUT_NO_TYPE,
	LAYOUT_CLASS,
	LAYOUT_WITNESS
};

/** A row. For LAYOUT_HEAD and LAYOUT_WITNESS `name` is the complete line; the others are split into words. */
struct layout_row {
	enum layout_row_kind kind;
	char *name;     /**< type; of a LAYOUT_CLASS the symbol */
	char *second;   /**< member; of a LAYOUT_CLASS the type; else NULL */
	bool optional;  /**< of a LAYOUT_TYPE or LAYOUT_FIELD: may be missing */
	uint64_t bytes; /**< of an optional LAYOUT_FIELD: its size; 0: any */
	char *file;     /**< its location, for messages; borrowed from the list */
	unsigned line;
};

struct layout_rows {
	struct layout_row *rows;
	size_t n;
	char **texts; /**< texts and names of the files, into which the rows point */
	size_t n_texts;
};

/** Append the rows of a file. @return false: reported on stderr. */
bool layout_rows_add(struct layout_rows *rows, const char *path);

/** Release. Takes all zero. */
void layout_rows_deinit(struct layout_rows *rows);

/** Result of checking a witness against a library file. */
enum layout_verdict {
	LAYOUT_ABSENT, /**< the file does not define the symbol */
	LAYOUT_AGREES,
	LAYOUT_DISAGREES,
	LAYOUT_UNREADABLE /**< the symbol exists, but its bytes are not in the file */
};

/** Symbols and initialised data of an ELF file. */
struct layout_elf;

/** @param[out] ret untouched on failure. @return HOST_OK, HOST_ABSENT, HOST_DENIED or HOST_UNREADABLE */
enum host_errc layout_elf_open(const char *path, struct layout_elf **ret, struct host_error *err);

/** NULL is accepted. */
void layout_elf_close(struct layout_elf *e);

unsigned layout_elf_word_bytes(const struct layout_elf *e);
bool layout_elf_big_endian(const struct layout_elf *e);

/**
 * Compare a witness with the file, without any process.
 *
 * @param[out] found the value that the file has, of an ACC_WITNESS_UINT; may be NULL.
 */
enum layout_verdict layout_elf_witness(struct layout_elf *e, const struct acc_pack_witness *witness, uint64_t *found);

#endif /* CMD_LAYOUT_H */
