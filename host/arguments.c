/* SPDX-License-Identifier: BSD-3-Clause */
#include "arguments.h"

#include "returns.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

/* The numbers of enum perf_event_x86_regs and perf_event_arm_regs. The kernel writes the registers in their order. */
#if defined(__x86_64__)
static const uint8_t numbers[HOST_ARGUMENTS] = { 5, 4, 3, 2, 16 }; /* rdi, rsi, rdx, rcx, r8 */
#else
static const uint8_t numbers[HOST_ARGUMENTS] = { 0, 1, 2, 3, 4 };
#endif

struct host_calls {
	int fd;
	size_t page_bytes;
	void *pages; /* one with the head, one with the records */
};

static uint64_t mask(void)
{
	uint64_t ret = 0;

	for (int i = 0; i < HOST_ARGUMENTS; i++)
		ret |= UINT64_C(1) << numbers[i];
	return ret;
}

struct host_calls *host_calls_open(pid_t tid, uint64_t entry)
{
	struct perf_event_attr attr = {
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_REGS_USER,
		.sample_regs_user = mask(),
		.disabled = 1,
	};
	struct host_calls *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
#if !defined(__x86_64__) && !defined(__aarch64__)
	free(c);
	errno = ENOTSUP;
	return NULL;
#endif
	c->page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	c->pages = MAP_FAILED;
	c->fd = host_breakpoint_open(tid, entry, &attr);
	if (c->fd >= 0)
		c->pages = mmap(NULL, 2 * c->page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, c->fd, 0);
	if (c->pages == MAP_FAILED || ioctl(c->fd, PERF_EVENT_IOC_REFRESH, HOST_CALLS_MAX) != 0) {
		int cause = errno;
		host_calls_close(c);
		errno = cause;
		return NULL;
	}
	return c;
}

/* One record; the page is never full, so that none wraps around its end. */
struct record {
	struct perf_event_header header;
	uint64_t abi, regs[HOST_ARGUMENTS];
};

/* The place of the i-th argument among the registers of a record. */
static size_t place_of(int i)
{
	size_t ret = 0;

	for (int k = 0; k < HOST_ARGUMENTS; k++)
		ret += numbers[k] < numbers[i];
	return ret;
}

size_t host_calls_read(const struct host_calls *c, struct host_arguments ret[HOST_CALLS_MAX])
{
	const struct perf_event_mmap_page *head = c->pages;
	const uint8_t *data = (const uint8_t *)c->pages + c->page_bytes;
	uint64_t end = __atomic_load_n(&head->data_head, __ATOMIC_ACQUIRE);
	size_t n = 0;

	for (uint64_t at = 0;
	     n < HOST_CALLS_MAX && at + sizeof(struct perf_event_header) <= end && end <= c->page_bytes;) {
		const struct record *r = (const struct record *)(const void *)(data + at);
		if (r->header.size < sizeof(r->header) || at + r->header.size > end)
			break;
		if (r->header.type == PERF_RECORD_SAMPLE && r->header.size >= sizeof(*r) &&
		    r->abi == PERF_SAMPLE_REGS_ABI_64) {
			for (int i = 0; i < HOST_ARGUMENTS; i++)
				ret[n].v[i] = r->regs[place_of(i)];
			n++;
		}
		at += r->header.size;
	}
	return n;
}

void host_calls_close(struct host_calls *c)
{
	if (!c)
		return;
	if (c->pages != MAP_FAILED)
		munmap(c->pages, 2 * c->page_bytes);
	if (c->fd >= 0)
		close(c->fd);
	free(c);
}
