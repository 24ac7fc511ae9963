/* SPDX-License-Identifier: BSD-3-Clause */
#include "variables.h"

#include "vars_value.h"

#include "../verdict/members.h"

#include <stdlib.h>
#include <string.h>

static bool begin_variables(struct cmd_variables *v)
{
	if (v->list)
		return true;
	*v = (struct cmd_variables){ json_object(), json_array(), json_array(), json_array() };
	return v->index && v->list && v->ranks && v->unread;
}

/* The variable with this name, added if it does not exist. Borrowed. */
static json_t *variable_of(struct cmd_variables *v, const char *name, bool of_mpi)
{
	json_t *ret = json_object_get(v->index, name);

	if (ret)
		return ret;
	ret = json_object();
	json_object_set_new(ret, "name", json_string(name));
	json_object_set_new(ret, "of_mpi", json_boolean(of_mpi));
	json_object_set_new(ret, "values", json_array());
	json_object_set(v->index, name, ret);
	json_array_append_new(v->list, ret);
	return ret;
}

/* The ranks that have this value. Borrowed. */
static json_t *ranks_of(json_t *variable, const char *words)
{
	json_t *values = json_object_get(variable, "values"), *value;
	size_t i;

	json_array_foreach(values, i, value)
	{
		const char *other = json_string_value(json_object_get(value, "words"));
		if (other && strcmp(other, words) == 0)
			return json_object_get(value, "ranks");
	}
	value = json_object();
	json_object_set_new(value, "words", json_string(words));
	json_object_set_new(value, "ranks", json_array());
	json_array_append_new(values, value);
	return json_object_get(value, "ranks");
}

void cmd_variables_add(struct cmd_variables *v, const json_t *answer, int64_t rank)
{
	json_t *entry;
	size_t i;

	if (!json_is_array(json_object_get(answer, "cvars")) || rank < 0 || !begin_variables(v))
		return;
	json_array_append_new(v->ranks, json_integer(rank));
	if (!json_is_true(json_object_get(answer, "mpi_library")))
		json_array_append_new(v->unread, json_integer(rank));
	json_array_foreach(json_object_get(answer, "cvars"), i, entry)
	{
		const char *name = json_string_value(json_object_get(entry, "name"));
		const char *origin = json_string_value(json_object_get(entry, "origin"));
		char *words = name ? cmd_vars_value("cvars", entry) : NULL;
		if (words)
			json_array_append_new(ranks_of(variable_of(v, name, origin && !strcmp(origin, "mpi")), words),
					      json_integer(rank));
		free(words);
	}
}

void cmd_variables_merge(struct cmd_variables *v, const json_t *variables)
{
	const json_t *variable, *value;
	size_t i, k;

	if (!json_is_array(json_object_get(variables, "list")) || !begin_variables(v))
		return;
	if (json_is_array(json_object_get(variables, "ranks")))
		json_array_extend(v->ranks, json_object_get(variables, "ranks"));
	if (json_is_array(json_object_get(variables, "unread")))
		json_array_extend(v->unread, json_object_get(variables, "unread"));
	json_array_foreach(json_object_get(variables, "list"), i, variable)
	{
		const char *name = json_string_value(json_object_get(variable, "name"));
		json_t *to = name ? variable_of(v, name, json_is_true(json_object_get(variable, "of_mpi"))) : NULL;
		json_array_foreach(to ? json_object_get(variable, "values") : NULL, k, value)
		{
			const char *words = json_string_value(json_object_get(value, "words"));
			json_t *ranks = json_object_get(value, "ranks");
			if (words && json_is_array(ranks))
				json_array_extend(ranks_of(to, words), ranks);
		}
	}
}

json_t *cmd_variables_json(struct cmd_variables *v)
{
	json_t *variable, *value;
	size_t i, k;

	if (!v->list || !json_array_size(v->list))
		return NULL;
	json_array_foreach(v->list, i, variable) json_array_foreach(json_object_get(variable, "values"), k, value)
		vd_members_pack(json_object_get(value, "ranks"));
	vd_members_pack(v->ranks);
	vd_members_pack(v->unread);
	json_t *ret = json_object();
	json_object_set(ret, "ranks", v->ranks);
	json_object_set(ret, "unread", v->unread);
	json_object_set(ret, "list", v->list);
	return ret;
}

void cmd_variables_deinit(struct cmd_variables *v)
{
	json_decref(v->index);
	json_decref(v->list);
	json_decref(v->ranks);
	json_decref(v->unread);
	*v = (struct cmd_variables){ NULL, NULL, NULL, NULL };
}
