# SPDX-License-Identifier: BSD-3-Clause
"""mpirun -n 3 python3 hang.py CASE: a Python program that hangs, with mpi4py.

Each rank writes $TRUTH_DIR/truth.RANK.json just before it comes into its state, and what its own faulthandler says of its stack to
$TRUTH_DIR/stack.RANK when it gets SIGUSR1.
"""
import ctypes
import faulthandler
import json
import os
import signal
import sys
import time

from mpi4py import MPI

ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # the ranks die with whoever started them
comm = MPI.COMM_WORLD
rank = comm.Get_rank()
where = os.environ["TRUTH_DIR"]
dump = open(f"{where}/stack.{rank}", "w")
faulthandler.register(signal.SIGUSR1, file=dump, all_threads=False)


def announce():
    making = f"{where}/making.{rank}"
    with open(making, "w") as f:
        json.dump({"pid": os.getpid()}, f)
    os.rename(making, f"{where}/truth.{rank}.json")


def read_block():
    announce()
    while True:
        time.sleep(3600)


def collective():
    if rank == 2:
        read_block()
    announce()
    comm.allreduce(rank)


class Grid:
    def exchange(self):
        return self.receive()

    def receive(self):
        announce()
        if rank == 0:
            return comm.recv(source=1, tag=8)  # rank 1 sends tag 7
        return comm.recv(source=0, tag=7)


def größe(grid):
    return grid.exchange()


def wrong_tag():
    if rank == 1:
        comm.send("a message", dest=0, tag=7)
    return [größe(g) for g in (Grid(),)]


{"collective": collective, "wrong_tag": wrong_tag}[sys.argv[1]]()
