/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rows of readers/python/schema.def from CPython's own headers (make_pack, layouts/rows.h). A member that has changed
 * its name has here the name of the schema. Since 3.13 an interpreter describes itself: then the rows say where in the
 * description.
 */
#define Py_BUILD_CORE 1
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <frameobject.h>
#if PY_VERSION_HEX >= 0x03090000
#include <internal/pycore_interp.h>
#include <internal/pycore_runtime.h>
#else
#include <internal/pycore_pystate.h>
#endif
#if PY_VERSION_HEX >= 0x030b0000
#include <internal/pycore_frame.h>
#endif
#if PY_VERSION_HEX >= 0x030e0000
#include <internal/pycore_code.h>
#include <internal/pycore_interpframe.h>
#endif

#include "../rows.h"

#define BASIC_SIZE(symbol, bytes) ROW_WITNESS(symbol, offsetof(PyTypeObject, tp_basicsize), 8, bytes)
/* Values that are expressed as an offset: what follows a structure, the number of a bit. */
#define ROW_NUMBER(type, name, number)                                                                                 \
	__asm__ volatile("\n.ascii \"->field " #type " " #name " %c0 1\"" : : "i"(number))
#define DESCRIBED(type, name, part, member) ROW_FIELD(_Py_DebugOffsets, type##__##name, _Py_DebugOffsets, part.member)

static void objects(void)
{
#if PY_VERSION_HEX < 0x030d0000
	BASIC_SIZE(PyUnicode_Type, sizeof(PyUnicodeObject));
	BASIC_SIZE(PyBytes_Type, offsetof(PyBytesObject, ob_sval) + 1);
	ROW_TYPE(py_object, sizeof(PyObject));
	ROW_TYPE(py_bytes, sizeof(PyBytesObject));
	ROW_TYPE(py_text, sizeof(PyUnicodeObject));
	ROW_FIELD(py_object, ob_type, PyObject, ob_type);
	ROW_FIELD(py_bytes, ob_size, PyBytesObject, ob_base.ob_size);
	ROW_FIELD(py_bytes, ob_sval, PyBytesObject, ob_sval);
	ROW_FIELD(py_text, length, PyUnicodeObject, _base._base.length);
	ROW_FIELD(py_text, state, PyUnicodeObject, _base._base.state);
	ROW_NUMBER(py_text, ascii_data, sizeof(PyASCIIObject));
#endif
	/* the characters follow the structure of their kind */
	ROW_TYPE(py_text_facts, 64);
	ROW_NUMBER(py_text_facts, wide_more, sizeof(PyCompactUnicodeObject) - sizeof(PyASCIIObject));
	/* bit fields have no offset; these are numbers of bits in the state, the lowest first */
#if PY_VERSION_HEX >= 0x030e0000 && defined(Py_GIL_DISABLED)
	ROW_NUMBER(py_text_facts, kind, 8);
	ROW_NUMBER(py_text_facts, compact, 11);
	ROW_NUMBER(py_text_facts, ascii, 12);
#else
	ROW_NUMBER(py_text_facts, kind, 2);
	ROW_NUMBER(py_text_facts, compact, 5);
	ROW_NUMBER(py_text_facts, ascii, 6);
#endif
}

#if PY_VERSION_HEX >= 0x030d0000
static void description(void)
{
	ROW_TYPE(_Py_DebugOffsets, sizeof(_Py_DebugOffsets));
	ROW_WITNESS(_PyRuntime, 0, 4, 0x62656478); /* "xdeb" */
	ROW_WITNESS(_PyRuntime, 4, 4, 0x79706775); /* "ugpy" */
	ROW_WITNESS(_PyRuntime, 10, 2, PY_VERSION_HEX >> 16);
	ROW_WITNESS(_PyRuntime, offsetof(_Py_DebugOffsets, free_threaded), 8, _Py_Debug_Free_Threaded);
	DESCRIBED(py_runtime, interpreters_head, runtime_state, interpreters_head);
	DESCRIBED(py_interpreter, next, interpreter_state, next);
	DESCRIBED(py_interpreter, threads_head, interpreter_state, threads_head);
	DESCRIBED(py_thread, next, thread_state, next);
	DESCRIBED(py_thread, current_frame, thread_state, current_frame);
	DESCRIBED(py_thread, native_thread_id, thread_state, native_thread_id);
	DESCRIBED(py_frame, size, interpreter_frame, size);
	DESCRIBED(py_frame, previous, interpreter_frame, previous);
	DESCRIBED(py_frame, executable, interpreter_frame, executable);
	DESCRIBED(py_frame, instr_ptr, interpreter_frame, instr_ptr);
	DESCRIBED(py_frame, owner, interpreter_frame, owner);
	DESCRIBED(py_code, size, code_object, size);
	DESCRIBED(py_code, co_filename, code_object, filename);
	DESCRIBED(py_code, co_qualname, code_object, qualname);
	DESCRIBED(py_code, co_linetable, code_object, linetable);
	DESCRIBED(py_code, co_firstlineno, code_object, firstlineno);
	DESCRIBED(py_code, co_code_adaptive, code_object, co_code_adaptive);
	DESCRIBED(py_object, size, pyobject, size);
	DESCRIBED(py_object, ob_type, pyobject, ob_type);
	DESCRIBED(py_bytes, size, bytes_object, size);
	DESCRIBED(py_bytes, ob_size, bytes_object, ob_size);
	DESCRIBED(py_bytes, ob_sval, bytes_object, ob_sval);
	DESCRIBED(py_text, size, unicode_object, size);
	DESCRIBED(py_text, length, unicode_object, length);
	DESCRIBED(py_text, state, unicode_object, state);
	DESCRIBED(py_text, ascii_data, unicode_object, asciiobject_size);
#if PY_VERSION_HEX >= 0x030e0000
	/* for a free-threaded build, whose threads run copies of the instructions; 0 in others */
	DESCRIBED(py_frame, tlbc_index, interpreter_frame, tlbc_index);
	DESCRIBED(py_code, co_tlbc, code_object, co_tlbc);
#endif
}
#else
static void states(void)
{
	ROW_TYPE(py_code, sizeof(PyCodeObject));
	ROW_TYPE(py_runtime, ROW_END(_PyRuntimeState, interpreters.head));
	ROW_TYPE(py_thread, sizeof(PyThreadState));
	ROW_FIELD(py_runtime, interpreters_head, _PyRuntimeState, interpreters.head);
	ROW_FIELD(py_interpreter, next, PyInterpreterState, next);
#if PY_VERSION_HEX >= 0x030b0000
	ROW_TYPE(py_interpreter, ROW_END(PyInterpreterState, threads.head));
	ROW_TYPE(py_cframe, sizeof(_PyCFrame));
	ROW_FIELD(py_interpreter, threads_head, PyInterpreterState, threads.head);
	ROW_FIELD(py_thread, native_thread_id, PyThreadState, native_thread_id);
	ROW_FIELD(py_thread, cframe, PyThreadState, cframe);
	ROW_FIELD(py_cframe, current_frame, _PyCFrame, current_frame);
#else
	ROW_TYPE(py_interpreter, ROW_END(PyInterpreterState, tstate_head));
	ROW_FIELD(py_interpreter, threads_head, PyInterpreterState, tstate_head);
	ROW_FIELD(py_thread, thread_id, PyThreadState, thread_id);
	ROW_FIELD(py_thread, frame, PyThreadState, frame);
#endif
	ROW_FIELD(py_thread, next, PyThreadState, next);
	ROW_FIELD(py_code, co_filename, PyCodeObject, co_filename);
	ROW_FIELD(py_code, co_name, PyCodeObject, co_name);
	ROW_FIELD(py_code, co_firstlineno, PyCodeObject, co_firstlineno);
}

static void frames(void)
{
#if PY_VERSION_HEX >= 0x030b0000
	ROW_WITNESS(Py_Version, 2, 2, PY_VERSION_HEX >> 16);
	BASIC_SIZE(PyCode_Type, offsetof(PyCodeObject, co_code_adaptive));
	ROW_TYPE(py_frame, ROW_END(_PyInterpreterFrame, owner) + 1);
	ROW_FIELD(py_frame, previous, _PyInterpreterFrame, previous);
	ROW_FIELD(py_frame, instr_ptr, _PyInterpreterFrame, prev_instr);
	ROW_FIELD(py_frame, executable, _PyInterpreterFrame, f_code);
	ROW_FIELD(py_frame, owner, _PyInterpreterFrame, owner);
#if PY_VERSION_HEX < 0x030c0000
	ROW_FIELD(py_frame, is_entry, _PyInterpreterFrame, is_entry);
#endif
	ROW_FIELD(py_code, co_qualname, PyCodeObject, co_qualname);
	ROW_FIELD(py_code, co_linetable, PyCodeObject, co_linetable);
	ROW_FIELD(py_code, co_code_adaptive, PyCodeObject, co_code_adaptive);
#else
	BASIC_SIZE(PyCode_Type, sizeof(PyCodeObject));
	BASIC_SIZE(PyFrame_Type, sizeof(PyFrameObject));
	BASIC_SIZE(PyFunction_Type, sizeof(PyFunctionObject));
	BASIC_SIZE(PyType_Type, sizeof(PyHeapTypeObject));
	ROW_TYPE(py_frame_object, sizeof(PyFrameObject));
	ROW_FIELD(py_frame_object, f_back, PyFrameObject, f_back);
	ROW_FIELD(py_frame_object, f_code, PyFrameObject, f_code);
	ROW_FIELD(py_frame_object, f_lasti, PyFrameObject, f_lasti);
#if PY_VERSION_HEX >= 0x030a0000
	ROW_FIELD(py_code, co_linetable, PyCodeObject, co_linetable);
#else
	ROW_FIELD(py_code, co_lnotab, PyCodeObject, co_lnotab);
#endif
#endif
}
#endif

void probe(void)
{
	objects();
#if PY_VERSION_HEX >= 0x030d0000
	description();
#else
	states();
	frames();
#endif
}
