/* SPDX-License-Identifier: BSD-3-Clause */
#include "stopped.h"

#include <elf.h>
#include <errno.h>

/* Results of a system call that was interrupted, or will be continued: include/linux/errno.h of the kernel. */
enum { ERESTARTSYS = 512, ERESTART_RESTARTBLOCK = 516 };

/* Positions in struct user_regs_struct of <sys/user.h>. */
enum { RAX = 10, ORIG_RAX = 15, N_REGS = 27 };
static const uint8_t arguments[6] = { 14, 13, 12, 7, 9, 8 }; /* rdi, rsi, rdx, r10, r8, r9 */

static uint64_t word(const struct host_regs *regs, unsigned i)
{
	return host_decode_u(regs->bytes + 8 * i, 8, false);
}

bool host_regs_call(const struct host_target *t, const struct host_regs *regs, int64_t *call, uint64_t args[6])
{
	if (t->machine != EM_X86_64 || t->word_bytes != 8 || t->big_endian || regs->n < 8 * (size_t)N_REGS)
		return false;
	int64_t number = (int64_t)word(regs, ORIG_RAX), result = (int64_t)word(regs, RAX);
	for (int i = 0; number >= 0 && i < 6; i++)
		args[i] = word(regs, arguments[i]);
	if (number < 0 || ((result > -ERESTARTSYS || result < -ERESTART_RESTARTBLOCK) && result != -EINTR))
		return false;
	*call = number;
	return true;
}
