/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file python_layout.h
 * Where the fields of CPython's structures are, by version. From offsetof() on the headers of Debian's python3-dev, with
 * Py_BUILD_CORE defined (internal/pycore_runtime.h, pycore_interp.h, pycore_frame.h, cpython/code.h, unicodeobject.h).
 */
#ifndef HOST_PYTHON_LAYOUT_H
#define HOST_PYTHON_LAYOUT_H

#include <stdint.h>

struct host_python_layout {
	uint32_t version;                                       /**< major and minor, as Py_Version >> 16 has them */
	uint16_t runtime_interpreters;                          /**< _PyRuntimeState */
	uint16_t interpreter_next, interpreter_threads;         /**< PyInterpreterState */
	uint16_t thread_next, thread_cframe, thread_native_id;  /**< PyThreadState */
	uint16_t cframe_current;                                /**< _PyCFrame */
	uint16_t frame_code, frame_previous, frame_instruction; /**< _PyInterpreterFrame */
	uint16_t frame_is_entry, frame_bytes;
	uint16_t code_qualname, code_filename, code_linetable; /**< PyCodeObject */
	uint16_t code_firstline, code_instructions;
	uint16_t object_type, bytes_size, bytes_data;             /**< PyObject, PyBytesObject */
	uint16_t text_length, text_state, text_ascii, text_other; /**< PyASCIIObject; where the characters are */
};

/** @return what is known of a version; NULL: nothing */
const struct host_python_layout *host_python_layout(uint32_t version);

#endif /* HOST_PYTHON_LAYOUT_H */
