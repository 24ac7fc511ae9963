/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Separate debug files from the servers that DEBUGINFOD_URLS names, by libdebuginfod
 * of elfutils, which is loaded when it is needed and stores them for next time. Its
 * interface is that of debuginfod_find_debuginfo(3), elfutils 0.179 and later.
 */
#include "clock.h"
#include "error.h"
#include "fetched.h"
#include "host.h"
#include "modules.h"
#include "target.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct debuginfod_client;
typedef int progress(struct debuginfod_client *client, long done, long total);

static host_debuginfod_progress *report;
static const char *current;
static double deadline_ms, moved_ms; /* moved_ms: when it was asked, or when something came last */
static long n_done;
static bool gave_up; /* no server answers: not asked again, for a second reading */

/* A server that must unpack a package first may take this long. */
enum { SILENT_MS = 45000 };

static bool is_silent(void)
{
	return host_now_ms() - moved_ms > SILENT_MS;
}

/* Called while it loads. @return not 0: give up */
static int on_progress(struct debuginfod_client *client, long done, long total)
{
	(void)client;
	if (report)
		report(current, done, total);
	if (total > 0 && done != n_done) { /* before an answer, done is no number of bytes, and total is 0 */
		n_done = done;
		moved_ms = host_now_ms();
	}
	return host_now_ms() > deadline_ms || is_silent();
}

#ifdef MPIDBG_STATIC

/* the library needs the very C library that this program was linked with */
static char *load_library(const struct host_build_id *id, const char **why)
{
	(void)id, (void)on_progress;
	*why = "the static mpidbg cannot load libdebuginfod";
	return NULL;
}

#else

/* @return malloc'ed path; NULL: there is none, or @p why it cannot be asked */
static char *load_library(const struct host_build_id *id, const char **why)
{
	void *library = dlopen("libdebuginfod.so.1", RTLD_LAZY);
	struct debuginfod_client *(*begin)(void) = library ? (struct debuginfod_client * (*)(void))
								     dlsym(library, "debuginfod_begin")
							   : NULL;
	void (*end)(struct debuginfod_client *) = library ? (void (*)(struct debuginfod_client *))dlsym(
								    library, "debuginfod_end")
							  : NULL;
	void (*set_progress)(struct debuginfod_client *,
			     progress *) = library ? (void (*)(struct debuginfod_client *,
							       progress *))dlsym(library, "debuginfod_set_progressfn")
						   : NULL;
	int (*find_debuginfo)(struct debuginfod_client *, const unsigned char *, int,
			      char **) = library ? (int (*)(struct debuginfod_client *, const unsigned char *, int,
							    char **))dlsym(library, "debuginfod_find_debuginfo")
						 : NULL;
	char *path = NULL;

	*why = begin && end && set_progress && find_debuginfo ? NULL
							      : "libdebuginfod.so.1 (of elfutils) is not installed";
	struct debuginfod_client *client = *why ? NULL : begin();
	if (!client)
		return NULL;
	set_progress(client, on_progress);
	int fd = find_debuginfo(client, id->bytes, (int)id->n, &path);
	if (fd >= 0)
		close(fd);
	else
		path = NULL;
	end(client);
	return path;
}

#endif

static bool ask(struct host_module *m, const struct host_build_id *id, const char **why)
{
	const char *slash = strrchr(m->path, '/');
	current = slash ? slash + 1 : m->path;
	moved_ms = host_now_ms();
	n_done = 0;
	char *path = load_library(id, why);
	bool found = path != NULL;
	gave_up = !found && !*why && is_silent();
	if (gave_up)
		*why = "the servers have sent nothing for 45 s";
	host_fetched_add(id, path);
	if (found)
		host_module_forget_debug_file(m);
	return found;
}

enum host_errc host_debuginfod_fetch(struct host_target *t, double seconds, host_debuginfod_progress *progress_of,
				     size_t *n_fetched, struct host_error *err)
{
	const char *urls = getenv("DEBUGINFOD_URLS"), *why = NULL;
	struct host_build_id id;

	if (!urls || !*urls)
		return host_error_set(err, HOST_ABSENT, "debuginfod: DEBUGINFOD_URLS is not set: it names the servers");
	report = progress_of;
	deadline_ms = host_now_ms() + seconds * 1e3;
	for (size_t i = 0; !why && !gave_up && i < t->n_modules; i++) {
		struct host_module *m = t->modules[i];

		if (!m->elf || m->from_memory || !host_module_is_application(m) || host_module_debug_file(m))
			continue;
		host_elf_build_id(m->elf, &id);
		if (id.n > 1 && !host_fetched_asked(&id) && host_now_ms() < deadline_ms)
			*n_fetched += ask(m, &id, &why);
	}
	return why ? host_error_set(err, HOST_ABSENT, "debuginfod: %s", why) : HOST_OK;
}
