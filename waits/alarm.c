/* SPDX-License-Identifier: BSD-3-Clause */
#include "alarm.h"

#include "../host/elf_file.h"
#include "../host/maps.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The timers of all processes, without their owners. A file without sleeping processes is one that
 * a container hides. */
static bool is_any_pending(void)
{
	char *text = host_read_file("/proc/timer_list", NULL);
	bool ret = !text || !strstr(text, "hrtimer_wakeup") || strstr(text, "it_real_fn");

	free(text);
	return ret;
}

static bool same_program(pid_t a, pid_t b)
{
	struct stat x, y;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)a);
	if (stat(path, &x) != 0)
		return false;
	snprintf(path, sizeof(path), "/proc/%d/exe", (int)b);
	return stat(path, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* Does the file need one of the functions from another one? true also if it has no dynamic symbols. */
static bool calls_alarm(const char *path)
{
	static const char *const names[] = { "alarm", "setitimer", "ualarm" };
	struct host_elf *e;

	if (host_elf_open(path, &e) != HOST_ELF_OK)
		return true;
	const struct host_shdr *symbols = host_elf_section(e, ".dynsym"), *strings = host_elf_section(e, ".dynstr");
	bool ret = !symbols || !strings || e->word_bytes != 8;
	for (uint64_t at = 0; !ret && at + sizeof(Elf64_Sym) <= symbols->bytes; at += sizeof(Elf64_Sym)) {
		Elf64_Sym symbol;
		const uint8_t *bytes = host_elf_at(e, symbols->offset + at, sizeof(symbol));
		if (!bytes)
			break;
		memcpy(&symbol, bytes, sizeof(symbol));
		if (symbol.st_shndx != SHN_UNDEF)
			continue;
		const char *name = host_elf_string(e, strings->offset + symbol.st_name);
		for (size_t i = 0; name && i < sizeof(names) / sizeof(names[0]); i++)
			ret |= strcmp(name, names[i]) == 0;
	}
	host_elf_close(e);
	return ret;
}

/* Does the program of a process, or one of its libraries, call the functions? */
static bool may_call(pid_t pid)
{
	char path[96];
	struct host_maps maps;
	uint64_t last = 0;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	char *text = host_read_file(path, NULL);
	if (!text || !host_maps_parse(text, &maps))
		return true;
	bool ret = maps.n == 0;
	for (size_t i = 0; i < maps.n && !ret; i++) {
		const struct host_map *m = &maps.v[i];
		if (!m->inode || !(m->prot & HOST_MAP_EXEC) || m->inode == last)
			continue;
		last = m->inode;
		snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, (int)pid, m->lo, m->hi);
		ret = calls_alarm(path);
	}
	host_maps_deinit(&maps);
	return ret;
}

bool wt_alarm_possible(pid_t pid, pid_t program)
{
	return is_any_pending() && (!same_program(pid, program) || may_call(pid));
}
