# SPDX-License-Identifier: BSD-3-Clause
# The in-target library, one per MPI and one for the standard ABI, from the same sources; and the starter.
# They run inside programs that nobody sanitizes: SAN= leaves them alone. For tests of their own there are sanitized
# ones in folders apart (tests/sanitized/sanitized.mk).

# A site without one of the two names the other: FLAVOURS=openmpi MPICC_openmpi=mpicc.
FLAVOURS ?= openmpi mpich
# That of the standard ABI of MPI 5 needs no MPI to build: mpi2dd/abi has the facts of its header.
M2D_FLAVOURS := $(FLAVOURS) abi
MPICC_abi = $(CC) -Impi2dd/abi
MPICC_openmpi ?= mpicc.openmpi
MPICC_mpich ?= mpicc.mpich
M2D_SRC := $(foreach d,calls tables tracker mpit,$(wildcard mpi2dd/$(d)/*.c))
M2D_CFLAGS := -std=gnu11 -D_GNU_SOURCE -DMPIDBG_VERSION='"$(VERSION)"' -DMPIDBG_PREFIX='"$(PREFIX)"' $(WARN) \
	$(CFLAGS) -MMD -MP -fPIC -fvisibility=hidden -fexceptions -fno-omit-frame-pointer -include mpi2dd/old_glibc.h
M2D_LIBS := $(M2D_FLAVOURS:%=$B/libmpi2dd-%.so)
RUN_SRC := $(wildcard mpi2dd/run/*.c)
RUN_OBJ := $(RUN_SRC:%.c=$B/obj/%.o) $(patsubst %,$B/obj/mpi2dd/tables/%.o,settings text random)

# Before glibc 2.34 these have functions that are now in libc.so.6 (old_glibc.h).
OLD_LIBS := $(foreach l,libpthread.so.0 libdl.so.2,-l:$(l))

# The library is not linked with an MPI: it loads into any program, and finds the MPI that is there.
# $(1) flavour, $(2) build folder, $(3) more words for the compiler
define m2d_objects
$(2)/obj-$(1)/%.o: %.c | build/.deps
	$$(call say,CC,$$< ($(1)))
	$$(Q)mkdir -p $$(@D)
	$$(Q)$(if $(CROSS),,OMPI_CC=$$(CC) MPICH_CC=$$(CC) )$$(MPICC_$(1)) $$(M2D_CFLAGS) $(3) $$(LESS) -c $$< -o $$@

$(2)/obj-$(1)/mpi2dd/tables/info.o: $B/prefix

-include $$(M2D_SRC:%.c=$(2)/obj-$(1)/%.d)
endef
define m2d_library
$(2)/libmpi2dd-$(1).so: $$(M2D_SRC:%.c=$(2)/obj-$(1)/%.o) mpi2dd/exports.map
	$$(call say,LD,$$@)
	$$(Q)$$(CC) $$(CFLAGS) $$(LDFLAGS) $(3) -shared -Wl,-soname,libmpi2dd-$(1).so -Wl,--version-script=mpi2dd/exports.map \
		-Wl,-z,nodelete -o $$@ $$(filter %.o,$$^) -Wl,--no-as-needed $(OLD_LIBS)
endef
# A few of the objects are linked into unit tests, sanitized ones too; the libraries of a sanitized build are the plain ones.
$(foreach f,$(M2D_FLAVOURS),$(eval $(call m2d_objects,$(f),$B)))
ifeq ($(SAN),)
$(foreach f,$(M2D_FLAVOURS),$(eval $(call m2d_library,$(f),$B)))
endif

# The wrappers know where their return address is without a frame pointer: a register less to save in each call. What they
# put on the stack for the call is taken off with the rest, not popped (an option of gcc's for x86-64).
%/mpi2dd/calls/wrap.o: M2D_CFLAGS += -fomit-frame-pointer -fno-plt \
	$(if $(filter x86_64,$(MACHINE)),$(if $(findstring clang,$(CC)),,-maccumulate-outgoing-args))

# -rdynamic: MPI2DD_info and MPI2DD_breakpoint are there for a debugger also when it is stripped.
$B/mpi2dd-run: $(RUN_OBJ)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -rdynamic -o $@ $^ -lelf

# Its parts, and the library's side of its protocol, for the unit tests.
$B/librun.a: $(filter-out %/main.o,$(RUN_OBJ)) $B/obj/mpi2dd/tables/starter.o \
		$B/obj/mpi2dd/tables/connection.o
	$(Q)rm -f $@ && ar rcs $@ $^

# Parts of the library that need no MPI, for unit tests of theirs.
$B/tests/unit/check_mpi2dd_publish: $(patsubst %,$B/obj/mpi2dd/tables/%.o,directory alloc_permanent)
$B/tests/unit/check_request_table: $B/obj/mpi2dd/tracker/request_table.o
$B/tests/unit/check_mpi2dd_launch: $B/obj-openmpi/mpi2dd/tables/launch.o \
	$B/obj/mpi2dd/tables/message.o

.PHONY: mpi2dd
mpi2dd: $(M2D_LIBS) $(if $(RUN_SRC),$B/mpi2dd-run) ## build the in-target libraries and the starter
