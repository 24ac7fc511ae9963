/* SPDX-License-Identifier: BSD-3-Clause */
#include "library.h"

#include "log.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* @return 0: the file can be executed; else errno. */
static int check_executable(const char *path)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return errno;
	if (S_ISDIR(st.st_mode))
		return EACCES;
	return access(path, X_OK) == 0 ? 0 : errno;
}

char *run_library_find_command(const char *name)
{
	int worst = ENOENT;

	if (strchr(name, '/')) {
		worst = check_executable(name);
		errno = worst;
		return worst ? NULL : run_text("%s", name);
	}
	const char *path = getenv("PATH");
	for (const char *p = path ? path : "/bin:/usr/bin"; *name; p++) {
		size_t n = strcspn(p, ":");
		char *file = n ? run_text("%.*s/%s", (int)n, p, name) : run_text("./%s", name);
		int error = check_executable(file);

		if (!error)
			return file;
		free(file);
		if (error == EACCES)
			worst = EACCES;
		p += n;
		if (!*p)
			break;
	}
	errno = worst;
	return NULL;
}

bool run_library_is_command(const char *name)
{
	char *file = run_library_find_command(name);

	free(file);
	return file != NULL;
}

/* The directory of the starter's executable, to be released with free(); NULL: not known. */
static char *own_folder(void)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n <= 0)
		return NULL;
	self[n] = '\0';
	char *slash = strrchr(self, '/');
	return slash ? run_text("%.*s", (int)(slash - self), self) : NULL;
}

char *run_library_find_beside(const char *name)
{
	char *self = own_folder();
	char *path = self ? run_text("%s/%s", self, name) : NULL;

	free(self);
	if (path && check_executable(path) == 0)
		return path;
	free(path);
	return NULL;
}

char *run_library_find(const char *name)
{
	char real[PATH_MAX], *self = own_folder();
	char *places[] = { self ? run_text("%s/%s", self, name) : NULL,
			   self ? run_text("%s/../lib/%s", self, name) : NULL,
			   run_text("%s/lib/%s", MPIDBG_PREFIX, name) };
	char *ret = NULL;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (!ret && places[i] && access(places[i], R_OK) == 0 && realpath(places[i], real))
			ret = run_text("%s", real);
		free(places[i]);
	}
	free(self);
	return ret;
}

const char *run_library_wrong_path(const char *path)
{
	static const char *const wrong[] = { " ", "a space", ":", "a colon", "$", "a dollar sign", ";", "a semicolon" };

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i += 2)
		if (strstr(path, wrong[i]))
			return wrong[i + 1];
	for (const char *p = path; *p; p++)
		if ((unsigned char)*p < ' ')
			return "a control character";
	return NULL;
}
