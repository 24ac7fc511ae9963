/* SPDX-License-Identifier: BSD-3-Clause */
#include "space.h"

#include "cache.h"
#include "limits.h"
#include "raw.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum { HOST_IS_BIG = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ };

/* A power of two in lo..hi. */
static bool is_one_of(unsigned bytes, unsigned lo, unsigned hi)
{
	return bytes >= lo && bytes <= hi && !(bytes & (bytes - 1));
}

enum acc_rc acc_space_init(struct acc_space *sp, const struct acc_target_ops *ops, void *ctx,
			   const struct acc_sizes *sizes, bool big_endian)
{
	memset(sp, 0, sizeof(*sp));
	if (!ops || !sizes)
		return ACC_EINVAL;

	struct acc_sizes s = *sizes;

	if (!is_one_of(s.pointer_bytes, 4, 8) || !is_one_of(s.short_bytes, 1, 4) || !is_one_of(s.int_bytes, 2, 8) ||
	    !is_one_of(s.long_bytes, 4, 8) || !is_one_of(s.long_long_bytes, 4, 8))
		return ACC_EINVAL;
	if (!is_one_of(s.bool_bytes, 1, 4))
		s.bool_bytes = 1;
	if (!is_one_of(s.size_bytes, 4, s.pointer_bytes))
		s.size_bytes = s.pointer_bytes;
	sp->ops = ops;
	sp->ctx = ctx;
	sp->sizes = s;
	sp->big_endian = big_endian;
	return ACC_OK;
}

void acc_space_deinit(struct acc_space *sp)
{
	if (!sp)
		return;
	acc_cache_destroy(sp, sp->cache);
	sp->cache = NULL;
	sp->depth = 0;
}

/* ---- bracket --------------------------------------------------------------------------------------- */

void acc_space_begin(struct acc_space *sp)
{
	sp->depth++;
}

void acc_space_end(struct acc_space *sp)
{
	if (!sp->depth || --sp->depth)
		return;
	acc_cache_destroy(sp, sp->cache);
	sp->cache = NULL;
}

void acc_space_forget(struct acc_space *sp)
{
	if (sp->cache)
		acc_cache_forget(sp->cache);
}

/* ---- bytes ----------------------------------------------------------------------------------------- */

static uint64_t last_address(const struct acc_space *sp)
{
	return sp->sizes.pointer_bytes == 4 ? UINT32_MAX : UINT64_MAX;
}

enum acc_rc acc_read(struct acc_space *sp, uint64_t addr, size_t n, void *ret)
{
	if (!n)
		return ACC_OK;
	if (addr > last_address(sp) || n - 1 > last_address(sp) - addr)
		return ACC_EREAD;

	/* the cache is created when first needed: most brackets around small calls never read */
	if (sp->depth && n < ACC_LINE_BYTES) {
		if (!sp->cache)
			sp->cache = acc_cache_create(sp);
		if (sp->cache)
			return acc_cache_read(sp, sp->cache, addr, n, ret);
	}

	for (unsigned char *out = ret; n;) {
		size_t part = n < ACC_READ_BYTES_MAX ? n : ACC_READ_BYTES_MAX;

		if (!acc_raw_read(sp, addr, part, out))
			return ACC_EREAD;
		addr += part;
		out += part;
		n -= part;
	}
	return ACC_OK;
}

enum acc_rc acc_read_u(struct acc_space *sp, uint64_t addr, unsigned width, uint64_t *ret)
{
	unsigned char bytes[8];

	if (width < 1 || width > sizeof(bytes))
		return ACC_EINVAL;

	enum acc_rc rc = acc_read(sp, addr, width, bytes);
	if (rc)
		return rc;
	*ret = acc_decode_u(sp, bytes, width);
	return ACC_OK;
}

enum acc_rc acc_read_ptr(struct acc_space *sp, uint64_t addr, uint64_t *ret)
{
	return acc_read_u(sp, addr, sp->sizes.pointer_bytes, ret);
}

enum acc_rc acc_read_string(struct acc_space *sp, uint64_t addr, char *ret, size_t size)
{
	if (!size)
		return ACC_EINVAL;
	ret[0] = '\0';
	if (!addr)
		return ACC_NONE;

	/* blocks end at multiples of their size, so never beyond the page of a byte of the string */
	enum { BLOCK = 64 };
	size_t n = 0;
	while (n < size - 1) {
		size_t part = BLOCK - (addr + n) % BLOCK;

		if (part > size - 1 - n)
			part = size - 1 - n;
		if (acc_read(sp, addr + n, part, ret + n)) {
			/* the mapping may end inside the block: continue byte by byte */
			part = 1;
			if (acc_read(sp, addr + n, part, ret + n)) {
				ret[0] = '\0';
				return ACC_EREAD;
			}
		}
		if (memchr(ret + n, '\0', part))
			return ACC_OK;
		n += part;
	}
	ret[n] = '\0';
	return ACC_OK;
}

enum acc_rc acc_symbol(struct acc_space *sp, const char *name, uint64_t *ret)
{
	uint64_t addr;

	if (!sp->ops->symbol || !sp->ops->symbol(sp->ctx, name, &addr))
		return ACC_ESYMBOL;
	*ret = addr;
	return ACC_OK;
}

/* ---- values ---------------------------------------------------------------------------------------- */

uint64_t acc_decode_u(const struct acc_space *sp, const void *bytes, unsigned width)
{
	const unsigned char *b = bytes;
	uint64_t value = 0;

	/* the common widths are as fast as a load; the loops below define the semantics */
	if (width == 8) {
		memcpy(&value, b, 8);
		return sp->big_endian == HOST_IS_BIG ? value : __builtin_bswap64(value);
	}
	if (width == 4) {
		uint32_t word;

		memcpy(&word, b, 4);
		return sp->big_endian == HOST_IS_BIG ? word : __builtin_bswap32(word);
	}
	if (width > 8)
		return 0;
	if (sp->big_endian) {
		for (unsigned i = 0; i < width; i++)
			value = value << 8 | b[i];
	} else {
		for (unsigned i = width; i > 0; i--)
			value = value << 8 | b[i - 1];
	}
	return value;
}

int64_t acc_decode_i(const struct acc_space *sp, const void *bytes, unsigned width)
{
	uint64_t value = acc_decode_u(sp, bytes, width);

	if (width < 1 || width >= 8)
		return (int64_t)value;

	uint64_t sign = UINT64_C(1) << (8 * width - 1);
	return (int64_t)((value ^ sign) - sign);
}

bool acc_plausible(const struct acc_space *sp, uint64_t addr, unsigned align)
{
	return addr && addr <= last_address(sp) && (align < 2 || !(addr & (align - 1)));
}
