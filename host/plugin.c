/* SPDX-License-Identifier: BSD-3-Clause */
#include "callbacks.h"
#include "error.h"
#include "host.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef MPIDBG_STATIC

/* The static command (make static) has our plugin linked into it and cannot load another one. */

static enum host_errc find_entry_points(const char *path, struct host_plugin *ret, struct host_error *err)
{
	if (strcmp(path, host_plugin_default_path()))
		return host_error_set(err, HOST_ABSENT,
				      "%s: the static mpidbg cannot load plugins: it has its own inside", path);
	ret->path = strdup(path);
	if (!ret->path)
		return host_error_set(err, HOST_UNREADABLE, "%s: out of memory", path);
#define HOST_ENTRY(name) ret->name = name;
#include "entry_points.def"
#undef HOST_ENTRY
	return HOST_OK;
}

const char *host_plugin_default_path(void)
{
	return "libmpidbg.so (built in)";
}

/*
 * Linked instead of dlopen() (-Wl,--wrap=dlopen). libdw calls it to load libdebuginfod; a static program that does so
 * needs the very C library that it was linked with, and crashes with another.
 */
void *__wrap_dlopen(const char *file, int mode);
void *__wrap_dlopen(const char *file, int mode)
{
	(void)file;
	(void)mode;
	return NULL;
}

bool host_is_static(void)
{
	return true;
}

#else

bool host_is_static(void)
{
	return false;
}

#define STRING(x)        #x

static enum host_errc find_entry_points(const char *path, struct host_plugin *ret, struct host_error *err)
{
	/* dlopen() would search a name without a slash in the library path, but a file is meant */
	char *real = realpath(path, NULL);
	if (!real)
		return host_error_set(err, HOST_ABSENT, "%s: %s", path, strerror(errno));
	ret->dl = dlopen(real, RTLD_NOW | RTLD_LOCAL);
	if (!ret->dl) {
		const char *why = dlerror();
		host_error_set(err, HOST_UNREADABLE, "%s: cannot be loaded: %s", path, why ? why : "unknown reason");
		free(real);
		return HOST_UNREADABLE;
	}
	ret->path = real;
#define HOST_ENTRY(name) ret->name = (__typeof__(ret->name))dlsym(ret->dl, STRING(name));
#include "entry_points.def"
#undef HOST_ENTRY
	return HOST_OK;
}

const char *host_plugin_default_path(void)
{
	static char path[PATH_MAX];
	static const char *const beside[] = { "libmpidbg.so", "../lib/libmpidbg.so" };
	char exe[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	if (n > 0) {
		exe[n] = '\0';
		*strrchr(exe, '/') = '\0';
		for (size_t i = 0; i < sizeof(beside) / sizeof(*beside); i++) {
			int length = snprintf(path, sizeof(path), "%s/%s", exe, beside[i]);
			if (length > 0 && (size_t)length < sizeof(path) && !access(path, R_OK))
				return path;
		}
	}
	snprintf(path, sizeof(path), "%s/lib/libmpidbg.so", MPIDBG_PREFIX);
	return path;
}

#endif

enum host_errc host_plugin_load(const char *path, struct host_plugin *ret, struct host_error *err)
{
	memset(ret, 0, sizeof(*ret));
	struct host_plugin p = { 0 };
	enum host_errc rc = find_entry_points(path, &p, err);
	if (rc)
		return rc;
	if (!p.mqs_setup_basic_callbacks || !p.mqs_setup_image || !p.mqs_setup_process) {
		host_plugin_unload(&p);
		return host_error_set(err, HOST_UNREADABLE,
				      "%s: is no message queue plugin: it does not export mqs_setup_image", path);
	}
	int level = p.mqs_version_compatibility ? p.mqs_version_compatibility() : 0;
	int width = p.mqs_dll_taddr_width ? p.mqs_dll_taddr_width() : 0;
	if (level != MQS_INTERFACE_COMPATIBILITY || width != sizeof(mqs_taddr_t)) {
		host_plugin_unload(&p);
		return host_error_set(err, HOST_UNREADABLE,
				      "%s: has interface level %d and addresses of %d bytes, we have %d and %zu", path,
				      level, width, MQS_INTERFACE_COMPATIBILITY, sizeof(mqs_taddr_t));
	}
	p.mqs_setup_basic_callbacks(host_basic_callbacks());
	if (p.mpidbg_init_once)
		p.mpidbg_init_once(host_basic_callbacks());
	*ret = p;
	return HOST_OK;
}

void host_plugin_unload(struct host_plugin *p)
{
	if (p->dl)
		dlclose(p->dl);
	free(p->path);
	memset(p, 0, sizeof(*p));
}
