# SPDX-License-Identifier: BSD-3-Clause
"""gdb -nx -batch [-p PID | PROGRAM] -ex 'source gdb-scripts/mpidbg.py' ... -x bench/gdb_cost.py

What our commands and printers cost inside GDB, a line each, in milliseconds:

queues FIRST AGAIN READS BYTES   `mpi queues`: the first answer about a process, the fastest later one, and what the first
                                 one has read; with -ex 'python turns = N'
handles N NEW KEPT               N variables of the innermost two frames: each when nothing was said of it before, and when
                                 the answer is kept; with -ex 'python names = "comm type ..."'
stack N ALL EACH                 `bt -full` of a deep stack with N handles, and each of them; with -ex 'python stack = 4'
                                 handles a frame
"""

import time

import gdb
from mpidbg_gdb import processes

turns = globals().get("turns", 5)


def ms(function):
    start = time.perf_counter()
    function()
    return 1000 * (time.perf_counter() - start)


def forget():
    """As if the process had run."""
    processes._forget_lines(None)


def queues():
    known = []

    def ask():
        gdb.execute("mpi queues", to_string=True)

    def first():
        processes._drop_all(None)
        ret = ms(ask)
        session = processes.session(gdb.selected_inferior())
        known.append((ret, session.n_reads, session.read_bytes))

    for _ in range(turns):
        first()
    best, reads, read_bytes = min(known)
    print("queues %.2f %.2f %d %d" % (best, min(ms(ask) for _ in range(turns)), reads, read_bytes))


def handles(names):
    values = [gdb.parse_and_eval(name) for name in names.split()]
    new, kept = [], []
    for value in values:
        value.fetch_lazy()
    for _ in range(turns):
        forget()
        new.append(sum(ms(value.format_string) for value in values) / len(values))
        kept.append(sum(ms(value.format_string) for value in values) / len(values))
    print("handles %d %.3f %.3f" % (len(values), min(new), min(kept)))


def stack(each):
    depth, frame = 0, gdb.newest_frame()
    while frame is not None:
        depth += frame.name() == "deep"
        frame = frame.older()
    seen = []
    for _ in range(turns):
        forget()
        seen.append(ms(lambda: gdb.execute("bt -full", to_string=True)))
    print("stack %d %.1f %.3f" % (depth * each, min(seen), min(seen) / (depth * each)))


if "names" in globals():
    handles(globals()["names"])
elif "stack_handles" in globals():
    stack(globals()["stack_handles"])
else:
    queues()
