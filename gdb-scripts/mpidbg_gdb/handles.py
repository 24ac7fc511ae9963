# SPDX-License-Identifier: BSD-3-Clause
"""`mpi handles`, `mpi print`, `mpi calls`, `mpi vars`: MPI objects, calls and variables."""

import gdb

from . import plugin, processes
from .commands import Describe, OPTIONS, Usage, one_line, wants_color

# Names of the handle types in C, C++ and Fortran.
TYPES = {
    "MPI_Comm": "comm",
    "MPI_Group": "group",
    "MPI_Datatype": "datatype",
    "MPI_Errhandler": "errhandler",
    "MPI_File": "file",
    "MPI_Info": "info",
    "MPI_Op": "op",
    "MPI_Request": "request",
    "MPI_Win": "win",
    "MPI_Message": "message",
    "MPI_Session": "session",
    "MPI_Status": "status",
}

# What Open MPI's handles point to. The elements of std::vector<MPI_Request> have this type, without the name.
_STRUCTURES = {
    "ompi_communicator_t": "comm",
    "ompi_group_t": "group",
    "ompi_datatype_t": "datatype",
    "ompi_errhandler_t": "errhandler",
    "ompi_file_t": "file",
    "ompi_info_t": "info",
    "ompi_op_t": "op",
    "ompi_request_t": "request",
    "ompi_win_t": "win",
    "ompi_message_t": "message",
    "ompi_instance_t": "session",
}
# The standard ABI of MPI 5: MPI_ABI_Comm and so on.
_STRUCTURES.update((name.replace("MPI_", "MPI_ABI_"), kind) for name, kind in TYPES.items() if kind != "status")


def kind_of_type(found):
    """The kind of a GDB type by its name, with const and the program's typedefs removed; None: not a handle."""
    found = found.unqualified()
    while found is not None:
        if found.name in TYPES:
            return TYPES[found.name]
        if found.code == gdb.TYPE_CODE_PTR:
            return _STRUCTURES.get(found.target().unqualified().strip_typedefs().name)
        if found.code != gdb.TYPE_CODE_TYPEDEF:
            # use mpi_f08: type(mpi_comm) with one member
            name = (found.name or "").lower()
            return next((kind for c, kind in TYPES.items() if c.lower() == name), None)
        found = found.target().unqualified()
    return None


def is_fortran_integer(found):
    """An INTEGER of a Fortran program holds a Fortran handle: "integer(kind=4)" of gfortran, "INTEGER*4" of others."""
    found = found.strip_typedefs()
    return found.code == gdb.TYPE_CODE_INT and (found.name or "").lower().startswith("integer")


def value_text(value, kind, fortran):
    """The option `value` of struct mpidbg_options for a GDB value."""
    if kind == "status":
        if value.address is None:
            raise Usage("a status is looked at in memory: name a variable")
        return "@0x%x" % int(value.address)
    if value.type.strip_typedefs().code == gdb.TYPE_CODE_STRUCT:
        fields = value.type.strip_typedefs().fields()
        if len(fields) != 1:
            raise Usage("not a handle: a structure of %d members" % len(fields))
        value, fortran = value[fields[0]], True
    mask = (1 << (8 * value.type.sizeof)) - 1
    if fortran or is_fortran_integer(value.type):
        return "fortran:%d" % int(value)
    return "0x%x" % (int(value) & mask)


class Handles(Describe):
    """List the MPI objects that the program has created and not freed.

    Usage: mpi handles [KIND] [--leaks] [--freed] [--all] [--json] [--inferior LIST|all] [--stats]

    KIND is comm, group, datatype, errhandler, file, info, op, request, win, message, session or keyval. --leaks: only
    objects that the program must free and has not freed; --freed: also freed objects; --all: also predefined objects. Needs
    the in-target library: start the program with mpi2dd-run."""

    name = "mpi handles"
    what = plugin.HANDLES
    flags = ("--leaks", "--freed")
    words = plugin.KINDS[:-1]

    def parser(self):
        parser = super().parser()
        parser.add_argument("kind", nargs="?", choices=plugin.KINDS[:-1])
        parser.add_argument("--leaks", action="store_true")
        parser.add_argument("--freed", action="store_true")
        return parser

    def options(self, given):
        return dict(super().options(given), kind=given.kind, leaks=int(given.leaks), freed=int(given.freed))


