/* SPDX-License-Identifier: BSD-3-Clause */
#include "folds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	PLACES_MAX = 1000, /* processes that differ in more places are not alike */
	DEPTH_MAX = 64
};

/* ---- places ---------------------------------------------------------------------------------------------- */

/*
 * A node of the tree of places: true: they differ here; an object: below. Its keys begin with 'k' (the name of a member
 * follows) or 'i' (an index).
 */
static json_t *below(json_t *node, char kind, const char *name, size_t index)
{
	char number[32], *key = number;
	size_t n = strlen(name) + 2;

	if (kind == 'i')
		snprintf(number, sizeof(number), "i%zu", index);
	else if (n > sizeof(number))
		key = malloc(n);
	if (!key)
		return NULL;
	if (kind == 'k')
		snprintf(key, n, "k%s", name);
	json_t *ret = json_object_get(node, key);
	if (!ret) {
		ret = json_object();
		json_object_set_new(node, key, ret);
	}
	if (key != number)
		free(key);
	return ret;
}

struct comparing {
	struct cmd_places *p;
	bool failed;
};

static bool compare_nodes(struct comparing *c, json_t *node, const json_t *a, const json_t *b, unsigned depth);

/* Compare the values of a place. If they differ here, it is marked, and what was marked below it is not any more. */
static void compare_place(struct comparing *c, json_t *parent, char kind, const char *name, size_t index,
			  const json_t *a, const json_t *b, unsigned depth)
{
	json_t *node = below(parent, kind, name, index);

	c->failed |= !node;
	if (!node || json_is_true(node) || compare_nodes(c, node, a, b, depth + 1))
		return;
	char key[300];
	if (kind == 'i')
		snprintf(key, sizeof(key), "i%zu", index);
	else
		snprintf(key, sizeof(key), "k%s", name);
	c->failed |= strlen(name) + 2 > sizeof(key) || json_object_set_new(parent, key, json_true()) != 0;
	c->p->n++;
}

/* @return false: they differ here, and not only below */
static bool compare_nodes(struct comparing *c, json_t *node, const json_t *a, const json_t *b, unsigned depth)
{
	size_t i;

	c->failed |= depth > DEPTH_MAX || c->p->n > PLACES_MAX;
	if (c->failed)
		return true;
	if (json_typeof(a) != json_typeof(b))
		return false;
	if (json_is_object(a)) {
		const char *key;
		json_t *value;
		if (json_object_size(a) != json_object_size(b))
			return false;
		json_object_foreach((json_t *)a, key, value) if (!json_object_get(b, key)) return false;
		json_object_foreach((json_t *)a, key, value)
			compare_place(c, node, 'k', key, 0, value, json_object_get(b, key), depth);
		return true;
	}
	if (!json_is_array(a))
		return json_equal(a, b);
	if (json_array_size(a) != json_array_size(b))
		return false;
	for (i = 0; i < json_array_size(a); i++)
		compare_place(c, node, 'i', "", i, json_array_get(a, i), json_array_get(b, i), depth);
	return true;
}

bool cmd_places_add(struct cmd_places *p, const json_t *first, const json_t *other)
{
	struct comparing c = { .p = p };

	if (!p->tree)
		p->tree = json_object();
	return p->tree && compare_nodes(&c, p->tree, first, other, 0) && !c.failed;
}

/* @param path of the node; restored before the return */
static bool list(const json_t *node, json_t *path, json_t *ret)
{
	const char *key;
	json_t *value;
	bool ok = true;

	if (json_is_true(node))
		return json_array_append_new(ret, json_copy(path)) == 0;
	json_object_foreach((json_t *)node, key, value)
	{
		json_t *step = *key == 'i' ? json_integer((json_int_t)strtoull(key + 1, NULL, 10))
					   : json_string(key + 1);
		ok = ok && json_array_append_new(path, step) == 0 && list(value, path, ret);
		if (ok)
			json_array_remove(path, json_array_size(path) - 1);
	}
	return ok;
}

