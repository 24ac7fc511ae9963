/* SPDX-License-Identifier: BSD-3-Clause */
#include "fake_mqs.h"

#include <check.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct mqs_image_ {
	struct fake_mqs *m;
	mqs_image_info *info;
};

struct mqs_process_ {
	struct fake_mqs *m;
	struct fake *memory;
	mqs_process_info *info;
	struct mqs_process_ *next;
};

/* The debugger that is running: the callbacks for memory and types have no other way to find it. */
static struct fake_mqs *current;

/* ---- what the DLL calls ---------------------------------------------------------------------------- */

static void *do_malloc(size_t n)
{
	ck_assert_ptr_nonnull(current);
	return fake_ops.alloc(current->fake, n);
}

static void do_free(void *p)
{
	ck_assert_ptr_nonnull(current);
	fake_ops.release(current->fake, p);
}

static void do_dprints(const char *text)
{
	(void)text;
	current->n_dprints++;
}

static char *do_errorstring(int code)
{
	static char text[64];

	snprintf(text, sizeof(text), "debugger error %d", code);
	return text;
}

static void do_put_image_info(mqs_image *image, mqs_image_info *info)
{
	image->info = info;
}

static mqs_image_info *do_get_image_info(mqs_image *image)
{
	return image->info;
}

static void do_put_process_info(mqs_process *process, mqs_process_info *info)
{
	process->info = info;
}

static mqs_process_info *do_get_process_info(mqs_process *process)
{
	return process->info;
}

static void do_get_type_sizes(mqs_process *process, mqs_target_type_sizes *ret)
{
	*ret = process->m->sizes;
}

static int do_find_function(mqs_image *image, char *name, mqs_lang_code language, mqs_taddr_t *ret)
{
	(void)image, (void)name, (void)language, (void)ret;
	return mqs_no_information;
}

static int do_find_symbol(mqs_image *image, char *name, mqs_taddr_t *ret)
{
	uint64_t addr;

	if (!fake_ops.symbol(image->m->fake, name, &addr))
		return mqs_no_information;
	*ret = addr;
	return mqs_ok;
}

static mqs_type *do_find_type(mqs_image *image, char *name, mqs_lang_code language)
{
	if (language != mqs_lang_c)
		return NULL;
	return fake_ops.type(image->m->fake, name);
}

static int do_field_offset(mqs_type *type, char *field)
{
	return (int)fake_ops.field_offset(current->fake, type, field);
}

static int do_sizeof(mqs_type *type)
{
	return (int)fake_ops.type_bytes(current->fake, type);
}

static int do_get_global_rank(mqs_process *process)
{
	return process->m->global_rank;
}

static mqs_image *do_get_image(mqs_process *process)
{
	return process->m->image;
}

static int do_fetch_data(mqs_process *process, mqs_taddr_t addr, int n, void *ret)
{
	process->m->n_fetches++;
	ck_assert_int_gt(n, 0);
	return fake_ops.read(process->memory, addr, n, ret) ? mqs_ok : mqs_no_information;
}

static void do_target_to_host(mqs_process *process, const void *in, void *out, int n)
{
	bool swap = process->memory->big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);

	for (int i = 0; i < n; i++)
		((char *)out)[i] = ((const char *)in)[swap ? n - 1 - i : i];
}

/* ---- life ------------------------------------------------------------------------------------------ */

static void load(struct fake_mqs *m)
{
	const char *build = getenv("MPIDBG_BUILD");
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/libmpidbg.so", build ? build : "build");
	m->dl = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	ck_assert_msg(m->dl, "%s", dlerror());
#define HOST_ENTRY(name) *(void **)&m->dll.name = dlsym(m->dl, #name);
#include "../../host/entry_points.def"
	HOST_ENTRY(mqs_setup_job)
	HOST_ENTRY(mqs_destroy_job_info)
	HOST_ENTRY(mqs_setup_new_process_iterator)
	HOST_ENTRY(mqs_next_new_process)
	HOST_ENTRY(mqs_set_process_identity)
	HOST_ENTRY(mpidbg_dll_is_big_endian)
	HOST_ENTRY(mpidbg_dll_bitness)
#undef HOST_ENTRY
}

struct fake_mqs *fake_mqs_create(struct fake *f)
{
	ck_assert_msg(!current, "fake_mqs: one debugger at a time");

