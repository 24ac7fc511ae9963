/* SPDX-License-Identifier: BSD-3-Clause */
#include "cores.h"

#include "../host/elf_file.h"
#include "mpi2dd_tables.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* prstatus: signal info (3 ints), then the signal that stopped it (short). prpsinfo: 4 chars, then as below. */
enum {
	PRSTATUS_CURSIG = 12,
	PRSTATUS_PID_64 = 32,
	PRSTATUS_PID_32 = 24,
	PRPSINFO_FNAME_64 = 40,
	PRPSINFO_FNAME_32 = 28, /* i386 has 16-bit user ids */
	PRPSINFO_FNAME_BYTES = 16
};

static bool is_core(const char *path)
{
	unsigned char e[EI_NIDENT + 2];
	FILE *f = fopen(path, "re");
	size_t n = f ? fread(e, 1, sizeof(e), f) : 0;

	if (f)
		fclose(f);
	if (n != sizeof(e) || memcmp(e, ELFMAG, SELFMAG) != 0)
		return false;
	return host_decode_u(e + EI_NIDENT, 2, e[EI_DATA] == ELFDATA2MSB) == ET_CORE;
}

static bool add_core(struct cmd_job *job, const char *path)
{
	struct cmd_proc *p = cmd_job_add(job, -1, -1, NULL, NULL, path);

	if (!p) {
		cmd_lines_add(&job->problems, "out of memory");
		return false;
	}
	cmd_core_facts(p);
	return true;
}

static bool add_folder(struct cmd_job *job, const char *folder)
{
	struct dirent **names;
	int n = scandir(folder, &names, NULL, alphasort);

	if (n < 0) {
		cmd_lines_add(&job->problems, "%s: %s", folder, strerror(errno));
		return true;
	}
	size_t before = job->n;
	bool ok = true;
	for (int i = 0; i < n; i++) {
		char *path = NULL;
		struct stat st;
		if (ok &&
		    asprintf(&path, "%s%s%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/", names[i]->d_name) >=
			    0 &&
		    stat(path, &st) == 0 && S_ISREG(st.st_mode) && is_core(path))
			ok = add_core(job, path);
		free(path);
		free(names[i]);
	}
	free(names);
	if (job->n == before)
		cmd_lines_add(&job->problems, "%s: no core files in this folder", folder);
	return ok;
}

enum cmd_exit cmd_cores_find(const struct cmd_options *o, struct cmd_job *job)
{
	bool exists = false;

	for (size_t i = 0; i < o->n_files; i++) {
		const char *path = o->files[i];
		struct stat st;
		bool ok = true;
		if (stat(path, &st) != 0) {
			cmd_lines_add(&job->problems, "%s: %s", path, strerror(errno));
			continue;
		}
		exists |= !S_ISDIR(st.st_mode);
		if (S_ISDIR(st.st_mode))
			ok = add_folder(job, path);
		else
			ok = add_core(job, path); /* the failure is reported when the core is opened */
		if (!ok)
			return CMD_PARTIAL;
	}
	if (job->n)
		return CMD_DONE;
	return exists ? CMD_PARTIAL : CMD_ABSENT;
}

static void fact_of_note(struct cmd_proc *p, const struct host_elf *e, const struct host_note *note)
{
	unsigned pid_at = e->word_bytes == 8 ? PRSTATUS_PID_64 : PRSTATUS_PID_32;
	unsigned name_at = e->word_bytes == 8 ? PRPSINFO_FNAME_64 : PRPSINFO_FNAME_32;

	/* the first thread in a core is the one that died */
	if (note->type == NT_PRSTATUS && p->signal < 0 && note->desc_bytes >= pid_at + 4) {
		p->signal = (int)host_decode_u(note->desc + PRSTATUS_CURSIG, 2, e->big_endian);
		if (p->pid < 0)
			p->pid = (int64_t)host_decode_u(note->desc + pid_at, 4, e->big_endian);
	}
	if (note->type == NT_PRPSINFO && note->desc_bytes >= name_at + PRPSINFO_FNAME_BYTES) {
		/* pr_pid is the process id, in a prstatus the thread id */
		p->pid = (int64_t)host_decode_u(note->desc + name_at - 16, 4, e->big_endian);
		char name[PRPSINFO_FNAME_BYTES + 1] = "";
		memcpy(name, note->desc + name_at, PRPSINFO_FNAME_BYTES);
		if (!p->executable[0])
			cmd_proc_set(&p->executable, name);
	}
}

