/* SPDX-License-Identifier: BSD-3-Clause */
#include "hang_report.h"

#include "message.h"
#include "page.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { TEXT, PAGE, SNAPSHOT, N_FILES };
static const char *const suffixes[N_FILES] = { "txt", "html", "json" };

struct files {
	char path[N_FILES][4096];
	FILE *f[N_FILES]; /* NULL: not open */
};

static bool open_files(struct files *files, const char *folder)
{
	char stamp[32] = "";
	time_t now = time(NULL);
	struct tm local;

	if (localtime_r(&now, &local))
		strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &local);
	if (mkdir(folder, S_IRWXU) != 0 && errno != EEXIST) {
		cmd_message("watch: %s: %s", folder, strerror(errno));
		return false;
	}
	for (int i = 0; i < N_FILES; i++) {
		snprintf(files->path[i], sizeof(files->path[i]), "%s/hang.%s.%s", folder, stamp, suffixes[i]);
		int fd = open(files->path[i], O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
		files->f[i] = fd >= 0 ? fdopen(fd, "w") : NULL;
		if (files->f[i])
			continue;
		cmd_message("watch: %s: %s", files->path[i], strerror(errno));
		if (fd >= 0)
			close(fd);
		return false;
	}
	return true;
}

/* @return false: a file could not be written, which was reported */
static bool close_files(struct files *files, bool keep)
{
	bool ok = true;

	for (int i = 0; i < N_FILES; i++) {
		if (!files->f[i])
			continue;
		bool failed = ferror(files->f[i]);
		if (fclose(files->f[i]) != 0 || failed) {
			cmd_message("watch: %s: cannot be written", files->path[i]);
			ok = false;
		}
		if (!keep)
			unlink(files->path[i]);
	}
	return ok;
}

/* The verdict as text, which begins with the conclusion; malloc'ed. NULL: out of memory */
static char *verdict_text(const struct cmd_seen *s)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	if (!f)
		return NULL;
	vd_report(&s->judged.ranks, &s->verdict, false, f);
	if (fclose(f) == 0)
		return text;
	free(text);
	return NULL;
}

static bool write_files(struct files *files, const struct cmd_seen *s, const struct vd_changes *changes)
{
	const struct cmd_lines *problems = &s->judged.job.problems;
	FILE *out = files->f[TEXT];
	char *text = verdict_text(s);

	if (!text) {
		cmd_message("watch: out of memory");
		return false;
	}
	fprintf(out, "%s\nSince the first time that the job was seen like this:\n", text);
	vd_changes_print(changes, out);
	for (size_t i = 0; i < problems->n; i++)
		fprintf(out, "%s%s\n", i ? "" : "\n", problems->line[i]);
	cmd_message("watch: nothing has moved for %lld s: %.*s", (long long)changes->seconds, (int)strcspn(text, "\n"),
		    text);
	free(text);
	return cmd_page_write(files->f[PAGE], s, false, "watch", files->path[PAGE]) == CMD_DONE;
}

enum cmd_hang_result cmd_hang_report(const struct cmd_options *o, struct host_plugin *plugin,
				     const struct cmd_seen *since, const char *folder, int *exit_code)
{
	struct cmd_options asked = *o;
	struct files files = { .f = { NULL } };
	struct vd_changes changes = { .n = 0 };
	enum cmd_hang_result ret = CMD_HANG_FAILED;

	asked.variables = true;
	if (!open_files(&files, folder)) {
		close_files(&files, false);
		return ret;
	}
	struct cmd_seen s;
	cmd_seen_take(&asked, plugin, &(struct cmd_judging){ .keep = true, .snapshot = files.f[SNAPSHOT] }, "watch",
		      &s);
	if (s.ok)
		cmd_seen_compare(since, &s, true, &changes);
	if (s.ok && !changes.no_memory)
		ret = changes.progress == VD_STUCK || changes.progress == VD_SPINNING ? CMD_HANG_WRITTEN
										      : CMD_HANG_MOVES;
	bool ok = ret != CMD_HANG_WRITTEN || write_files(&files, &s, &changes);
	ok = close_files(&files, ret == CMD_HANG_WRITTEN) && ok;
	if (ret == CMD_HANG_WRITTEN) {
		int rc = cmd_seen_exit(&s);
		*exit_code = rc == CMD_DEADLOCK || rc == CMD_SPINNING ? rc : CMD_STILL;
		cmd_message("watch: written%s: %s, .html, .json", ok ? "" : ", not completely", files.path[TEXT]);
	} else if (ret == CMD_HANG_FAILED) {
		cmd_message("watch: nothing has moved, but the job cannot be read now: %s",
			    s.judged.job.problems.n ? s.judged.job.problems.line[0] : "no rank can be read");
	}
	vd_changes_deinit(&changes);
	cmd_seen_deinit(&s);
	return ret;
}
