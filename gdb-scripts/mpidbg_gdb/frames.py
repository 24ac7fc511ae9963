# SPDX-License-Identifier: BSD-3-Clause
"""Backtraces that end at the MPI call: frames inside the library are hidden (`bt -no-filters` shows them)."""

import gdb
from gdb.FrameDecorator import FrameDecorator

from . import threads


class Call(FrameDecorator):
    """The name of the call in the program: MPI_Recv, even if the symbol of the library is PMPI_Recv."""

    def __init__(self, base, name):
        super().__init__(base)
        self._name = name

    def function(self):
        return self._name


class Hide:
    """Leaves out the frames of the MPI library below the call that the program made."""

    name = "mpidbg"
    priority = 100
    enabled = True

    @staticmethod
    def filter(decorators):
        decorators = iter(decorators)
        kept = []
        # The call is among the innermost frames, or this stack is not in MPI.
        for decorator in decorators:
            kept.append(decorator)
            if len(kept) >= threads.FRAMES_MAX:
                break
        found = threads.mpi_frame([decorator.inferior_frame() for decorator in kept])
        if found:
            kept[found[0]] = Call(kept[found[0]], found[1])
            kept = kept[found[0] :]
        yield from kept
        yield from decorators


def register():
    gdb.frame_filters[Hide.name] = Hide()
