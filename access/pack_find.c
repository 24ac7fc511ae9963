/* SPDX-License-Identifier: BSD-3-Clause */
#include "pack_find.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

static const char suffix[] = ".layout";
static const char builtin_prefix[] = "builtin:";

enum { NAME_BYTES = NAME_MAX + 1 };

/* The list under construction, and temporary data. */
struct finder {
	const struct acc_pack_alloc *alloc;
	struct acc_note *note;
	struct acc_pack_list list;
	size_t n_files;            /* number of files tried */
	char *text;                /* ACC_PACK_BYTES_MAX + 1 bytes: one file */
	char (*names)[NAME_BYTES]; /* names in one folder, ACC_PACK_FILES_MAX of them */
	char path[4096 + NAME_BYTES];
};

/* Of a file, or of a built-in pack */
static const char *name_of(const char *path)
{
	bool builtin = strncmp(path, builtin_prefix, sizeof(builtin_prefix) - 1) == 0;

	return builtin ? path + sizeof(builtin_prefix) - 1 : basename(path);
}

/* Is a pack with this base name in the list? */
static bool have(const struct finder *f, const char *base)
{
	for (size_t i = 0; i < f->list.n; i++) {
		if (!strcmp(name_of(f->list.files[i]), base))
			return true;
	}
	return false;
}

static void skip(struct finder *f, enum acc_rc rc, const char *origin, const char *why)
{
	f->list.n_skipped++;
	acc_note(f->note, rc, "%s: %s", origin, why);
}

static void append_pack(struct finder *f, const char *origin, const struct acc_pack *pack)
{
	size_t length = strlen(origin), cut = length < ACC_PACK_ORIGIN_BYTES ? 0 : length - ACC_PACK_ORIGIN_BYTES + 1;

	f->list.packs[f->list.n] = pack;
	memcpy(f->list.files[f->list.n], origin + cut, length - cut + 1);
	f->list.n++;
}

/* Parse and append. @return ACC_ENOMEM, or ACC_OK, also if it is not a pack. */
static enum acc_rc add_pack_text(struct finder *f, const char *origin, const char *text, size_t n)
{
	struct acc_note note = { .rc = ACC_OK };
	struct acc_pack *pack;
	enum acc_rc rc = acc_pack_parse(f->alloc, text, n, &note, &pack);

	if (rc == ACC_ENOMEM)
		return acc_note(f->note, rc, "%s", note.text);
	if (rc) {
		skip(f, rc, origin, note.text);
		return ACC_OK;
	}
	if (!pack->n_witnesses) {
		acc_pack_destroy(f->alloc, pack);
		skip(f, ACC_EWITNESS, origin, "it has no witness: nothing tells whether it is for a process");
		return ACC_OK;
	}
	append_pack(f, origin, pack);
	f->list.n_parsed = f->list.n;
	return ACC_OK;
}

