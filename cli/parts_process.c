/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes of merged parts: read one by one, and written. */
#include "document.h"

#include <string.h>

enum { FOLDED_MAX = 1024 /* processes that are folded together */ };

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

/* @param line its line, or its values @return borrowed until the next call for the same fold */
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
	return f->open ? cmd_fold_set(f->open, json_is_array(line) ? line : json_object_get(line, "values")) : NULL;
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
	if (cmd_part_number(ret, "rank", -1) != x->rank && x->rank >= 0) {
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

static bool write_process(const struct cmd_part_process *x, const json_t *process, struct cmd_text_out *out)
{
	json_t *identity = identity_of(x);
	bool ok = identity && process && cmd_text_write(out, identity, process);

	json_decref(identity);
	return ok;
}

/* Write the processes from i to end, which are like the one before them. */
static bool write_folded(struct cmd_parts *p, size_t i, size_t end, const struct cmd_places *differ, json_t *const *all,
			 struct cmd_text_out *out)
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
static size_t write_alike(struct cmd_parts *p, size_t i, struct cmd_text_out *out)
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
	struct cmd_text_out text = { .f = out };
	bool ok = cmd_text_write(&text, NULL, head);
	for (size_t i = 0, n; ok && i < p->n; i += n) {
		json_t *process = fold ? NULL : cmd_parts_copy(p, i);
		n = fold ? write_alike(p, i, &text) : write_process(&p->processes[i], process, &text);
		ok = n > 0;
		json_decref(process);
	}
	ok = ok && cmd_text_write_end(&text, end);
	json_decref(head);
	json_decref(end);
	return ok;
}
