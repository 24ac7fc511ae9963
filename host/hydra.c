/* SPDX-License-Identifier: BSD-3-Clause */
#include "hydra.h"

#include "maps.h"

#include <ctype.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	ANCESTORS_MAX = 256,
	HEAP_MAX_BYTES = 2 << 20, /* that are searched */
	BLOCK_BYTES = 64 << 10,   /* a proxy has the name in its first kilobyte, a rank after 350 */
	NAME_MAX_BYTES = 256      /* of a key-value space (PMI_MAXKVSLEN) */
};

/* The value of an argument of the nearest proxy above a process. @return the proxy; NULL: there is none */
static const struct host_process *proxy_above(const struct host_proclist *list, const struct host_process *p,
					      const char *argument, char *ret, size_t n)
{
	for (unsigned i = 0; i < ANCESTORS_MAX && (p = host_proclist_find(list, p->parent)); i++)
		if (host_process_is_launcher(p) && host_process_argument(p, argument, ret, n))
			return p;
	return NULL;
}

bool host_hydra_address(const struct host_proclist *list, const struct host_process *p, char *ret, size_t n)
{
	return proxy_above(list, p, "--control-port", ret, n) != NULL;
}

/* Open the memory of a process. @param[out] begin, end where its heap is @return -1: it cannot be read */
static int open_heap(pid_t pid, uint64_t *begin, uint64_t *end)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	char *maps = host_read_file(path, NULL);
	const char *heap = maps ? strstr(maps, "[heap]") : NULL;
	while (heap && heap > maps && heap[-1] != '\n')
		heap--;
	bool found = heap && sscanf(heap, "%" SCNx64 "-%" SCNx64, begin, end) == 2 && *end > *begin;
	free(maps);
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	return found ? open(path, O_RDONLY | O_CLOEXEC) : -1;
}

/* A key-value space, one for each world. */
struct space {
	unsigned mpiexec; /* process number */
	char world[16], host[64];
};

/*
 * "kvs_MPIEXEC_WORLD_NUMBER_HOST" (HYD_pmcd_pmi_allocate_kvs() and its successors in hydra, MPICH 4.0 to 5.0), with a
 * NUL at its end. @return false: it has another form
 */
static bool parse_space(const char *text, struct space *ret)
{
	int used = 0;

	if (sscanf(text, "kvs_%9u_%15[0-9]_%*[0-9]_%n", &ret->mpiexec, ret->world, &used) != 2 || !used)
		return false;
	size_t n = strlen(text + used);
	if (!n || n >= sizeof(ret->host))
		return false;
	memcpy(ret->host, text + used, n + 1);
	for (const char *c = ret->host; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("._-", *c))
			return false;
	return true;
}

/* The first one in this text. @return false: there is none */
static bool find_in(const char *text, size_t n, struct space *ret)
{
	static const char start[] = "kvs_";
	const char *at = text, *end = text + n;
	bool found = false;

	while (!found && (at = memmem(at, (size_t)(end - at), start, sizeof(start) - 1))) {
		size_t room = (size_t)(end - at) < NAME_MAX_BYTES ? (size_t)(end - at) : NAME_MAX_BYTES;
		found = memchr(at, '\0', room) && parse_space(at, ret);
		at += sizeof(start) - 1;
	}
	return found;
}

/*
 * The first one in the memory of a process. A rank and a proxy keep that of their own world before others, such as that
 * of a rank's parents. @return false: there is none, or the memory cannot be read
 */
static bool find_space(pid_t pid, struct space *ret)
{
	uint64_t at = 0, end = 0;
	int fd = open_heap(pid, &at, &end);
	char *block = fd >= 0 ? malloc(BLOCK_BYTES + NAME_MAX_BYTES) : NULL;
	bool found = false;
	ssize_t n = 1;

	end = end - at < HEAP_MAX_BYTES ? end : at + HEAP_MAX_BYTES;
	for (; block && !found && at < end && n > 0; at += BLOCK_BYTES) {
		n = pread(fd, block, BLOCK_BYTES + NAME_MAX_BYTES, (off_t)at); /* one may begin in a block */
		found = n > 0 && find_in(block, (size_t)n, ret);
	}
	free(block);
	if (fd >= 0)
		close(fd);
	return found;
}

void host_hydra_name_world(const struct host_proclist *list, struct host_process *p)
{
	char address[48], group[16];
	struct space own, its;

	if (p->launch != HOST_LAUNCH_PMI || *p->job)
		return;
	const struct host_process *proxy = proxy_above(list, p, "--pgid", group, sizeof(group));
	if (!proxy)
		return;
	bool known = find_space(proxy->pid, &its), shared = strcmp(group, "0") == 0;
	/* since MPICH 5 spawned processes have the proxy of the first world, if that is on their host */
	if (known && p->spawned && find_space(p->tid, &own) && own.mpiexec == its.mpiexec &&
	    strcmp(own.host, its.host) == 0)
		snprintf(p->job, sizeof(p->job), "%s/%u@%.40s", own.world, own.mpiexec, own.host);
	else if (known && !(p->spawned && shared))
		snprintf(p->job, sizeof(p->job), "%s/%u@%.40s", p->spawned ? group : "0", its.mpiexec, its.host);
	else if (host_process_argument(proxy, "--control-port", address, sizeof(address)))
		snprintf(p->job, sizeof(p->job), "%s/%s", p->spawned && shared ? "spawned" : group, address);
}

const char *host_hydra_mpiexec(const struct host_process *p)
{
	const char *slash = p->launch == HOST_LAUNCH_PMI ? strchr(p->job, '/') : NULL;

	return slash && strchr(slash, '@') ? slash + 1 : NULL;
}