void cmd_core_facts(struct cmd_proc *p)
{
	struct host_elf *e = NULL;

	if (host_elf_open(p->core, &e) != HOST_ELF_OK)
		return;
	for (size_t i = 0; e->type == ET_CORE && i < e->n_phdrs; i++) {
		const struct host_phdr *h = &e->phdrs[i];
		const uint8_t *bytes = h->type == PT_NOTE ? host_elf_at(e, h->offset, h->file_bytes) : NULL;
		size_t pos = 0;
		struct host_note note;
		while (bytes && host_note_next(bytes, h->file_bytes, e->big_endian, h->align == 8 ? 8 : 4, &pos, &note))
			fact_of_note(p, e, &note);
	}
	host_elf_close(e);
}

/* Find the entry with the pid and rank of a core; if its rank is unknown, the pid must be unique. */
static const struct cmd_proc *entry_of(const struct cmd_job *tables, const struct cmd_proc *core)
{
	const struct cmd_proc *found = NULL;

	for (size_t i = 0; core->pid > 0 && i < tables->n; i++) {
		const struct cmd_proc *t = &tables->procs[i];
		if (t->table_pid != core->pid || (core->rank >= 0 && t->rank != core->rank))
			continue;
		if (found)
			return NULL;
		found = t;
	}
	return found;
}

bool cmd_cores_match(struct cmd_job *job, struct cmd_job *tables)
{
	const struct cmd_proc *first = job->n ? entry_of(tables, &job->procs[0]) : NULL;

	if (!tables->n)
		return true;
	if (!cmd_mpi2dd_settle(tables, first ? first->world : CMD_NO_WORLD))
		return false;
	for (size_t i = 0; i < job->n; i++) {
		struct cmd_proc *p = &job->procs[i];
		const struct cmd_proc *t = entry_of(tables, p);
		if (!t)
			continue;
		p->rank = t->rank;
		p->world = t->world;
		p->table_pid = t->table_pid;
		if (!*p->host)
			cmd_proc_set(&p->host, t->host);
	}
	job->worlds = tables->worlds;
	tables->worlds = (struct cmd_worlds){ 0 };
	return true;
}

/* Report ranks without a core in the world of procs[first]. @return the index after that world */
static size_t check_world(struct cmd_job *job, size_t first, bool is_only)
{
	struct cmd_ranks seen = { 0 }, missing = { 0 };
	int64_t size = -1;
	size_t i = first;
	char world[64] = "", name[24];

	for (; i < job->n && cmd_same_world(&job->procs[i], &job->procs[first]); i++) {
		const struct cmd_proc *p = &job->procs[i];
		if (p->rank >= 0)
			cmd_ranks_add(&seen, p->rank, p->rank);
		if (p->world_size > 0)
			size = p->world_size;
	}
	if (seen.n)
		missing = cmd_ranks_missing(&seen, size);
	if (missing.n) {
		char *text = cmd_ranks_text(&missing);
		if (!is_only) {
			cmd_world_name(&job->worlds, job->procs[first].world, name);
			snprintf(world, sizeof(world), " of world %s", name);
		}
		cmd_lines_add(&job->problems, "no core of %s %s of %lld%s",
			      cmd_ranks_count(&missing) == 1 ? "rank" : "ranks", text ? text : "?", (long long)size,
			      world);
		free(text);
	}
	cmd_ranks_deinit(&seen);
	cmd_ranks_deinit(&missing);
	return i;
}

void cmd_cores_check(struct cmd_job *job, const struct cmd_options *o)
{
	bool several = false;

	cmd_job_number_worlds(job);

	for (size_t i = 1; i < job->n; i++) {
		const struct cmd_proc *p = &job->procs[i], *before = p - 1;
		bool worlds_known = p->world != CMD_NO_WORLD && before->world != CMD_NO_WORLD;
		if (p->rank >= 0 && p->rank == before->rank && cmd_same_world(p, before))
			cmd_lines_add(&job->problems, "rank %lld: %s and %s are both of this rank", (long long)p->rank,
				      before->core, p->core);
		if (!worlds_known && *p->job && *before->job && strcmp(p->job, before->job) != 0)
			cmd_lines_add(&job->problems, "%s is of another job (%s) than %s (%s)", p->core, p->job,
				      before->core, before->job);
		several |= worlds_known && p->world != before->world;
	}
	if (o->have_ranks)
		return;
	/* without tables it is unknown whether two jobs are connected */
	for (size_t i = 0; i < job->n;) {
		size_t first = i;
		i = check_world(job, i, !several);
		if (job->procs[first].world == CMD_NO_WORLD)
			break;
	}
}
