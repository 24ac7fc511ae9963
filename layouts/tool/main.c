/* SPDX-License-Identifier: BSD-3-Clause */
/* The packs of the source: stored as bases and changes, expanded and embedded by the build. */
#include "changes.h"
#include "embed.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
	"usage: layout-packs expand FROM TO      write each pack of the folder FROM in plain form to the folder TO\n"
	"       layout-packs store FROM TO       let the folder TO hold the packs of FROM and no others\n"
	"       layout-packs add TO PACK ...     add plain packs to the folder TO, or replace those of the same names\n"
	"       layout-packs embed PACK ...      write plain packs as C source\n"
	"A pack is stored as NAME.changes where a base (a NAME.layout that stays) has at least half of its lines.\n";

/* A pack, in plain form. */
struct pack {
	char *name; /* without suffix */
	char *text;
	bool is_base; /* its file is a plain one */
};

struct packs {
	struct pack *at; /* sorted by name */
	size_t n;
};

static _Noreturn void fail(const char *path, const char *why)
{
	fprintf(stderr, "layout-packs: %s: %s\n", path, why);
	exit(1);
}

/* ---- files ----------------------------------------------------------------------------------------- */

static char *read_text(const char *path)
{
	FILE *in = fopen(path, "r");
	char *text = calloc(1, ACC_PACK_BYTES_MAX + 2);

	if (!in || !text)
		fail(path, strerror(errno));
	size_t n = fread(text, 1, ACC_PACK_BYTES_MAX + 1, in);
	if (ferror(in))
		fail(path, strerror(errno));
	fclose(in);
	if (n > ACC_PACK_BYTES_MAX)
		fail(path, "too large");
	if (strlen(text) != n || (n && text[n - 1] != '\n'))
		fail(path, "not a text of complete lines");
	return text;
}

static void write_text(const char *path, const char *text)
{
	FILE *out = fopen(path, "w");

	if (!out)
		fail(path, strerror(errno));
	fputs(text, out);
	if (fclose(out))
		fail(path, strerror(errno));
}

static char *path_of(const char *folder, const char *name, const char *suffix)
{
	char *path;

	if (asprintf(&path, "%s/%s%s", folder, name, suffix) < 0)
		abort();
	return path;
}

/* The name of a file without folder and suffix, or NULL: it has another suffix. */
static char *name_of(const char *path, const char *suffix)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t n = strlen(name), n_suffix = strlen(suffix);

	return n > n_suffix && !strcmp(name + n - n_suffix, suffix) ? strndup(name, n - n_suffix) : NULL;
}

/* ---- sets of packs --------------------------------------------------------------------------------- */

static void *alloc(void *ctx, size_t n)
{
	(void)ctx;
	return malloc(n);
}

static void release(void *ctx, void *p)
{
	(void)ctx;
	free(p);
}

static const struct acc_pack_alloc allocator = { alloc, release, NULL };

static struct acc_pack *parse(const char *path, const char *text)
{
	struct acc_note note = { 0 };
	struct acc_pack *pack = NULL;

	if (acc_pack_parse(&allocator, text, strlen(text), &note, &pack))
		fail(path, note.text);
	return pack;
}

static struct pack *find_pack(const struct packs *packs, const char *name)
{
	for (size_t i = 0; i < packs->n; i++)
		if (!strcmp(packs->at[i].name, name))
			return &packs->at[i];
	return NULL;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct pack *)a)->name, ((const struct pack *)b)->name);
}

/* Add a pack, or replace the one of this name. Takes both strings. */
static void put_pack(struct packs *packs, char *name, char *text, bool is_base)
{
	struct pack *p = find_pack(packs, name);

	if (p) {
		free(p->text);
		p->text = text;
		free(name);
		return;
	}
	packs->at = reallocarray(packs->at, packs->n + 1, sizeof(*packs->at));
	if (!packs->at)
		abort();
	packs->at[packs->n++] = (struct pack){ name, text, is_base };
	qsort(packs->at, packs->n, sizeof(*packs->at), compare_names);
}

/* Read the files with a suffix: plain packs, or changes of packs that were read before. */
static void read_files(const char *folder, const char *suffix, struct packs *packs)
{
	DIR *d = opendir(folder);

	if (!d)
		fail(folder, strerror(errno));
	for (struct dirent *e; (e = readdir(d));) {
		char *name = name_of(e->d_name, suffix), *path = path_of(folder, e->d_name, "");

		if (name && strcmp(suffix, ".changes") != 0) {
			put_pack(packs, name, read_text(path), true);
		} else if (name) {
			char *changes = read_text(path), *base_name = pk_changes_base(changes), why[256];
			struct pack *base = base_name ? find_pack(packs, base_name) : NULL;

			if (base_name && (!base || !base->is_base))
				fail(path, "its base is no plain pack of this folder");
			if (find_pack(packs, name))
				fail(path, "there is a plain pack of this name, too");

			char *text = pk_changes_apply(base ? base->text : "", changes, why, sizeof(why));
			if (!text)
				fail(path, why);
			acc_pack_destroy(&allocator, parse(path, text));
			put_pack(packs, name, text, false);
			free(changes);
			free(base_name);
		}
		free(path);
	}
	closedir(d);
}

