/* SPDX-License-Identifier: BSD-3-Clause */
#include "absent.h"

#include "error.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

enum host_errc host_proc_there(struct host_error *err)
{
	if (access("/proc/self/stat", F_OK) == 0)
		return HOST_OK;
	return host_error_set(
		err, HOST_UNREADABLE,
		"no process can be read: /proc is not mounted here (mount -t proc proc /proc), or it is that "
		"of another PID name space; cores can be read (--core, --cores)");
}

enum host_errc host_error_absent(const char *what, pid_t pid, struct host_error *err)
{
	enum host_errc rc = host_proc_there(err);

	if (rc != HOST_OK)
		return rc;
	if (pid > 0 && (kill(pid, 0) == 0 || errno == EPERM))
		return host_error_set(
			err, HOST_DENIED,
			"%s %d: there is such a process, but /proc hides it (option hidepid): run as its user, "
			"as root, or in the group that the mount option gid names",
			what, (int)pid);
	return host_error_set(err, HOST_ABSENT, "%s %d: no such process", what, (int)pid);
}
