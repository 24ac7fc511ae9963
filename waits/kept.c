/* SPDX-License-Identifier: BSD-3-Clause */
#include "kept.h"

#include "descriptor.h"

#include "../host/clock.h"
#include "../host/maps.h"
#include "../host/proc_status.h"
#include "../host/tracer.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, MOUNTS_MAX = 16, LEVELS_MAX = 16, SHOWN = 120, THREADS_LOOKED_AT = 16 };

/* ---- the control groups of a process ------------------------------------------------------------------------- */

/* Where a hierarchy is mounted: one controller each in version 1, all of them in version 2. */
static struct mount {
	bool v2, freezer, cpu, memory;
	char root[256], at[256]; /* the group that is mounted there, and where */
} mounts[MOUNTS_MAX];
static size_t n_mounts;
static bool mounts_read;

static bool has_word(const char *list, const char *word)
{
	size_t n = strlen(word);

	for (const char *at = list; (at = strstr(at, word)); at += n)
		if ((at == list || at[-1] == ',') && (at[n] == ',' || at[n] == '\0' || at[n] == '\n'))
			return true;
	return false;
}

/* proc(5): "36 35 98:0 ROOT POINT OPTIONS ... - TYPE SOURCE SUPER_OPTIONS" */
static void read_mounts(void)
{
	FILE *f = fopen("/proc/self/mountinfo", "re");
	char *line = NULL, type[32], options[256];
	size_t room = 0;

	mounts_read = true;
	while (f && n_mounts < MOUNTS_MAX && getline(&line, &room, f) >= 0) {
		struct mount m = { .v2 = false };
		const char *rest = strstr(line, " - ");
		if (!rest || sscanf(line, "%*s %*s %*s %255s %255s", m.root, m.at) != 2 ||
		    sscanf(rest, " - %31s %*s %255s", type, options) != 2 || strncmp(type, "cgroup", 6) != 0)
			continue;
		m.v2 = strcmp(type, "cgroup2") == 0;
		m.freezer = m.v2 || has_word(options, "freezer");
		m.cpu = m.v2 || has_word(options, "cpu");
		m.memory = m.v2 || has_word(options, "memory");
		if (m.freezer || m.cpu || m.memory)
			mounts[n_mounts++] = m;
	}
	free(line);
	if (f)
		fclose(f);
}

/* The folder of a group. @return false: it is outside of what is mounted */
static bool folder_of(const struct mount *m, const char *group, char ret[PATH_BYTES])
{
	size_t n = strcmp(m->root, "/") ? strlen(m->root) : 0;

	if (strncmp(group, m->root, n) != 0 || (n && group[n] && group[n] != '/') || strstr(group, "/.."))
		return false;
	return snprintf(ret, PATH_BYTES, "%s%s", m->at, group + n) < PATH_BYTES;
}

/* The number after a name at the begin of a line of a small file. @return false: there is none */
static bool number_in(const char *folder, const char *file, const char *name, long long *ret)
{
	char path[PATH_BYTES + 64], line[256];
	bool found = false;

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	FILE *f = fopen(path, "re");
	while (f && !found && fgets(line, sizeof(line), f)) {
		size_t n = strlen(name);
		found = strncmp(line, name, n) == 0 && line[n] == ' ' && sscanf(line + n, "%lld", ret) == 1;
	}
	if (f)
		fclose(f);
	return found;
}

static bool is_frozen(const struct mount *m, const char *folder)
{
	char path[PATH_BYTES + 64], state[32] = "";
	long long n;

	if (m->v2)
		return number_in(folder, "cgroup.events", "frozen", &n) && n;
	snprintf(path, sizeof(path), "%s/freezer.state", folder);
	FILE *f = fopen(path, "re");
	if (!f)
		return false;
	bool is = fgets(state, sizeof(state), f) && strncmp(state, "FROZEN", 6) == 0;
	fclose(f);
	return is;
}

/* Its processor quota may be that of any group above it. */
static void add_throttled(const struct mount *m, const char *folder, int64_t *ret)
{
	char path[PATH_BYTES];
	long long n;

	snprintf(path, sizeof(path), "%s", folder);
	for (int i = 0; i < LEVELS_MAX && strlen(path) >= strlen(m->at); i++) {
		if (number_in(path, "cpu.stat", m->v2 ? "throttled_usec" : "throttled_time", &n) && n >= 0)
			*ret = (*ret < 0 ? 0 : *ret) + n / (m->v2 ? 1000 : 1000000);
		char *slash = strrchr(path, '/');
		if (!slash)
			break;
		*slash = '\0';
	}
}

static bool is_out_of_memory(const struct mount *m, const char *folder)
{
	long long n;

	return !m->v2 && number_in(folder, "memory.oom_control", "under_oom", &n) && n;
}

