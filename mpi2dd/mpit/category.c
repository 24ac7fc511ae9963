/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Categories: ours first; the host's are appended when they become known. A category only grows; its members are stored
 * as indices of our own spaces.
 */
#include "category.h"

#include "../calls/host.h"
#include "space.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct list {
	int *v, n, capacity;
};

enum part {
	CVARS = MPIT_PART_CVARS,
	PVARS = MPIT_PART_PVARS,
	EVENTS = MPIT_PART_EVENTS,
	CATEGORIES = MPIT_PART_CATEGORIES,
	PARTS = MPIT_PARTS
};

struct category {
	const struct mpit_own_category *own; /* NULL: it is the host's */
	int host_index;
	char *name, *desc;
	struct list parts[PARTS];
};

static struct category *categories;
static int n_categories, capacity;
static struct mpit_names names;
static struct mpit_space space = MPIT_SPACE;

/* For MPI_T_category_changed: the host's highest stamp seen so far, and the value last returned to the program. */
static int host_stamp, last_returned;
static bool own_done;

static bool has(const struct list *list, int index)
{
	for (int i = 0; i < list->n; i++)
		if (list->v[i] == index)
			return true;
	return false;
}

static void add_to_list(struct list *list, int index)
{
	if (index < 0 || has(list, index))
		return;
	int *room = mpit_grow_array(list->v, list->n, &list->capacity, 8, sizeof(*room));
	if (!room)
		return;
	list->v = room;
	list->v[list->n++] = index;
	mpit_changed();
}

static struct category *append_category(const char *name, const char *desc)
{
	struct category *room = mpit_grow_array(categories, n_categories, &capacity, 512, sizeof(*room));

	if (!room)
		return NULL;
	categories = room;
	struct category *c = &categories[n_categories];
	*c = (struct category){ .host_index = -1, .name = mpit_copy_string(name), .desc = mpit_copy_string(desc) };
	if (!c->name || !c->desc || !mpit_names_add(&names, c->name, 0, n_categories)) {
		free(c->name);
		free(c->desc);
		return NULL;
	}
	n_categories++;
	mpit_changed();
	return c;
}

static void append_own(void)
{
	own_done = true;
	for (int i = 0; i < mpit_n_own_categories; i++) {
		const struct mpit_own_category *own = &mpit_own_categories[i];
		struct category *c = append_category(own->name, own->desc);
		if (!c)
			return;
		c->own = own;
		for (const char *const *name = own->cvars; name && *name; name++)
			add_to_list(&c->parts[CVARS], mpit_cvar_index(*name));
		for (const char *const *name = own->pvars; name && *name; name++)
			add_to_list(&c->parts[PVARS], mpit_pvar_index(*name));
		for (const char *const *name = own->events; name && *name; name++)
			add_to_list(&c->parts[EVENTS], mpit_event_index(*name));
		int parent = own->parent ? mpit_names_find(&names, own->parent, 0) : -1;
		if (parent >= 0)
			add_to_list(&categories[parent].parts[CATEGORIES], n_categories - 1);
	}
}

/*
 * Open MPI describes two categories only in MPI_Init. If MPI_T was initialized earlier they would have no description,
 * but all processes must report the same one.
 */
static const char *described(const char *name, const char *desc)
{
#if defined(M2D_OPENMPI_MAJOR)
	if (!*desc && strcmp(name, "ompi_coll") == 0)
		return "Collectives";
	if (!*desc && strcmp(name, "ompi_osc") == 0)
		return "One-sided communication";
#else
	(void)name;
#endif
	return desc;
}

static void append_host(const struct mpit_host *host, int index)
{
	int name_bytes = 0, desc_bytes = 0;

	if (host->category_get_info(index, NULL, &name_bytes, NULL, &desc_bytes, NULL, NULL, NULL) != MPI_SUCCESS)
		return;
	char *name = calloc(1, (size_t)++name_bytes), *desc = calloc(1, (size_t)++desc_bytes);
	if (name && desc &&
	    host->category_get_info(index, name, &name_bytes, desc, &desc_bytes, NULL, NULL, NULL) == MPI_SUCCESS &&
	    *name) {
		struct category *c = append_category(name, described(name, desc));
		if (c) {
			c->host_index = index;
			space.of_host[index] = n_categories - 1;
		}
	}
	free(name);
	free(desc);
}

static int category_of_host(int index)
{
	return mpit_space_of_host(&space, index);
}

/* Is @p to in the tree below @p from? The host's categories must not form a cycle. */
static bool leads_to(int from, int to, int depth)
{
	if (from == to || depth > 64)
		return true;
	const struct list *below = &categories[from].parts[CATEGORIES];
	for (int i = 0; i < below->n; i++)
		if (leads_to(below->v[i], to, depth + 1))
			return true;
	return false;
}

static void fill(struct category *c, enum part part, int n, int (*get)(int, int, int[]), int (*ours)(int))
{
	int *found = n > 0 ? calloc((size_t)n, sizeof(*found)) : NULL;

	if (!found)
		return;
	if (get(c->host_index, n, found) == MPI_SUCCESS)
		for (int i = 0; i < n; i++) {
			int index = ours(found[i]);
			if (part == CATEGORIES && index >= 0 && leads_to(index, (int)(c - categories), 0))
				continue;
			add_to_list(&c->parts[part], index);
		}
	free(found);
}

