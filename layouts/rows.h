/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file rows.h
 * Rows of a layout pack from a compiler: a probe that uses these is compiled to assembly, never to an object; its rows
 * are the strings that begin with "->". So a member can have another name in the pack than its path in the library's
 * source, and a compiler for another machine will do. take_rows makes a pack of them.
 */
#include <stddef.h>

/** A type, of which the first @p bytes are described. */
#define ROW_TYPE(name, bytes) __asm__ volatile("\n.ascii \"->type " #name " %c0\"" : : "i"(bytes))

/** A member that the pack calls @p name of a type that it calls @p type. */
#define ROW_FIELD(type, name, real_type, path)                                                                         \
	__asm__ volatile("\n.ascii \"->field " #type " " #name " %c0 %c1\""                                            \
			 :                                                                                             \
			 : "i"(offsetof(real_type, path)), "i"(sizeof(((real_type *)0)->path)))

/** A number that the library keeps at @p symbol. */
#define ROW_WITNESS(symbol, offset, width, value)                                                                      \
	__asm__ volatile("\n.ascii \"->witness uint " #symbol " %c0 %c1 %c2\"" : : "i"(offset), "i"(width), "i"(value))

/** Up to the end of a member. */
#define ROW_END(real_type, path) (offsetof(real_type, path) + sizeof(((real_type *)0)->path))
