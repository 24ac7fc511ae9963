/* SPDX-License-Identifier: BSD-3-Clause */
/* The server of a FUSE file system, without libfuse: the requests are those of <linux/fuse.h>. */
#include "slow_disk.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { NODE = 2, MINOR = 31, WRITE_BYTES = 4096, REQUEST_BYTES = 1 << 16 };

union answer {
	struct fuse_init_out init;
	struct fuse_entry_out entry;
	struct fuse_attr_out attr;
	struct fuse_open_out open;
	struct fuse_write_out write;
};

static struct fuse_attr attributes(uint64_t node)
{
	return (struct fuse_attr){
		.ino = node, .mode = node == NODE ? S_IFREG | 0600 : S_IFDIR | 0700, .nlink = 1, .blksize = WRITE_BYTES
	};
}

/* @return the size of the answer; -1: none is sent */
static int answer_to(const struct fuse_in_header *in, const void *arguments, union answer *ret)
{
	const struct fuse_write_in *written = arguments;

	memset(ret, 0, sizeof(*ret));
	switch (in->opcode) {
	case FUSE_INIT:
		ret->init = (struct fuse_init_out){ .major = FUSE_KERNEL_VERSION,
						    .minor = MINOR,
						    .max_write = WRITE_BYTES };
		return sizeof(ret->init);
	case FUSE_LOOKUP:
		ret->entry = (struct fuse_entry_out){ .nodeid = NODE, .attr = attributes(NODE) };
		return sizeof(ret->entry);
	case FUSE_GETATTR:
	case FUSE_SETATTR:
		ret->attr = (struct fuse_attr_out){ .attr = attributes(in->nodeid) };
		return sizeof(ret->attr);
	case FUSE_OPEN:
	case FUSE_OPENDIR:
		return sizeof(ret->open);
	case FUSE_WRITE:
		ret->write.size = written->size;
		return sizeof(ret->write);
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
	case FUSE_FSYNC:
		return -1;
	default:
		return 0;
	}
}

static void serve(int fd)
{
	static char request[REQUEST_BYTES];
	union answer answer;

	while (read(fd, request, sizeof(request)) >= (ssize_t)sizeof(struct fuse_in_header) || errno == EINTR) {
		const struct fuse_in_header *in = (const void *)request;
		int n = answer_to(in, in + 1, &answer);
		struct fuse_out_header out = { .len = (uint32_t)(sizeof(out) + (size_t)n),
					       .error = n ? 0 : -ENOSYS,
					       .unique = in->unique };
		struct iovec parts[] = { { &out, sizeof(out) }, { &answer, n > 0 ? (size_t)n : 0 } };

		if (n >= 0 && writev(fd, parts, 2) < 0)
			break;
	}
}

bool slow_disk_mount(const char *folder, pid_t *server)
{
	char options[80];
	int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);

	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=%d,group_id=%d", fd, (int)getuid(),
		 (int)getgid());
	if (fd < 0 || unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
	    mount("slow_disk", folder, "fuse", MS_NOSUID | MS_NODEV, options) != 0) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	*server = fork();
	ck_assert_int_ge(*server, 0);
	if (*server == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		serve(fd);
		_exit(0);
	}
	close(fd);
	return true;
}
