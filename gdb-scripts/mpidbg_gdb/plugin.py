# SPDX-License-Identifier: BSD-3-Clause
"""libmpidbg.so through ctypes. Knows the interfaces (mqs.h, mpidbg.h) and no debugger: a target is an object with

    word_bytes, big_endian    of the process
    read(address, n)          bytes, or None when not all can be read
    symbol(name)              address of a data symbol in scope order, or None
    type(name)                an object for field() and bytes(), or None
    field(type, name)         offset in bytes, or -1
    bytes(type)               sizeof, or -1
    rank()                    in MPI_COMM_WORLD as the debugger knows it, or -1
    place(address)            text for the location of a return address, "main at ring.c:10", or None

This file contains no layout of an MPI library and writes no answers.
"""

import ctypes
import os
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_int, c_int64, c_size_t, c_uint32, c_uint64, c_void_p

OK = 0
NO_INFORMATION = 1

SUCCESS, NOT_FOUND, NOT_SUPPORTED, OUT_OF_RANGE, UNAVAILABLE, NO_MEM = range(6)

COMMS, QUEUES, DOCTOR, PROCS, HANDLES, HANDLE, CALLS, VARS = range(8)

KINDS = (
    "comm",
    "group",
    "datatype",
    "errhandler",
    "file",
    "info",
    "op",
    "request",
    "win",
    "message",
    "session",
    "keyval",
    "status",
)

INTERFACE_VERSION = 1


def quote(text):
    """A text of the target, made safe for a terminal by the rules of access/quote.h."""
    if isinstance(text, bytes):
        text = text.decode(errors="surrogateescape")
    ret = []
    for c in text:
        code = ord(c)
        if 0xDC80 <= code <= 0xDCFF:  # a byte that is not UTF-8
            ret.append("\\x%02x" % (code - 0xDC00))
        elif code < 0x20 or code == 0x7F:
            ret.append("\\x%02x" % code)
        elif any(low <= code <= high for low, high in _HIDDEN):
            ret.append("\\u{%x}" % code)
        else:
            ret.append(c)
    return "".join(ret)


# Other controls, line separators, characters that change the direction of text or are invisible.
_HIDDEN = (
    (0x80, 0x9F),
    (0x61C, 0x61C),
    (0x200B, 0x200F),
    (0x2028, 0x202E),
    (0x2060, 0x206F),
    (0xD800, 0xDFFF),
    (0xFEFF, 0xFEFF),
    (0xFFF9, 0xFFFB),
    (0xE0000, 0xE0FFF),
)


class Error(Exception):
    """One line for the user."""

    def __init__(self, text=""):
        super().__init__(quote(str(text)))


class _TypeSizes(Structure):
    _fields_ = [(name, c_int) for name in ("short", "int", "long", "long_long", "pointer", "bool", "size")]


class _Thread(Structure):
    _fields_ = [
        ("id", c_int64),
        ("function", c_char_p),
        ("stack_lo", c_uint64),
        ("stack_hi", c_uint64),
        ("backtrace", POINTER(c_char_p)),
        ("n_backtrace", c_size_t),
        ("registers", POINTER(c_uint64)),
        ("n_registers", c_size_t),
    ]


class _Options(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("format", c_int),
        ("color", c_int),
        ("all", c_int),
        ("indent", c_int),
        ("pid", c_int64),
        ("host", c_char_p),
        ("executable", c_char_p),
        ("core", c_char_p),
        ("threads", POINTER(_Thread)),
        ("n_threads", c_size_t),
        ("write", c_void_p),
        ("write_ctx", c_void_p),
        ("kind", c_char_p),
        ("value", c_char_p),
        ("leaks", c_int),
        ("freed", c_int),
        ("now_ns", c_uint64),
        ("now_s", c_uint64),
        ("place", c_void_p),
        ("place_ctx", c_void_p),
        ("brief", c_int),
        ("unknown_threads", POINTER(c_int64)),
        ("n_unknown_threads", c_size_t),
        ("has_rank", c_int),
        ("rank", c_int64),
        ("world_size", c_int64),
        ("condition", c_char_p),
        ("moved", c_int),
        ("most_messages", c_uint64),
        ("waits", c_void_p),
        ("n_waits", c_size_t),
    ]


class _Wait(Structure):
    _fields_ = [("thread", c_int64), ("text", c_char_p)]


