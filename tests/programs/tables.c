/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tables FOLDER NAME: a process with MPI2DD_info filled by hand, as FOLDER/NAME.tables
 * says, which it waits for. It is no MPI program and calls no MPI function. It writes
 * FOLDER/NAME.pid at first and FOLDER/NAME.ready at last, and stays.
 *
 * Lines of the file ("-" as executable: its own):
 *
 *     meta HOST EXECUTABLE PID
 *     state NUMBER, flags NUMBER, abort WORD
 *     proc HOST EXECUTABLE PID RANK WORLD [PARENT_WORLD PARENT_RANK SEQUENCE]
 *     directory HOST EXECUTABLE PID
 *     metadirectory HOST EXECUTABLE PID
 *     raw FIELD VALUE     afterwards: proctable, directory_table, proctable_size, meta_host_name, magic ...
 */
#include "../../include/mpi2dd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { ENTRIES_MAX = 4096, WORDS_MAX = 10, POLL_US = 5000, ALARM_S = 300 };

__attribute__((used)) struct MPI2DD_INFO MPI2DD_info = {
	.magic = { 'M', 'P', 'I', '2', 0x7f },
	.version = MPI2DD_VERSION,
	.variant = MPI2DD_VARIANT,
};

static struct MPI2DD_PROCDESC procs[ENTRIES_MAX];
static struct MPI2DD_DIRECTORYENTRY directories[ENTRIES_MAX], metadirectories[ENTRIES_MAX];
static char self[4096];

static MPI2DD_ADDR_T keep(const char *text)
{
	char *copy = strdup(strcmp(text, "-") == 0 ? self : text);

	if (!copy)
		_exit(9);
	return (MPI2DD_ADDR_T)copy;
}

static void add_entry(struct MPI2DD_DIRECTORYENTRY *table, MPI2DD_INT32_T n, char **w)
{
	table[n] = (struct MPI2DD_DIRECTORYENTRY){ keep(w[1]), keep(w[2]), atoi(w[3]) };
}

static void add_proc(char **w, int n_words)
{
	struct MPI2DD_PROCDESC *p = &procs[MPI2DD_info.proctable_size++];

	*p = (struct MPI2DD_PROCDESC){ keep(w[1]), keep(w[2]), 0, keep(w[5]), atoi(w[3]), atoi(w[4]) };
	if (n_words < 9)
		return;
	struct MPI2DD_SPAWNDESC *s = calloc(1, sizeof *s);
	*s = (struct MPI2DD_SPAWNDESC){ keep(w[6]), atoi(w[7]), atoi(w[8]) };
	p->spawn_desc = (MPI2DD_ADDR_T)s;
}

static void set_raw(const char *field, unsigned long long value)
{
#define SET(name)                                                                                                      \
	if (strcmp(field, #name) == 0)                                                                                 \
		MPI2DD_info.name = (__typeof__(MPI2DD_info.name))value;
	SET(version)
	SET(proctable)
	SET(directory_table)
	SET(metadirectory_table)
	SET(proctable_size)
	SET(directory_size)
	SET(metadirectory_size)
	SET(meta_host_name)
	SET(meta_executable_name)
	SET(meta_pid)
#undef SET
	if (strcmp(field, "magic") == 0)
		MPI2DD_info.magic[0] = (MPI2DD_BYTE_T)value;
}

static void take(char **w, int n)
{
	if (strcmp(w[0], "meta") == 0 && n == 4) {
		MPI2DD_info.meta_host_name = keep(w[1]);
		MPI2DD_info.meta_executable_name = keep(w[2]);
		MPI2DD_info.meta_pid = atoi(w[3]);
	} else if (strcmp(w[0], "state") == 0 && n == 2) {
		MPI2DD_info.debug_state = (MPI2DD_BYTE_T)atoi(w[1]);
	} else if (strcmp(w[0], "flags") == 0 && n == 2) {
		MPI2DD_info.mpi_flags = (MPI2DD_UINT32_T)atoi(w[1]);
	} else if (strcmp(w[0], "abort") == 0 && n == 2) {
		MPI2DD_info.abort_string = keep(w[1]);
	} else if (strcmp(w[0], "proc") == 0 && (n == 6 || n == 9)) {
		add_proc(w, n);
		MPI2DD_info.proctable = (MPI2DD_ADDR_T)procs;
	} else if (strcmp(w[0], "directory") == 0 && n == 4) {
		add_entry(directories, MPI2DD_info.directory_size++, w);
		MPI2DD_info.directory_table = (MPI2DD_ADDR_T)directories;
	} else if (strcmp(w[0], "metadirectory") == 0 && n == 4) {
		add_entry(metadirectories, MPI2DD_info.metadirectory_size++, w);
		MPI2DD_info.metadirectory_table = (MPI2DD_ADDR_T)metadirectories;
	} else if (strcmp(w[0], "raw") == 0 && n == 3) {
		set_raw(w[1], strtoull(w[2], NULL, 0));
	} else {
		fprintf(stderr, "tables: what is \"%s\" with %d words?\n", w[0], n);
		_exit(9);
	}
}

static void mark(const char *folder, const char *name, const char *end)
{
	char path[4096], temporary[4200];

	snprintf(path, sizeof path, "%s/%s%s", folder, name, end);
	snprintf(temporary, sizeof temporary, "%s.new", path);
	FILE *f = fopen(temporary, "w");
	if (!f || fprintf(f, "%d\n", (int)getpid()) < 0 || fclose(f) != 0 || rename(temporary, path) != 0)
		_exit(9);
}

int main(int argc, char **argv)
{
	char path[4096], line[8192];
	FILE *f;

	if (argc != 3)
		return 2;
	prctl(PR_SET_PDEATHSIG, 9);
	alarm(ALARM_S);
	ssize_t n_self = readlink("/proc/self/exe", self, sizeof self - 1);
	self[n_self > 0 ? n_self : 0] = '\0';
	mark(argv[1], argv[2], ".pid");
	snprintf(path, sizeof path, "%s/%s.tables", argv[1], argv[2]);
	while (!(f = fopen(path, "r")))
		usleep(POLL_US);
	while (fgets(line, sizeof line, f)) {
		char *w[WORDS_MAX], *save = NULL;
		int n = 0;
		for (char *t = strtok_r(line, " \n", &save); t && n < WORDS_MAX; t = strtok_r(NULL, " \n", &save))
			w[n++] = t;
		if (n)
			take(w, n);
	}
	fclose(f);
	mark(argv[1], argv[2], ".ready");
	for (;;)
		pause();
}
