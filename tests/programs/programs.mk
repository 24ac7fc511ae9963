# SPDX-License-Identifier: BSD-3-Clause
# The MPI programs of the tests: for Open MPI in $B/programs, for MPICH in $B/programs-mpich, in Fortran, in C++.

PROGRAM_SRC := $(wildcard tests/programs/*.c)
PROGRAMS := $(PROGRAM_SRC:tests/programs/%.c=$B/programs/%)

# The same for MPICH: what uses no Open MPI extension, named here.
MPICH_PROGRAMS := $(addprefix $B/programs-mpich/,world worlds track_calls track_clock track_requests track_rounds track_traffic track_turns track_early neutral handles \
	track_comms track_swapped track_groups track_types track_others track_windows track_limits mpit_rules mpit_cvars mpit_renumbered mpit_pvars mpit_categories \
	mpit_events mpit_vars mpit_stages mpit_levels mpit_bad mpit_threads mpit_orders mpit_pair \
	mpit_own mpit_own_threads mpit_own_vars mpit_traffic mpit_processes printed stall \
	gdb_values ring_hang steps catches request_lives odd_comms sessions_alone leaks in_call arguments orphans track_memory odd_ways storm hangs waits held ends player \
	blocked crowd interfaces receives sends unexpected matched inter comms collectives threads marked $(patsubst tests/programs/%.c,%,$(wildcard tests/programs/facts_*.c)))

# Two Fortran programs, each with mpif.h, with the module mpi and with mpi_f08, for both; what they say and check is in C.
FORTRAN_FLAVOURS := mpif mpi f08
FORTRAN_PROGRAMS := $(foreach f,openmpi mpich,$(foreach m,$(FORTRAN_FLAVOURS),$(addprefix $B/programs-fortran/$f/,\
	track_$m emit_$m)))

# With the C++ bindings. An MPI without them (Open MPI since 5.0) has in place of the program a text that says so and cannot be run:
# answers_lacks() reads it.
CXX_PROGRAMS := $(foreach f,openmpi mpich,$(patsubst tests/programs/cxx/%.cc,$B/programs-cxx/$f/%,\
	$(wildcard tests/programs/cxx/*.cc)))

# With MPICH itself in them, where the distribution has it as an archive.
MPICH_ARCHIVE := $(firstword $(wildcard /usr/lib/*/libmpich.a))
MPICH_STATIC_PROGRAMS := $(if $(MPICH_ARCHIVE),$(addprefix $B/programs-mpich-static/,$(addprefix facts_,comms files others types windows) receives sends))

# Of the standard ABI of MPI 5, where both MPIs have a library of it (Debian sid): compiled once, with the header of one of them. Debian
# installs no working mpicc_abi: its scripts name files that do not exist. Each MPI's library is libmpi_abi.so.1 in a folder of its own.
ABI_PROGRAMS := $(if $(ABI_LIBRARIES),$(addprefix $B/programs-abi/,hangs standard))
# Children that waits.c starts, with their libraries in them; waits.c with the OpenMP of LLVM; tasks of TBB. Where what they need is installed.
WAITS_PROGRAMS := $B/programs/child_static $(if $(wildcard /usr/bin/musl-gcc),$B/programs/child_musl) \
	$(if $(and $(wildcard /usr/bin/clang),$(wildcard /usr/lib/llvm-*/lib/libomp.so)),$B/programs/waits_llvm) \
	$(if $(wildcard /usr/include/oneapi/tbb/task_group.h),$B/programs/waits_tbb)
ALL_PROGRAMS := $(PROGRAMS) $(WAITS_PROGRAMS) $B/programs/libidle.so $(MPICH_PROGRAMS) $(MPICH_STATIC_PROGRAMS) $(FORTRAN_PROGRAMS) $(CXX_PROGRAMS) \
	$(ABI_PROGRAMS)
# For another machine: what needs no more than its C compiler and MPI libraries.
ifneq ($(CROSS),)
ALL_PROGRAMS := $(PROGRAMS) $B/programs/child_static $B/programs/libidle.so $(MPICH_PROGRAMS)
endif
.PHONY: programs programs-openmpi
programs: $(ALL_PROGRAMS)
programs-openmpi: $(PROGRAMS) $(WAITS_PROGRAMS) $B/programs/libidle.so

ifneq ($(SAN),)