	struct fake_mqs *m = calloc(1, sizeof(*m));
	ck_assert_ptr_nonnull(m);
	m->fake = f;
	m->global_rank = -1;
	m->sizes = (mqs_target_type_sizes){
		.short_size = 2,
		.int_size = 4,
		.long_size = (int)f->word_bytes,
		.long_long_size = 8,
		.pointer_size = (int)f->word_bytes,
		.bool_size = 1,
		.size_t_size = (int)f->word_bytes,
	};
	m->basic = (mqs_basic_callbacks){
		.mqs_malloc_fp = do_malloc,
		.mqs_free_fp = do_free,
		.mqs_dprints_fp = do_dprints,
		.mqs_errorstring_fp = do_errorstring,
		.mqs_put_image_info_fp = do_put_image_info,
		.mqs_get_image_info_fp = do_get_image_info,
		.mqs_put_process_info_fp = do_put_process_info,
		.mqs_get_process_info_fp = do_get_process_info,
	};
	m->image_callbacks = (mqs_image_callbacks){
		.mqs_get_type_sizes_fp = do_get_type_sizes,
		.mqs_find_function_fp = do_find_function,
		.mqs_find_symbol_fp = do_find_symbol,
		.mqs_find_type_fp = do_find_type,
		.mqs_field_offset_fp = do_field_offset,
		.mqs_sizeof_fp = do_sizeof,
	};
	m->process_callbacks = (mqs_process_callbacks){
		.mqs_get_global_rank_fp = do_get_global_rank,
		.mqs_get_image_fp = do_get_image,
		.mqs_fetch_data_fp = do_fetch_data,
		.mqs_target_to_host_fp = do_target_to_host,
	};
	m->image = calloc(1, sizeof(*m->image));
	ck_assert_ptr_nonnull(m->image);
	m->image->m = m;
	m->process = fake_mqs_add_process(m, f);
	current = m;
	load(m);
	ck_assert_ptr_nonnull(m->dll.mqs_setup_basic_callbacks);
	m->dll.mqs_setup_basic_callbacks(&m->basic);
	return m;
}

mqs_process *fake_mqs_add_process(struct fake_mqs *m, struct fake *memory)
{
	mqs_process *p = calloc(1, sizeof(*p));

	ck_assert_ptr_nonnull(p);
	p->m = m;
	p->memory = memory;
	if (m->process) {
		p->next = m->process->next;
		m->process->next = p;
	}
	return p;
}

void fake_mqs_destroy(struct fake_mqs *m)
{
	if (!m)
		return;

	bool full = m->image->info;
	for (mqs_process *p = m->process, *next; p; p = next) {
		next = p->next;
		full |= p->info != NULL;
		free(p);
	}
	free(m->image);
	dlclose(m->dl);
	free(m);
	current = NULL;
	ck_assert_msg(!full, "an image or a process still had its info");
}

int fake_mqs_setup(struct fake_mqs *m, char **message)
{
	char *ignored;
	int rc;

	if (!message)
		message = &ignored;
	*message = NULL;
	rc = m->dll.mqs_setup_image(m->image, &m->image_callbacks);
	if (!rc)
		rc = m->dll.mqs_image_has_queues(m->image, message);
	if (!rc)
		rc = m->dll.mqs_setup_process(m->process, &m->process_callbacks);
	if (!rc)
		rc = m->dll.mqs_process_has_queues(m->process, message);
	if (!rc)
		rc = m->dll.mqs_update_communicator_list(m->process);
	return rc;
}

void fake_mqs_teardown(struct fake_mqs *m)
{
	for (mqs_process *p = m->process; p; p = p->next) {
		if (!p->info)
			continue;
		m->dll.mqs_destroy_process_info(p->info);
		p->info = NULL;
	}
	if (m->image->info)
		m->dll.mqs_destroy_image_info(m->image->info);
	m->image->info = NULL;
}

mqs_image_info *fake_mqs_image_info(const struct fake_mqs *m)
{
	return m->image->info;
}

mqs_process_info *fake_mqs_process_info(const mqs_process *process)
{
	return process->info;
}

void fake_mqs_forget(struct fake_mqs *m)
{
	for (mqs_process *p = m->process; p; p = p->next)
		p->info = NULL;
	m->image->info = NULL;
}
