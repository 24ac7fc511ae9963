/* SPDX-License-Identifier: BSD-3-Clause */
/* From a thread to its frames: since 3.11 a structure of its own in the interpreter, before that linked objects. */
#include "state.h"

#include "../../access/walk.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum {
	FIRST_SHIM = 3, /* _PyInterpreterFrame.owner: values from this one on (FRAME_OWNED_BY_...) mark frames without a
			 * function, in 3.12 to 3.14 */
	TAGS = 7,       /* bits of f_executable that do not belong to the address */
	UNIT_BYTES = 2, /* size of an instruction unit */
};

/* ---- the thread ------------------------------------------------------------------------------------------- */

static bool is_thread(struct rd_python *p, uint64_t state_addr, int64_t tid)
{
	uint64_t id;

	if (rd_python_has(p, PYF_py_thread_native_thread_id))
		return !acc_read_u(p->sp, state_addr + rd_python_offset(p, PYF_py_thread_native_thread_id), 8, &id) &&
		       id == (uint64_t)tid;
	return p->has_tid_offset &&
	       !acc_read_ptr(p->sp, state_addr + rd_python_offset(p, PYF_py_thread_thread_id), &id) && id &&
	       !acc_read_u(p->sp, id + p->tid_offset, 4, &id) && id == (uint64_t)tid;
}

/* The thread's state in any of the interpreters. @return 0: it runs no Python code */
static uint64_t state_of(struct rd_python *p, int64_t tid)
{
	struct acc_walk interpreters, threads;
	uint64_t interpreter, state, n_left = RD_PYTHON_THREADS_MAX;

	if (acc_read_ptr(p->sp, p->runtime_addr + rd_python_offset(p, PYF_py_runtime_interpreters_head), &interpreter))
		return 0;
	acc_walk_init(&interpreters, p->sp, interpreter, 0, (uint32_t)rd_python_offset(p, PYF_py_interpreter_next),
		      RD_PYTHON_INTERPRETERS_MAX);
	while (!acc_walk_next(&interpreters, &interpreter)) {
		if (acc_read_ptr(p->sp, interpreter + rd_python_offset(p, PYF_py_interpreter_threads_head), &state))
			return 0;
		acc_walk_init(&threads, p->sp, state, 0, (uint32_t)rd_python_offset(p, PYF_py_thread_next), n_left);
		while (!acc_walk_next(&threads, &state))
			if (is_thread(p, state, tid))
				return state;
		n_left -= threads.n < n_left ? threads.n : n_left;
		if (!n_left)
			return 0;
	}
	return 0;
}

/* ---- a list of frames --------------------------------------------------------------------------------------- */

struct list {
	struct mdl_python_frame *v;
	size_t n, cap;
};

static struct mdl_python_frame *add_frame(struct rd_python *p, struct list *l)
{
	if (l->n == l->cap) {
		size_t cap = l->cap ? 2 * l->cap : 16;
		struct mdl_python_frame *more = acc_array(p->sp, cap, sizeof(*more));

		if (!more)
			return NULL;
		if (l->n)
			memcpy(more, l->v, l->n * sizeof(*more));
		acc_array_free(p->sp, l->v);
		l->v = more;
		l->cap = cap;
	}
	memset(&l->v[l->n], 0, sizeof(l->v[0]));
	return &l->v[l->n++];
}

/* Record where the walk over the frames failed. */
static const char *walk_why(enum acc_rc rc)
{
	switch (rc) {
	case ACC_ECORRUPT:
		return "the frames are linked in a circle, or to what is no address";
	case ACC_ELIMIT:
		return "more than 2000 frames are not shown";
	default:
		return "it cannot be read";
	}
}

/* ---- since 3.11 -------------------------------------------------------------------------------------------- */

static bool first_frame(struct rd_python *p, uint64_t state_addr, uint64_t *ret)
{
	uint64_t cframe;

	if (rd_python_has(p, PYF_py_thread_current_frame))
		return !acc_read_ptr(p->sp, state_addr + rd_python_offset(p, PYF_py_thread_current_frame), ret);
	if (rd_python_has(p, PYF_py_thread_cframe))
		return !acc_read_ptr(p->sp, state_addr + rd_python_offset(p, PYF_py_thread_cframe), &cframe) &&
		       !acc_read_ptr(p->sp, cframe + rd_python_offset(p, PYF_py_cframe_current_frame), ret);
	return !acc_read_ptr(p->sp, state_addr + rd_python_offset(p, PYF_py_thread_frame), ret);
}

