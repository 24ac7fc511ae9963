/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file internal.h
 * A function of the preloaded library that it does not export, found in its symbol table: to bring about what a
 * program cannot, such as an event that is raised in a signal handler.
 */
#ifndef INTERNAL_H
#define INTERNAL_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/** @p exported: anything that the library exports. @return NULL: it is stripped */
static inline void *internal_symbol(void *exported, const char *name)
{
	Dl_info info;
	struct stat st;
	void *found = NULL;

	if (!dladdr(exported, &info))
		return NULL;
	int fd = open(info.dli_fname, O_RDONLY);
	if (fd < 0 || fstat(fd, &st) != 0)
		return NULL;
	const char *file = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (file == MAP_FAILED)
		return NULL;
	const ElfW(Ehdr) *header = (const void *)file;
	const ElfW(Shdr) *sections = (const void *)(file + header->e_shoff);
	for (int i = 0; i < header->e_shnum && !found; i++) {
		if (sections[i].sh_type != SHT_SYMTAB)
			continue;
		const ElfW(Sym) *symbols = (const void *)(file + sections[i].sh_offset);
		const char *names = file + sections[sections[i].sh_link].sh_offset;
		for (size_t k = 0; k < sections[i].sh_size / sizeof symbols[0] && !found; k++)
			if (strcmp(names + symbols[k].st_name, name) == 0)
				found = (char *)info.dli_fbase + symbols[k].st_value;
	}
	munmap((void *)(uintptr_t)file, (size_t)st.st_size);
	return found;
}

#endif /* INTERNAL_H */
