/* SPDX-License-Identifier: BSD-3-Clause */
#include "layout_types.h"
#include "error.h"
#include "maps.h"

#include "../access/pack_heap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
	enum acc_rc rc = acc_pack_parse(&acc_pack_heap, text, n, &note, ret);
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
	acc_pack_destroy(&acc_pack_heap, pack);
}
