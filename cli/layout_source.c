/* SPDX-License-Identifier: BSD-3-Clause */
#include "commands.h"
#include "layout.h"
#include "message.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char script_name[] = "make_site_pack";

/* Find the script relative to this program, installed or in a build directory (build/, build/san-asan/); otherwise in
 * the compiled-in prefix. */
static bool find_script(const char *self, char *ret, size_t n)
{
	static const char *const beside[] = { "../share/mpidbg/openmpi", "../layouts/openmpi",
					      "../../layouts/openmpi" };
	const char *slash = strrchr(self, '/');

	for (size_t i = 0; slash && i < sizeof(beside) / sizeof(*beside); i++)
		if (snprintf(ret, n, "%.*s/%s/%s", (int)(slash - self), self, beside[i], script_name) < (int)n &&
		    !access(ret, X_OK))
			return true;
	snprintf(ret, n, MPIDBG_PREFIX "/share/mpidbg/openmpi/%s", script_name);
	return !access(ret, X_OK);
}

int cmd_layout_source(const char *source, const char *build, const char *output)
{
	char self[PATH_MAX], script[2 * PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	self[n > 0 ? n : 0] = '\0';
	if (!find_script(self, script, sizeof(script))) {
		cmd_message("layout: %s: %s", script, strerror(errno));
		return CMD_ABSENT;
	}
	char *argv[8] = { script, self, (char *)source }; /* execv() changes none of them */
	size_t n_args = 3;
	if (build) {
		argv[n_args++] = (char *)"-b";
		argv[n_args++] = (char *)build;
	}
	if (output) {
		argv[n_args++] = (char *)"-o";
		argv[n_args++] = (char *)output;
	}
	fflush(NULL);
	execv(script, argv);
	cmd_message("layout: %s: %s", script, strerror(errno));
	return CMD_PARTIAL;
}
