# SPDX-License-Identifier: BSD-3-Clause
"""mpirun -n 3 python3 waits.py CASE: the last rank waits outside MPI, in Python; the others in a barrier.

Each rank writes $TRUTH_DIR/truth.RANK.json just before it comes into its state.
"""
import concurrent.futures
import ctypes
import json
import multiprocessing
import os
import queue
import signal
import sys
import threading
import time

from mpi4py import MPI

ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # the ranks die with whoever started them
comm = MPI.COMM_WORLD
rank = comm.Get_rank()
where = os.environ["TRUTH_DIR"]


def announce():
    making = f"{where}/making.{rank}"
    with open(making, "w") as f:
        json.dump({"pid": os.getpid()}, f)
    os.rename(making, f"{where}/truth.{rank}.json")


def take_twice():
    lock = threading.Lock()
    lock.acquire()
    lock.acquire()


def get():
    queue.Queue().get()


def global_lock():
    """C code that keeps Python's global lock waits for a signal, another thread for the lock."""
    threading.Thread(target=lambda: [time.sleep(0.001) for _ in iter(int, 1)], daemon=True).start()
    time.sleep(0.1)
    ctypes.PyDLL(None).pause()


def switched_lock():
    """The same, but the other thread loses the lock while it computes."""

    def compute():
        n = 0
        while True:
            n += 1

    threading.Thread(target=compute, daemon=True).start()
    time.sleep(0.1)
    ctypes.PyDLL(None).pause()


def sleep_in_child(_):
    time.sleep(3600)


def pool():
    """A pool of processes that were forked after MPI_Init; its worker sleeps."""
    with multiprocessing.get_context("fork").Pool(1) as p:
        p.map(sleep_in_child, [0])


inherited = threading.Lock()
reading, writing = os.pipe()


def take_inherited(_):
    """In a worker, which was forked while another thread had the lock."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    inherited.acquire()


def read_own_pipe(_):
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    os.read(reading, 1)


def pool_lock():
    inherited.acquire()
    with multiprocessing.get_context("fork").Pool(1) as p:
        p.map(take_inherited, [0])


def pool_pipe():
    with multiprocessing.get_context("fork").Pool(1) as p:
        p.map(read_own_pipe, [0])


def futures_lock():
    inherited.acquire()
    with concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("fork")) as e:
        e.submit(take_inherited, 0).result()


def child():
    c = multiprocessing.get_context("fork").Process(target=sleep_in_child, args=(0,))
    c.start()
    c.join()


announce()
if rank == comm.Get_size() - 1:
    globals()[sys.argv[1]]()
comm.Barrier()
