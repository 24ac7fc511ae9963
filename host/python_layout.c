/* SPDX-License-Identifier: BSD-3-Clause */
#include "python_layout.h"

#include <stddef.h>
#include <string.h>

/* The words of _Py_DebugOffsets of 3.13 (internal/pycore_runtime.h). */
enum {
	COOKIE,
	VERSION,
	FREE_THREADED,
	RUNTIME_INTERPRETERS = 5,
	INTERPRETER_NEXT = 8,
	INTERPRETER_THREADS = 9,
	THREAD_NEXT = 21,
	THREAD_FRAME = 23,
	THREAD_NATIVE_ID = 25,
	FRAME_SIZE = 28,
	FRAME_PREVIOUS,
	FRAME_EXECUTABLE,
	FRAME_INSTRUCTION,
	FRAME_OWNER = 33,
	CODE_FILENAME = 35,
	CODE_QUALNAME = 37,
	CODE_LINETABLE,
	CODE_FIRSTLINE,
	CODE_INSTRUCTIONS = 43,
	OBJECT_TYPE = 45
};

bool host_python_described(const uint64_t *words, struct host_python_layout *ret)
{
	if (memcmp(&words[COOKIE], "xdebugpy", 8) != 0 || words[VERSION] >> 16 != 0x030d || words[FREE_THREADED])
		return false;
	for (int i = RUNTIME_INTERPRETERS; i < HOST_PYTHON_OFFSETS; i++)
		if (words[i] > UINT16_MAX && i != 6) /* the size of an interpreter's state is larger */
			return false;
	*ret = (struct host_python_layout){ .version = 0x030d,
					    .runtime_interpreters = (uint16_t)words[RUNTIME_INTERPRETERS],
					    .interpreter_next = (uint16_t)words[INTERPRETER_NEXT],
					    .interpreter_threads = (uint16_t)words[INTERPRETER_THREADS],
					    .thread_next = (uint16_t)words[THREAD_NEXT],
					    .thread_native_id = (uint16_t)words[THREAD_NATIVE_ID],
					    .thread_current = (uint16_t)words[THREAD_FRAME],
					    .frame_code = (uint16_t)words[FRAME_EXECUTABLE],
					    .frame_previous = (uint16_t)words[FRAME_PREVIOUS],
					    .frame_instruction = (uint16_t)words[FRAME_INSTRUCTION],
					    .frame_owner = (uint16_t)words[FRAME_OWNER],
					    .frame_bytes = (uint16_t)words[FRAME_SIZE],
					    .code_qualname = (uint16_t)words[CODE_QUALNAME],
					    .code_filename = (uint16_t)words[CODE_FILENAME],
					    .code_linetable = (uint16_t)words[CODE_LINETABLE],
					    .code_firstline = (uint16_t)words[CODE_FIRSTLINE],
					    .code_instructions = (uint16_t)words[CODE_INSTRUCTIONS],
					    .object_type = (uint16_t)words[OBJECT_TYPE],
					    .bytes_size = 16,
					    .bytes_data = 32,
					    .text_length = 16,
					    .text_state = 32,
					    .text_ascii = 40,
					    .text_other = 56 };
	const uint16_t in_frame[] = { ret->frame_code, ret->frame_previous, ret->frame_instruction, ret->frame_owner };
	for (size_t i = 0; i < sizeof(in_frame) / sizeof(in_frame[0]); i++)
		if (in_frame[i] + 8U > ret->frame_bytes && in_frame[i] != ret->frame_owner)
			return false;
	return ret->frame_owner && ret->frame_owner < ret->frame_bytes;
}

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
	{ .version = 0x030c,
	  .runtime_interpreters = 40,
	  .interpreter_next = 0,
	  .interpreter_threads = 72,
	  .thread_next = 8,
	  .thread_cframe = 56,
	  .thread_native_id = 144,
	  .cframe_current = 0,
	  .frame_code = 0,
	  .frame_previous = 8,
	  .frame_instruction = 56,
	  .frame_owner = 70,
	  .frame_bytes = 72,
	  .code_qualname = 128,
	  .code_filename = 112,
	  .code_linetable = 136,
	  .code_firstline = 68,
	  .code_instructions = 192,
	  .object_type = 8,
	  .bytes_size = 16,
	  .bytes_data = 32,
	  .text_length = 16,
	  .text_state = 32,
	  .text_ascii = 40,
	  .text_other = 56 },
};

const struct host_python_layout *host_python_layout(uint32_t version)
{
	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++)
		if (layouts[i].version == version)
			return &layouts[i];
	return NULL;
}
