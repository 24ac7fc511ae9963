# SPDX-License-Identifier: BSD-3-Clause
"""What a thread waits for outside MPI: a lock of the C library and who holds it, Python, OpenMP, a GPU, a descriptor.

The mpidbg command knows more (waits/): the kinds of locks, other processes. Functions are recognized by the names on the stack, objects
by the arguments of the system call. Only on x86-64; what is not known is not said."""

import os
import re

import gdb

from . import threads

NEAR = 12
_READ, _WRITE, _PAUSE, _FUTEX, _WAIT4 = 0, 1, 34, 202, 61

_KINDS = {
    "mutex": "pthread_mutex_lock pthread_mutex_cond_lock pthread_mutex_lock_full pthread_mutex_timedlock "
    "pthread_mutex_clocklock pthread_mutex_clocklock_common mtx_lock mtx_timedlock",
    "rwlock": "pthread_rwlock_rdlock pthread_rwlock_wrlock pthread_rwlock_timedrdlock pthread_rwlock_timedwrlock "
    "pthread_rwlock_clockrdlock pthread_rwlock_clockwrlock",
    "condition": "pthread_cond_wait pthread_cond_timedwait pthread_cond_clockwait pthread_cond_wait_common cnd_wait "
    "cnd_timedwait",
    "semaphore": "sem_wait new_sem_wait new_sem_wait_slow sem_timedwait sem_clockwait",
    "barrier": "pthread_barrier_wait",
    "once": "pthread_once pthread_once_slow call_once",
    "join": "pthread_join pthread_timedjoin_np pthread_clockjoin_np pthread_clockjoin_ex thrd_join",
}
_KIND_OF = {name: kind for kind, names in _KINDS.items() for name in names.split()}
_PYTHON = {
    "take_gil": "Python's global lock",
    "PyEval_RestoreThread": "Python's global lock",
    "PyThreadState_Attach": "Python's global lock",
    "PyThread_acquire_lock_timed": "a lock of Python",
    "PyThread_acquire_lock": "a lock of Python",
    "PyMutex_LockTimed": "a lock of Python",
}
_OPENMP = {
    "GOMP_barrier": "an OpenMP barrier",
    "GOMP_parallel": "the end of an OpenMP region",
    "GOMP_parallel_end": "the end of an OpenMP region",
    "GOMP_loop_end": "the end of an OpenMP loop",
    "GOMP_critical_start": "an OpenMP critical section",
    "GOMP_critical_name_start": "an OpenMP critical section",
    "GOMP_taskwait": "OpenMP tasks",
    "kmpc_barrier": "an OpenMP barrier",
    "kmpc_fork_call": "the end of an OpenMP region",
    "kmpc_critical": "an OpenMP critical section",
    "kmpc_omp_taskwait": "OpenMP tasks",
}
_OPENMP_LIBRARIES = ("libgomp.so", "libomp.so", "libiomp5.so", "libomp5.so")
_GPU = re.compile(
    r"((cuda|hip)(Stream|Device|Event)Synchronize|cu(Stream|Ctx|Event)Synchronize|ze\w+Synchronize|clWaitForEvents|clFinish|nccl[A-Z]\w*)"
    r"(_ptsz|_ptds|_v2)?$"
)


def _bare(name):
    """The name without the decoration of the C library: "pthread_mutex_lock" of "__GI___pthread_mutex_lock"."""
    name = (name or "").split("@")[0].lstrip("_")
    if name.startswith("GI_"):
        name = name[3:].lstrip("_")
    return name[:-2] if name.endswith("64") else name


def _word(address):
    try:
        return int.from_bytes(bytes(gdb.selected_inferior().read_memory(address, 4)), "little")
    except (gdb.error, gdb.MemoryError, OverflowError):
        return None


