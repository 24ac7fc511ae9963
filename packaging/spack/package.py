# SPDX-License-Identifier: BSD-3-Clause
# Copy to packages/mpidbg/package.py of a Spack repository of the site and set `git` to where the site keeps the sources.
# For Spack 1.0 and later.
from spack_repo.builtin.build_systems.makefile import MakefilePackage

from spack.package import *


class Mpidbg(MakefilePackage):
    """Shows why an MPI program hangs: message queues, communicators, requests, from processes and cores."""

    git = "file:///path/to/mpidbg.git"

    license("BSD-3-Clause")
    version("develop", branch="main")

    variant("mpi2dd", default=True, description="the in-target library for the MPI that this is built with")

    depends_on("c", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("elfutils")
    # Linked statically: libdw has functions of the same names.
    depends_on("libdwarf@0.4: ~shared")
    depends_on("jansson")
    depends_on("ncurses")
    depends_on("zlib-api")
    depends_on("mpi", when="+mpi2dd")
    depends_on("gdb", type="run")
    depends_on("graphviz", type="run")

    @property
    def settings(self):
        flavours = ""
        settings = ["PREFIX=" + self.prefix, "INSTALL_DEPS=0"]
        if self.spec.satisfies("+mpi2dd"):
            flavours = "openmpi" if self.spec.satisfies("^[virtuals=mpi] openmpi") else "mpich"
            settings.append("MPICC_{0}={1}".format(flavours, self.spec["mpi"].mpicc))
        return settings + ["FLAVOURS=" + flavours]

    def build(self, spec, prefix):
        make("build", *self.settings)

    def install(self, spec, prefix):
        make("install", *self.settings)