static struct packs read_folder(const char *folder)
{
	struct packs packs = { 0 };

	read_files(folder, ".layout", &packs);
	read_files(folder, ".changes", &packs);
	return packs;
}

static void packs_deinit(struct packs *packs)
{
	for (size_t i = 0; i < packs->n; i++) {
		free(packs->at[i].name);
		free(packs->at[i].text);
	}
	free(packs->at);
}

/* ---- storing --------------------------------------------------------------------------------------- */

/* The shortest changes that make a pack from a base, or NULL: none has half of its lines or fewer. To be freed. */
static char *shortest_changes(const struct packs *packs, const struct pack *pack)
{
	char *best = NULL;
	size_t best_n = pk_count_lines(pack->text) / 2 + 1;

	for (size_t i = 0; i < packs->n; i++) {
		const struct pack *base = &packs->at[i];

		if (!base->is_base || base == pack)
			continue;

		char *changes = pk_changes_between(base->name, base->text, pack->text), why[256];
		char *again = pk_changes_apply(base->text, changes, why, sizeof(why));
		if (again && !strcmp(again, pack->text) && pk_count_lines(changes) < best_n) {
			best_n = pk_count_lines(changes);
			free(best);
			best = changes;
			changes = NULL;
		}
		free(changes);
		free(again);
	}
	return best;
}

/* Write a file, or remove it (text NULL), and say so if that changes anything. */
static void update(const char *folder, const char *name, const char *suffix, const char *text)
{
	char *path = path_of(folder, name, suffix);
	bool is_there = !access(path, F_OK);
	char *old = is_there ? read_text(path) : NULL;

	if (text && (!old || strcmp(old, text) != 0)) {
		write_text(path, text);
		printf("%s: written\n", path);
	} else if (!text && is_there) {
		if (unlink(path))
			fail(path, strerror(errno));
		printf("%s: removed\n", path);
	}
	free(old);
	free(path);
}

/* Let a folder hold these packs and no others. Its bases remain bases; a pack without a near base becomes one. */
static void store(const char *folder, const struct packs *old, struct packs *packs)
{
	for (size_t i = 0; i < packs->n; i++) {
		const struct pack *before = find_pack(old, packs->at[i].name);

		acc_pack_destroy(&allocator, parse(packs->at[i].name, packs->at[i].text));
		packs->at[i].is_base = before && before->is_base;
	}
	for (size_t i = 0; i < old->n; i++) {
		if (find_pack(packs, old->at[i].name))
			continue;
		update(folder, old->at[i].name, ".layout", NULL);
		update(folder, old->at[i].name, ".changes", NULL);
	}
	for (size_t i = 0; i < packs->n; i++) {
		struct pack *p = &packs->at[i];
		char *changes = p->is_base ? NULL : shortest_changes(packs, p);

		p->is_base = !changes;
		update(folder, p->name, ".layout", changes ? NULL : p->text);
		update(folder, p->name, ".changes", changes);
		free(changes);
	}
}

/* ---- forms ----------------------------------------------------------------------------------------- */

static void expand(const char *from, const char *to)
{
	struct packs packs = read_folder(from);

	for (size_t i = 0; i < packs.n; i++) {
		char *path = path_of(to, packs.at[i].name, ".layout");

		write_text(path, packs.at[i].text);
		free(path);
	}
	packs_deinit(&packs);
}

static void add_packs(const char *folder, char **files, int n)
{
	struct packs old = read_folder(folder), packs = read_folder(folder);

	for (int i = 0; i < n; i++) {
		char *name = name_of(files[i], ".layout");

		if (!name)
			fail(files[i], "not called NAME.layout");
		put_pack(&packs, name, read_text(files[i]), false);
	}
	store(folder, &old, &packs);
	packs_deinit(&packs);
	packs_deinit(&old);
}

static void embed(char **files, int n)
{
	const char **names = calloc(n, sizeof(*names));

	if (!names)
		abort();
	pk_embed_begin(stdout);
	for (int i = 0; i < n; i++) {
		char *text = read_text(files[i]);
		struct acc_pack *pack = parse(files[i], text);
		const char *slash = strrchr(files[i], '/');

		names[i] = slash ? slash + 1 : files[i];
		pk_embed(stdout, i, text, pack);
		acc_pack_destroy(&allocator, pack);
		free(text);
	}
	pk_embed_end(stdout, names, n);
	free(names);
}

int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "expand")) {
		expand(argv[2], argv[3]);
	} else if (argc == 4 && !strcmp(argv[1], "store")) {
		struct packs old = read_folder(argv[3]), packs = read_folder(argv[2]);

		store(argv[3], &old, &packs);
		packs_deinit(&packs);
		packs_deinit(&old);
	} else if (argc > 3 && !strcmp(argv[1], "add")) {
		add_packs(argv[2], argv + 3, argc - 3);
	} else if (argc > 2 && !strcmp(argv[1], "embed")) {
		embed(argv + 2, argc - 2);
	} else {
		fputs(usage, stderr);
		return 2;
	}
	if (fflush(stdout))
		fail("standard output", strerror(errno));
	return 0;
}
