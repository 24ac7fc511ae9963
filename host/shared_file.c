/* SPDX-License-Identifier: BSD-3-Clause */
#include "shared_file.h"

#include <errno.h>
#include <fcntl.h>
#include <libelf.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Limit for unused files; a program with its libraries, MPI plugins and Python modules has about 100. */
enum { UNUSED_MAX = 256 };

/* Most recently used first. */
static struct host_shared_file *all;

static void destroy(struct host_shared_file *f)
{
	host_symbols_destroy(f->symbols);
	host_symbols_destroy(f->full);
	host_elf_close(f->debug_elf);
	host_elf_close(f->elf);
	elf_end(f->libelf);
	free(f->debug_path);
	free(f);
}

static bool is_at(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

/* @return the file, moved to the front of the list; NULL: not in the list */
static struct host_shared_file *find_open(const struct stat *st)
{
	for (struct host_shared_file **at = &all; *at; at = &(*at)->next) {
		struct host_shared_file *f = *at;
		if (f->inode != st->st_ino || f->dev != st->st_dev || f->bytes != (uint64_t)st->st_size ||
		    !is_at(&f->modified, &st->st_mtim) || !is_at(&f->changed, &st->st_ctim))
			continue;
		*at = f->next;
		f->next = all;
		all = f;
		return f;
	}
	return NULL;
}

static void drop_unused(void)
{
	size_t n = 0;

	for (struct host_shared_file **at = &all; *at;) {
		struct host_shared_file *f = *at;
		n += f->n_users == 0;
		if (f->n_users || n <= UNUSED_MAX) {
			at = &f->next;
			continue;
		}
		*at = f->next;
		destroy(f);
	}
}

int host_shared_file_open(const char *path, struct host_shared_file **ret)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return errno;
	if (!S_ISREG(st.st_mode))
		return ENOEXEC;
	struct host_shared_file *f = find_open(&st);
	if (f) {
		f->n_users++;
		*ret = f;
		return 0;
	}
	f = calloc(1, sizeof(*f));
	if (!f)
		return ENOMEM;
	switch (host_elf_open(path, &f->elf)) {
	case HOST_ELF_OK:
		break;
	case HOST_ELF_ENOENT: {
		int cause = errno;
		free(f);
		return cause;
	}
	default:
		free(f);
		return ENOEXEC;
	}
	f->symbols = host_symbols_create(f->elf, HOST_SYMBOLS_DYNAMIC, 0);
	f->dev = st.st_dev;
	f->inode = st.st_ino;
	f->bytes = (uint64_t)st.st_size;
	f->modified = st.st_mtim;
	f->changed = st.st_ctim;
	f->n_users = 1;
	f->next = all;
	all = f;
	*ret = f;
	return 0;
}

struct host_shared_file *host_shared_file_from_memory(struct host_elf *e)
{
	struct host_shared_file *f = e ? calloc(1, sizeof(*f)) : NULL;

	if (!f) {
		host_elf_close(e);
		return NULL;
	}
	f->elf = e;
	f->from_memory = true;
	f->n_users = 1;
	return f;
}

struct Elf *host_shared_file_libelf(struct host_shared_file *f, const char *path)
{
	struct stat st;

	if (!f->libelf && !f->from_memory) {
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		elf_version(EV_CURRENT);
		/* the file that was found, not one that has replaced it since */
		if (fd >= 0 && fstat(fd, &st) == 0 && st.st_ino == f->inode && st.st_dev == f->dev)
			f->libelf = elf_begin(fd, ELF_C_READ_MMAP_PRIVATE, NULL);
		if (f->libelf && elf_cntl(f->libelf, ELF_C_FDREAD) != 0) {
			elf_end(f->libelf);
			f->libelf = NULL;
		}
		if (fd >= 0)
			close(fd);
	}
	/* one more reference */
	return f->libelf ? elf_begin(-1, ELF_C_READ_MMAP_PRIVATE, f->libelf) : NULL;
}

void host_shared_file_release(struct host_shared_file *f)
{
	if (!f)
		return;
	if (f->from_memory) {
		destroy(f);
		return;
	}
	f->n_users--;
	drop_unused();
}