def _object(noun, address, bytes_each=0):
    """ "the mutex io_lock", "the mutex locks[2]"; "a mutex" if no variable is there."""
    try:
        symbol, _, section = gdb.execute("info symbol 0x%x" % address, to_string=True).partition(" in section ")
    except gdb.error:
        section = ""
    if not section:
        return "a %s" % noun
    name, _, offset = symbol.partition(" + ")
    if offset.isdigit() and bytes_each and int(offset) % bytes_each == 0:
        return "the %s %s[%d]" % (noun, name, int(offset) // bytes_each)
    return "the %s %s%s" % (noun, name, "+0x%x" % int(offset) if offset.isdigit() and bytes_each else "")


def _held(owner, thread):
    """Who holds the lock, if the owner's id is that of a thread."""
    if not owner:
        return ""
    if owner == threads.number_of(thread):
        return ", which it holds itself"
    if owner == thread.ptid[0]:
        return ", held by the main thread"
    known = {threads.number_of(each) for each in gdb.selected_inferior().threads()}
    return ", held by thread %d" % owner if owner in known else ""


def _mutex(address, thread):
    lock, owner, kind = (_word(address + offset) for offset in (0, 8, 16))
    if lock is None or owner is None or kind is None:
        return "a mutex"
    if kind & 48:  # robust, or with inheritance of priorities: the lock contains the id
        owner = lock & 0x3FFFFFFF
    return _object("mutex", address, 40) + _held(owner, thread)


def _lock(kind, function, args, thread):
    address = args[0]
    if kind == "mutex":
        return _mutex(address, thread)
    if kind == "rwlock":
        return _object("read-write lock", address) + (", to write" if "wrlock" in function else ", to read")
    if kind == "condition":
        return _object("condition variable", address)
    if kind == "semaphore":
        return _object("semaphore", address, 32)
    if kind == "barrier":
        return _object("barrier", address - 4, 32)
    if kind == "once":
        return "an initialization by another thread (pthread_once)"
    owner = _word(address)
    return "thread %d to end" % owner if owner and owner == args[2] & 0xFFFFFFFF else "a thread to end"


def _descriptor(thread, number):
    """What a descriptor of a process of this machine is."""
    try:
        to = os.readlink("/proc/%d/fd/%d" % (thread.ptid[0], number))
    except OSError:
        return "descriptor %d" % number
    for start, what in (("pipe:", "a pipe"), ("socket:", "a socket"), ("/dev/pts/", "the terminal " + to)):
        if to.startswith(start):
            return what
    return ("the file " + to) if to.startswith("/") else "descriptor %d" % number


def _system_call(frame):
    """(number, arguments) of the system call in which the innermost frame is; (-1, []): none, or unknown."""
    if not frame.architecture().name().startswith("i386:x86-64"):
        return -1, []
    try:
        mask = (1 << 64) - 1
        code = bytes(gdb.selected_inferior().read_memory(frame.pc() - 2, 2))
        number = int(frame.read_register("orig_rax"))
        args = [int(frame.read_register(name)) & mask for name in ("rdi", "rsi", "rdx", "r10")]
    except (gdb.error, gdb.MemoryError, ValueError, TypeError):
        return -1, []
    return (number, args) if code == b"\x0f\x05" else (-1, [])


def _runtime(frames):
    inside = False
    for i, frame in enumerate(frames[:NEAR]):
        name = _bare(frame.name())
        if name in _PYTHON:
            return _PYTHON[name]
        match = _GPU.match(name)
        if match:
            return ("the GPUs of other processes (%s)" if name.startswith("nccl") else "a GPU (%s)") % name
        here = os.path.basename(gdb.solib_name(frame.pc()) or "").startswith(_OPENMP_LIBRARIES)
        if inside and not here:
            name, here = _bare(threads.called_function(frame.pc())), True
        inside |= here
        if here and name in _OPENMP:
            return _OPENMP[name]
        if not here and inside:
            return None
    return None


def of_selected():
    """ "waits for the mutex io_lock, held by thread 4719" for the selected thread; None: it waits for nothing that is known."""
    thread = gdb.selected_thread()
    frames = threads.frames_of()
    if not frames or threads.mpi_frame(frames):
        return None
    what = _runtime(frames)
    number, args = _system_call(frames[0])
    if not what and number == _FUTEX:
        names = [_bare(frame.name()) for frame in frames[:NEAR]]
        function = next((name for name in names if name in _KIND_OF), None)
        what = _lock(_KIND_OF[function], function, args, thread) if function else None
    elif not what and any(not gdb.solib_name(frame.pc()) for frame in frames):
        # what threads of libraries wait for is their business
        if number in (_READ, _WRITE):
            noun = _descriptor(thread, args[0] & 0x7FFFFFFF)
            what = ("data from %s" if number == _READ else "room in %s") % noun
        elif number in (_WAIT4, _PAUSE):
            what = "a child to end" if number == _WAIT4 else "a signal"
    return "waits for " + what if what else None


def of(inferior):
    """(thread id, text) of the threads of the current inferior that wait for something known."""
    ret = []
    with threads.Selection():
        for thread in threads.in_order(inferior):
            if thread.is_running():
                continue
            thread.switch()
            text = of_selected()
            if text:
                ret.append((threads.number_of(thread), text))
    return ret
