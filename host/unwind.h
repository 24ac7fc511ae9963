/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file unwind.h
 * Computes a thread's frames from its registers and memory, with the call frame information of the files (libdwfl).
 *
 * For x86-64, i386 and aarch64 (there only the innermost frame with elfutils before 0.188). Memory is read through a
 * callback, so that it can be a copy.
 */
#ifndef HOST_UNWIND_H
#define HOST_UNWIND_H

#include "target.h"

enum { HOST_FRAMES_MAX = 256, HOST_SAVED_MAX = 10 };

struct host_frame {
	uint64_t pc; /**< address inside the current or calling instruction: a return address minus one */
	uint64_t sp; /**< stack pointer in this frame; the canonical frame address of the frame that it called */
	/** The registers that a function leaves to its caller as they were, in a fixed order; 0: not known. None is
	 * known with elfutils before 0.188. */
	uint64_t saved[HOST_SAVED_MAX];
};

struct host_unwinder;

/** Copy @p n bytes of the memory to unwind. @return false: not available. */
typedef bool (*host_unwind_read_ft)(void *ctx, uint64_t addr, size_t n, void *ret);

/** @return NULL: not for this machine, or no memory. Borrows the target's modules: make a new one when they change. */
struct host_unwinder *host_unwinder_create(struct host_target *t);

/** Takes NULL. */
void host_unwinder_destroy(struct host_unwinder *u);

/** Load the call frame information of every module now. */
void host_unwinder_prepare(struct host_unwinder *u);

/** Are stacks of the target's machine supported? */
bool host_can_unwind(const struct host_target *t);

/**
 * Stack pointer in a register set of the target. @return false: the set is too short, or the machine is not supported.
 */
bool host_regs_sp(const struct host_target *t, const struct host_regs *regs, uint64_t *ret);

/**
 * Unwind, innermost frame first. An invalid stack ends at the first invalid frame.
 * @return frames found, at most @p max; 0 when not even the registers make sense.
 */
size_t host_unwind(struct host_unwinder *u, const struct host_regs *regs, host_unwind_read_ft read, void *ctx,
		   struct host_frame *ret, size_t max);

/** The function that contains an address, and its source line. */
struct host_source {
	char function[256]; /**< of an inlined function; "": use the function from the symbol table */
	char line[256];     /**< "ring.c:10"; "": not known */
	const char *path; /**< of that file, as the compiler has recorded it: "/src/ring.c", "../ring.c"; valid as long
			     as the unwinder. NULL: not known */
	const char *folder; /**< in which the compiler ran, likewise; NULL: not known */
	bool library;       /**< in a header of MPI's C++ bindings, or of the system */
};

/**
 * Source of an address, from DWARF: the functions inlined there, innermost first, then the function from the symbol
 * table. Outer ones are omitted when there are more than @p max.
 *
 * @return how many; 0: the line is not known
 */
size_t host_unwinder_sources(struct host_unwinder *u, uint64_t pc, struct host_source *ret, size_t max);

/**
 * Where the function that begins at an address is declared:
 * "ring.c:8". Its first instruction may belong to another line.
 */
bool host_unwinder_function_line(struct host_unwinder *u, uint64_t start_addr, char *ret, size_t size);

#endif /* HOST_UNWIND_H */
