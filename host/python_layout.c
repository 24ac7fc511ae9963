/* SPDX-License-Identifier: BSD-3-Clause */
#include "python_layout.h"

#include <stddef.h>

/* CPython 3.11: the frame is reached through PyThreadState.cframe, and _PyInterpreterFrame.is_entry says where C came in. */
static const struct host_python_layout layouts[] = {
	{ .version = 0x030b,
	  .runtime_interpreters = 40,
	  .interpreter_next = 0,
	  .interpreter_threads = 16,
	  .thread_next = 8,
	  .thread_cframe = 56,
	  .thread_native_id = 160,
	  .cframe_current = 8,
	  .frame_code = 32,
	  .frame_previous = 48,
	  .frame_instruction = 56,
	  .frame_is_entry = 68,
	  .frame_bytes = 72,
	  .code_qualname = 128,
	  .code_filename = 112,
	  .code_linetable = 136,
	  .code_firstline = 72,
	  .code_instructions = 184,
	  .object_type = 8,
	  .bytes_size = 16,
	  .bytes_data = 32,
	  .text_length = 16,
	  .text_state = 32,
	  .text_ascii = 48,
	  .text_other = 72 },
};

const struct host_python_layout *host_python_layout(uint32_t version)
{
	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++)
		if (layouts[i].version == version)
			return &layouts[i];
	return NULL;
}
