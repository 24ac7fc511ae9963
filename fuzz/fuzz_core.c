/* SPDX-License-Identifier: BSD-3-Clause */
/* A core file: with any headers, notes and segments, it opens or is refused with one line. */
#include "fuzz.h"

#include "../host/host.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/** Use every function on an open target. */
static void ask(struct host_target *t, const uint8_t *data, size_t n)
{
	FUZZ_MUST(host_core_path(t) != NULL);
	FUZZ_MUST(host_executable(t) != NULL);
	FUZZ_MUST(host_word_bytes(t) == 4 || host_word_bytes(t) == 8);
	FUZZ_MUST(host_stopped_ms(t) == 0);
	host_pid(t);
	host_big_endian(t);
	for (size_t i = 0; i < 1000 && host_warning(t, i); i++)
		FUZZ_MUST(!strchr(host_warning(t, i), '\n'));

	/* Addresses that the file itself names: any eight bytes of it. */
	char *buf = malloc(65536);
	FUZZ_MUST(buf);
	for (size_t i = 0; i + 8 <= n && i < 8 * 64; i += 8) {
		uint64_t addr;
		memcpy(&addr, data + i, sizeof(addr));
		host_read(t, addr, 1, buf);
		host_read(t, addr - 4, 64, buf);
		host_read(t, addr, 65536, buf);
	}
	host_read(t, UINT64_MAX - 3, 8, buf);
	free(buf);

	uint64_t addr;
	host_symbol(t, "ompi_mpi_state", &addr);
	host_symbol(t, "main", &addr);
	const char *value = host_getenv(t, "PMIX_RANK");
	FUZZ_MUST(!value || memchr(value, '\0', 1 << 20));
	const char *module = host_module(t, "libmpi.so");
	FUZZ_MUST(!module || strstr(module, "libmpi.so"));

	size_t n_threads = 0;
	const struct mpidbg_thread *threads = host_threads(t, &n_threads);
	FUZZ_MUST(n_threads == 0 || threads);
	for (size_t i = 0; i < n_threads; i++) {
		FUZZ_MUST(threads[i].stack_lo <= threads[i].stack_hi);
		for (size_t j = 0; j < threads[i].n_backtrace; j++)
			FUZZ_MUST(threads[i].backtrace[j]);
	}
	host_resume(t);
}

int fuzz_core(const uint8_t *data, size_t n)
{
	int fd = fuzz_file(data, n);
	struct host_target *t = (struct host_target *)&fd;
	struct host_error err = { 0 };

	enum host_errc code = host_open_core(fuzz_path(fd), NULL, NULL, &t, &err);
	if (code) {
		FUZZ_MUST(t == NULL);
		FUZZ_MUST(err.code == code && err.text[0] && !strchr(err.text, '\n'));
	} else {
		FUZZ_MUST(t);
		ask(t, data, n);
	}
	host_close(t);
	close(fd);
	return 0;
}