/* The first instruction of a code object, in the copy that the frame's thread executes. */
static uint64_t instructions(struct rd_python *p, uint64_t code_addr, int64_t copy)
{
	uint64_t own = code_addr + rd_python_offset(p, PYF_py_code_co_code_adaptive), copies, n, ret;

	/* _PyCodeArray: the number of copies, then a pointer to each (3.14) */
	if (copy <= 0 || !rd_python_has(p, PYF_py_code_co_tlbc) ||
	    acc_read_ptr(p->sp, code_addr + rd_python_offset(p, PYF_py_code_co_tlbc), &copies) ||
	    acc_read_u(p->sp, copies, 8, &n) || (uint64_t)copy >= n || n > RD_PYTHON_THREADS_MAX ||
	    acc_read_ptr(p->sp, copies + 8 + 8 * (uint64_t)copy, &ret))
		return own;
	return ret;
}

/* @return false: the walk ends, because of lack of memory or an invalid frame */
static bool interpreter_frame(struct rd_python *p, uint64_t addr, struct list *l)
{
	struct acc_obj o;

	acc_obj_load(&o, p->sp, &p->layout, PY_py_frame, addr);
	uint64_t code = acc_get_u(&o, PYF_py_frame_executable) & ~(uint64_t)TAGS;
	uint64_t at = acc_get_u(&o, PYF_py_frame_instr_ptr);
	bool boundary = rd_python_has(p, PYF_py_frame_is_entry); /* in 3.11 the interpreter
								  * loop has no boundary frame */
	unsigned owner = (unsigned)acc_get_u(&o, PYF_py_frame_owner);
	bool entry = boundary && acc_get_u(&o, PYF_py_frame_is_entry);
	int64_t copy = rd_python_has(p, PYF_py_frame_tlbc_index) ? acc_get_i(&o, PYF_py_frame_tlbc_index) : 0;

	if (!o.rc && !boundary && owner >= FIRST_SHIM) {
		if (l->n)
			l->v[l->n - 1].entry = true;
		return true;
	}
	struct mdl_python_frame *f = add_frame(p, l);
	if (!f)
		return false;
	f->entry = entry;
	f->why = o.rc ? "it cannot be read" : NULL;
	if (!o.rc)
		rd_python_code(p, code, at - instructions(p, code, copy), f);
	return f->function != NULL;
}

/* ---- before ------------------------------------------------------------------------------------------------- */

static bool frame_object(struct rd_python *p, uint64_t addr, struct list *l)
{
	struct acc_obj o;

	acc_obj_load(&o, p->sp, &p->layout, PY_py_frame_object, addr);
	uint64_t code = acc_get_u(&o, PYF_py_frame_object_f_code);
	int64_t last = acc_get_i(&o, PYF_py_frame_object_f_lasti); /* -1: not started */
	struct mdl_python_frame *f = add_frame(p, l);

	if (!f)
		return false;
	f->entry = true; /* before 3.11 each frame has its own activation of the loop */
	f->why = o.rc ? "it cannot be read" : NULL;
	if (last < 0)
		last = 0;
	if (!rd_python_has(p, PYF_py_code_co_lnotab))
		last *= UNIT_BYTES;
	if (!o.rc)
		rd_python_code(p, code, (uint64_t)last, f);
	return f->function != NULL;
}

/* ---- the thread's frames -------------------------------------------------------------------------------------- */

enum acc_rc rd_python_frames(struct rd_python *p, int64_t tid, struct mdl_python_frame **ret, size_t *n_ret)
{
	bool objects = !rd_python_has(p, PYF_py_thread_current_frame) && !rd_python_has(p, PYF_py_thread_cframe);
	unsigned link = objects ? PYF_py_frame_object_f_back : PYF_py_frame_previous;
	struct acc_note note = p->sp->note; /* failures are reported in the frames instead */
	struct list l = { 0 };
	struct acc_walk w;
	uint64_t state, addr;
	enum acc_rc rc = ACC_NONE;
	bool more = true;

	*ret = NULL;
	*n_ret = 0;
	acc_space_begin(p->sp);
	state = state_of(p, tid);
	if (state && first_frame(p, state, &addr)) {
		acc_walk_init(&w, p->sp, addr, 0, (uint32_t)rd_python_offset(p, link), RD_PYTHON_FRAMES_MAX);
		while (more && !(rc = acc_walk_next(&w, &addr)))
			more = objects ? frame_object(p, addr, &l) : interpreter_frame(p, addr, &l);
		struct mdl_python_frame *last = rc && rc != ACC_NONE ? add_frame(p, &l) : NULL;
		if (last)
			*last = (struct mdl_python_frame){ .why = walk_why(rc), .entry = true };
	}
	acc_space_end(p->sp);
	p->sp->note = note;
	if (l.n)
		l.v[l.n - 1].entry = true;
	*ret = l.v;
	*n_ret = l.n;
	return more || (l.n && !l.v[l.n - 1].function) ? ACC_OK : ACC_ENOMEM;
}

void rd_python_free(struct acc_space *sp, struct mdl_python_frame *frames, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		acc_array_free(sp, frames[i].function);
		acc_array_free(sp, frames[i].file);
	}
	acc_array_free(sp, frames);
}
