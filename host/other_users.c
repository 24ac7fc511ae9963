/* SPDX-License-Identifier: BSD-3-Clause */
#include "other_users.h"

#include "maps.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Is this process in a user name space of a container, and has it there the right to read all processes? */
static bool may_read_all_of_container(void)
{
	enum { SYS_PTRACE = 19 }; /* CAP_SYS_PTRACE */
	static const char all[] = " 4294967295\n",
			  field[] = "\nCapEff:"; /* the end of the map of the first name space */
	char *map = host_read_file("/proc/self/uid_map", NULL), *status = host_read_file("/proc/self/status", NULL);
	size_t n = map ? strlen(map) : 0;
	const char *caps = status ? strstr(status, field) : NULL;
	bool is_first = n >= sizeof(all) && strcmp(map + n - (sizeof(all) - 1), all) == 0;
	bool ret = n && !is_first && caps && (strtoull(caps + sizeof(field) - 1, NULL, 16) >> SYS_PTRACE & 1);

	free(map);
	free(status);
	return ret;
}

/*
 * The file that says so directly may be unreadable for the same reason; what the users
 * are mapped to is readable for everybody. If that is the same in both, the kernel
 * denies the link to somebody with all rights only for a process of another one.
 */
bool host_is_of_other_users(pid_t pid)
{
	char path[64], link[2][64] = { "", "" };

	snprintf(path, sizeof(path), "/proc/%d/uid_map", (int)pid);
	char *theirs = host_read_file(path, NULL), *ours = host_read_file("/proc/self/uid_map", NULL);
	bool ret = theirs && ours && strcmp(theirs, ours) != 0;

	free(theirs);
	free(ours);
	if (ret)
		return true;
	snprintf(path, sizeof(path), "/proc/%d/ns/user", (int)pid);
	if (readlink(path, link[0], sizeof(link[0]) - 1) <= 0)
		return errno == EACCES && may_read_all_of_container();
	return readlink("/proc/self/ns/user", link[1], sizeof(link[1]) - 1) > 0 && strcmp(link[0], link[1]) != 0;
}
