# SPDX-License-Identifier: BSD-3-Clause
"""python3 nested.py FILE: sleeps some functions deep; on SIGUSR1 its own faulthandler writes its stack to FILE."""

import faulthandler
import functools
import signal
import sys
import time

dump = open(sys.argv[1], "w")
faulthandler.register(signal.SIGUSR1, file=dump, all_threads=False)
print("ready", flush=True)


class Block:
    def read(self):
        while True:
            time.sleep(1)


def by_way_of_c(blocks):
    # C between the functions of Python: the key function of sorted()
    return sorted(blocks, key=lambda b: b.read())


def generate():
    yield by_way_of_c([Block(), Block()])


def reduced(a, b):
    return list(generate())


functools.reduce(reduced, [1, 2])
