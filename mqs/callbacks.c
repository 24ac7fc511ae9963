/* SPDX-License-Identifier: BSD-3-Clause */
#include "callbacks.h"

#pragma GCC poison assert abort exit printf fprintf malloc free

/* Global, because the interface passes this table once, before any image or process exists. */
static const mqs_basic_callbacks *basic;

bool mqs_callbacks_set(const mqs_basic_callbacks *callbacks)
{
	if (!callbacks || !callbacks->mqs_malloc_fp || !callbacks->mqs_free_fp || !callbacks->mqs_put_image_info_fp ||
	    !callbacks->mqs_get_image_info_fp || !callbacks->mqs_put_process_info_fp ||
	    !callbacks->mqs_get_process_info_fp)
		return false;
	basic = callbacks;
	return true;
}

const mqs_basic_callbacks *mqs_callbacks(void)
{
	return basic;
}

void *mqs_callbacks_alloc(size_t n)
{
	return basic ? basic->mqs_malloc_fp(n) : NULL;
}

void mqs_callbacks_release(void *p)
{
	if (basic && p)
		basic->mqs_free_fp(p);
}

static void *pack_alloc(void *ctx, size_t n)
{
	(void)ctx;
	return mqs_callbacks_alloc(n);
}

static void pack_release(void *ctx, void *p)
{
	(void)ctx;
	mqs_callbacks_release(p);
}

const struct acc_pack_alloc mqs_pack_alloc = { pack_alloc, pack_release, NULL };
