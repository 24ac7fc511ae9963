/* SPDX-License-Identifier: BSD-3-Clause */
#include "callbacks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- basic ----------------------------------------------------------------------------------------- */

static void on_dprints(const char *text)
{
	if (text && getenv("MPIDBG_DPRINTS")) /* for developers of plugins */
		fprintf(stderr, "plugin: %s\n", text);
}

static char *on_errorstring(int code)
{
	static char text[64];
	snprintf(text, sizeof(text), code == mqs_ok ? "no error" : "code %d of the debugger", code);
	return text;
}

static void on_put_image_info(mqs_image *image, mqs_image_info *info)
{
	if (image)
		image->info = info;
}

static mqs_image_info *on_get_image_info(mqs_image *image)
{
	return image ? image->info : NULL;
}

static void on_put_process_info(mqs_process *process, mqs_process_info *info)
{
	if (process)
		process->info = info;
}

static mqs_process_info *on_get_process_info(mqs_process *process)
{
	return process ? process->info : NULL;
}

const mqs_basic_callbacks *host_basic_callbacks(void)
{
	static const mqs_basic_callbacks callbacks = {
		.mqs_malloc_fp = malloc,
		.mqs_free_fp = free,
		.mqs_dprints_fp = on_dprints,
		.mqs_errorstring_fp = on_errorstring,
		.mqs_put_image_info_fp = on_put_image_info,
		.mqs_get_image_info_fp = on_get_image_info,
		.mqs_put_process_info_fp = on_put_process_info,
		.mqs_get_process_info_fp = on_get_process_info,
	};
	return &callbacks;
}

/* ---- image ----------------------------------------------------------------------------------------- */

static void on_get_type_sizes(mqs_process *process, mqs_target_type_sizes *ret)
{
	if (!ret)
		return;
	int word = process ? (int)host_word_bytes(process->state->target) : (int)sizeof(long);
	*ret = (mqs_target_type_sizes){
		.short_size = 2,
		.int_size = 4,
		.long_size = word,
		.long_long_size = 8,
		.pointer_size = word,
		.bool_size = 1,
		.size_t_size = word,
	};
}

static int on_find_symbol(mqs_image *image, char *name, mqs_taddr_t *ret)
{
	uint64_t addr;
	if (!image || !name || !host_symbol(image->state->target, name, &addr))
		return mqs_no_information;
	if (ret) /* some plugins only want to know whether the symbol exists */
		*ret = (mqs_taddr_t)addr;
	return mqs_ok;
}

static int on_find_function(mqs_image *image, char *name, mqs_lang_code language, mqs_taddr_t *ret)
{
	if (name && (language == mqs_lang_f77 || language == mqs_lang_f90)) {
		char fortran[256]; /* the name that gfortran generates: lower case, with an underscore appended */
		size_t n = strlen(name);
		if (n + 2 <= sizeof(fortran)) {
			for (size_t i = 0; i < n; i++)
				fortran[i] = name[i] >= 'A' && name[i] <= 'Z' ? (char)(name[i] + 32) : name[i];
			memcpy(fortran + n, "_", sizeof("_"));
			if (on_find_symbol(image, fortran, ret) == mqs_ok)
				return mqs_ok;
		}
	}
	return on_find_symbol(image, name, ret);
}

static mqs_type *on_find_type(mqs_image *image, char *name, mqs_lang_code language)
{
	(void)language;
	if (!image || !name)
		return NULL;
	struct host_state *state = image->state;
	const struct host_type *dwarf = state->types ? host_types_find(state->types, name) : NULL;
	const struct acc_pack_type *packed = !dwarf && state->pack ? acc_pack_type(state->pack, name) : NULL;
	if (!dwarf && !packed)
		return NULL;
	for (mqs_type *type = state->handed_out; type; type = type->next)
		if (type->dwarf == dwarf && type->packed == packed)
			return type;
	mqs_type *type = calloc(1, sizeof(*type));
	if (!type)
		return NULL;
	*type = (mqs_type){ state->handed_out, dwarf, state->pack, packed };
	state->handed_out = type;
	return type;
}

static int on_field_offset(mqs_type *type, char *name)
{
	struct host_member member;
	uint64_t offset;
	if (!type || !name)
		return -1;
	if (type->dwarf) {
		if (!host_type_member(type->dwarf, name, &member) || member.bit_field)
			return -1; /* the interface cannot express bit fields */
		offset = member.offset;
	} else {
		const struct acc_pack_field *field = acc_pack_field(type->pack, type->packed->name, name);
		if (!field)
			return -1;
		offset = field->offset;
	}
	return offset <= INT32_MAX ? (int)offset : -1;
}

static int on_sizeof(mqs_type *type)
{
	if (!type)
		return -1;
	int64_t bytes = type->dwarf ? host_type_bytes(type->dwarf) : type->packed->bytes;
	return bytes <= INT32_MAX ? (int)bytes : -1;
}

const mqs_image_callbacks *host_image_callbacks(void)
{
	static const mqs_image_callbacks callbacks = {
		.mqs_get_type_sizes_fp = on_get_type_sizes,
		.mqs_find_function_fp = on_find_function,
		.mqs_find_symbol_fp = on_find_symbol,
		.mqs_find_type_fp = on_find_type,
		.mqs_field_offset_fp = on_field_offset,
		.mqs_sizeof_fp = on_sizeof,
	};
	return &callbacks;
}

/* ---- process --------------------------------------------------------------------------------------- */

static int on_get_global_rank(mqs_process *process)
{
	static const char *const names[] = { "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID" };
	for (size_t i = 0; process && i < sizeof(names) / sizeof(*names); i++) {
		const char *value = host_getenv(process->state->target, names[i]);
		char *end;
		if (!value || !*value)
			continue;
		long rank = strtol(value, &end, 10);
		if (!*end && rank >= 0 && rank <= INT32_MAX)
			return (int)rank;
	}
	return -1;
}

static mqs_image *on_get_image(mqs_process *process)
{
	return process ? &process->state->image : NULL;
}

static int on_fetch_data(mqs_process *process, mqs_taddr_t addr, int n, void *ret)
{
	if (!process || n < 0 || (n && !ret))
		return mqs_no_information;
	struct host_state *state = process->state;
	state->n_reads++;
	state->bytes += (uint64_t)n;
	return host_read(state->target, addr, (size_t)n, ret) ? mqs_ok : mqs_no_information;
}

static void on_target_to_host(mqs_process *process, const void *in, void *ret, int n)
{
	if (!process || !in || !ret || n <= 0)
		return;
	bool host_is_big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	if (host_big_endian(process->state->target) == host_is_big) {
		memmove(ret, in, (size_t)n);
		return;
	}
	/* in and ret may be the same buffer */
	const unsigned char *from = in;
	unsigned char *to = ret;
	for (int i = 0, j = n - 1; i <= j; i++, j--) {
		unsigned char first = from[i], last = from[j];
		to[i] = last;
		to[j] = first;
	}
}

const mqs_process_callbacks *host_process_callbacks(void)
{
	static const mqs_process_callbacks callbacks = {
		.mqs_get_global_rank_fp = on_get_global_rank,
		.mqs_get_image_fp = on_get_image,
		.mqs_fetch_data_fp = on_fetch_data,
		.mqs_target_to_host_fp = on_target_to_host,
	};
	return &callbacks;
}