/* Read at most ACC_PACK_BYTES_MAX + 1 bytes of a regular file into the text. @return how many; -1, errno says why. */
static ssize_t read_file(struct finder *f)
{
	/* O_NONBLOCK: a FIFO of that name must not hold up a debugger. */
	int fd = open(f->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return -1;

	struct stat st;
	size_t n = 0;
	ssize_t got = fstat(fd, &st);
	if (!got && !S_ISREG(st.st_mode)) {
		errno = EINVAL;
		got = -1;
	} else if (!got) {
		while (n <= ACC_PACK_BYTES_MAX) {
			got = read(fd, f->text + n, ACC_PACK_BYTES_MAX + 1 - n);
			if (got < 0 && errno == EINTR)
				continue;
			if (got <= 0)
				break;
			n += got;
		}
	}

	int saved = errno;
	close(fd);
	errno = saved;
	return got < 0 ? -1 : (ssize_t)n;
}

static enum acc_rc add_file(struct finder *f)
{
	ssize_t n = read_file(f);

	if (n < 0) {
		char why[80];

		skip(f, ACC_EREAD, f->path, strerror_r(errno, why, sizeof(why)));
		return ACC_OK;
	}
	return add_pack_text(f, f->path, f->text, n);
}

/* The *.layout files of a folder, sorted, so that the result does not depend on the file system. */
static size_t list_folder(struct finder *f, const char *folder)
{
	DIR *dir = opendir(folder);
	size_t n = 0;

	if (!dir)
		return 0;
	for (struct dirent *e; (e = readdir(dir));) {
		size_t length = strlen(e->d_name), at = n;

		if (length < sizeof(suffix) || strcmp(e->d_name + length - (sizeof(suffix) - 1), suffix))
			continue;
		while (at > 0 && strcmp(f->names[at - 1], e->d_name) > 0)
			at--;
		if (n == ACC_PACK_FILES_MAX) {
			skip(f, ACC_ELIMIT, folder, "more pack files than are read");
			if (at == n)
				continue;
			n--;
		}
		memmove(f->names[at + 1], f->names[at], (n - at) * sizeof(f->names[0]));
		memcpy(f->names[at], e->d_name, length + 1);
		n++;
	}
	closedir(dir);
	return n;
}

static enum acc_rc add_folder(struct finder *f, const char *folder)
{
	size_t n = list_folder(f, folder);

	for (size_t i = 0; i < n; i++) {
		if (have(f, f->names[i]))
			continue;
		if (f->n_files == ACC_PACK_FILES_MAX) {
			skip(f, ACC_ELIMIT, folder, "more pack files than are read");
			break;
		}
		f->n_files++;
		snprintf(f->path, sizeof(f->path), "%s/%s", folder, f->names[i]);

		enum acc_rc rc = add_file(f);
		if (rc)
			return rc;
	}
	return ACC_OK;
}

/* The folders of $MPIDBG_LAYOUTS, then the installed one. */
static enum acc_rc add_folders(struct finder *f)
{
	const char *folders = getenv("MPIDBG_LAYOUTS");

	while (folders && *folders) {
		size_t n = strcspn(folders, ":");
		char folder[4096];

		if (n > 0 && n < sizeof(folder)) {
			memcpy(folder, folders, n);
			folder[n] = '\0';

			enum acc_rc rc = add_folder(f, folder);
			if (rc)
				return rc;
		} else if (n) {
			skip(f, ACC_ELIMIT, "$MPIDBG_LAYOUTS", "a path is too long");
		}
		folders += n + (folders[n] == ':');
	}
	return add_folder(f, MPIDBG_PREFIX "/share/mpidbg/layouts");
}

static void add_builtins(struct finder *f)
{
	for (const struct acc_pack_builtin *b = acc_pack_builtins; b->file; b++) {
		char origin[ACC_PACK_ORIGIN_BYTES];

		if (have(f, b->file))
			continue;
		snprintf(origin, sizeof(origin), "%s%s", builtin_prefix, b->file);
		append_pack(f, origin, b->pack);
	}
}

static enum acc_rc find_all(struct finder *f)
{
	size_t room = ACC_PACK_FILES_MAX;

	for (const struct acc_pack_builtin *b = acc_pack_builtins; b->file; b++)
		room++;
	f->list.packs = f->alloc->alloc(f->alloc->ctx, room * sizeof(*f->list.packs));
	f->list.files = f->alloc->alloc(f->alloc->ctx, room * sizeof(*f->list.files));
	f->names = f->alloc->alloc(f->alloc->ctx, (ACC_PACK_FILES_MAX + 1) * sizeof(*f->names));
	f->text = f->alloc->alloc(f->alloc->ctx, ACC_PACK_BYTES_MAX + 1);
	if (!f->list.packs || !f->list.files || !f->names || !f->text)
		return acc_note(f->note, ACC_ENOMEM, "layout packs: %s", acc_rc_text(ACC_ENOMEM));

	enum acc_rc rc = add_folders(f);
	if (!rc)
		add_builtins(f);
	return rc;
}

static void release(const struct acc_pack_alloc *alloc, void *p)
{
	if (p)
		alloc->release(alloc->ctx, p);
}

enum acc_rc acc_pack_list_load(const struct acc_pack_alloc *alloc, struct acc_note *note, struct acc_pack_list *ret)
{
	struct finder *f = alloc->alloc(alloc->ctx, sizeof(*f));

	if (!f)
		return acc_note(note, ACC_ENOMEM, "layout packs: %s", acc_rc_text(ACC_ENOMEM));
	memset(f, 0, sizeof(*f));
	f->alloc = alloc;
	f->note = note;

	enum acc_rc rc = find_all(f);
	if (rc)
		acc_pack_list_destroy(alloc, &f->list);
	else
		*ret = f->list;
	release(alloc, f->names);
	release(alloc, f->text);
	release(alloc, f);
	return rc;
}

void acc_pack_list_destroy(const struct acc_pack_alloc *alloc, struct acc_pack_list *list)
{
	if (!list)
		return;
	for (size_t i = 0; i < list->n_parsed; i++)
		acc_pack_destroy(alloc, (struct acc_pack *)list->packs[i]);
	release(alloc, list->packs);
	release(alloc, list->files);
	memset(list, 0, sizeof(*list));
}
