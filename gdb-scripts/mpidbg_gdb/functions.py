# SPDX-License-Identifier: BSD-3-Clause
"""Convenience functions for expressions and conditions: break solve if $mpi_rank() == 3"""

import json

import gdb

from . import arguments, handles, plugin, processes, target, threads

# Names of recorded arguments in the registry, for each argument name of the standard; the first one that the call
# has is used.
_RECORDED = {
    "dest": ["peer"],
    "source": ["source", "peer"],
    "target_rank": ["peer"],
    "buf": ["buffer"],
    "sendtag": ["tag"],
    "recvtag": ["receive_tag"],
    "fh": ["file"],
    "array_of_requests": ["requests"],
    "target_disp": ["target_displacement"],
}
_SIDES = {"buf": "buffer", "count": "count", "type": "datatype"}
_ORIGIN = {"addr": "buffer", "count": "count", "datatype": "datatype"}
# Special ranks and tags of each MPI; the reader of the registry converts them to any, -2 and -4.
_NUMBERS = {
    "Open MPI": {"any_source": -1, "any_tag": -1, -2: -2, -4: -4},
    "MPICH": {"any_source": -2, "any_tag": -1, -2: -1, -4: -3},
}


def _recorded_names(library, call, name):
    """The first recorded buffer: for MPI_Scatter the receive buffer, for a pure fetch the result, otherwise the send buffer."""
    function = call["function"]
    side, what = name[:4], _SIDES.get(name[4:])
    if side in ("send", "recv") and what:
        first = "recv" if arguments.scatters(library, function) else "send"
        # A reduction has one count and one datatype, for both sides.
        return [what if side == first else ("receive_" if side == "recv" else "send_") + what]
    side, _, what = name.partition("_")
    if side in ("origin", "result") and what in _ORIGIN:
        # MPI_NO_OP ignores the origin; the result, if any, is recorded instead.
        fetches = "etch" in function or "et_accumulate" in function
        first = "result" if fetches and call.get("op_name") == "MPI_NO_OP" else "origin"
        return [_ORIGIN[what]] if side == first else []
    return _RECORDED.get(name, [name])


def _number(key, value, mpi):
    """A rank or a tag with the value it has in this MPI."""
    if value is None:
        return mpi.get("any_tag" if "tag" in key else "any_source")
    return mpi.get(value, value) if key in ("peer", "root", "source") else value


def _string(text):
    """A string as a value for expressions. (GDB converts an empty Python string to 0.)"""
    return text or gdb.Value(b"\0", target.c_type("char").array(0))


def _text(value):
    """The text of a string value; GDB's string() does not convert the type of Fortran strings in single quotes."""
    try:
        return value.string()
    except gdb.error:
        words = value.format_string(max_elements=0, repeat_threshold=0)
        if len(words) >= 2 and words[0] == words[-1] == "'":
            return words[1:-1]
        raise


def _session():
    return processes.session(gdb.selected_inferior(), running_threads=True)


def _handle(session, value, kind):
    """Bits of a C handle; a Fortran 2008 handle (a structure of one INTEGER) is converted by the plugin."""
    if value.type.code in (gdb.TYPE_CODE_REF, getattr(gdb, "TYPE_CODE_RVALUE_REF", gdb.TYPE_CODE_REF)):
        value = value.referenced_value()
    text = handles.value_text(value, kind, False)
    if text.startswith("fortran:"):
        return session.f2c(kind, int(text[len("fortran:") :]))
    return int(text, 16)


class Function(gdb.Function):
    """Base class: failures are one line with the name of the function."""

    def __init__(self):
        super().__init__(self.name)

    def invoke(self, *given):
        try:
            return self.answer(*given)
        except TypeError:
            raise gdb.GdbError("$%s: usage: %s" % (self.name, self.__doc__.partition(":")[0]))
        except (plugin.Error, handles.Usage, gdb.error, RuntimeError, ValueError) as error:
            raise gdb.GdbError("$%s: %s" % (self.name, error))


class MpiRank(Function):
    """$mpi_rank(): rank of the current process in MPI_COMM_WORLD; an error outside of MPI_Init and MPI_Finalize."""

    name = "mpi_rank"

    def answer(self):
        rank = _session().rank()
        if rank < 0:
            raise plugin.Error("the process has no rank: no MPI process, or not initialised")
        return rank


class MpiSize(Function):
    """$mpi_size(COMM): number of ranks of a communicator (of its local group)."""

    name = "mpi_size"

    def answer(self, comm):
        session = _session()
        return session.comm(_handle(session, comm, "comm"))[2]


class MpiCommName(Function):
    """$mpi_comm_name(COMM): name of a communicator, "" when it has none: $_streq($mpi_comm_name(comm), "ring")"""

    name = "mpi_comm_name"

    def answer(self, comm):
        session = _session()
        return _string(session.comm(_handle(session, comm, "comm"))[0])


