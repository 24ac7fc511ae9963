/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file type_class.h
 * What predefined datatypes are made of, by their names in the standard.
 */
#ifndef MPIDBG_TYPE_CLASS_H
#define MPIDBG_TYPE_CLASS_H

/** @return enum mpidbg_type_class_t; MPIDBG_TYPE_NOT_BASIC: not the name of a basic type */
int mpidbg_type_class(const char *name);

#endif /* MPIDBG_TYPE_CLASS_H */