json_t *cmd_places_json(const struct cmd_places *p)
{
	json_t *ret = json_array(), *path = json_array();

	if (!ret || !path || !list(p->tree, path, ret)) {
		json_decref(ret);
		ret = NULL;
	}
	json_decref(path);
	return ret;
}

static json_t *step_to(const json_t *in, const json_t *step)
{
	if (json_is_string(step))
		return json_object_get(in, json_string_value(step));
	return json_is_integer(step) && json_integer_value(step) >= 0
		       ? json_array_get(in, (size_t)json_integer_value(step))
		       : NULL;
}

json_t *cmd_places_values(const json_t *places, const json_t *process)
{
	json_t *ret = json_array();
	const json_t *place, *step;
	size_t i, k;

	json_array_foreach(places, i, place)
	{
		json_t *at = (json_t *)process;
		json_array_foreach(place, k, step) at = step_to(at, step);
		json_array_append(ret, at);
	}
	return ret;
}

void cmd_places_deinit(struct cmd_places *p)
{
	json_decref(p->tree);
	*p = (struct cmd_places){ .tree = NULL };
}

/* ---- a process whose values change ----------------------------------------------------------------------- */

/* Where a value is: in an object, or in an array. The containers are not replaced: no place is below another one. */
struct place {
	json_t *in;
	const char *key; /* NULL: the index counts */
	size_t index;
};

struct cmd_fold {
	json_t *process, *names; /* names: the keys are theirs */
	size_t n;
	struct place v[];
};

static bool find_place(json_t *process, const json_t *place, struct place *ret)
{
	size_t n = json_array_size(place);
	json_t *at = process;

	for (size_t i = 0; i + 1 < n; i++)
		at = step_to(at, json_array_get(place, i));
	const json_t *last = json_array_get(place, n - 1);
	if (!n || !step_to(at, last))
		return false;
	*ret = (struct place){ .in = at, .key = json_string_value(last) };
	if (!ret->key)
		ret->index = (size_t)json_integer_value(last);
	return true;
}

/* Mark a place. @return false: it is above or below one that is marked, or the same; then a container
 * could be replaced */
static bool mark(json_t *tree, const json_t *place)
{
	const json_t *step;
	json_t *last = NULL, *node = tree;
	size_t i;

	json_array_foreach(place, i, step)
	{
		bool is_name = json_is_string(step);
		last = json_object_get(node, "")
			       ? NULL
			       : below(node, is_name ? 'k' : 'i', is_name ? json_string_value(step) : "",
				       is_name ? 0 : (size_t)json_integer_value(step));
		if (!last)
			return false;
		node = last;
	}
	return json_is_object(node) && !json_object_size(node) && json_object_set_new(node, "", json_true()) == 0;
}

struct cmd_fold *cmd_fold_open(json_t *process, const json_t *places)
{
	size_t n = json_array_size(places);
	struct cmd_fold *f = n <= 2 * PLACES_MAX ? calloc(1, sizeof(*f) + n * sizeof(f->v[0])) : NULL;
	json_t *marked = json_object();
	bool ok = f && marked && json_is_object(process);

	for (size_t i = 0; ok && i < n; i++)
		ok = find_place(process, json_array_get(places, i), &f->v[i]) &&
		     mark(marked, json_array_get(places, i));
	json_decref(marked);
	if (!ok) {
		json_decref(process);
		free(f);
		return NULL;
	}
	f->process = process;
	f->names = json_incref((json_t *)places);
	f->n = n;
	return f;
}

json_t *cmd_fold_set(struct cmd_fold *f, const json_t *values)
{
	if (json_array_size(values) != f->n)
		return NULL;
	for (size_t i = 0; i < f->n; i++) {
		const struct place *p = &f->v[i];
		json_t *value = json_array_get(values, i);
		if (p->key ? json_object_set(p->in, p->key, value) : json_array_set(p->in, p->index, value))
			return NULL;
	}
	return f->process;
}

void cmd_fold_close(struct cmd_fold *f)
{
	if (!f)
		return;
	json_decref(f->names);
	json_decref(f->process);
	free(f);
}