class MpiTypeName(Function):
    """$mpi_type_name(DATATYPE): name of a datatype, "" when it has none: $_streq($mpi_type_name(type), "MPI_INT")"""

    name = "mpi_type_name"

    def answer(self, datatype):
        session = _session()
        return _string(session.type_name(_handle(session, datatype, "datatype")))


def _typed(session, raw, kind):
    """An argument as a value of its type, if the program has the type."""
    word = 8 * session.target.word_bytes
    raw &= (1 << word) - 1
    if kind == "int":
        return gdb.Value(raw & 0xFFFFFFFF).cast(target.c_type("int"))
    if kind == "*":
        return gdb.Value(raw).cast(target.c_type("void").pointer())
    try:
        found = target.c_type(kind)
        return gdb.Value(raw & ((1 << (8 * found.sizeof)) - 1)).cast(found)
    except gdb.error:
        # MPICH's handles are ints; the plugin says which library it is.
        return gdb.Value(raw)


class MpiStreq(Function):
    """$mpi_streq(A, B): are two texts equal? As $_streq, which takes no strings of Fortran.

    In a Fortran frame GDB reads strings in single quotes alone:
    break mpi_send_ if $mpi_streq($mpi_type_name($mpi_arg('datatype')), 'MPI_INTEGER')"""

    name = "mpi_streq"

    def answer(self, a, b):
        return _text(a) == _text(b)


class MpiArg(Function):
    """$mpi_arg("NAME"): an argument of the MPI call that the thread is in, as the standard names it.

    At the function's first instructions (a breakpoint at MPI_Send, or mpi_send_ of Fortran) it is taken from where the call
    put it, x86-64 and AArch64; further inside, from the registry of the in-target library:
    break MPI_Send if $_streq($mpi_type_name($mpi_arg("datatype")), "MPI_INT")
    In a Fortran frame strings have single quotes: $mpi_arg('tag'); see $mpi_streq."""

    name = "mpi_arg"

    def answer(self, name):
        name = _text(name)
        session = _session()
        frames = threads.frames_of()
        found = threads.mpi_frame(frames)
        if not found:
            raise plugin.Error("the thread is in no MPI function")
        index, function = found
        known = arguments.of(session.plugin, function)
        numbers = [i for i, (argument, _) in enumerate(known) if argument == name]
        if not numbers:
            raise plugin.Error(
                "%s has no argument %s; it has %s"
                % (function, name, ", ".join(argument for argument, _ in known) or "none that are known")
            )
        kind = known[numbers[0]][1]
        raw = None
        if threads.mpi_name(frames[0].name()) == function:
            raw = target.argument(frames[0], numbers[0])
            if raw is not None and kind != "*" and threads.is_fortran_name(frames[0].name()):
                return self._pointed_to(session, raw, kind)
        if raw is None:
            try:
                value = frames[index].read_var(name)
                if not value.is_optimized_out:
                    return value
            except ValueError:  # no debug information
                pass
            raw = self._recorded(session, function, name)
        return _typed(session, raw, kind)

    @staticmethod
    def _pointed_to(session, address, kind):
        """Fortran passes addresses: of INTEGERs, including handles, and of integers of address width."""
        wide = kind in ("MPI_Aint", "MPI_Count", "MPI_Offset")
        address &= (1 << (8 * session.target.word_bytes)) - 1
        data = session.target.read(address, 8 if wide else 4)
        if data is None:
            raise plugin.Error("the argument at 0x%x cannot be read" % address)
        value = int.from_bytes(data, "big" if session.target.big_endian else "little", signed=True)
        if kind.startswith("MPI_") and not wide:
            value = session.f2c(kind[len("MPI_") :].lower(), value)
        return _typed(session, value, kind)

    @staticmethod
    def _recorded(session, function, name):
        unknown = plugin.Error("only at a function's first instruction, or with the in-target library (mpi2dd-run)")
        code, text = session.describe(plugin.CALLS, format=1)
        if code != plugin.SUCCESS:
            raise unknown
        thread = threads.number_of(gdb.selected_thread())
        answer = json.loads(text)
        mpi = _NUMBERS.get((answer.get("mpi") or {}).get("name"), {})
        for call in answer.get("calls", []):
            if call.get("thread") != thread or call.get("function") != function:
                continue
            for key in _recorded_names(session.plugin, call, name):
                value = call.get(key)
                if isinstance(value, str):
                    return int(value, 0)
                if value is not None or call.get(key + "_why") == "any":
                    return _number(key, value, mpi)
        if answer.get("recorded") is False:
            raise unknown
        raise plugin.Error("%s of %s is not recorded" % (name, function))


def register():
    for function in (MpiRank, MpiSize, MpiCommName, MpiTypeName, MpiStreq, MpiArg):
        function()