static void fill_host(const struct mpit_host *host, struct category *c)
{
	int n_cvars = 0, n_pvars = 0, n_below = 0;

	if (host->category_get_info(c->host_index, NULL, NULL, NULL, NULL, &n_cvars, &n_pvars, &n_below) != MPI_SUCCESS)
		return;
	fill(c, CVARS, n_cvars, host->category_get_cvars, mpit_cvar_of_host);
	fill(c, PVARS, n_pvars, host->category_get_pvars, mpit_pvar_of_host);
	fill(c, CATEGORIES, n_below, host->category_get_categories, category_of_host);
}

void mpit_categories_refresh(void)
{
	int n = 0, stamp = 0;

	mpit_cvars_refresh();
	mpit_pvars_refresh();
	if (!own_done)
		append_own();
	const struct mpit_host *host = mpit_host();
	if (!host || !mpit_host_is_safe("") || host->category_get_num(&n) != MPI_SUCCESS ||
	    host->category_changed(&stamp) != MPI_SUCCESS || !mpit_space_refresh(&space, n, stamp))
		return;
	if (stamp > host_stamp)
		host_stamp = stamp;
	for (int i = 0; i < n; i++)
		if (space.of_host[i] < 0)
			append_host(host, i);
	for (int i = 0; i < n_categories; i++)
		if (!categories[i].own)
			fill_host(host, &categories[i]);
}

MPIT(category_get_num, (int *num_cat))
{
	int rc = mpit_enter();

	if (rc != MPI_SUCCESS)
		return rc;
	if (!num_cat)
		return mpit_leave(MPI_T_ERR_INVALID);
	mpit_categories_refresh();
	*num_cat = n_categories;
	return mpit_leave(MPI_SUCCESS);
}

static struct category *at(int index, int *rc)
{
	*rc = mpit_enter();
	if (*rc != MPI_SUCCESS)
		return NULL;
	mpit_categories_refresh();
	if (index >= 0 && index < n_categories)
		return &categories[index];
	*rc = mpit_leave(MPI_T_ERR_INVALID_INDEX);
	return NULL;
}

MPIT(category_get_info, (int cat_index, char *name, int *name_len, char *desc, int *desc_len, int *num_cvars,
			 int *num_pvars, int *num_categories))
{
	int rc;
	const struct category *c = at(cat_index, &rc);

	if (!c)
		return rc;
	mpit_text(c->name, name, name_len);
	mpit_text(c->desc, desc, desc_len);
	if (num_cvars)
		*num_cvars = c->parts[CVARS].n;
	if (num_pvars)
		*num_pvars = c->parts[PVARS].n;
	if (num_categories)
		*num_categories = c->parts[CATEGORIES].n;
	return mpit_leave(MPI_SUCCESS);
}

MPIT(category_get_num_events, (int cat_index, int *num_events))
{
	int rc;
	const struct category *c = at(cat_index, &rc);

	if (!c)
		return rc;
	if (num_events)
		*num_events = c->parts[EVENTS].n;
	return mpit_leave(MPI_SUCCESS);
}

MPIT(category_get_index, (const char *name, int *cat_index))
{
	int rc = mpit_enter();

	if (rc != MPI_SUCCESS)
		return rc;
	if (!name || !cat_index)
		return mpit_leave(MPI_T_ERR_INVALID);
	mpit_categories_refresh();
	int index = mpit_names_find(&names, name, 0);
	if (index < 0)
		return mpit_leave(MPI_T_ERR_INVALID_NAME);
	*cat_index = index;
	return mpit_leave(MPI_SUCCESS);
}

static int get(int index, enum part part, int len, int indices[])
{
	int rc;
	const struct category *c = at(index, &rc);

	if (!c)
		return rc;
	if (len < 0 || (len > 0 && !indices))
		return mpit_leave(MPI_T_ERR_INVALID);
	const struct list *list = &c->parts[part];
	for (int i = 0; i < len && i < list->n; i++)
		indices[i] = list->v[i];
	return mpit_leave(MPI_SUCCESS);
}

MPIT(category_get_cvars, (int cat_index, int len, int indices[]))
{
	return get(cat_index, CVARS, len, indices);
}

MPIT(category_get_pvars, (int cat_index, int len, int indices[]))
{
	return get(cat_index, PVARS, len, indices);
}

MPIT(category_get_events, (int cat_index, int len, int indices[]))
{
	return get(cat_index, EVENTS, len, indices);
}

MPIT(category_get_categories, (int cat_index, int len, int indices[]))
{
	return get(cat_index, CATEGORIES, len, indices);
}

MPIT(category_changed, (int *update_number))
{
	int rc = mpit_enter();

	if (rc != MPI_SUCCESS)
		return rc;
	if (!update_number)
		return mpit_leave(MPI_T_ERR_INVALID);
	mpit_categories_refresh();
	int own = mpit_n_changes(), now = own > INT_MAX - host_stamp ? INT_MAX : own + host_stamp;
	if (now > last_returned)
		last_returned = now;
	*update_number = last_returned;
	return mpit_leave(MPI_SUCCESS);
}

/* ---- for the mirror ---------------------------------------------------------------------------------------- */

int mpit_categories_known(void)
{
	return n_categories;
}

bool mpit_category_facts(int index, struct mpit_category_facts *ret)
{
	if (index < 0 || index >= n_categories)
		return false;
	const struct category *c = &categories[index];
	*ret = (struct mpit_category_facts){ .own = c->own, .name = c->name, .desc = c->desc };
	for (int part = 0; part < MPIT_PARTS; part++) {
		ret->parts[part].v = c->parts[part].v;
		ret->parts[part].n = c->parts[part].n;
	}
	return true;
}
