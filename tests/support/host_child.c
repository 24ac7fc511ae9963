/* SPDX-License-Identifier: BSD-3-Clause */
#include "host_child.h"

#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void nap(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

struct host_child host_child_start(void (*run)(struct host_child_shared *shared))
{
	struct host_child c = { 0 };

	c.shared = mmap(NULL, sizeof(*c.shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert(c.shared != MAP_FAILED);
	c.pid = fork();
	ck_assert_int_ge(c.pid, 0);
	if (c.pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		run(c.shared);
		for (;;)
			pause();
	}
	return c;
}

void host_child_end(struct host_child *c)
{
	if (c->pid > 0) {
		kill(c->pid, SIGKILL);
		waitpid(c->pid, NULL, 0);
	}
	if (c->shared)
		munmap(c->shared, sizeof(*c->shared));
	*c = (struct host_child){ 0 };
}

void host_child_wait(const atomic_int *what)
{
	for (int i = 0; i < 20000; i++) {
		if (atomic_load(what))
			return;
		nap();
	}
	ck_abort_msg("the child did not get there in 20 s");
}

char host_child_state(pid_t pid)
{
	char path[64], line[256], state = 0;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	FILE *f = fopen(path, "r");
	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "State: %c", &state) == 1)
			break;
	fclose(f);
	return state;
}

bool host_child_beats(const struct host_child *c)
{
	unsigned long before = atomic_load(&c->shared->beats);

	for (int i = 0; i < 5000; i++) {
		if (atomic_load(&c->shared->beats) != before)
			return true;
		nap();
	}
	return false;
}

unsigned char *host_child_file(const char *path, size_t *n)
{
	FILE *f = fopen(path, "rb");

	ck_assert_msg(f != NULL, "%s", path);
	fseek(f, 0, SEEK_END);
	long size = ftell(f);
	ck_assert_int_ge(size, 0);
	rewind(f);
	unsigned char *bytes = malloc((size_t)size + 1);
	ck_assert_ptr_nonnull(bytes);
	ck_assert_uint_eq(fread(bytes, 1, (size_t)size, f), (size_t)size);
	fclose(f);
	*n = (size_t)size;
	return bytes;
}

char *host_child_path(const char *name)
{
	const char *dir = getenv("TMPDIR");
	char *path = NULL;

	ck_assert_int_gt(asprintf(&path, "%s/%s", dir ? dir : "/tmp", name), 0);
	return path;
}

char *host_child_write(const char *name, const void *bytes, size_t n)
{
	char *path = host_child_path(name);
	FILE *f = fopen(path, "wb");

	ck_assert_msg(f != NULL, "%s", path);
	ck_assert_uint_eq(fwrite(bytes, 1, n, f), n);
	ck_assert_int_eq(fclose(f), 0);
	return path;
}
