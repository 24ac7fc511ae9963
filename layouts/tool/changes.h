/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file changes.h
 * A layout pack as what differs from another one, its base.
 *
 * NAME.layout is a pack (access/pack.h); NAME.changes says how
 * the pack NAME differs from a NAME.layout of the same folder:
 *
 *     mpidbg-layout-changes 1
 *     # a comment
 *     base openmpi-4.0.6-x86_64
 *     version 4.0.5
 *     type ompi_osc_rdma_request_t 272
 *     - field ompi_communicator_t c_index
 *     witness one-of ompi_version_string 4.0.5
 *
 * A line of a pack replaces the line of the base about the same thing: the same head line, type, member or witness
 * (symbol, and offset of a `uint`). It is added, in the order of lines, if the base has none. `- ` and what a line is
 * about removes it. A base has no base. Only the build reads this form (layouts/tool/): the library, its users and
 * `mpidbg layout` know plain packs alone.
 */
#ifndef LAYOUTS_CHANGES_H
#define LAYOUTS_CHANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/** The name of the base that a text names, without suffix, or NULL: it names none. To be freed. */
char *pk_changes_base(const char *changes);

/**
 * Apply changes to the text of their base.
 *
 * @param[out] why which line is wrong and how, when it fails ("line 3: the base has no such line").
 * @return the text of the pack, to be freed, or NULL.
 */
char *pk_changes_apply(const char *base, const char *changes, char *why, size_t size);

/** What must change in the text of a base to make that of a pack. To be freed. */
char *pk_changes_between(const char *base_name, const char *base, const char *pack);

/** Number of lines of a text. */
size_t pk_count_lines(const char *text);

#endif /* LAYOUTS_CHANGES_H */
