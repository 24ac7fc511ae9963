/* SPDX-License-Identifier: BSD-3-Clause */
#include "stopped.h"

#include "../access/aarch64.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/user.h>

/* Results of a system call that was interrupted, or will be continued: include/linux/errno.h of the kernel. */
enum { ERESTARTSYS = 512, ERESTART_RESTARTBLOCK = 516 };

/* Positions in struct user_regs_struct of <sys/user.h>. */
enum { RAX = 10, ORIG_RAX = 15, N_REGS_X86_64 = 27 };
static const uint8_t arguments_x86_64[6] = { 14, 13, 12, 7, 9, 8 }; /* rdi, rsi, rdx, r10, r8, r9 */
enum { X0 = 0, X8 = 8, PC = 32, N_REGS_AARCH64 = 34 };
static const uint8_t arguments_aarch64[6] = { X0, 1, 2, 3, 4, 5 };

static uint64_t word(const struct host_regs *regs, unsigned i)
{
	return host_decode_u(regs->bytes + 8 * i, 8, false);
}

static bool is_interrupted(int64_t result)
{
	return (result <= -ERESTARTSYS && result >= -ERESTART_RESTARTBLOCK) || result == -EINTR;
}

static bool is_svc(struct host_target *t, uint64_t addr)
{
	static const uint8_t svc[4] = { 0x01, 0x00, 0x00, 0xd4 };
	uint8_t code[sizeof(svc)];

	return host_read(t, addr, sizeof(code), code) && !memcmp(code, svc, sizeof(svc));
}

/*
 * At or behind the instruction svc: is the thread in its call? Before it stops a thread in a system call that will be
 * continued, the kernel of aarch64 sets the program counter back to the instruction and the first register to the first
 * argument (do_signal() in arch/arm64/kernel/signal.c).
 */
static bool is_in_call_aarch64(struct host_target *t, const struct host_regs *regs)
{
	return is_svc(t, word(regs, PC)) || is_interrupted((int64_t)word(regs, X0));
}

bool host_regs_call(struct host_target *t, const struct host_regs *regs, int64_t *call, uint64_t args[6])
{
	bool x86 = t->machine == EM_X86_64 && regs->n >= 8 * (size_t)N_REGS_X86_64;
	bool arm = t->machine == EM_AARCH64 && regs->n >= 8 * (size_t)N_REGS_AARCH64;

	if ((!x86 && !arm) || t->word_bytes != 8 || t->big_endian)
		return false;
	/* the register of the number has other values between calls */
	if (arm && !is_svc(t, word(regs, PC)) && !is_svc(t, word(regs, PC) - ACC_A64_BYTES))
		return false;
	int64_t number = (int64_t)word(regs, x86 ? ORIG_RAX : X8);
	for (int i = 0; number >= 0 && i < 6; i++)
		args[i] = word(regs, x86 ? arguments_x86_64[i] : arguments_aarch64[i]);
	if (number < 0 || (x86 ? !is_interrupted((int64_t)word(regs, RAX)) : !is_in_call_aarch64(t, regs)))
		return false;
	*call = number;
	return true;
}

void host_regs_of_call(long number, const unsigned long long args[6], uint64_t sp, uint64_t pc, struct host_regs *ret)
{
#if defined(__x86_64__)
	struct user_regs_struct r = { .rdi = args[0],
				      .rsi = args[1],
				      .rdx = args[2],
				      .r10 = args[3],
				      .r8 = args[4],
				      .r9 = args[5],
				      .rsp = sp,
				      .rip = pc,
				      .orig_rax = (unsigned long long)number,
				      .rax = (unsigned long long)-EINTR };
	memcpy(ret->bytes, &r, sizeof(r));
	ret->n = sizeof(r);
#elif defined(__aarch64__)
	struct user_regs_struct r = { .sp = sp, .pc = pc - ACC_A64_BYTES };
	for (int i = 0; i < 6; i++)
		r.regs[arguments_aarch64[i]] = args[i];
	r.regs[X8] = (unsigned long long)number;
	memcpy(ret->bytes, &r, sizeof(r));
	ret->n = sizeof(r);
#else
	(void)number, (void)args, (void)sp, (void)pc, (void)ret;
#endif
}
