/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Recorded processes of both MPIs (fuzz/recorded.h) with one damaged word: no communicator, operation or object is lost
 * without a problem in the answer. make check-all damages three times as many words; make fuzz all kinds of them.
 */
#include "../../fuzz/recorded.h"
#include "../support/suite.h"

#include <check.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { TRIES = 600, STRIDE = 37, TIMEOUT_S = 300, CHANGE_BYTES = 13 };

static const char *damage(uint8_t recording, uint32_t word, uint64_t value, uint64_t *addr)
{
	uint8_t change[CHANGE_BYTES] = { recording };

	memcpy(change + 1, &word, sizeof(word));
	memcpy(change + 1 + sizeof(word), &value, sizeof(value));
	return fuzz_loss_of(change, sizeof(change), addr);
}

START_TEST(test_words)
{
	static const uint64_t values[] = { 0, UINT64_MAX, 1, 0x7fffffff, 0x100000000, 0x10000, 0xdead0000 };
	size_t n = (size_t)TRIES * 3 / suite_stride(3);
	uint64_t addr = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t value = values[i % (sizeof(values) / sizeof(values[0]))];
		const char *lost = damage((uint8_t)_i, (uint32_t)(i * STRIDE + (size_t)_i), value, &addr);

		ck_assert_msg(!lost, "%s: 0x%llx at 0x%llx: fewer %s, without a problem", fuzz_recordings[_i],
			      (unsigned long long)value, (unsigned long long)addr, lost);
	}
}
END_TEST

int main(void)
{
	int n = 0;

	while (fuzz_recordings[n])
		n++;
	if (access(fuzz_recordings[0], R_OK) != 0) {
		puts("fuzz/seeds: not here (run from the top folder of the source)");
		return 77;
	}
	Suite *s = suite_create("losses");
	TCase *tc = tcase_create("words");

	tcase_set_timeout(tc, TIMEOUT_S);
	tcase_add_loop_test(tc, test_words, 0, n - 1); /* the last is not whole */
	suite_add_tcase(s, tc);
	return suite_run(s);
}
