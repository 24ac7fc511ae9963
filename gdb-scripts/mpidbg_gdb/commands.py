# SPDX-License-Identifier: BSD-3-Clause
"""The commands under `mpi` that query a process. Their text comes from the plugin and is that of the mpidbg command."""

import argparse
import functools

import gdb

from . import plugin, processes


class Usage(Exception):
    pass


class Parser(argparse.ArgumentParser):
    """Errors are one line, and GDB does not exit."""

    def error(self, message):
        raise Usage(message)

    def exit(self, status=0, message=None):
        raise Usage(message or "")


def one_line(function):
    """Print an error as one line, never a traceback."""

    @functools.wraps(function)
    def wrapped(self, *arguments):
        try:
            return function(self, *arguments)
        except Usage as error:
            raise gdb.GdbError("%s: %s (help %s)" % (self.name, error, self.name))
        except plugin.Error as error:
            raise gdb.GdbError("%s: %s" % (self.name, error))
        except gdb.GdbError:
            raise
        except (gdb.error, RuntimeError, ValueError) as error:
            raise gdb.GdbError("%s: %s" % (self.name, error))

    return wrapped


class Prefix(gdb.Command):
    """MPI objects, queues and processes of the program.

    The output is that of the mpidbg command. libmpidbg.so reads it from the current memory of the process or core; no
    function of the program is called, and the program does not have to be prepared.

    A rank that hangs:      gdb -p PID, then  mpi where  and  mpi queues;  mpi frame selects the frame that called MPI
    All ranks of its job:   mpi attach-all, then  mpi rank all -q mpi where
    Why they hang:          mpi attach-all, then  mpi deadlock;  mpi report FILE.html, mpi snapshot FILE.json
    A core:                 gdb PROGRAM CORE, then the same;  mpi cores DIR  opens those of a job
    A variable:             print comm, info locals, bt full describe MPI handles; print/r prints only the value;
                            mpi print comm  prints all facts; disable pretty-printer global mpidbg  plain values
    A condition:            break solve if $mpi_rank() == 3 && $mpi_size(comm) > 1
                            break MPI_Send if $_streq($mpi_type_name($mpi_arg("datatype")), "MPI_INT")
                            $mpi_rank() $mpi_size(COMM) $mpi_comm_name(COMM) $mpi_type_name(DATATYPE) $mpi_arg("NAME")
    A stop at an event:     mpi catch spawn

    vars, catch and gate need the in-target library in the program (start it with mpi2dd-run). Without it, handles and print
    show what the MPI library keeps of its objects, and calls the arguments of what a thread waits for. info mpi shows the
    library in use."""

    def __init__(self):
        super().__init__("mpi", gdb.COMMAND_DATA, gdb.COMPLETE_NONE, True)


def completions(text, word, flags, words=()):
    """Completions of the last word of a command line. GDB breaks words at "-", so only the rest after it is returned."""
    last = text.split(" ")[-1]
    given = len(last) - len(word or "")
    return [w[given:] for w in (flags if last.startswith("-") else words) if w.startswith(last)]


class Describe(gdb.Command):
    """A command that prints the result of mpidbg_describe() for the current inferior, or for several."""

    what = None
    name = None
    flags = ()
    words = ()  # completions of the argument

    def __init__(self):
        super().__init__(self.name, gdb.COMMAND_DATA)

    def options(self, given):
        """The contents of struct mpidbg_options."""
        return {"all": int(given.all), "format": int(given.json), "color": int(wants_color())}

    def parser(self):
        parser = Parser(prog=self.name, add_help=False)
        parser.add_argument("-a", "--all", action="store_true")
        parser.add_argument("-j", "--json", action="store_true")
        parser.add_argument("-i", "--inferior")
        parser.add_argument("--stats", action="store_true")
        return parser

    def complete(self, text, word):
        return completions(text, word, ("--all", "--json", "--inferior", "--stats") + self.flags, self.words)

    @one_line
    def invoke(self, argument, _from_tty):
        self.dont_repeat()
        given = self.parser().parse_args(gdb.string_to_argv(argument))
        problems = []
        for inferior in inferiors(given.inferior):
            known = processes.session(inferior)
            before = known.n_reads, known.read_bytes
            code, text, error = processes.describe(inferior, self.what, **self.options(given))
            gdb.write(text if not text or text.endswith("\n") else text + "\n")
            if code != plugin.SUCCESS:
                problems.append(error or "nothing to show")
            if given.stats:
                gdb.write("stats: %d reads, %d bytes\n" % (known.n_reads - before[0], known.read_bytes - before[1]))
        if problems:
            raise gdb.GdbError("%s: %s" % (self.name, "; ".join(problems)))