class _Mpi2dd(Structure):
    _fields_ = [
        ("version", c_int),
        ("variant", c_int),
        ("debug_state", c_int),
        ("debugger_flags", c_uint32),
        ("mpi_flags", c_uint32),
        ("dll_name_32", c_char_p),
        ("dll_name_64", c_char_p),
        ("meta_host", c_char_p),
        ("meta_executable", c_char_p),
        ("meta_pid", c_int64),
        ("abort_string", c_char_p),
        ("n_procs", c_uint64),
        ("n_directories", c_uint64),
        ("n_metadirectories", c_uint64),
        ("info_addr", c_uint64),
        ("registry_addr", c_uint64),
    ]


class Thread:
    """A thread for describe(): see struct mpidbg_thread."""

    def __init__(self, number, function=None, stack=(0, 0), backtrace=(), registers=()):
        self.number = number
        self.function = function
        self.stack = stack
        self.backtrace = list(backtrace)
        self.registers = list(registers)

    def _fill(self, ret, keep):
        lines = (c_char_p * len(self.backtrace))(*[line.encode(errors="replace") for line in self.backtrace])
        registers = (c_uint64 * len(self.registers))(*self.registers)
        keep += [lines, registers]
        ret.id = self.number
        ret.function = self.function.encode() if self.function else None
        ret.stack_lo, ret.stack_hi = self.stack
        ret.backtrace = ctypes.cast(lines, POINTER(c_char_p))
        ret.n_backtrace = len(self.backtrace)
        ret.registers = ctypes.cast(registers, POINTER(c_uint64))
        ret.n_registers = len(self.registers)


class _Object(Structure):
    _fields_ = [
        ("flags", c_uint32),
        ("has_fortran", c_int),
        ("fortran_handle", c_int),
        ("language", c_int),
        ("c_handle", c_uint64),
        ("number", c_int64),
        ("parent", c_int64),
        ("references", c_int64),
        ("generation", c_int64),
        ("name", ctypes.c_char * 64),
    ]


class _Function(ctypes.Structure):
    _fields_ = [("parameters", c_char_p), ("scatters", c_int)]


class _CommBrief(Structure):
    _fields_ = [("name", ctypes.c_char * 64), ("rank", c_int), ("size", c_int)]


class _NameMap(Structure):
    _fields_ = [("name", c_char_p), ("handle", c_uint64)]


_P, _I = c_void_p, c_int
_PLACE = CFUNCTYPE(_I, _P, c_uint64, _P, c_size_t)

# The members of the callback tables, in the order of the interface: name, result, arguments.
_BASIC = (
    ("malloc", None),
    ("free", None),
    ("dprints", CFUNCTYPE(None, c_char_p)),
    ("errorstring", CFUNCTYPE(c_void_p, c_int)),
    ("put_image_info", CFUNCTYPE(None, _P, _P)),
    ("get_image_info", CFUNCTYPE(_P, _P)),
    ("put_process_info", CFUNCTYPE(None, _P, _P)),
    ("get_process_info", CFUNCTYPE(_P, _P)),
)
_IMAGE = (
    ("get_type_sizes", CFUNCTYPE(None, _P, POINTER(_TypeSizes))),
    ("find_function", CFUNCTYPE(_I, _P, c_char_p, _I, POINTER(c_uint64))),
    ("find_symbol", CFUNCTYPE(_I, _P, c_char_p, POINTER(c_uint64))),
    ("find_type", CFUNCTYPE(_P, _P, c_char_p, _I)),
    ("field_offset", CFUNCTYPE(_I, _P, c_char_p)),
    ("sizeof", CFUNCTYPE(_I, _P)),
)
_PROCESS = (
    ("get_global_rank", CFUNCTYPE(_I, _P)),
    ("get_image", CFUNCTYPE(_P, _P)),
    ("fetch_data", CFUNCTYPE(_I, _P, c_uint64, _I, _P)),
    ("target_to_host", CFUNCTYPE(None, _P, _P, _P, _I)),
)


