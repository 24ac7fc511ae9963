/* SPDX-License-Identifier: BSD-3-Clause */
#include "parts.h"

#include "folds.h"

#include "../verdict/verdict.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
	MOMENT_S = 10, /* parts that are further apart are reported: changes in between are not visible */
	PARTS_MAX = 1 << 20,
	FOLDED_MAX = 1024 /* processes that are folded together */
};

struct cmd_document {
	char *name; /* path, or host */
	char *host, *boot;
	json_t *worlds;  /* names, by world_number; NULL: none */
	int64_t *number; /* index of each world_number that has been seen, and 1 */
	size_t n_numbers;
	struct cmd_text text; /* of its processes; those of a stream have one */
	bool owns_text, refused;
	uint32_t first_part, n_parts;
};

/* Processes that are alike, in the order of their lines. */
struct cmd_part_fold {
	uint64_t first, places;             /* where the lines of the first process and of the places are */
	uint32_t n_first, n_places, n_left; /* n_left: processes that are not read yet */
	struct cmd_fold *open;
};

static const char *text_of(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

static int64_t number_of(const json_t *object, const char *key, int64_t otherwise)
{
	const json_t *v = json_object_get(object, key);

	return json_is_integer(v) ? json_integer_value(v) : otherwise;
}

/* ---- worlds ---------------------------------------------------------------------------------------------- */

/* @return its index; -1: out of memory */
static int64_t add_world(struct cmd_parts *p, const char *name, bool named)
{
	const json_t *known = json_object_get(p->world_index, name);
	struct cmd_part_world *worlds;

	if (known)
		return json_integer_value(known);
	if (!p->world_index)
		p->world_index = json_object();
	worlds = vd_grow(p->worlds, p->n_worlds, 1, &p->cap_worlds, sizeof(*worlds));
	p->worlds = worlds ? worlds : p->worlds;
	char *copy = worlds ? strdup(name) : NULL;
	if (!copy || json_object_set_new(p->world_index, name, json_integer((json_int_t)p->n_worlds)) != 0) {
		free(copy);
		p->no_memory = true;
		return -1;
	}
	p->worlds[p->n_worlds] = (struct cmd_part_world){ .name = copy, .named = named, .size = -1 };
	return (int64_t)p->n_worlds++;
}

/* What a world is called in all parts: by its launcher, else by the MPI, else by its position. */
static int64_t find_world(struct cmd_parts *p, const struct cmd_document *d, int64_t number, int64_t mpi_job)
{
	const json_t *world = json_array_get(d->worlds, (size_t)number);
	const char *name = text_of(world, "name");
	char text[32];

	if (name && *name)
		return add_world(p, name, true);
	snprintf(text, sizeof(text), mpi_job >= 0 ? "%lld" : "#%lld", (long long)(mpi_job >= 0 ? mpi_job : number));
	return add_world(p, text, mpi_job >= 0);
}

/* The index of a world_number of a snapshot. @return -1: none */
static int64_t world_of(struct cmd_parts *p, struct cmd_document *d, int64_t number, int64_t mpi_job)
{
	enum { NUMBERS_MAX = 1 << 24 };
	size_t n = d->n_numbers;

	if (number < 0 || number >= NUMBERS_MAX)
		return -1;
	if ((size_t)number >= n) {
		n = 2 * (size_t)number + 8;
		int64_t *more = realloc(d->number, n * sizeof(*more));
		p->no_memory |= !more;
		if (!more)
			return -1;
		memset(more + d->n_numbers, 0, (n - d->n_numbers) * sizeof(*more));
		d->number = more;
		d->n_numbers = n;
	}
	if (!d->number[number])
		d->number[number] = find_world(p, d, number, mpi_job) + 1;
	return d->number[number] - 1;
}

/* ---- a snapshot ------------------------------------------------------------------------------------------ */

static void add_moment(struct cmd_parts *p, const json_t *head, const char *name, struct cmd_lines *problems)
{
	int64_t time = number_of(head, "time", 0), seconds = number_of(json_object_get(head, "parts"), "seconds", 0);

	if (time <= 0)
		return;
	if (p->first_time && (time > p->first_time + MOMENT_S || time < p->last_time - MOMENT_S))
		cmd_lines_add(problems,
			      "%s: was taken %lld s %s the files before: what its ranks were doing then is not known",
			      name,
			      (long long)(time > p->first_time + MOMENT_S ? time - p->first_time : p->last_time - time),
			      time > p->first_time + MOMENT_S ? "after" : "before");
	p->first_time = !p->first_time || time < p->first_time ? time : p->first_time;
	time += seconds > 0 && seconds < INT32_MAX ? seconds : 0;
	p->last_time = time > p->last_time ? time : p->last_time;
}

/* Is it of the same job? Without names, launchers can be compared only on one host. */
static bool is_ours(const struct cmd_parts *p, const json_t *head, const char *name, struct cmd_lines *problems)
{
	const json_t *ours = json_object_get(p->head, "job"), *its = json_object_get(head, "job");
	const char *our_name = text_of(ours, "name"), *its_name = text_of(its, "name");
	const char *our_host = text_of(p->head, "host"), *its_host = text_of(head, "host");
	int64_t our_launcher = number_of(ours, "launcher", 0), its_launcher = number_of(its, "launcher", 0);

	if (!p->head)
		return true;
	if (our_name && its_name && strcmp(our_name, its_name) != 0) {
		cmd_lines_add(problems, "%s: is of job %s and not of %s: it is left out", name, its_name, our_name);
		return false;
	}
	if ((!our_name || !its_name) && our_launcher && its_launcher && our_launcher != its_launcher && our_host &&
	    its_host && strcmp(our_host, its_host) == 0)
		cmd_lines_add(problems, "%s: has another launcher than the files before: is it of this job?", name);
	return true;
}

/* A host that was started anew in between has other processes. */
static void check_boot(const struct cmd_parts *p, const struct cmd_document *d, struct cmd_lines *problems)
{
	for (size_t i = 0; d->host && d->boot && i + 1 < p->n_documents; i++) {
		const struct cmd_document *other = &p->documents[i];
		if (other->refused || !other->host || !other->boot || strcmp(d->host, other->host) != 0 ||
		    strcmp(d->boot, other->boot) == 0)
			continue;
		cmd_lines_add(problems, "%s: host %s was started anew since %s was taken, or is another one", d->name,
			      d->host, other->name);
		return;
	}
}

static char *copy_of(const char *text)
{
	return text ? strdup(text) : NULL;
}

/* Begin with another snapshot. @return NULL: out of memory */
static struct cmd_document *add_document(struct cmd_parts *p, const char *name, const json_t *head,
					 struct cmd_lines *problems)
{
	struct cmd_document *documents = vd_grow(p->documents, p->n_documents, 1, &p->cap_documents,
						 sizeof(*documents));
	int64_t n = number_of(json_object_get(head, "parts"), "n", 1);

	p->no_memory |= !documents;
	if (!documents)
		return NULL;
	p->documents = documents;
	struct cmd_document *d = &documents[p->n_documents++];
	*d = (struct cmd_document){ .name = strdup(name),
				    .host = copy_of(text_of(head, "host")),
				    .boot = copy_of(text_of(head, "boot")),
				    .worlds = json_incref(json_object_get(head, "worlds")),
				    .first_part = (uint32_t)p->n_parts,
				    .n_parts = (uint32_t)(n > 0 && n < PARTS_MAX ? n : 1) };
	if (!d->name || p->n_parts + d->n_parts > INT32_MAX) {
		p->no_memory = true;
		d->refused = true;
		return d;
	}
	d->refused = !is_ours(p, head, name, problems);
	p->n_refused += d->refused;
	if (d->refused)
		return d;
	check_boot(p, d, problems);
	add_moment(p, head, name, problems);
	p->n_parts += d->n_parts;
	if (p->head)
		return d;
	p->head = json_object();
	json_object_update(p->head, (json_t *)head);
	json_object_del(p->head, "processes");
	json_object_del(p->head, "problems");
	json_object_del(p->head, "variables");
	json_object_del(p->head, "parts");
	p->no_memory |= !p->head;
	return d;
}

static struct cmd_part_process *grow(struct cmd_parts *p)
{
	struct cmd_part_process *more = vd_grow(p->processes, p->n, 1, &p->cap, sizeof(*more));

	p->no_memory |= !more;
	if (!more)
		return NULL;
	p->processes = more;
	return &more[p->n++];
}

static bool is_rank(int64_t rank)
{
	return rank >= 0 && rank <= INT32_MAX;
}

/* Does it contain more than the identity of the process? Of one that has ended there is nothing more. */
static bool was_read(const json_t *process)
{
	const char *state = text_of(process, "state");

	return json_is_object(json_object_get(process, "mpi")) ||
	       (state && (strcmp(state, "gone") == 0 || strcmp(state, "zombie") == 0));
}

/* @param identity of a process, or the whole process */
static struct cmd_part_process *add_process(struct cmd_parts *p, struct cmd_document *d, const json_t *identity,
					    bool only_identity)
{
	const json_t *world = json_object_get(identity, "world");
	int64_t mpi_job = only_identity ? number_of(identity, "job", -1) : number_of(world, "job", -1);
	int64_t size = only_identity ? number_of(identity, "size", -1) : number_of(world, "size", -1);
	int64_t index = world_of(p, d, number_of(identity, only_identity ? "world" : "world_number", 0), mpi_job);
	int64_t part = number_of(identity, "part", 0), rank = number_of(identity, "rank", -1);
	struct cmd_part_process *x = index >= 0 ? grow(p) : NULL;

	if (!x)
		return NULL;
	if (is_rank(size) && p->worlds[index].size < size)
		p->worlds[index].size = size;
	*x = (struct cmd_part_process){ .rank = is_rank(rank) ? rank : -1,
					.pid = number_of(identity, "pid", -1),
					.mpi_job = mpi_job,
					.world = (uint32_t)index,
					.part = d->first_part + (part > 0 && part < d->n_parts ? (uint32_t)part : 0),
					.document = (uint32_t)(d - p->documents),
					.read = only_identity ? json_is_true(json_object_get(identity, "read"))
							      : was_read(identity) };
	return x;
}

/* The processes of a snapshot that is one JSON value. */
static void add_processes(struct cmd_parts *p, struct cmd_document *d, const json_t *processes)
{
	json_t *process;
	size_t i;

	json_array_foreach(processes, i, process)
	{
		struct cmd_part_process *x = json_is_object(process) ? add_process(p, d, process, false) : NULL;
		if (x)
			x->json = json_incref(process);
	}
}

/* Begin with processes that are like the one whose line was the last. @return false: out of memory */
static bool add_fold(struct cmd_parts *p, const struct cmd_text_item *first, const struct cmd_text_item *places)
{
	struct cmd_part_fold *folds = vd_grow(p->folds, p->n_folds, 1, &p->cap_folds, sizeof(*folds));

	p->no_memory |= !folds;
	if (!folds)
		return false;
	p->folds = folds;
	folds[p->n_folds++] = (struct cmd_part_fold){ .first = first->offset,
						      .n_first = (uint32_t)first->n_bytes,
						      .places = places->offset,
						      .n_places = (uint32_t)places->n_bytes };
	return true;
}

/* @param fold 0: it is not folded */
static void add_item(struct cmd_parts *p, struct cmd_document *d, const struct cmd_text_item *item, size_t fold)
{
	struct cmd_part_process *x = d->refused ? NULL : add_process(p, d, item->json, item->identity);

	if (!x)
		return;
	x->fold = (uint32_t)fold;
	if (fold)
		p->folds[fold - 1].n_left++;
	x->offset = item->offset;
	x->n_bytes = (uint32_t)item->n_bytes;
	if (item->n_bytes > UINT32_MAX) /* a line of four gigabytes */
		x->read = false;
}

static void add_end(struct cmd_parts *p, const struct cmd_document *d, const json_t *end, struct cmd_lines *problems)
{
	const json_t *line;
	size_t i;

	if (d->refused)
		return;
	cmd_variables_merge(&p->variables, json_object_get(end, "variables"));
	json_array_foreach(json_object_get(end, "problems"), i, line) if (p->with_problems && json_is_string(line))
		cmd_lines_add(problems, "%s: %s", d->name, json_string_value(line));
}

void cmd_parts_add(struct cmd_parts *p, json_t *head, json_t *processes, struct cmd_lines *problems)
{
	struct cmd_document *d = add_document(p, "this host", head, problems);

	if (d && !d->refused)
		add_processes(p, d, processes);
}

/* Add all snapshots of a text. The first document owns it. */
static void add_text(struct cmd_parts *p, const char *name, struct cmd_text *text, struct cmd_lines *problems)
{
	size_t first = p->n_documents, current = SIZE_MAX, fold = 0;
	struct cmd_text_item item, whole = { .json = NULL }; /* the last process that was not folded */
	enum cmd_text_kind kind;

	while (!p->no_memory && (kind = cmd_text_next(text, &item)) != CMD_TEXT_OVER) {
		if (kind == CMD_TEXT_HEAD) {
			fold = 0;
			whole.n_bytes = 0;
			struct cmd_document *d = add_document(p, name, item.json, problems);
			current = d ? p->n_documents - 1 : SIZE_MAX;
			if (d && !d->refused)
				add_processes(p, d, json_object_get(item.json, "processes"));
			if (d)
				add_end(p, d, item.json, problems);
		} else if (kind == CMD_TEXT_PROCESS && current != SIZE_MAX) {
			add_item(p, &p->documents[current], &item, 0);
			whole = item;
			fold = 0;
		} else if (kind == CMD_TEXT_FOLD && current != SIZE_MAX && whole.n_bytes) {
			fold = add_fold(p, &whole, &item) ? p->n_folds : 0;
		} else if (kind == CMD_TEXT_FOLDED && current != SIZE_MAX && fold) {
			add_item(p, &p->documents[current], &item, fold);
		} else if (kind == CMD_TEXT_END && current != SIZE_MAX) {
			add_end(p, &p->documents[current], item.json, problems);
		} else {
			bool stray = kind == CMD_TEXT_FOLD || kind == CMD_TEXT_FOLDED;
			cmd_lines_add(problems, "%s: %s", name,
				      stray ? "a folded process has nothing that it is like" : text->why);
			p->n_refused++;
		}
		json_decref(item.json);
		if (kind == CMD_TEXT_FAILED)
			break;
	}
	cmd_text_close_file(text);
	for (size_t i = first; i < p->n_documents; i++)
		p->documents[i].text = *text;
	if (first < p->n_documents)
		p->documents[first].owns_text = true;
	else
		cmd_text_close(text);
}

void cmd_parts_add_bytes(struct cmd_parts *p, const char *name, const char *bytes, size_t n, struct cmd_lines *problems)
{
	struct cmd_text text;

	if (cmd_text_open_bytes(&text, bytes, n))
		add_text(p, name, &text, problems);
	else
		p->no_memory = true;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_shown(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

static void add_folder(struct cmd_parts *p, const char *path, struct cmd_lines *problems)
{
	struct dirent **list = NULL;
	int n = scandir(path, &list, is_shown, by_name);
	char file[8192];
	bool any = false;
	struct stat st;

	for (int i = 0; i < n; i++) {
		int length = snprintf(file, sizeof(file), "%s/%s", path, list[i]->d_name);
		if (length > 0 && (size_t)length < sizeof(file) && stat(file, &st) == 0 && S_ISREG(st.st_mode)) {
			cmd_parts_add_file(p, file, problems);
			any = true;
		}
		free(list[i]);
	}
	free(list);
	if (any)
		return;
	cmd_lines_add(problems, "%s: %s", path, n < 0 ? "cannot be read" : "has no files");
	p->n_refused++;
}

void cmd_parts_add_file(struct cmd_parts *p, const char *path, struct cmd_lines *problems)
{
	struct cmd_text text;
	struct stat st;
	size_t before = p->n_documents, refused = p->n_refused;

	if (strcmp(path, "-") != 0 && stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
		add_folder(p, path, problems);
		return;
	}
	if (!cmd_text_open(&text, path)) {
		cmd_lines_add(problems, "%s: %s", path, text.why);
		cmd_text_close(&text);
		p->n_refused++;
		return;
	}
	add_text(p, path, &text, problems);
	if (before == p->n_documents && refused == p->n_refused) {
		cmd_lines_add(problems, "%s: no JSON: it is empty", path);
		p->n_refused++;
	}
}

/* ---- merging --------------------------------------------------------------------------------------------- */

static int by_world_name(const void *a, const void *b, void *ctx)
{
	const struct cmd_parts *p = ctx;
	const struct cmd_part_world *x = &p->worlds[*(const uint32_t *)a], *y = &p->worlds[*(const uint32_t *)b];
	size_t n = strlen(x->name), m = strlen(y->name);

	if (!x->named || !y->named) {
		int by_place = (*(const uint32_t *)a > *(const uint32_t *)b) -
			       (*(const uint32_t *)a < *(const uint32_t *)b);
		return x->named == y->named ? by_place : y->named - x->named;
	}
	return n != m ? (n > m) - (n < m) : strcmp(x->name, y->name); /* numbers increase */
}

/* Worlds in the same order, whichever host was read first. */
static void sort_worlds(struct cmd_parts *p)
{
	uint32_t *order = calloc(p->n_worlds + 1, sizeof(*order)), *place = calloc(p->n_worlds + 1, sizeof(*place));
	struct cmd_part_world *worlds = calloc(p->n_worlds + 1, sizeof(*worlds));

	if (!order || !place || !worlds) {
		p->no_memory = true;
		free(worlds);
	} else {
		for (uint32_t i = 0; i < p->n_worlds; i++)
			order[i] = i;
		qsort_r(order, p->n_worlds, sizeof(*order), by_world_name, p);
		for (uint32_t i = 0; i < p->n_worlds; i++) {
			worlds[i] = p->worlds[order[i]];
			place[order[i]] = i;
		}
		for (size_t i = 0; i < p->n; i++)
			p->processes[i].world = place[p->processes[i].world];
		free(p->worlds);
		p->worlds = worlds;
		p->cap_worlds = p->n_worlds + 1;
	}
	free(order);
	free(place);
}

static int by_rank(const void *a, const void *b)
{
	const struct cmd_part_process *x = a, *y = b;

	if (x->world != y->world)
		return x->world < y->world ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (x->document != y->document)
		return x->document < y->document ? -1 : 1;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

static bool same_rank(const struct cmd_part_process *x, const struct cmd_part_process *y)
{
	return x->rank >= 0 && x->rank == y->rank && x->world == y->world;
}

/* Of the processes from first on that are the same rank of several snapshots, keep those of one snapshot. */
static size_t choose(struct cmd_parts *p, size_t first, size_t *kept, struct cmd_lines *problems)
{
	struct cmd_part_process *v = p->processes;
	size_t end = first, best = first;

	for (; end < p->n && (end == first || same_rank(&v[end], &v[first])); end++)
		if (!v[best].read && v[end].read)
			best = end;
	for (size_t i = first; i < end; i++) {
		bool later = v[i].document != v[best].document;
		if (later && v[i].read && (i == first || v[i].document != v[i - 1].document))
			cmd_lines_add(problems, "%s: rank %lld is in an earlier file, too: that one counts",
				      p->documents[v[i].document].name, (long long)v[i].rank);
		if (later)
			json_decref(v[i].json);
		else
			v[(*kept)++] = v[i];
	}
	return end;
}

static void set_frame(struct cmd_parts *p)
{
	json_t *variables = cmd_variables_json(&p->variables), *worlds = json_array();

	cmd_variables_deinit(&p->variables);
	if (variables)
		json_object_set_new(p->head, "variables", variables);
	if (p->n_parts > 1) {
		json_object_set_new(p->head, "time", json_integer(p->first_time));
		json_object_set_new(p->head, "parts",
				    json_pack("{s:I, s:I}", "n", (json_int_t)p->n_parts, "seconds",
					      (json_int_t)(p->last_time - p->first_time)));
	}
	for (size_t i = 0; i < p->n_worlds; i++) {
		json_t *world = json_object();
		if (p->worlds[i].named)
			json_object_set_new(world, "name", json_string(p->worlds[i].name));
		if (p->worlds[i].size >= 0)
			json_object_set_new(world, "size", json_integer(p->worlds[i].size));
		json_array_append_new(worlds, world);
	}
	json_object_set_new(p->head, "worlds", worlds);
}

void cmd_parts_merge(struct cmd_parts *p, struct cmd_lines *problems)
{
	size_t kept = 0;

	if (p->n_documents > 1 && p->n_worlds > 1)
		sort_worlds(p);
	if (p->n > 1)
		qsort(p->processes, p->n, sizeof(*p->processes), by_rank);
	for (size_t i = 0; i < p->n;)
		i = choose(p, i, &kept, problems);
	p->n = kept;
	int64_t size = number_of(json_object_get(p->head, "job"), "size", -1);
	if (p->n_worlds == 1 && p->worlds[0].size < 0 && is_rank(size))
		p->worlds[0].size = size;
	if (p->head)
		set_frame(p);
}

void cmd_parts_insert(struct cmd_parts *p, json_t *process)
{
	struct cmd_part_process *x = process ? grow(p) : NULL;

	if (!x)
		return;
	struct cmd_part_process added = { .rank = number_of(process, "rank", -1),
					  .pid = number_of(process, "pid", -1),
					  .mpi_job = number_of(json_object_get(process, "world"), "job", -1),
					  .world = (uint32_t)number_of(process, "world_number", 0),
					  .read = was_read(process),
					  .json = json_incref(process) };
	for (; x > p->processes && by_rank(x - 1, &added) > 0; x--)
		*x = x[-1];
	*x = added;
}

int64_t cmd_parts_missing(const struct cmd_parts *p)
{
	int64_t missing = 0;

	for (size_t i = 0; i < p->n_worlds; i++)
		missing += p->worlds[i].size > 0 ? p->worlds[i].size : 0;
	for (size_t i = 0; i < p->n; i++) {
		bool counted = p->processes[i].world < p->n_worlds && p->worlds[p->processes[i].world].size > 0;
		missing += p->processes[i].read ? -(int64_t)counted : !counted;
	}
	return missing > 0 ? missing : 0;
}

/* ---- processes ------------------------------------------------------------------------------------------- */

static json_t *read_line(struct cmd_parts *p, uint32_t document, uint64_t offset, size_t n)
{
	const struct cmd_document *d = &p->documents[document];

	if (!d->text.bytes && p->open != document + 1) {
		if (p->f)
			fclose(p->f);
		p->f = fopen(d->name, "re");
		p->open = p->f ? document + 1 : 0;
	}
	return d->text.bytes || p->f ? cmd_text_line(&d->text, p->f, offset, n) : NULL;
}

/* @return borrowed until the next call for the same fold */
static json_t *read_folded(struct cmd_parts *p, const struct cmd_part_process *x, const json_t *line)
{
	struct cmd_part_fold *f = &p->folds[x->fold - 1];

	if (!f->open) {
		json_t *first = read_line(p, x->document, f->first, f->n_first);
		json_t *places = read_line(p, x->document, f->places, f->n_places);
		json_object_del(first, "identity");
		f->open = first ? cmd_fold_open(first, json_object_get(places, "fold")) : NULL;
		json_decref(places);
	}
	return f->open ? cmd_fold_set(f->open, json_object_get(line, "values")) : NULL;
}

static json_t *read_process(struct cmd_parts *p, const struct cmd_part_process *x)
{
	json_t *line = read_line(p, x->document, x->offset, x->n_bytes), *ret = line;

	if (x->fold) {
		struct cmd_part_fold *f = &p->folds[x->fold - 1];
		ret = json_incref(read_folded(p, x, line));
		json_decref(line);
		if (f->n_left && !--f->n_left) {
			cmd_fold_close(f->open);
			f->open = NULL;
		}
	}
	/* the file may have changed, or its line contradict itself */
	if (number_of(ret, "rank", -1) != x->rank && x->rank >= 0) {
		json_decref(ret);
		return NULL;
	}
	if (!x->fold)
		json_object_del(ret, "identity");
	return ret;
}

json_t *cmd_parts_process(struct cmd_parts *p, size_t i)
{
	const struct cmd_part_process *x = &p->processes[i];
	json_t *ret = x->json ? json_incref(x->json) : read_process(p, x);

	if (!ret)
		return NULL;
	json_object_set_new(ret, "world_number", json_integer(x->world));
	if (p->n_parts > 1)
		json_object_set_new(ret, "part", json_integer(x->part));
	return ret;
}

json_t *cmd_parts_copy(struct cmd_parts *p, size_t i)
{
	json_t *process = cmd_parts_process(p, i);

	if (!p->processes[i].fold || !process)
		return process;
	json_t *ret = json_deep_copy(process);
	json_decref(process);
	return ret;
}

/* ---- writing --------------------------------------------------------------------------------------------- */

static json_t *identity_of(const struct cmd_part_process *x)
{
	json_t *ret = json_pack("{s:I}", "world", (json_int_t)x->world);

	if (x->rank >= 0)
		json_object_set_new(ret, "rank", json_integer(x->rank));
	if (x->mpi_job >= 0)
		json_object_set_new(ret, "job", json_integer(x->mpi_job));
	if (x->pid >= 0)
		json_object_set_new(ret, "pid", json_integer(x->pid));
	if (x->part)
		json_object_set_new(ret, "part", json_integer(x->part));
	json_object_set_new(ret, "read", json_boolean(x->read));
	return ret;
}

static bool write_process(const struct cmd_part_process *x, const json_t *process, FILE *out)
{
	json_t *identity = identity_of(x);
	bool ok = identity && process && cmd_text_write(out, identity, process);

	json_decref(identity);
	return ok;
}

/* Write the processes from i to end, which are like the one before them. */
static bool write_folded(struct cmd_parts *p, size_t i, size_t end, const struct cmd_places *differ, json_t *const *all,
			 FILE *out)
{
	json_t *places = cmd_places_json(differ), *line = json_object();
	bool ok = places && json_object_set(line, "fold", places) == 0 && cmd_text_write(out, NULL, line);

	json_decref(line);
	for (size_t k = 0; ok && i + k < end; k++) {
		line = json_object();
		json_object_set_new(line, "folded", identity_of(&p->processes[i + k]));
		json_object_set_new(line, "values", cmd_places_values(places, all[k]));
		ok = cmd_text_write(out, NULL, line);
		json_decref(line);
	}
	json_decref(places);
	return ok;
}

/* Write a process, and those after it that are alike. @return how many; 0: it failed */
static size_t write_alike(struct cmd_parts *p, size_t i, FILE *out)
{
	json_t *all[FOLDED_MAX] = { cmd_parts_copy(p, i) };
	struct cmd_places places = { .n = 0 }, more = { .n = 0 };
	size_t n = 1;

	while (all[0] && n < FOLDED_MAX && i + n < p->n) {
		all[n] = cmd_parts_copy(p, i + n);
		if (!all[n] || !cmd_places_add(&more, all[0], all[n]))
			break;
		n++;
	}
	/* the places of the last one, which is not alike, are not wanted */
	bool ok = true;
	for (size_t k = 1; k < n; k++)
		ok = ok && cmd_places_add(&places, all[0], all[k]);
	ok = ok && write_process(&p->processes[i], all[0], out) &&
	     (n == 1 || write_folded(p, i + 1, i + n, &places, all + 1, out));
	for (size_t k = 0; k < FOLDED_MAX && k <= n; k++)
		json_decref(all[k]);
	cmd_places_deinit(&places);
	cmd_places_deinit(&more);
	return ok ? n : 0;
}

bool cmd_parts_write(struct cmd_parts *p, bool fold, const struct cmd_lines *problems, FILE *out)
{
	json_t *head = json_copy(p->head), *list = json_array(), *end = json_object();
	const json_t *variables = json_object_get(head, "variables");

	json_object_set_new(head, "schema", json_string(CMD_SNAPSHOT_SCHEMA));
	json_object_set_new(end, "end", json_integer((json_int_t)p->n));
	if (variables)
		json_object_set(end, "variables", (json_t *)variables);
	json_object_del(head, "variables");
	for (size_t i = 0; i < problems->n; i++)
		json_array_append_new(list, json_string(problems->line[i]));
	json_object_set_new(end, "problems", list);
	bool ok = cmd_text_write(out, NULL, head);
	for (size_t i = 0, n; ok && i < p->n; i += n) {
		json_t *process = fold ? NULL : cmd_parts_copy(p, i);
		n = fold ? write_alike(p, i, out) : write_process(&p->processes[i], process, out);
		ok = n > 0;
		json_decref(process);
	}
	ok = ok && cmd_text_write(out, NULL, end);
	json_decref(head);
	json_decref(end);
	return ok;
}

void cmd_parts_deinit(struct cmd_parts *p)
{
	for (size_t i = 0; i < p->n; i++)
		json_decref(p->processes[i].json);
	for (size_t i = 0; i < p->n_folds; i++)
		cmd_fold_close(p->folds[i].open);
	for (size_t i = 0; i < p->n_worlds; i++)
		free(p->worlds[i].name);
	for (size_t i = 0; i < p->n_documents; i++) {
		struct cmd_document *d = &p->documents[i];
		free(d->name);
		free(d->host);
		free(d->boot);
		free(d->number);
		json_decref(d->worlds);
		if (d->owns_text)
			cmd_text_close(&d->text);
	}
	free(p->processes);
	free(p->worlds);
	free(p->documents);
	free(p->folds);
	json_decref(p->world_index);
	json_decref(p->head);
	cmd_variables_deinit(&p->variables);
	if (p->f)
		fclose(p->f);
	*p = (struct cmd_parts){ .head = NULL };
}
