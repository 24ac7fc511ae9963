/* SPDX-License-Identifier: BSD-3-Clause */
#include "error.h"

#include <stdarg.h>
#include <stdio.h>

enum host_errc host_error_set(struct host_error *err, enum host_errc code, const char *format, ...)
{
	if (!err)
		return code;
	va_list ap;
	va_start(ap, format);
	vsnprintf(err->text, sizeof(err->text), format, ap);
	va_end(ap);
	err->code = code;
	for (char *p = err->text; *p; p++)
		if (*p == '\n' || *p == '\r') /* a name from the target must not break the line */
			*p = '?';
	return code;
}

void host_error_clear(struct host_error *err)
{
	if (!err)
		return;
	err->code = HOST_OK;
	err->text[0] = '\0';
}
