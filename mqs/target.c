/* SPDX-License-Identifier: BSD-3-Clause */
#include "target.h"

#include "callbacks.h"

#include <limits.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

/* The interface counts bytes in an int. */
enum { FETCH_BYTES_MAX = 1 << 30 };

static bool target_read(void *ctx, uint64_t addr, size_t n, void *ret)
{
	struct _mqs_process_info *p = ctx;
	const mqs_process_callbacks *callbacks = mqs_state_process_callbacks(p);
	unsigned char *out = ret;

	/* Some debuggers treat address 0 as a programming error of the plugin. */
	if (!callbacks || !addr || addr > ULONG_MAX)
		return false;
	while (n) {
		size_t part = n < FETCH_BYTES_MAX ? n : FETCH_BYTES_MAX;

		if (callbacks->mqs_fetch_data_fp(p->process, addr, (int)part, out) != mqs_ok)
			return false;
		addr += part;
		out += part;
		n -= part;
	}
	return true;
}

/* After exec, a process may have another image. */
static mqs_image *image_of(struct _mqs_process_info *p)
{
	const mqs_process_callbacks *callbacks = mqs_state_process_callbacks(p);
	mqs_image *image = callbacks ? callbacks->mqs_get_image_fp(p->process) : NULL;

	return image ? image : p->image->image;
}

static bool target_symbol(void *ctx, const char *name, uint64_t *ret)
{
	struct _mqs_process_info *p = ctx;
	const mqs_image_callbacks *callbacks = mqs_state_image_callbacks(p->image);
	mqs_taddr_t addr = 0;

	if (!callbacks || callbacks->mqs_find_symbol_fp(image_of(p), (char *)name, &addr) != mqs_ok || !addr)
		return false;
	*ret = addr;
	return true;
}

static void *target_type(void *ctx, const char *name)
{
	struct _mqs_process_info *p = ctx;
	const mqs_image_callbacks *callbacks = mqs_state_image_callbacks(p->image);

	if (!callbacks || !callbacks->mqs_find_type_fp)
		return NULL;
	return callbacks->mqs_find_type_fp(image_of(p), (char *)name, mqs_lang_c);
}

static int64_t target_type_bytes(void *ctx, void *type)
{
	struct _mqs_process_info *p = ctx;
	const mqs_image_callbacks *callbacks = mqs_state_image_callbacks(p->image);

	return callbacks && callbacks->mqs_sizeof_fp ? callbacks->mqs_sizeof_fp(type) : -1;
}

static int64_t target_field_offset(void *ctx, void *type, const char *field)
{
	struct _mqs_process_info *p = ctx;
	const mqs_image_callbacks *callbacks = mqs_state_image_callbacks(p->image);

	return callbacks && callbacks->mqs_field_offset_fp ? callbacks->mqs_field_offset_fp(type, (char *)field) : -1;
}

static void *target_alloc(void *ctx, size_t n)
{
	(void)ctx;
	return mqs_callbacks_alloc(n);
}

static void target_release(void *ctx, void *p)
{
	(void)ctx;
	mqs_callbacks_release(p);
}

const struct acc_target_ops mqs_target_ops = {
	.read = target_read,
	.symbol = target_symbol,
	.type = target_type,
	.type_bytes = target_type_bytes,
	.field_offset = target_field_offset,
	.alloc = target_alloc,
	.release = target_release,
};

/* Convert the bytes 1, 2, 3 ... to find the byte order. @return false: neither. */
static bool ask_byte_order(struct _mqs_process_info *p, unsigned width, bool *big_endian)
{
	static const unsigned char raw[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	const mqs_process_callbacks *callbacks = mqs_state_process_callbacks(p);
	unsigned char host[8] = { 0 };
	uint64_t value = 0, as_little = 0, as_big = 0;

	callbacks->mqs_target_to_host_fp(p->process, raw, host, (int)width);
	for (unsigned i = 0; i < width; i++) {
		as_little |= (uint64_t)raw[i] << 8 * i;
		as_big = as_big << 8 | raw[i];
	}
	if (width == 8) {
		memcpy(&value, host, sizeof(value));
	} else if (width == 4) {
		uint32_t v;

		memcpy(&v, host, sizeof(v));
		value = v;
	} else {
		uint16_t v;

		memcpy(&v, host, sizeof(v));
		value = v;
	}
	if (value != as_little && value != as_big)
		return false;
	*big_endian = value == as_big;
	return true;
}

/* A size that does not fit into its field is invalid, like 0. */
static uint8_t size_of(int bytes)
{
	return bytes > 0 && bytes <= 16 ? (uint8_t)bytes : 0;
}

enum acc_rc mqs_target_space(struct _mqs_process_info *p, struct acc_space *ret)
{
	const mqs_image_callbacks *image = mqs_state_image_callbacks(p->image);
	mqs_target_type_sizes sizes = { 0 };
	bool big_endian = false;

	if (!image || !mqs_state_process_callbacks(p))
		return ACC_EINVAL;
	/* padb fills in only the first five */
	image->mqs_get_type_sizes_fp(p->process, &sizes);

	struct acc_sizes s = {
		.short_bytes = size_of(sizes.short_size),
		.int_bytes = size_of(sizes.int_size),
		.long_bytes = size_of(sizes.long_size),
		.long_long_bytes = size_of(sizes.long_long_size),
		.pointer_bytes = size_of(sizes.pointer_size),
		.bool_bytes = size_of(sizes.bool_size),
		.size_bytes = size_of(sizes.size_t_size),
	};

	if (!ask_byte_order(p, 8, &big_endian) && !ask_byte_order(p, 4, &big_endian) &&
	    !ask_byte_order(p, 2, &big_endian))
		return acc_note(&p->note, ACC_EINVAL,
				"the debugger's conversion to host byte order makes no sense for known bytes");

	enum acc_rc rc = acc_space_init(ret, &mqs_target_ops, p, &s, big_endian);
	if (rc)
		acc_note(&p->note, rc,
			 "the debugger's sizes of the basic types make no sense: int %d, long %d, pointer %d",
			 sizes.int_size, sizes.long_size, sizes.pointer_size);
	return rc;
}
