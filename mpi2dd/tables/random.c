/* SPDX-License-Identifier: BSD-3-Clause */
#include "random.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* GRND_NONBLOCK of <sys/random.h>, which older C libraries do not have */
enum { NONBLOCK = 1 };

bool m2d_random(void *ret, size_t n)
{
#ifdef SYS_getrandom
	if (syscall(SYS_getrandom, ret, n, NONBLOCK) == (long)n)
		return true;
#endif
	int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ssize_t got = read(fd, ret, n);
	close(fd);
	return got == (ssize_t)n;
}
