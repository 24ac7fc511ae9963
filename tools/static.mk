# SPDX-License-Identifier: BSD-3-Clause
# make static: the command with the plugin and all layout packs in one file that needs no library, to be copied to machines where nothing
# can be installed. make tarball: this file, the in-target libraries, the GDB scripts and the documents, below one directory.

build/.deps-static: DEPS = static
build/.deps-static: tools/deps | build/.deps
	$(Q)mkdir -p build
	$(if $(filter 0,$(INSTALL_DEPS)),,$(Q)tools/deps $(DEPS))
	$(Q)touch $@

# Files that load shared libraries otherwise (MPIDBG_STATIC).
STATIC_SRC := host/plugin.c host/demangle.c host/unwind.c host/live.c
STATIC_OWN := $(STATIC_SRC:%.c=$B/static/%.o)
# libdwarf and libdw define functions of the same names: libdwarf's are made local to one object, together with the files that call them.
DWARF_SRC := host/dwarf_file.c host/dwarf_type.c
STATIC_OBJ := $B/obj/cli/main.o $(CLI_OBJ) $(filter-out $(STATIC_SRC:%.c=$B/obj/%.o) $(DWARF_SRC:%.c=$B/obj/%.o),$(HOST_OBJ)) \
	$(PLUGIN_OBJ) $(STATIC_OWN) $B/static/dwarf.o
# A static library without a pkg-config file, or whose own names too little.
STATIC_LIBS = -ldw -lelf -ljansson $(or $(shell $(PKG_CONFIG) --static --libs ncursesw 2>/dev/null),-lncursesw -ltinfo) \
	-llzma -lbz2 $(if $(wildcard $(SYSROOT)/usr/lib/*/libzstd.a),-lzstd) -lz -lpthread

# The compiler for another machine has none of its own, unless that for C++ is installed, too.
SUPCXX := $(or $(if $(CROSS),$(lastword $(wildcard $(SYSROOT)/usr/lib/gcc/$(CROSS)/*/libsupc++.a))),-l:libsupc++.a)

$B/static/%.o: %.c | build/.deps-static
	$(call say,CC,$< (static))
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -DMPIDBG_STATIC -fvisibility=hidden -c $< -o $@

$B/static/dwarf.o: $(DWARF_SRC:%.c=$B/obj/%.o) | build/.deps-static
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) -r -nostdlib -o $@ $^ -l:libdwarf.a
	$(Q)$(CROSS_PREFIX)objcopy --wildcard --keep-global-symbol='host_*' $@

# Without names of functions and lines of its own: 40 MB otherwise. The unwinder needs its .eh_frame only.
$B/mpidbg-static: $(STATIC_OBJ)
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -static -s -Wl,--gc-sections -Wl,--wrap=dlopen -o $@ $^ $(STATIC_LIBS) $(SUPCXX)

.PHONY: static
static: $B/mpidbg-static ## the command in one file that runs on any Linux of this machine: build/mpidbg-static
-include $(wildcard $B/static/host/*.d)

# Nothing of the C library of the system that builds it is needed by the command and the starter. Not stripped: debuggers look up
# MPI2DD_info in it.
$B/static/mpi2dd-run: $(RUN_OBJ) | build/.deps-static
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -static -o $@ $(RUN_OBJ) -lelf $(if $(wildcard $(SYSROOT)/usr/lib/*/libzstd.a),-lzstd) -lz

RELEASE := mpidbg-$(VERSION)-$(MACHINE)
.PHONY: tarball
tarball: static $B/static/mpi2dd-run ## build/mpidbg-VERSION-MACHINE.tar.gz, to be unpacked anywhere
	$(Q)rm -rf $B/tarball
	$(Q)+$(MAKE) --no-print-directory install DESTDIR=$(abspath $B/tarball) >/dev/null
	$(Q)install -m 755 $B/mpidbg-static $B/tarball$(PREFIX)/bin/mpidbg
	$(Q)install -m 755 $B/static/mpi2dd-run $B/tarball$(PREFIX)/bin/mpi2dd-run
	$(Q)rm -r $B/tarball$(PREFIX)/lib/pkgconfig
	$(Q)mv $B/tarball$(PREFIX) $B/tarball/$(RELEASE)
	$(Q)tar -C $B/tarball --owner=0 --group=0 --sort=name -czf $B/$(RELEASE).tar.gz $(RELEASE)
	@ls $B/$(RELEASE).tar.gz
