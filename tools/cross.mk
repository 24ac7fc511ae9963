# SPDX-License-Identifier: BSD-3-Clause
# make CROSS=aarch64-linux-gnu: everything for another machine, into build/aarch64-linux-gnu, with the compiler of this name.
# SYSROOT: a root folder with the headers and libraries of that machine; tools/sysroot makes one from Debian's packages.
# Programs for that machine cannot run here: make check-build builds the tests, tools/machine runs them in an emulated machine.

MACHINE := $(or $(firstword $(subst -, ,$(CROSS))),$(shell uname -m))
CROSS_PREFIX := $(if $(CROSS),$(CROSS)-)
PKG_CONFIG := pkg-config
# Compilers of the test programs, and what ends their commands.
PROGRAM_CC_openmpi := mpicc.openmpi
PROGRAM_CC_mpich := mpicc.mpich
ifneq ($(CROSS),)
SYSROOT ?= build/sysroot/$(MACHINE)
SYSROOT_LIBRARIES := $(SYSROOT)/usr/lib/$(CROSS)
BUILD_CC := $(CC)
# -B and -L: the C library of the folder, not the one that came with the compiler.
CC := $(CROSS)-gcc --sysroot=$(abspath $(SYSROOT)) -B$(abspath $(SYSROOT_LIBRARIES))/ -L$(abspath $(SYSROOT_LIBRARIES))
# The names of the MPIs' folders are Debian's.
MPICC_openmpi := $(CC) -isystem $(SYSROOT_LIBRARIES)/openmpi/include
MPICC_mpich := $(CC) -isystem $(SYSROOT_LIBRARIES)/mpich/include
PROGRAM_CC_openmpi := $(MPICC_openmpi)
PROGRAM_CC_mpich := $(MPICC_mpich)
PROGRAM_MPI_openmpi := -Wl,--unresolved-symbols=ignore-in-shared-libs -l:libmpi.so.40
PROGRAM_MPI_mpich := -Wl,--unresolved-symbols=ignore-in-shared-libs -l:libmpich.so.12
PKG_CONFIG := PKG_CONFIG_SYSROOT_DIR=$(abspath $(SYSROOT)) PKG_CONFIG_LIBDIR=$(abspath $(SYSROOT_LIBRARIES)/pkgconfig):$(abspath \
	$(SYSROOT)/usr/share/pkgconfig) pkg-config
INSTALL_DEPS := 0
endif
