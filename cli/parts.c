/* SPDX-License-Identifier: BSD-3-Clause */
#include "parts.h"

#include "document.h"

#include "../access/grow.h"
#include "../verdict/verdict.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
	MOMENT_S = 10, /* parts that are further apart are reported: changes in between are not visible */
	PARTS_MAX = 1 << 20
};

/* ---- worlds ---------------------------------------------------------------------------------------------- */

/* @return its index; -1: out of memory */
static int64_t add_world(struct cmd_parts *p, const char *name, bool named)
{
	const json_t *known = json_object_get(p->world_index, name);

	if (known)
		return json_integer_value(known);
	if (!p->world_index)
		p->world_index = json_object();
	char *copy = ACC_GROW(p->worlds, p->n_worlds) ? strdup(name) : NULL;
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
	const char *name = cmd_part_text(world, "name");
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
	int64_t time = cmd_part_number(head, "time", 0),
		seconds = cmd_part_number(json_object_get(head, "parts"), "seconds", 0);

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

static bool same_text(const char *a, const char *b)
{
	return a && b && strcmp(a, b) == 0;
}

/*
 * Is it of the same job? Worlds that MPICH's mpiexec has spawned have another name where none of the first world is.
 * Without names, launchers can be compared only on one host.
 */
static bool is_ours(const struct cmd_parts *p, const json_t *head, const char *name, struct cmd_lines *problems)
{
	const json_t *ours = json_object_get(p->head, "job"), *its = json_object_get(head, "job");
	const char *our_name = cmd_part_text(ours, "name"), *its_name = cmd_part_text(its, "name");
	const char *our_host = cmd_part_text(p->head, "host"), *its_host = cmd_part_text(head, "host");
	int64_t our_launcher = cmd_part_number(ours, "launcher", 0), its_launcher = cmd_part_number(its, "launcher", 0);

	if (!p->head || same_text(cmd_part_text(ours, "mpiexec"), cmd_part_text(its, "mpiexec")))
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

/* The moments of a host are those of one agent. */
static bool is_of_another_agent(const struct cmd_parts *p, const struct cmd_document *d, struct cmd_lines *problems)
{
	if (!p->agent || !d->started || p->agent == d->started)
		return false;
	cmd_lines_add(problems, "%s: was read by another agent than the rest of its answer: it is left out", d->name);
	return true;
}

/* Is it a snapshot that was added before? */
static bool is_copy(const struct cmd_parts *p, const struct cmd_document *d, struct cmd_lines *problems)
{
	for (size_t i = d->before; d->started && i; i = p->documents[i - 1].before) {
		const struct cmd_document *other = &p->documents[i - 1];
		if (other->refused || other->started != d->started || other->time != d->time ||
		    !same_text(d->boot, other->boot))
			continue;
		cmd_lines_add(problems, "%s: is the same snapshot as %s: it is left out", d->name, other->name);
		return true;
	}
	return false;
}

/* A host that was started anew in between has other processes. */
static void check_boot(const struct cmd_parts *p, const struct cmd_document *d, struct cmd_lines *problems)
{
	for (size_t i = d->before; d->boot && i; i = p->documents[i - 1].before) {
		const struct cmd_document *other = &p->documents[i - 1];
		if (other->refused || !other->boot || same_text(d->boot, other->boot))
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

/* Note that a host has another document, which is the last one. */
static void index_host(struct cmd_parts *p, struct cmd_document *d)
{
	if (!d->host)
		return;
	if (!p->host_index)
		p->host_index = json_object();
	d->before = (size_t)json_integer_value(json_object_get(p->host_index, d->host));
	p->no_memory |= json_object_set_new(p->host_index, d->host, json_integer((json_int_t)p->n_documents)) != 0;
}

/* Begin with another snapshot. @return NULL: out of memory */
static struct cmd_document *add_document(struct cmd_parts *p, const char *name, const json_t *head,
					 struct cmd_lines *problems)
{
	int64_t n = cmd_part_number(json_object_get(head, "parts"), "n", 1);

	if (!ACC_GROW(p->documents, p->n_documents)) {
		p->no_memory = true;
		return NULL;
	}
	struct cmd_document *d = &p->documents[p->n_documents++];
	*d = (struct cmd_document){ .name = strdup(name),
				    .host = copy_of(cmd_part_text(head, "host")),
				    .boot = copy_of(cmd_part_text(head, "boot")),
				    .started = n == 1 ? cmd_part_number(head, "started", 0) : 0,
				    .time = cmd_part_number(head, "time", 0),
				    .worlds = json_incref(json_object_get(head, "worlds")),
				    .first_part = (uint32_t)p->n_parts,
				    .n_parts = (uint32_t)(n > 0 && n < PARTS_MAX ? n : 1) };
	if (!d->name || p->n_parts + d->n_parts > INT32_MAX) {
		p->no_memory = true;
		d->refused = true;
		return d;
	}
	index_host(p, d);
	d->refused = !is_ours(p, head, name, problems) || is_of_another_agent(p, d, problems) ||
		     is_copy(p, d, problems);
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

/* @param identity of a process, or the whole process */
static struct cmd_part_process *add_process(struct cmd_parts *p, struct cmd_document *d, const json_t *identity,
					    bool only_identity)
{
	const json_t *world = json_object_get(identity, "world");
	int64_t mpi_job = only_identity ? cmd_part_number(identity, "job", -1) : cmd_part_number(world, "job", -1);
	int64_t size = only_identity ? cmd_part_number(identity, "size", -1) : cmd_part_number(world, "size", -1);
	int64_t index = world_of(p, d, cmd_part_number(identity, only_identity ? "world" : "world_number", 0), mpi_job);
	int64_t part = cmd_part_number(identity, "part", 0), rank = cmd_part_number(identity, "rank", -1);
	struct cmd_part_process *x = index >= 0 ? cmd_part_grow(p) : NULL;

	if (!x)
		return NULL;
	if (cmd_part_is_rank(size) && p->worlds[index].size < size)
		p->worlds[index].size = size;
	*x = (struct cmd_part_process){ .rank = cmd_part_is_rank(rank) ? rank : -1,
					.pid = cmd_part_number(identity, "pid", -1),
					.mpi_job = mpi_job,
					.world = (uint32_t)index,
					.part = d->first_part + (part > 0 && part < d->n_parts ? (uint32_t)part : 0),
					.document = (uint32_t)(d - p->documents),
					.read = only_identity ? json_is_true(json_object_get(identity, "read"))
							      : cmd_part_was_read(identity) };
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
	if (!ACC_GROW(p->folds, p->n_folds)) {
		p->no_memory = true;
		return false;
	}
	p->folds[p->n_folds++] = (struct cmd_part_fold){ .first = first->offset,
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
		} else if ((kind == CMD_TEXT_END || kind == CMD_TEXT_CHANGED) && current != SIZE_MAX) {
			add_end(p, &p->documents[current], item.json, problems);
			if (kind == CMD_TEXT_CHANGED && !p->documents[current].refused) {
				p->changed = true;
				cmd_lines_add(problems, "%s: %s", name, text->why);
			}
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

void cmd_parts_add_bytes(struct cmd_parts *p, const char *name, int64_t started, const char *bytes, size_t n,
			 struct cmd_lines *problems)
{
	struct cmd_text text;

	p->agent = started;
	if (cmd_text_open_bytes(&text, bytes, n))
		add_text(p, name, &text, problems);
	else
		p->no_memory = true;
	p->agent = 0;
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
	json_decref(p->host_index);
	json_decref(p->head);
	cmd_variables_deinit(&p->variables);
	if (p->f)
		fclose(p->f);
	*p = (struct cmd_parts){ .head = NULL };
}