# They are what people run, and so is what is loaded into them: never sanitized. Those of the plain build serve.
PLAIN := $(ALL_PROGRAMS) $(M2D_LIBS) $(foreach l,early renumbered swapped,$B/programs/lib$(l).so $B/programs-mpich/lib$(l).so)
.PHONY: plain
plain: | build/.deps-test
	$(Q)+$(MAKE) --no-print-directory SAN= WERROR= ONLY= mpi2dd programs
$(PLAIN): $B/%: plain
	$(Q)mkdir -p $(@D) && ln -f build/$* $@

else

# What the MPI of the day deprecates is still called by programs, and tested.
PROGRAM_WARN := -Wno-deprecated-declarations

$B/programs/%: tests/programs/%.c $(wildcard tests/programs/*.h tests/programs/*.def include/*.h) | build/.deps
	$(call say,MPICC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(PROGRAM_CC_openmpi) -std=gnu11 $(PROGRAM_OPT) -g -Wall -Wextra $(PROGRAM_WARN) -Itests/programs -o $@ $< -lpthread -ldl $(PROGRAM_LIBS) $(PROGRAM_MPI_openmpi)

# What GDB's transcripts show of the arguments of a program's functions is not to depend on the compiler.
PROGRAM_OPT = -O1
$(foreach p,catches gdb_values printed ring_hang steps,$B/programs/$p $B/programs-mpich/$p): PROGRAM_OPT = -O0

$B/programs/waits $B/programs-mpich/waits: PROGRAM_OPT = -O1 -fopenmp

$B/programs/waits_llvm: tests/programs/waits.c $(wildcard tests/programs/*.h tests/programs/*.def) | build/.deps
	$(call say,MPICC,$< (clang))
	$(Q)mkdir -p $(@D)
	$(Q)OMPI_CC=clang mpicc.openmpi -std=gnu11 -O1 -g -fopenmp -Wall -Itests/programs -o $@ $< -lpthread -ldl

$B/programs/waits_tbb: tests/programs/tbb/waits.cc | build/.deps
	$(call say,MPICXX,$<)
	$(Q)mkdir -p $(@D)
	$(Q)mpicxx.openmpi -std=c++17 -O1 -g -Wall -o $@ $< -ltbb

$B/programs/child_static: CHILD_CC = $(CC)
$B/programs/child_musl: CHILD_CC = musl-gcc
$B/programs/child_static $B/programs/child_musl: tests/programs/child/pause.c | build/.deps
	$(call say,CC,$< ($(@F)))
	$(Q)mkdir -p $(@D)
	$(Q)$(CHILD_CC) -std=gnu11 -O1 -g -Wall -Wextra -static -o $@ $<

$B/programs-mpich/%: tests/programs/%.c $(wildcard tests/programs/*.h tests/programs/*.def include/*.h) | build/.deps
	$(call say,MPICC,$< (mpich))
	$(Q)mkdir -p $(@D)
	$(Q)$(PROGRAM_CC_mpich) -std=gnu11 $(PROGRAM_OPT) -g -Wall -Wextra $(PROGRAM_WARN) -Itests/programs -o $@ $< -lpthread -ldl $(PROGRAM_LIBS) $(PROGRAM_MPI_mpich)

$B/programs-abi/%: tests/programs/%.c $(wildcard tests/programs/*.h tests/programs/*.def) | build/.deps
	$(abi_program)
$B/programs-abi/%: tests/programs/abi/%.c | build/.deps
	$(abi_program)
define abi_program
	$(call say,CC,$< (mpi_abi))
	$(Q)mkdir -p $(@D)/openmpi $(@D)/mpich $(@D)/include
	$(Q)for mpi in openmpi mpich; do ln -sf $(dir $(firstword $(ABI_LIBRARIES)))libmpi_abi_$$mpi.so.1.0.0 $(@D)/$$mpi/libmpi_abi.so.1; done
	$(Q)ln -sf $(ABI_HEADER) $(@D)/include/mpi.h
	$(Q)$(CC) -std=gnu11 $(PROGRAM_OPT) -g -Wall -Wextra $(PROGRAM_WARN) -I$(@D)/include -Itests/programs -o $@ $< \
		$(@D)/openmpi/libmpi_abi.so.1 -lpthread -ldl
endef

$B/programs-mpich-static/%: tests/programs/%.c $(wildcard tests/programs/*.h) | build/.deps
	$(call say,CC,$< (libmpich.a))
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) -std=gnu11 -O1 -g -Wall -Wextra $(filter -I%,$(shell mpicc.mpich -show)) -Itests/programs -o $@ $< \
		$(MPICH_ARCHIVE) -l:libucp.so.0 -l:libuct.so.0 -l:libucs.so.0 -l:libhwloc.so.15 -lpthread -lrt -ldl -lm

# Three have a library of their own: one with a constructor, two that are the MPI library to those who look for it.
$(foreach l,early renumbered swapped,$B/programs/lib$l.so): MPICC = $(PROGRAM_CC_openmpi)
$(foreach l,early renumbered swapped,$B/programs-mpich/lib$l.so): MPICC = $(PROGRAM_CC_mpich)
define program_library
$B/programs/lib$(1).so $B/programs-mpich/lib$(1).so: $$(wildcard tests/programs/$(1)/*) | build/.deps
	$$(call say,MPICC,$$< ($$(MPICC)))
	$$(Q)mkdir -p $$(@D)
	$$(Q)$$(MPICC) -std=gnu11 -D_GNU_SOURCE -g -Wall -Wextra -shared -fPIC -Wl,--no-as-needed -o $$@ $$(filter %.c,$$^)
endef
$(eval $(call program_library,early))
$(eval $(call program_library,renumbered))
$(eval $(call program_library,swapped))
$B/programs/track_early: $B/programs/libearly.so
$B/programs-mpich/track_early: $B/programs-mpich/libearly.so
$B/programs/track_early $B/programs-mpich/track_early: PROGRAM_LIBS = -L$(@D) -learly -Wl,-rpath,'$$ORIGIN'
$B/programs/mpit_renumbered: $B/programs/librenumbered.so
$B/programs-mpich/mpit_renumbered: $B/programs-mpich/librenumbered.so
$B/programs/mpit_renumbered $B/programs-mpich/mpit_renumbered: \
	PROGRAM_LIBS = -L$(@D) -Wl,--no-as-needed -lrenumbered -Wl,-rpath,'$$ORIGIN'
$B/programs/track_swapped: $B/programs/libswapped.so
$B/programs-mpich/track_swapped: $B/programs-mpich/libswapped.so
$B/programs/track_swapped $B/programs-mpich/track_swapped: \
	PROGRAM_LIBS = -L$(@D) -Wl,--no-as-needed -lswapped -Wl,-rpath,'$$ORIGIN'

# Preloaded into ranks, whichever MPI they use.
$B/programs/libidle.so: tests/programs/idle/idle.c
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) -std=gnu11 -D_GNU_SOURCE -O1 -g -Wall -Wextra -shared -fPIC -o $@ $< -ldl

# Debian 11's mpifort.openmpi does not find its own data.
FORTRAN_OF = $$(mpifort.$(notdir $(@D)) --version >/dev/null 2>&1 && echo mpifort || echo mpif90).$(notdir $(@D))
fortran_c = tests/programs/fortran/$(if $(findstring track,$(@F)),check,emit).c
fortran_main = tests/programs/fortran/$(if $(findstring track,$(@F)),track_mpi,emit_kinds).F90

$(FORTRAN_PROGRAMS): $(wildcard tests/programs/fortran/*) $(wildcard tests/programs/*.h) | build/.deps-test
	$(call say,MPIFC,$@)
	$(Q)mkdir -p $@.modules
	$(Q)mpicc.$(notdir $(@D)) -std=gnu11 -O1 -g -Wall -Wextra -c $(fortran_c) -o $@.c.o
	$(Q)$(FORTRAN_OF) -ffree-line-length-none -g $(if $(findstring f08,$(@F)),-DF08) \
		$(if $(findstring mpif,$(@F)),-DMPIF -fallow-argument-mismatch -w) -J $@.modules -o $@ $(fortran_main) $@.c.o -ldl

$(CXX_PROGRAMS): $(wildcard tests/programs/cxx/* tests/programs/*.h) | build/.deps-test
	$(call say,MPICXX,$@)
	$(Q)mkdir -p $(@D)
	$(Q)rm -f $@
	$(Q)if echo '#include <mpi.h>' | mpicxx.$(notdir $(@D)) -x c++ -E - | grep '^ *namespace MPI' >/dev/null; then \
		mpicxx.$(notdir $(@D)) -std=gnu++11 -O1 -g -Wall -Wextra -Wno-cast-function-type -o $@ \
			tests/programs/cxx/$(@F).cc; \
	else \
		echo "the $(notdir $(@D)) here has no C++ bindings" >$@; \
	fi

endif
