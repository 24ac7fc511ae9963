/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file unwind.h
 * From a thread's registers and memory to its frames, by the call frame information of the files (libdwfl).
 *
 * Only for x86-64 so far. It reads memory through a function of the caller's, so that it works on a copy.
 */
#ifndef HOST_UNWIND_H
#define HOST_UNWIND_H

#include "target.h"

enum { HOST_FRAMES_MAX = 256 };

struct host_frame {
	uint64_t pc; /**< in the instruction that is executed or calls: a return address less one */
	uint64_t sp; /**< stack pointer in this frame; the canonical frame address of the frame that it called */
};

struct host_unwinder;

/** Copy one word of the stack that is unwound. */
typedef bool (*host_unwind_read_ft)(void *ctx, uint64_t addr, size_t n, void *ret);

/** @return NULL: not for this machine, or no memory. Borrows the target's modules: make a new one when they change. */
struct host_unwinder *host_unwinder_create(struct host_target *t);

/** Takes NULL. */
void host_unwinder_destroy(struct host_unwinder *u);

/** Load the call frame information of every module now. */
void host_unwinder_prepare(struct host_unwinder *u);

/** Is the target of a machine whose stacks we know? */
bool host_can_unwind(const struct host_target *t);

/** Stack pointer in a register set of this machine. @return false: the set is too short, or another machine's. */
bool host_regs_sp(const struct host_target *t, const struct host_regs *regs, uint64_t *ret);

/**
 * Unwind, innermost frame first. An invalid stack ends at the first invalid frame.
 * @return frames found, at most @p max; 0 when not even the registers make sense.
 */
size_t host_unwind(struct host_unwinder *u, const struct host_regs *regs, host_unwind_read_ft read, void *ctx,
		   struct host_frame *ret, size_t max);

/** The function that contains an address, and the line in it. */
struct host_source {
	char function[256]; /**< of an inlined function; "": the function that the symbol table has */
	char line[256];     /**< "ring.c:10"; "": not known */
	bool binding;       /**< a header of the C++ bindings of MPI */
};

/**
 * Source of an address, by DWARF: the functions that were inlined there, innermost first, and behind them the one that
 * the symbol table has. Outer ones are left out when there are more than @p max.
 *
 * @return how many; 0: the line is not known
 */
size_t host_unwinder_sources(struct host_unwinder *u, uint64_t pc, struct host_source *ret, size_t max);

/** "ring.c:8": where the function is declared that begins at an address; its first instruction may be of another
 * line. */
bool host_unwinder_function_line(struct host_unwinder *u, uint64_t start_addr, char *ret, size_t size);

#endif /* HOST_UNWIND_H */