class _Callbacks:
    """The debugger's callbacks. They let no exception out, because it would be lost in the C code."""

    def __init__(self):
        self.sessions = {}  # handle of an image or a process -> Session
        self.infos = {}  # handle -> the DLL's data
        self.types = {}  # handle of a type -> (Session, type)
        self.next = 16
        self._words = ctypes.create_string_buffer(b"error of the debugger")
        libc = ctypes.CDLL(None)
        direct = {"malloc": ctypes.cast(libc.malloc, _P).value, "free": ctypes.cast(libc.free, _P).value}
        self._keep = []
        self.basic = self._table(_BASIC, direct)
        self.image = self._table(_IMAGE, {})
        self.process = self._table(_PROCESS, {})
        self._keep.append(_PLACE(self._guard(self._place, _PLACE)))
        self.place = ctypes.cast(self._keep[-1], _P).value

    def handle(self):
        """A unique value that the DLL uses as an opaque pointer."""
        self.next += 16
        return self.next

    def _table(self, rows, direct):
        table = (c_void_p * len(rows))()
        for i, (name, prototype) in enumerate(rows):
            if name in direct:
                table[i] = direct[name]
                continue
            function = prototype(self._guard(getattr(self, "_" + name), prototype))
            self._keep.append(function)
            table[i] = ctypes.cast(function, _P).value
        return table

    @staticmethod
    def _guard(function, prototype):
        failure = {c_int: -1 if function.__name__ in ("_field_offset", "_sizeof", "_get_global_rank") else 1}.get(
            prototype._restype_
        )

        def guarded(*arguments):
            try:
                return function(*arguments)
            except Exception:  # noqa: BLE001, any exception of GDB means "unavailable"
                return failure

        return guarded

    def _dprints(self, text):
        pass

    def _errorstring(self, _code):
        return ctypes.addressof(self._words)

    def _put_image_info(self, image, info):
        self.infos[image] = info

    def _get_image_info(self, image):
        return self.infos.get(image)

    _put_process_info, _get_process_info = _put_image_info, _get_image_info

    def _get_type_sizes(self, process, ret):
        word = self.sessions[process].target.word_bytes if process in self.sessions else 8
        ret[0] = _TypeSizes(2, 4, word, 8, word, 1, word)

    def _find_symbol(self, image, name, ret):
        address = self.sessions[image].symbol(name.decode())
        if address is None:
            return NO_INFORMATION
        if ret:
            ret[0] = address
        return OK

    def _find_function(self, image, name, _language, ret):
        return self._find_symbol(image, name, ret)

    def _find_type(self, image, name, _language):
        session = self.sessions[image]
        known = session.type_handles
        if name not in known:
            found = session.target.type(name.decode())
            known[name] = self.handle() if found is not None else None
            if found is not None:
                self.types[known[name]] = (session, found)
        return known[name]

    def _field_offset(self, handle, name):
        session, found = self.types[handle]
        return session.target.field(found, name.decode())

    def _sizeof(self, handle):
        session, found = self.types[handle]
        return session.target.bytes(found)

    def _get_global_rank(self, process):
        return self.sessions[process].target.rank()

    def _get_image(self, process):
        return self.sessions[process].image

    def _fetch_data(self, process, address, n, ret):
        session = self.sessions[process]
        session.n_reads += 1
        session.read_bytes += n
        data = session.target.read(address, n)
        if data is None or len(data) != n:
            return NO_INFORMATION
        ctypes.memmove(ret, data, n)
        return OK

    def _place(self, process, address, ret, size):
        words = self.sessions[process].target.place(address)
        if not words or size < 1:
            return NO_INFORMATION
        data = words.encode()[: size - 1] + b"\0"
        ctypes.memmove(ret, data, len(data))
        return OK

    def _target_to_host(self, process, source, ret, n):
        data = ctypes.string_at(source, n)
        ctypes.memmove(ret, data[::-1] if self.sessions[process].target.big_endian else data, n)