class Calls(Describe):
    __doc__ = "Show the MPI call of each thread, with its arguments and duration." + OPTIONS % "mpi calls"

    name = "mpi calls"
    what = plugin.CALLS


class Vars(Describe):
    """Show the MPI tool information interface: control and performance variables, categories, events.

    Usage: mpi vars [cvars|pvars|categories|events] [PATTERN] [--all] [--json] [--inferior LIST|all] [--stats]

    PATTERN is a shell pattern for the whole name, or a part of it. Needs the in-target library: start the program with
    mpi2dd-run. Counters of the in-target library are current; other performance variables have the values of the last refresh.
    """

    name = "mpi vars"
    what = plugin.VARS
    words = ("cvars", "pvars", "categories", "events")

    def parser(self):
        parser = super().parser()
        parser.add_argument("kind", nargs="?")
        parser.add_argument("pattern", nargs="?")
        return parser

    def options(self, given):
        kind, pattern = given.kind, given.pattern
        if kind and kind not in self.words:
            if pattern is not None:
                raise Usage("%s: there are %s" % (kind, ", ".join(self.words)))
            kind, pattern = None, kind
        return dict(super().options(given), kind=kind, value=pattern)


class Print(gdb.Command):
    """Show all facts about an MPI object.

    Usage: mpi print EXPRESSION [as KIND] [fortran]

    EXPRESSION is evaluated as in GDB's print. Its type determines the kind; for other types (a Fortran INTEGER, a void *) add
    `as comm`, `as datatype` ... Add `fortran` for a Fortran handle, whose value differs from that of the C handle. #118 is the
    object with that number, as other objects refer to it: mpi print #118 as datatype. Needs the in-target library (start the
    program with mpi2dd-run), except for statuses and communicators; without it the line of GDB's print is shown."""

    name = "mpi print"

    def __init__(self):
        super().__init__(self.name, gdb.COMMAND_DATA)

    def complete(self, text, word):
        words = text.split(" ")
        if len(words) > 2 and words[-2] == "as":
            return [kind for kind in plugin.KINDS if kind.startswith(words[-1])]
        return gdb.COMPLETE_EXPRESSION

    @one_line
    def invoke(self, argument, _from_tty):
        self.dont_repeat()
        text, fortran, kind = argument.strip(), False, None
        if text.endswith(" fortran"):
            text, fortran = text[: -len(" fortran")].rstrip(), True
        words = text.rsplit(None, 2)
        if len(words) == 3 and words[1] == "as":
            text, kind = words[0], words[2]
        if not text:
            raise Usage("an expression is needed")
        if kind and kind not in plugin.KINDS:
            raise Usage("%s is not a kind; kinds are %s" % (kind, ", ".join(plugin.KINDS)))
        if text[0] == "#" and text[1:].isdigit():
            if not kind:
                raise Usage("%s is the number of an object of any kind: add `as KIND`" % text)
            words = text
        else:
            value = gdb.parse_and_eval(text)
            if value.type.code in (gdb.TYPE_CODE_REF, getattr(gdb, "TYPE_CODE_RVALUE_REF", gdb.TYPE_CODE_REF)):
                value = value.referenced_value()
            kind = kind or kind_of_type(value.type)
            if not kind:
                raise Usage("the type of %s, %s, is not an MPI handle: add `as KIND`" % (text, value.type))
            words = value_text(value, kind, fortran)
        inferior = gdb.selected_inferior()
        asked = {"kind": kind, "color": int(wants_color()), "value": words}
        code, words, error = processes.describe(inferior, plugin.HANDLE, **asked)
        if code != plugin.SUCCESS and words.count("\n") < 2:
            # The answer is only a heading. If the MPI library itself can be read, the line of GDB's print has more.
            words = processes.describe(inferior, plugin.HANDLE, brief=1, **asked)[1]
        gdb.write(words if not words or words.endswith("\n") else words + "\n")
        if code != plugin.SUCCESS:
            raise gdb.GdbError("%s: %s" % (self.name, error or "nothing is known of it"))


def register():
    Handles()
    Calls()
    Vars()
    Print()
