/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file pack_types.h
 * The types of a layout pack as C, so that a compiler generates the DWARF of a library with debug information.
 */
#ifndef TEST_PACK_TYPES_H
#define TEST_PACK_TYPES_H

/**
 * Write every type of the pack of Open MPI @p release, with each member of the pack at its place. Ends the test when
 * there is no such pack.
 *
 * @param last a line that the file ends with
 */
void pack_types_write(const char *path, const char *release, const char *last);

#endif /* TEST_PACK_TYPES_H */
