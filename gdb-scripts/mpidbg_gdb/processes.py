# SPDX-License-Identifier: BSD-3-Clause
"""A session with the plugin per inferior. It is closed when the program, its libraries or the inferior change."""

import gdb

from . import plugin, target, threads, waits

_plugin = None
_refused = None  # (path, error) of a library that could not be loaded, so that it is not tried again for every value
_sessions = {}  # inferior number -> (pid, Session)
_here = "."


def start(here):
    """@p here: folder of the scripts. The library is loaded when it is first needed."""
    global _here
    _here = here
    gdb.events.new_objfile.connect(_forget_symbols)
    gdb.events.clear_objfiles.connect(_drop_all)
    gdb.events.exited.connect(_drop)
    gdb.events.inferior_deleted.connect(_drop)
    gdb.events.cont.connect(_forget_lines)
    gdb.events.memory_changed.connect(_forget_lines)


def library():
    global _plugin, _refused
    if _plugin is None:
        path = plugin.find(_here)
        if _refused and _refused[0] == path:
            raise _refused[1]
        try:
            _plugin = plugin.Plugin(path)
        except plugin.Error as error:
            _refused = path, error
            raise
    return _plugin


def _forget_symbols(_event):
    for _, session in _sessions.values():
        session.symbols.clear()
        session.lines.clear()
        session.names.clear()
        # A type that was missing before may be defined by the new library.
        for name in [name for name, handle in session.type_handles.items() if handle is None]:
            del session.type_handles[name]


def _forget_lines(_event):
    """A process runs, or its memory was written: cached facts about its objects may be outdated."""
    for _, session in _sessions.values():
        session.lines.clear()


def _drop(event):
    known = _sessions.pop(event.inferior.num, None)
    if known:
        known[1].close()


def _drop_all(_event):
    for _, session in _sessions.values():
        session.close()
    _sessions.clear()


def session(inferior, running_threads=False):
    """
    The session of an inferior. Raises plugin.Error with one line if there is no process to query.
    running_threads: accept running threads, because GDB reports threads as running while it evaluates a breakpoint's condition.

    With running_threads the threads are not listed: GDB 13 forgets all frames when it lists the threads of several cores, and ends
    with an internal error if that happens while it prints a frame, as a pretty-printer is called for an argument.
    """
    if not inferior.pid:
        raise plugin.Error("inferior %d has no process: run or attach to one, or load a core" % inferior.num)
    if not running_threads and any(thread.is_running() for thread in inferior.threads()):
        raise plugin.Error("inferior %d is running: interrupt it first" % inferior.num)
    pid, known = _sessions.get(inferior.num, (None, None))
    if known and pid != inferior.pid:
        known.close()
        known = None
    if not known:
        # Creating the session looks up symbols, which must be those of this inferior and not of the current one.
        with threads.Selection():
            if gdb.selected_inferior().num != inferior.num:
                threads.select(inferior)
            known = plugin.Session(library(), target.Target(inferior))
        _sessions[inferior.num] = (inferior.pid, known)
    return known


def with_session(inferior, function):
    """Call function(session) for an inferior, which is current during the call."""
    with threads.Selection():
        if gdb.selected_inferior().num != inferior.num:
            threads.select(inferior)
        return function(session(inferior))


def describe(inferior, what, **options):
    """(code, text, error) of mpidbg_describe() for an inferior, which is current during the query."""
    with threads.Selection():
        if gdb.selected_inferior().num != inferior.num:
            threads.select(inferior)
        known = session(inferior)
        options = dict(known.target.facts(), **options)
        if what in (plugin.QUEUES, plugin.CALLS) and not options.get("brief"):
            options["waits"] = waits.of(inferior)
        code, text = known.describe(what, threads.of(inferior), **options)
        return code, text, "" if code == plugin.SUCCESS else known.error()


def rank(inferior):
    """Rank of an inferior in MPI_COMM_WORLD; None: unavailable."""
    with threads.Selection():
        if gdb.selected_inferior().num != inferior.num:
            threads.select(inferior)
        try:
            ret = session(inferior).rank()
        except plugin.Error:
            return None
    return ret if ret >= 0 else None