class Plugin:
    """The loaded library; one per debugger."""

    def __init__(self, path):
        self.path = path
        try:
            self.lib = ctypes.CDLL(path)
        except OSError as error:
            words = str(error)
            raise Error(
                "%s: build or install mpidbg, or set MPIDBG_LIBRARY to libmpidbg.so"
                % (words if words.startswith(path) else "%s: %s" % (path, words))
            )
        try:
            version = self.lib.mpidbg_interface_version_compatibility()
        except AttributeError as error:
            raise Error("%s: is not an mpidbg plugin: %s" % (path, error))
        try:
            self._prototypes()
        except AttributeError as error:
            raise Error(
                "%s: is of another version than these scripts: take both from one installation (%s)"
                % (path, str(error).rpartition(": ")[2])
            )
        if version != INTERFACE_VERSION:
            raise Error(
                "%s: has interface version %d, these scripts need %d: take both from one installation"
                % (path, version, INTERFACE_VERSION)
            )
        self.callbacks = _Callbacks()
        self.lib.mpidbg_init_once(self.callbacks.basic)

    def _prototypes(self):
        self.lib.mpidbg_init_once.argtypes = [_P]
        self.lib.mpidbg_init_per_image.argtypes = [_P, _P, _P]
        self.lib.mpidbg_init_per_process.argtypes = [_P, _P, _P]
        self.lib.mpidbg_finalize_per_image.argtypes = [_P, _P]
        self.lib.mpidbg_finalize_per_process.argtypes = [_P, _P]
        self.lib.mpidbg_finalize_per_image.restype = None
        self.lib.mpidbg_finalize_per_process.restype = None
        self.lib.mpidbg_error_string.argtypes = [_P]
        self.lib.mpidbg_error_string.restype = c_char_p
        self.lib.mpidbg_describe.argtypes = [_P, _I, POINTER(_Options), POINTER(c_void_p)]
        self.lib.mpidbg_free.argtypes = [_P]
        self.lib.mpidbg_free.restype = None
        self.lib.mpidbg_version_string.restype = c_char_p
        self.lib.mqs_get_global_rank.argtypes = [_P]
        self.lib.mpidbg_comm_brief.argtypes = [_P, c_uint64, POINTER(_CommBrief)]
        self.lib.mpidbg_datatype_query.argtypes = [_P, _P, _P, _P, c_uint64, POINTER(POINTER(_Object))]
        self.lib.mpidbg_free_info.argtypes = [_I, _P]
        self.lib.mpidbg_free_info.restype = None
        self.lib.mpidbg_get_name_map.argtypes = [_P, _I, POINTER(POINTER(_NameMap))]
        for kind in KINDS:
            if kind not in ("keyval", "status"):  # which have no Fortran handle
                getattr(self.lib, "mpidbg_%s_f2c" % kind).argtypes = [_P, _P, _P, _P, c_uint64, POINTER(c_uint64)]
        self.lib.mpidbg_get_function.argtypes = [c_char_p, POINTER(_Function)]
        self.lib.mpidbg_get_mpi2dd.argtypes = [_P, POINTER(POINTER(_Mpi2dd))]

    def function(self, name):
        """What is known of an MPI function; None: nothing"""
        ret = _Function()
        return ret if self.lib.mpidbg_get_function(name.encode(), ctypes.byref(ret)) == SUCCESS else None

    def version(self):
        return self.lib.mpidbg_version_string().decode()


