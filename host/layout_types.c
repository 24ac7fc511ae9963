/* SPDX-License-Identifier: BSD-3-Clause */
#include "layout_types.h"
#include "error.h"
#include "maps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void *pack_alloc(void *ctx, size_t n)
{
	(void)ctx;
	return malloc(n);
}

static void pack_release(void *ctx, void *p)
{
	(void)ctx;
	free(p);
}

static const struct acc_pack_alloc allocator = { .alloc = pack_alloc, .release = pack_release };

enum host_errc host_read_text(const char *path, char **ret, size_t *n_ret, struct host_error *err)
{
	char *text = host_read_file(path, n_ret);
	if (!text)
		return host_error_set(err,
				      errno == EACCES   ? HOST_DENIED
				      : errno == ENOENT ? HOST_ABSENT
							: HOST_UNREADABLE,
				      "%s: %s", path, strerror(errno));
	*ret = text;
	return HOST_OK;
}

enum host_errc host_layout_parse(const char *name, const char *text, size_t n, struct acc_pack **ret,
				 struct host_error *err)
{
	struct acc_note note = { 0 };
	enum acc_rc rc = acc_pack_parse(&allocator, text, n, &note, ret);
	if (rc)
		return host_error_set(err, HOST_UNREADABLE, "%s: %s", name, note.text[0] ? note.text : acc_rc_text(rc));
	return HOST_OK;
}

enum host_errc host_layout_open(const char *path, struct acc_pack **ret, struct host_error *err)
{
	char *text = NULL;
	size_t n = 0;
	enum host_errc code = host_read_text(path, &text, &n, err);
	if (code)
		return code;
	code = host_layout_parse(path, text, n, ret, err);
	free(text);
	return code;
}

void host_layout_close(struct acc_pack *pack)
{
	acc_pack_destroy(&allocator, pack);
}
