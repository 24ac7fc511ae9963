/* SPDX-License-Identifier: BSD-3-Clause */
/* access/aarch64.c: the instructions by which code refers to functions and data, as an assembler has written them;
 * registers. */
#include "../../access/aarch64.h"
#include "../../host/target.h"
#include "../../host/unwind.h"
#include "../support/suite.h"

#include <check.h>
#include <elf.h>

enum { ADDR = 0x401008 };

START_TEST(test_words)
{
	static const unsigned char code[] = { 1, 2, 3, 4, 0x5f, 0x24, 0x03, 0xd5 };

	ck_assert_uint_eq(acc_a64_word(code, 0), 0x04030201);
	ck_assert_uint_eq(acc_a64_word(code, 1), (uint32_t)ACC_A64_BTI_C);
}
END_TEST

START_TEST(test_calls)
{
	uint64_t target = 0;

	ck_assert(acc_a64_call(0x94000001, ADDR, &target)); /* bl . + 4 */
	ck_assert_uint_eq(target, ADDR + 4);
	ck_assert(acc_a64_call(0x97ffffff, ADDR, &target)); /* bl . - 4 */
	ck_assert_uint_eq(target, ADDR - 4);
	ck_assert(acc_a64_call(0x96000000, ADDR, &target)); /* the farthest one back: 128 MiB */
	ck_assert_uint_eq(target, (uint64_t)ADDR - (UINT64_C(128) << 20));
	ck_assert(!acc_a64_call(0x14000001, ADDR, &target)); /* b */
	ck_assert(!acc_a64_call(0xd63f0020, ADDR, &target)); /* blr x1 */
}
END_TEST

START_TEST(test_addresses)
{
	struct acc_a64 x;

	ck_assert(acc_a64_adrp(0xb0000001, ADDR, &x)); /* adrp x1, page + 1 */
	ck_assert_uint_eq(x.to, 1);
	ck_assert_uint_eq(x.value, 0x402000);
	ck_assert(acc_a64_adrp(0xf0ffffe2, ADDR, &x)); /* adrp x2, page - 1 */
	ck_assert_uint_eq(x.to, 2);
	ck_assert_uint_eq(x.value, 0x400000);
	ck_assert(!acc_a64_adrp(0x10000001, ADDR, &x)); /* adr */
	ck_assert(acc_a64_add(0x91010023, &x));         /* add x3, x1, 64 */
	ck_assert(x.to == 3 && x.from == 1 && x.value == 64);
	ck_assert(!acc_a64_add(0x11010023, &x)); /* add w3, w1, 64 */
	ck_assert(!acc_a64_add(0xd1010023, &x)); /* sub */
	ck_assert(acc_a64_load(0xf9400e11, &x)); /* ldr x17, [x16, 24] */
	ck_assert(x.to == 17 && x.from == 16 && x.value == 24);
	ck_assert(!acc_a64_load(0xb9400e11, &x)); /* ldr w17 */
	ck_assert(!acc_a64_load(0xf9000e11, &x)); /* str */
}
END_TEST

/* A core has one word behind the 34 registers: whether there are floating point registers. */
START_TEST(test_registers)
{
	struct host_target t = { .machine = EM_AARCH64, .word_bytes = 8 };
	struct host_regs regs = { .n = 34 * (size_t)8 };
	uint64_t sp = 0;

	regs.bytes[31 * 8 + 1] = 0x10;
	ck_assert(host_regs_sp(&t, &regs, &sp)); /* of ptrace() */
	ck_assert_uint_eq(sp, 0x1000);
	regs.n += 8;
	sp = 0;
	ck_assert(host_regs_sp(&t, &regs, &sp)); /* of a core */
	ck_assert_uint_eq(sp, 0x1000);
	regs.n = 33 * (size_t)8;
	ck_assert(!host_regs_sp(&t, &regs, &sp));
	regs.n = 36 * (size_t)8;
	ck_assert(!host_regs_sp(&t, &regs, &sp));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("aarch64");
	TCase *tc = tcase_create("instructions");

	tcase_add_test(tc, test_words);
	tcase_add_test(tc, test_calls);
	tcase_add_test(tc, test_registers);
	tcase_add_test(tc, test_addresses);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
