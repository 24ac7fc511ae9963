/* SPDX-License-Identifier: BSD-3-Clause */
#include "mounts.h"

#include <ctype.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* A field has its spaces as "\\040". */
static void unescape(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++) {
		if (from[0] == '\\' && isdigit((unsigned char)from[1]) && isdigit((unsigned char)from[2]) &&
		    isdigit((unsigned char)from[3])) {
			*to++ = (char)((from[1] - '0') * 64 + (from[2] - '0') * 8 + (from[3] - '0'));
			from += 3;
		} else {
			*to++ = *from;
		}
	}
	*to = '\0';
}

/* That of the longest mount point that begins the path; of two at one point the later one is visible. */
void wt_mount_type(char *mountinfo, const char *path, char ret[WT_MOUNT_TYPE_BYTES])
{
	size_t best = 0;
	char *save = NULL;

	*ret = '\0';
	/* "36 35 98:0 /root /mnt rw,noatime master:1 - ext3 /dev/root rw" */
	for (char *line = mountinfo ? strtok_r(mountinfo, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save)) {
		char point[PATH_MAX], type[WT_MOUNT_TYPE_BYTES] = "", *dash = strstr(line, " - ");
		if (!dash || sscanf(line, "%*s %*s %*s %*s %4095s", point) != 1 || sscanf(dash, " - %63s", type) != 1)
			continue;
		unescape(point);
		size_t n = strlen(point);
		bool inside = strncmp(path, point, n) == 0 && (n == 1 || path[n] == '/' || !path[n]);
		if (inside && n >= best) {
			best = n;
			memcpy(ret, type, sizeof(type));
		}
	}
}
