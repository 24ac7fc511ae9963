/* SPDX-License-Identifier: BSD-3-Clause */
#include "describe.h"

#include "fuzz.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

void fuzz_describe(mqs_process *process, int what, const struct mpidbg_options *options)
{
	struct mpidbg_options o = *options;
	char *text = NULL;

	mpidbg_describe(process, what, &o, &text);
	FUZZ_MUST(!text || strlen(text) < 64u << 20);
	mpidbg_free(text);
	o.format = MPIDBG_FORMAT_JSON;
	text = NULL;
	int rc = mpidbg_describe(process, what, &o, &text);
	if (text && rc != MPIDBG_ERR_NO_MEM) {
		json_error_t error;
		json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, &error);
		if (!json)
			fprintf(stderr, "%s at %d\n%s\n", error.text, error.position, text);
		FUZZ_MUST(json);
		json_decref(json);
	}
	mpidbg_free(text);
}
