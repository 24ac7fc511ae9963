/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file event_trap.h
 * A debugger's breakpoint at MPI2DD_breakpoint, set by the program in itself: each event is written down as the tables
 * are at that instant.
 */
#ifndef EVENT_TRAP_H
#define EVENT_TRAP_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif

#include "info_json.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

/** "{...}, {...}": an info for each event, in order. */
static struct json_text event_text;

/* The function is empty: returning from it is all that there is to be done. */
static inline void event_trapped(int number, siginfo_t *info, void *context)
{
	ucontext_t *at = context;

	(void)number;
	(void)info;
	emit(&event_text, "%s", event_text.n ? ", " : "");
	emit_info(&event_text);
#if defined(__x86_64__)
	at->uc_mcontext.gregs[REG_RIP] = *(greg_t *)at->uc_mcontext.gregs[REG_RSP];
	at->uc_mcontext.gregs[REG_RSP] += 8;
#elif defined(__aarch64__)
	at->uc_mcontext.pc = at->uc_mcontext.regs[30];
#endif
}

/** Before MPI_Init. Without the library nothing happens. @return false: not on this kind of machine */
static inline bool event_trap_set(void)
{
#if defined(__x86_64__)
	static const unsigned char trap[] = { 0xcc };
#elif defined(__aarch64__)
	static const unsigned char trap[] = { 0x00, 0x00, 0x20, 0xd4 };
#else
	return false;
#endif
	unsigned char *code = dlsym(RTLD_DEFAULT, "MPI2DD_breakpoint");
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = (uintptr_t)code / page * page,
		  end = (uintptr_t)code + sizeof(trap);
	struct sigaction action = { .sa_sigaction = event_trapped, .sa_flags = SA_SIGINFO };

	if (!code)
		return true;
	if (sigaction(SIGTRAP, &action, NULL) != 0 ||
	    mprotect((void *)start, end - start, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
		exit(9);
	memcpy(code, trap, sizeof(trap));
	__builtin___clear_cache((char *)code, (char *)code + sizeof(trap));
	return true;
}

#endif /* EVENT_TRAP_H */