class Session:
    """A process that was set up in the library. Call close(); its data is valid as long as the target does not run."""

    def __init__(self, plugin, target):
        self.plugin = plugin
        self.target = target
        self.symbols = {}
        self.type_handles = {}
        self.lines = {}  # (kind, value) -> line of a printer; cleared when the process may have changed
        self.names = {}  # kind -> {handle: name} of predefined handles
        self.n_reads = self.read_bytes = 0
        calls = plugin.callbacks
        self.image, self.process = calls.handle(), calls.handle()
        calls.sessions[self.image] = calls.sessions[self.process] = self
        code = plugin.lib.mpidbg_init_per_image(self.image, calls.image, None)
        if code == SUCCESS:
            code = plugin.lib.mpidbg_init_per_process(self.process, calls.process, None)
        if code != SUCCESS:
            self.close()
            raise Error("the plugin refuses this process (code %d)" % code)

    def symbol(self, name):
        if name not in self.symbols:
            self.symbols[name] = self.target.symbol(name)
        return self.symbols[name]

    def close(self):
        calls = self.plugin.callbacks
        info = calls.infos.pop(self.process, None)
        if info:
            self.plugin.lib.mpidbg_finalize_per_process(self.process, info)
        info = calls.infos.pop(self.image, None)
        if info:
            self.plugin.lib.mpidbg_finalize_per_image(self.image, info)
        for handle in (self.image, self.process):
            calls.sessions.pop(handle, None)
        for handle in self.type_handles.values():
            calls.types.pop(handle, None)

    def describe(self, what, threads=(), **options):
        """(code, text): the result of mpidbg_describe(); options are named as in struct mpidbg_options."""
        keep, text = [], c_void_p()
        array = (_Thread * len(threads))()
        for thread, entry in zip(threads, array):
            thread._fill(entry, keep)
        given = _Options(
            size=ctypes.sizeof(_Options),
            threads=array,
            n_threads=len(threads),
            place=self.plugin.callbacks.place,
            place_ctx=self.process,
        )
        waits = options.pop("waits", ())
        if waits:
            keep.append((_Wait * len(waits))(*[(number, words.encode()) for number, words in waits]))
            given.waits = ctypes.cast(keep[-1], c_void_p)
            given.n_waits = len(waits)
        for name, value in options.items():
            setattr(given, name, value.encode() if isinstance(value, str) else value)
        code = self.plugin.lib.mpidbg_describe(self.process, what, ctypes.byref(given), ctypes.byref(text))
        answer = ctypes.string_at(text.value).decode(errors="replace") if text.value else ""
        self.plugin.lib.mpidbg_free(text)
        return code, answer

    def predefined(self, kind):
        """{handle: name} of the predefined handles of a kind (a word of KINDS)."""
        if not self.names.get(kind):
            found, names = POINTER(_NameMap)(), {}
            if self.plugin.lib.mpidbg_get_name_map(self.process, KINDS.index(kind), ctypes.byref(found)) == SUCCESS:
                i = 0
                while found[i].name is not None:
                    names[found[i].handle] = found[i].name.decode(errors="replace")
                    i += 1
                self.plugin.lib.mpidbg_free(found)
            self.names[kind] = names
        return self.names[kind]

    def f2c(self, kind, fortran):
        """The C handle that belongs to a Fortran handle."""
        found = c_uint64()
        convert = getattr(self.plugin.lib, "mpidbg_%s_f2c" % kind)
        if convert(None, None, self.process, None, fortran & 0xFFFFFFFF, ctypes.byref(found)) != SUCCESS:
            raise Error(self.error() or "no %s has this Fortran handle" % kind)
        return found.value

    def comm(self, handle):
        """(name, rank, size) of a communicator. Error: there is none, or it is unavailable."""
        found = _CommBrief()
        code = self.plugin.lib.mpidbg_comm_brief(self.process, handle, ctypes.byref(found))
        if code != SUCCESS:
            raise Error(self.error() or "no communicator has this handle")
        return found.name.decode(errors="replace"), found.rank, found.size

    def type_name(self, handle):
        """Name of a datatype, "" when it has none. Error as comm()."""
        name = self.predefined("datatype").get(handle)
        if name is not None:
            return name
        found = POINTER(_Object)()
        code = self.plugin.lib.mpidbg_datatype_query(None, None, self.process, None, handle, ctypes.byref(found))
        if code != SUCCESS:
            raise Error(self.error() or "no datatype has this handle")
        name = found.contents.name.decode(errors="replace")
        self.plugin.lib.mpidbg_free_info(KINDS.index("datatype"), found)
        return name

    def rank(self):
        """Rank in MPI_COMM_WORLD, from the library of the process; -1: unavailable."""
        return self.plugin.lib.mqs_get_global_rank(self.process)

    def mpi2dd(self):
        """MPI2DD_info of the process as a dictionary with the names of struct mpidbg_mpi2dd. Error: there is none."""
        found = POINTER(_Mpi2dd)()
        code = self.plugin.lib.mpidbg_get_mpi2dd(self.process, ctypes.byref(found))
        if code == NOT_FOUND:
            raise Error("this process has no MPI2DD_info: start the job with mpi2dd-run")
        if code != SUCCESS:
            raise Error(self.error())
        ret = {name: getattr(found.contents, name) for name, _ in _Mpi2dd._fields_}
        self.plugin.lib.mpidbg_free(found)
        return {name: quote(value) if isinstance(value, bytes) else value for name, value in ret.items()}

    def error(self):
        return quote(self.plugin.lib.mpidbg_error_string(self.process))


def find(here):
    """Path of the library: given by the user, next to the scripts, or found by the loader."""
    named = os.environ.get("MPIDBG_LIBRARY")
    if named:
        return named
    for folder in ("../build", "../../../lib"):  # a checkout; share/mpidbg/gdb of an installation
        path = os.path.normpath(os.path.join(here, folder, "libmpidbg.so"))
        if os.path.exists(path):
            return path
    return "libmpidbg.so"
