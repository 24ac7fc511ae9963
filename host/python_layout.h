/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file python_layout.h
 * Where the fields of CPython's structures are. Of 3.11 and 3.12 from offsetof() on their headers, with Py_BUILD_CORE defined
 * (internal/pycore_runtime.h, pycore_interp.h, pycore_frame.h, cpython/code.h, unicodeobject.h); 3.13 describes itself.
 */
#ifndef HOST_PYTHON_LAYOUT_H
#define HOST_PYTHON_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

struct host_python_layout {
	uint32_t version;                                       /**< major and minor, as Py_Version >> 16 has them */
	uint16_t runtime_interpreters;                          /**< _PyRuntimeState */
	uint16_t interpreter_next, interpreter_threads;         /**< PyInterpreterState */
	uint16_t thread_next, thread_native_id;                 /**< PyThreadState */
	uint16_t thread_cframe, cframe_current;                 /**< up to 3.12 through a _PyCFrame; 0 since 3.13 */
	uint16_t thread_current;                                /**< since 3.13 */
	uint16_t frame_code, frame_previous, frame_instruction; /**< _PyInterpreterFrame */
	uint16_t frame_is_entry; /**< 3.11: C code came in with this frame; 0: no such field */
	uint16_t frame_owner;    /**< since 3.12 a frame of its own, which is no function's, says so by its owner */
	uint16_t frame_bytes;
	uint16_t code_qualname, code_filename, code_linetable; /**< PyCodeObject */
	uint16_t code_firstline, code_instructions;
	uint16_t object_type, bytes_size, bytes_data;             /**< PyObject, PyBytesObject */
	uint16_t text_length, text_state, text_ascii, text_other; /**< PyASCIIObject; where the characters are */
};

/** Value of frame_owner: FRAME_OWNED_BY_CSTACK. */
enum { HOST_PYTHON_OWNED_BY_C = 3 };

/** @return what is known of a version; NULL: nothing */
const struct host_python_layout *host_python_layout(uint32_t version);

/** Words of _Py_DebugOffsets, with which _PyRuntime begins since 3.13, that are looked at. */
enum { HOST_PYTHON_OFFSETS = 46 };

/**
 * From an interpreter's description of itself.
 *
 * @param words the first HOST_PYTHON_OFFSETS of it
 * @return false: it is none, of a version that is not known, or of a free-threaded build
 */
bool host_python_described(const uint64_t *words, struct host_python_layout *ret);

#endif /* HOST_PYTHON_LAYOUT_H */
