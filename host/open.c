/* SPDX-License-Identifier: BSD-3-Clause */
/* Opening, stopping, resuming and closing targets of both kinds, live processes and cores. */
#include "cleanup.h"
#include "core.h"
#include "elf_file.h"
#include "error.h"
#include "live.h"
#include "target.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void take_page_size(struct host_target *t)
{
	uint64_t page;

	t->page_bytes = 4096;
	if (host_auxv(t, AT_PAGESZ, &page) && page >= 1024 && page <= (1 << 20) && (page & (page - 1)) == 0)
		t->page_bytes = page;
}

/* ---- live ---------------------------------------------------------------------------------------- */

static char *proc_file(pid_t pid, const char *name, size_t *n)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	return host_read_file(path, n);
}

static bool read_maps(struct host_target *t)
{
	char *text = proc_file(t->pid, "maps", NULL);
	struct host_maps maps;

	if (!text || !host_maps_parse(text, &maps))
		return false;
	host_maps_deinit(&t->maps);
	t->maps = maps;
	t->maps_hold = host_live_all_stopped(t->live);
	return true;
}

/* Number of pages of the address space: it changes when a mapping is added or removed. 0: unknown. */
static unsigned long address_space_pages(struct host_target *t)
{
	_cleanup_free_ char *text = proc_file(t->pid, "statm", NULL);

	return text ? strtoul(text, NULL, 10) : 0;
}

/* Find word size, byte order and name of a running program. */
static enum host_errc read_identity(struct host_target *t, struct host_error *err)
{
	char link[64], path[PATH_MAX + 16];
	struct host_elf *e = NULL;

	snprintf(link, sizeof(link), "/proc/%d/exe", (int)t->pid);
	ssize_t n = readlink(link, path, sizeof(path) - 1);
	if (n < 0)
		return errno == ENOENT
			       ? host_error_set(err, HOST_ABSENT,
						"process %d is ending: its memory was already released", (int)t->pid)
			       : host_error_set(err, HOST_DENIED, "process %d: %s: %s", (int)t->pid, link,
						strerror(errno));
	path[n] = '\0';
	static const char deleted[] = " (deleted)";
	size_t d = sizeof(deleted) - 1;
	if ((size_t)n > d && strcmp(path + n - d, deleted) == 0)
		path[(size_t)n - d] = '\0';
	t->executable = strdup(path);
	if (host_elf_open(link, &e))
		return host_error_set(err, HOST_UNREADABLE, "process %d: %s: cannot be read: %s", (int)t->pid, path,
				      strerror(errno));
	t->word_bytes = e->word_bytes;
	t->big_endian = e->big_endian;
	t->machine = e->machine;
	host_elf_close(e);
	t->auxv = (uint8_t *)proc_file(t->pid, "auxv", &t->auxv_bytes);
	t->environ = proc_file(t->pid, "environ", &t->environ_bytes);
	t->environ_tried = true;
	take_page_size(t);
	return t->executable ? HOST_OK : host_error_set(err, HOST_UNREADABLE, "process %d: out of memory", (int)t->pid);
}

/*
 * A reader that looks for pointers tries thousands of addresses that are none: those where nothing is mapped need no
 * system call, as long as nothing can be mapped there.
 */
static size_t read_live(struct host_target *t, uint64_t addr, size_t n, void *ret)
{
	if (t->maps_hold && !host_maps_find(&t->maps, addr))
		return 0;
	return host_live_read(t->live, addr, n, ret);
}

HOST_CLEANUP_OF(struct host_target, host_close)

enum host_errc host_open_bare(pid_t pid, struct host_target **ret, struct host_error *err)
{
	*ret = NULL;
	host_error_clear(err);
	HOST_CLEANUP(host_close) struct host_target *t = calloc(1, sizeof(*t));
	if (!t)
		return host_error_set(err, HOST_UNREADABLE, "process %d: out of memory", (int)pid);
	enum host_errc rc = host_live_open(pid, &t->live, err);
	if (rc)
		return rc;
	t->read = read_live;
	t->pid = host_live_pid(t->live);
	*ret = HOST_TAKE(t);
	return HOST_OK;
}

enum host_errc host_prepare(struct host_target *t, bool threads, struct host_error *err)
{
	if (!t->live || t->prepared)
		return HOST_OK;
	enum host_errc rc = read_identity(t, err);
	if (rc)
		return rc;
	/* slow work is done before the stop; what changes in between is updated after it */
	t->pages = address_space_pages(t);
	if (!read_maps(t))
		return host_error_set(err, HOST_UNREADABLE, "process %d: its mappings cannot be read", (int)t->pid);
	host_modules_update(t);
	if (threads)
		host_modules_prepare(t);
	if (threads && !host_live_is_stopped(t->live)) /* otherwise the facts that a stack needs are found on demand */
		host_stacks_prepare(t);
	t->wants_threads = threads;
	t->prepared = true;
	return HOST_OK;
}

enum host_errc host_open_running(pid_t pid, struct host_target **ret, struct host_error *err)
{
	enum host_errc rc = host_open_bare(pid, ret, err);

	if (rc == HOST_OK)
		rc = host_prepare(*ret, true, err);
	if (rc != HOST_OK) {
		host_close(*ret);
		*ret = NULL;
	}
	return rc;
}

