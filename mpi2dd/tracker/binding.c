/* SPDX-License-Identifier: BSD-3-Clause */
#include "binding.h"

#include <dlfcn.h>
#include <errno.h>

static void *find_next(const char *symbol, const void *caller)
{
	int saved = errno;
	void *next = dlsym(RTLD_NEXT, symbol);
	Dl_info info;

	if (!next && dladdr(caller, &info) && info.dli_fname) {
		void *object = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
		next = object ? dlsym(object, symbol) : NULL;
	}
	errno = saved;
	return next;
}

void *trk_binding_next(struct trk_binding *binding, const void *caller)
{
	void *next = __atomic_load_n(&binding->next, __ATOMIC_ACQUIRE);

	if (!next) {
		next = find_next(binding->symbol, caller);
		__atomic_store_n(&binding->next, next, __ATOMIC_RELEASE);
	}
	return next;
}

void *trk_binding_begin(struct trk_binding *binding, unsigned call, const void *caller, struct trk_frame **frame)
{
	void *next = trk_binding_next(binding, caller);

	*frame = next && m2d_calls_resolve() ? trk_enter_slow_path(2 * call + M2D_PMPI, caller, NULL) : NULL;
	return next;
}
