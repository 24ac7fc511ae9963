/* SPDX-License-Identifier: BSD-3-Clause */
#include "process.h"

#include <check.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

bool process_stat(pid_t pid, struct process_stat *ret)
{
	char path[64], text[1024];
	struct process_stat s;
	unsigned long user, system;

	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	FILE *f = fopen(path, "re");
	size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
	if (f)
		fclose(f);
	text[n] = '\0';
	/* the program's name, which precedes it, may contain spaces and parentheses */
	const char *end = strrchr(text, ')');
	if (!end || sscanf(end, ") %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %*d %*d %*d %*d %*d %*d %llu",
			   &s.state, &s.parent, &user, &system, &s.started) != 5)
		return false;
	s.ticks = user + system;
	*ret = s;
	return true;
}

char process_state(pid_t pid)
{
	struct process_stat s;

	return process_stat(pid, &s) ? s.state : 0;
}

void process_forbid(unsigned call, unsigned error)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };

	ck_assert_int_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	ck_assert_int_eq(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0), 0);
}