void host_stop_together(struct host_target *const *t, size_t n, enum host_errc *ret, struct host_error *err)
{
	struct host_live **live = calloc(n + 1, sizeof(*live));
	struct host_target **stopping = calloc(n + 1, sizeof(*stopping));
	enum host_errc *codes = calloc(n + 1, sizeof(*codes));
	struct host_error *errors = calloc(n + 1, sizeof(*errors));
	bool have_memory = live && stopping && codes && errors;
	size_t n_live = 0;

	for (size_t i = 0; i < n; i++) {
		ret[i] = HOST_OK;
		if (!t[i] || !t[i]->live || host_live_is_stopped(t[i]->live))
			continue;
		if (!have_memory) {
			ret[i] = host_error_set(&err[i], HOST_UNREADABLE, "process %d: out of memory", (int)t[i]->pid);
			continue;
		}
		host_stacks_forget(t[i]);
		live[n_live] = t[i]->live;
		stopping[n_live++] = t[i];
	}
	if (have_memory)
		host_live_stop(live, stopping, n_live, codes, errors);
	for (size_t i = 0, k = 0; i < n && k < n_live; i++) {
		if (t[i] != stopping[k])
			continue;
		ret[i] = codes[k];
		if (codes[k])
			err[i] = errors[k];
		else if (t[i]->prepared && (t[i]->pages == 0 || address_space_pages(t[i]) != t[i]->pages) &&
			 read_maps(t[i]))
			host_modules_update(t[i]);
		k++;
	}
	free(live);
	free(stopping);
	free(codes);
	free(errors);
}

enum host_errc host_stop(struct host_target *t, struct host_error *err)
{
	enum host_errc rc;

	host_stop_together(&t, 1, &rc, err);
	return rc;
}

enum host_errc host_open_live(pid_t pid, struct host_target **ret, struct host_error *err)
{
	enum host_errc rc = host_open_running(pid, ret, err);
	if (rc == HOST_OK)
		rc = host_stop(*ret, err);
	if (rc != HOST_OK) {
		host_close(*ret);
		*ret = NULL;
	}
	return rc;
}

void host_resume(struct host_target *t)
{
	if (!t->live || !host_live_is_stopped(t->live))
		return;
	if (t->wants_threads) /* not before it is prepared: nothing is known about it, not even the machine */
		host_stacks_copy(t);
	t->maps_hold = false;
	host_live_detach(t->live);
}

/* ---- core ---------------------------------------------------------------------------------------- */

static void name_executable(struct host_target *t)
{
	const char *name = NULL;

	for (size_t i = 0; !name && i < t->n_modules; i++) {
		const struct host_module *m = t->modules[i];
		if (!m->executable)
			continue;
		/* the file that the user has named may be another build */
		bool refused = t->exe_override && (!m->file || strcmp(m->file, t->exe_override) != 0);
		name = refused ? m->path : t->exe_override ? t->exe_override : m->path;
	}
	if (!name)
		name = t->exe_override ? t->exe_override : host_core_program(t->core);
	t->executable = strdup(name);
	if (!t->executable)
		t->executable = calloc(1, 1);
}

static size_t read_core(struct host_target *t, uint64_t addr, size_t n, void *ret)
{
	return host_core_read(t->core, t, addr, n, ret);
}

/* modules are files; names without a slash at the beginning are not */
static char *absolute(const char *path)
{
	char *ret = realpath(path, NULL);

	return ret ? ret : strdup(path);
}

enum host_errc host_open_core(const char *core, const char *exe, const char *sysroot, struct host_target **ret,
			      struct host_error *err)
{
	*ret = NULL;
	host_error_clear(err);
	HOST_CLEANUP(host_close) struct host_target *t = calloc(1, sizeof(*t));
	if (!t)
		return host_error_set(err, HOST_UNREADABLE, "%s: out of memory", core);
	enum host_errc rc = host_core_open(core, &t->core, err);
	if (rc)
		return rc;
	t->read = read_core;
	t->core_path = strdup(core);
	t->exe_override = exe ? absolute(exe) : NULL;
	t->sysroot = sysroot ? strdup(sysroot) : NULL;
	if (!t->core_path || (exe && !t->exe_override) || (sysroot && !t->sysroot))
		return host_error_set(err, HOST_UNREADABLE, "%s: out of memory", core);
	if (exe) {
		HOST_CLEANUP(host_elf_close) struct host_elf *e = NULL;
		if (host_elf_open(exe, &e))
			return host_error_set(err, HOST_USAGE, "%s: %s", exe,
					      access(exe, R_OK) ? strerror(errno) : "is not an ELF file");
		if (e->type == ET_CORE)
			return host_error_set(err, HOST_USAGE, "%s: is a core, not an executable: did you mean --core?",
					      exe);
	}
	host_core_describe(t->core, t);
	take_page_size(t);
	if (t->maps.n)
		host_modules_update(t);
	else
		host_core_find_maps(t);
	host_modules_prepare(t);
	name_executable(t);
	*ret = HOST_TAKE(t);
	return HOST_OK;
}

/* ---- both ---------------------------------------------------------------------------------------- */

void host_close(struct host_target *t)
{
	if (!t)
		return;
	host_live_close(t->live);
	host_stacks_deinit(t);
	host_modules_deinit(t);
	host_maps_deinit(&t->maps);
	host_core_close(t->core);
	for (size_t i = 0; i < t->n_warnings; i++)
		free(t->warnings[i]);
	free(t->executable);
	free(t->core_path);
	free(t->exe_override);
	free(t->sysroot);
	free(t->auxv);
	free(t->environ);
	free(t);
}

bool host_stopped_by_signal(const struct host_target *t)
{
	return t->live && host_live_by_signal(t->live);
}

double host_stopped_ms(const struct host_target *t)
{
	return t->live ? host_live_stopped_ms(t->live) : 0;
}