def wants_color():
    return gdb.parameter("style enabled") and gdb.parameter("height") != 0 and not gdb.parameter("logging enabled")


def inferiors(text):
    """The current inferior, or those that the text names: 1,3-4 or all."""
    if text is None:
        return [gdb.selected_inferior()]
    ret = {inferior.num: inferior for inferior in gdb.inferiors() if inferior.threads()}
    if text != "all":
        wanted = numbers(text)
        missing = [n for n in wanted if n not in ret]
        if missing:
            raise Usage("no process in inferior %s" % ", ".join(map(str, missing)))
        ret = {n: ret[n] for n in wanted}
    if not ret:
        raise Usage("no inferior has a process")
    return [ret[n] for n in sorted(ret)]


def numbers(text):
    """[0, 2, 3, 4] for "0,2-4"."""
    ret = []
    for part in text.split(","):
        first, dash, last = part.partition("-")
        if not first.isdigit() or (dash and not last.isdigit()) or (dash and int(last) < int(first)):
            raise Usage("%r: a list of numbers is needed, as 0,2-4" % text)
        if dash and int(last) - int(first) > 1 << 20:
            raise Usage("%r: too many numbers" % text)
        ret += range(int(first), int(last if dash else first) + 1)
    return ret


OPTIONS = """

Usage: %s [--all] [--json] [--inferior LIST|all] [--stats]

--all also shows internal objects of the MPI library; --json prints the format of docs/json.md; --inferior selects other
inferiors than the current one, as 1,3-4; --stats shows the cost of reading."""


def describes(command, what_number, text):
    return type(
        command.title().replace(" ", ""),
        (Describe,),
        {"__doc__": text + OPTIONS % command, "name": command, "what": what_number},
    )


ALL = (
    describes("mpi comms", plugin.COMMS, "Show the communicators of the process: name, members, topology."),
    describes(
        "mpi queues",
        plugin.QUEUES,
        "Show the message queues: sends, posted receives, unexpected messages, and the call of each thread.",
    ),
    describes(
        "mpi doctor", plugin.DOCTOR, "Show which MPI library this is, what can be read, and what to do if it cannot."
    ),
    describes("mpi procs", plugin.PROCS, "Show the process table of this process (a launcher, a directory)."),
)


class Info(gdb.Command):
    """Show the library of the mpi commands, and the rank of each inferior."""

    name = "info mpi"

    def __init__(self):
        super().__init__(self.name, gdb.COMMAND_STATUS, gdb.COMPLETE_NONE)

    @one_line
    def invoke(self, argument, _from_tty):
        if argument.strip():
            raise Usage("takes no arguments")
        library = processes.library()
        gdb.write("%s (%s)\n" % (library.version(), library.path))
        for inferior in sorted(gdb.inferiors(), key=lambda inferior: inferior.num):
            if inferior.threads():
                rank = processes.rank(inferior)
                gdb.write(
                    "inferior %d  process %d  %s\n"
                    % (
                        inferior.num,
                        inferior.pid,
                        "not an MPI process, or not initialised" if rank is None else "rank %d" % rank,
                    )
                )


def register():
    Prefix()
    Info()
    for command in ALL:
        command()