/* A line of /proc/PID/cgroup: "4:freezer,cpu:/job", "0::/job" */
static void read_group(char *line, struct wt_kept *ret)
{
	char *controllers = strchr(line, ':'), *group = controllers ? strchr(controllers + 1, ':') : NULL;
	char folder[PATH_BYTES];

	if (!group)
		return;
	*group++ = '\0';
	controllers++;
	for (size_t i = 0; i < n_mounts; i++) {
		const struct mount *m = &mounts[i];
		bool freezer = m->freezer && (m->v2 ? !*controllers : has_word(controllers, "freezer"));
		bool cpu = m->cpu && (m->v2 ? !*controllers : has_word(controllers, "cpu"));
		bool memory = m->memory && (m->v2 ? !*controllers : has_word(controllers, "memory"));
		if ((!freezer && !cpu && !memory) || !folder_of(m, group, folder))
			continue;
		if (freezer && !*ret->why && is_frozen(m, folder))
			snprintf(ret->why, sizeof(ret->why), "frozen by its cgroup %.*s", SHOWN, group);
		if (memory && !*ret->why && is_out_of_memory(m, folder))
			snprintf(ret->why, sizeof(ret->why), "out of memory: its cgroup %.*s has reached its limit",
				 SHOWN, group);
		if (cpu)
			add_throttled(m, folder, &ret->throttled_ms);
	}
}

/* The ranks of a job are in few groups, so the last ones are kept for the next process. */
static struct {
	char *text; /* of /proc/PID/cgroup */
	double read_ms;
	struct wt_kept found;
} last_groups;

static void read_groups(pid_t pid, struct wt_kept *ret)
{
	enum { OLD_MS = 100 };
	char path[64], *save = NULL;

	if (!mounts_read)
		read_mounts();
	snprintf(path, sizeof(path), "/proc/%d/cgroup", (int)pid);
	char *text = n_mounts ? host_read_file(path, NULL) : NULL, *kept = text ? strdup(text) : NULL;
	double now = host_now_ms();
	if (!kept || !last_groups.text || strcmp(text, last_groups.text) || now - last_groups.read_ms > OLD_MS) {
		struct wt_kept found = { .throttled_ms = -1 };
		for (char *line = text ? strtok_r(text, "\n", &save) : NULL; line; line = strtok_r(NULL, "\n", &save))
			read_group(line, &found);
		free(last_groups.text);
		last_groups.text = kept;
		last_groups.read_ms = now;
		last_groups.found = found;
	} else {
		free(kept);
	}
	free(text);
	ret->throttled_ms = last_groups.found.throttled_ms;
	if (!*ret->why)
		memcpy(ret->why, last_groups.found.why, sizeof(ret->why));
}

/* ---- the process --------------------------------------------------------------------------------------------- */

void wt_kept_of_status(const char *status, struct wt_kept *ret)
{
	int tracer = 0, dumping = 0;
	long long n;

	*ret = (struct wt_kept){ .throttled_ms = -1, .swapped_kb = -1 };
	for (const char *line = status; line; line = (line = strchr(line, '\n')) ? line + 1 : NULL) {
		if (sscanf(line, "VmSwap: %lld kB", &n) == 1)
			ret->swapped_kb = n;
		else if (sscanf(line, "TracerPid: %lld", &n) == 1)
			tracer = (int)n;
		else if (sscanf(line, "CoreDumping: %lld", &n) == 1)
			dumping = (int)n;
	}
	if (dumping) {
		snprintf(ret->why, sizeof(ret->why), "being written to a core");
	} else if (tracer > 0 && tracer != (int)getpid() && !host_is_reader(tracer)) {
		char name[17];
		wt_process_name(tracer, name);
		snprintf(ret->why, sizeof(ret->why), "traced by process %d%s%s%s", tracer, *name ? " (" : "", name,
			 *name ? ")" : "");
	}
}

/* In version 2 that a group has reached its limit is not said; where the kernel waits in it, is. */
static void read_kernel_functions(pid_t pid, struct wt_kept *ret)
{
	char path[sizeof("/proc//task//wchan") + 300], function[128];
	struct dirent *entry;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	DIR *dir = opendir(path);
	for (int i = 0; dir && i < THREADS_LOOKED_AT && !*ret->why && (entry = readdir(dir));) {
		if (*entry->d_name == '.')
			continue;
		i++;
		snprintf(path, sizeof(path), "/proc/%d/task/%s/wchan", (int)pid, entry->d_name);
		FILE *f = fopen(path, "re");
		if (f && fgets(function, sizeof(function), f) && strncmp(function, "mem_cgroup_", 11) == 0)
			snprintf(ret->why, sizeof(ret->why), "waiting for memory of its cgroup (%s)", function);
		if (f)
			fclose(f);
	}
	if (dir)
		closedir(dir);
}

/* A debugger that has let go of the process, stopped, for this question: MPIDBG_DEBUGGER, its id and name and the
 * process. */
static void read_debugger(pid_t pid, struct wt_kept *ret)
{
	const char *text = getenv("MPIDBG_DEBUGGER");
	int debugger, process;
	char name[17];

	if (text && sscanf(text, "%d %16s %d", &debugger, name, &process) == 3 && process == (int)pid)
		snprintf(ret->why, sizeof(ret->why), WT_BY_DEBUGGER "%s (process %d)", name, debugger);
}

void wt_kept_read(pid_t pid, struct wt_kept *ret)
{
	char *status = host_status_read(pid);

	wt_kept_of_status(status, ret);
	free(status);
	read_groups(pid, ret);
	read_kernel_functions(pid, ret);
	read_debugger(pid, ret);
}
