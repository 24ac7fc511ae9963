/* SPDX-License-Identifier: BSD-3-Clause */
#include "elf.h"

#include "clock.h"
#include "log.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NAMES_MAX = 4096, HEADERS_MAX = 1024, LOADER_MS = 5000, LISTING_MAX = 1 << 20 };

static void add_name(struct run_elf *elf, const char *name, size_t length)
{
	if (elf->n == NAMES_MAX)
		return;
	char **names = realloc(elf->names, (elf->n + 1) * sizeof(*names));
	if (!names)
		run_fail(RUN_FAILED, "out of memory");
	elf->names = names;
	names[elf->n++] = run_text("%.*s", (int)length, name);
}

static void clear_names(struct run_elf *elf)
{
	for (size_t i = 0; i < elf->n; i++)
		free(elf->names[i]);
	free(elf->names);
	elf->names = NULL;
	elf->n = 0;
}

void run_elf_deinit(struct run_elf *elf)
{
	clear_names(elf);
	elf->bits = 0;
}

/* ---- the file ------------------------------------------------------------------------------------ */

/* Uses the section headers, not the program headers: every linker writes a .dynamic section into programs. */
static void read_dynamic(struct run_elf *ret, Elf *e)
{
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(e, scn));) {
		GElf_Shdr header;
		GElf_Dyn d;

		if (!gelf_getshdr(scn, &header) || header.sh_type != SHT_DYNAMIC)
			continue;
		Elf_Data *data = elf_getdata(scn, NULL);
		for (int i = 0; data && i < NAMES_MAX && gelf_getdyn(data, i, &d) && d.d_tag != DT_NULL; i++) {
			const char *name = d.d_tag == DT_NEEDED ? elf_strptr(e, header.sh_link, (size_t)d.d_un.d_val)
								: NULL;
			if (name)
				add_name(ret, name, strlen(name));
		}
		return;
	}
}

static void read_interpreter(struct run_elf *ret, Elf *e, int fd)
{
	size_t n = 0;

	if (elf_getphdrnum(e, &n) != 0)
		return;
	for (size_t i = 0; i < n && i < HEADERS_MAX; i++) {
		GElf_Phdr p;

		if (!gelf_getphdr(e, (int)i, &p) || p.p_type != PT_INTERP)
			continue;
		if (p.p_filesz > 1 && p.p_filesz < sizeof(ret->interpreter) &&
		    pread(fd, ret->interpreter, p.p_filesz, (off_t)p.p_offset) == (ssize_t)p.p_filesz)
			ret->interpreter[p.p_filesz - 1] = '\0';
		else
			ret->interpreter[0] = '\0';
		return;
	}
}

void run_elf_init(struct run_elf *ret, const char *path)
{
	struct stat st;

	memset(ret, 0, sizeof(*ret));
	elf_version(EV_CURRENT);
	/* O_NONBLOCK: it may be a FIFO, on which open() would wait; only regular files are read */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return;
	Elf *e = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
	GElf_Ehdr header;
	if (e && elf_kind(e) == ELF_K_ELF && gelf_getehdr(e, &header) &&
	    (header.e_type == ET_EXEC || header.e_type == ET_DYN)) {
		ret->bits = gelf_getclass(e) == ELFCLASS32 ? 32 : 64;
		ret->machine = header.e_machine;
		read_interpreter(ret, e, fd);
		read_dynamic(ret, e);
	}
	elf_end(e);
	close(fd);
}

/* ---- the loader ---------------------------------------------------------------------------------- */

/* Only glibc's dynamic loader knows --list. */
static bool is_glibc_loader(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && (strncmp(slash, "/ld-linux", 9) == 0 || strncmp(slash, "/ld64.so", 8) == 0 ||
			 strncmp(slash, "/ld.so", 6) == 0);
}

static pid_t start_loader(const char *loader, const char *path, int *from)
{
	int ends[2];
	char *program = strchr(path, '/') ? run_text("%s", path) : run_text("./%s", path);

	if (pipe2(ends, O_CLOEXEC) != 0) {
		free(program);
		return -1;
	}
	pid_t child = fork();
	if (child == 0) {
		int null = open("/dev/null", O_RDWR);

		unsetenv("LD_PRELOAD");
		if (null < 0 || dup2(null, 0) < 0 || dup2(ends[1], 1) < 0 || dup2(null, 2) < 0)
			_exit(RUN_FAILED);
		execl(loader, loader, "--list", program, (char *)NULL);
		_exit(RUN_NOT_FOUND);
	}
	close(ends[1]);
	free(program);
	if (child < 0)
		close(ends[0]);
	*from = ends[0];
	return child;
}

/* Read all output of the loader. @return NULL: the time is up, or too much output. */
static char *read_all(int fd)
{
	char *text = malloc(LISTING_MAX);
	size_t n = 0;
	int64_t deadline = run_now_ms() + LOADER_MS;

	while (text) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		int64_t left = deadline - run_now_ms();
		ssize_t got = left > 0 && poll(&p, 1, (int)left) > 0 ? read(fd, text + n, LISTING_MAX - 1 - n) : -1;

		if (got == 0) {
			text[n] = '\0';
			return text;
		}
		if (got < 0 || n + (size_t)got >= LISTING_MAX - 1)
			break;
		n += (size_t)got;
	}
	free(text);
	return NULL;
}

bool run_elf_ask_loader(struct run_elf *elf, const char *path)
{
	int from, status = 0;

	if (!elf->bits || !is_glibc_loader(elf->interpreter))
		return false;
	pid_t child = start_loader(elf->interpreter, path, &from);
	if (child < 0)
		return false;
	char *text = read_all(from);
	close(from);
	if (!text)
		kill(child, SIGKILL);
	waitpid(child, &status, 0);
	/* A missing library is listed as "NAME => not found" and makes the loader fail, but the list is usable. */
	if (!text || (!WIFEXITED(status)) || WEXITSTATUS(status) >= RUN_FAILED) {
		free(text);
		return false;
	}
	struct run_elf all = { 0 };
	for (char *save = NULL, *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		line += strspn(line, " \t");
		size_t n = strcspn(line, " \t");
		if (n > 0)
			add_name(&all, line, n);
	}
	free(text);
	if (all.n == 0)
		return false;
	clear_names(elf);
	elf->names = all.names;
	elf->n = all.n;
	return true;
}
