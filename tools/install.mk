# SPDX-License-Identifier: BSD-3-Clause
# make install: PREFIX (default /usr/local) is compiled in, DESTDIR stands before it while packages are made.

GDB_SCRIPTS := $(patsubst gdb-scripts/%,%,$(wildcard gdb-scripts/mpidbg_gdb/*.py))
# What mpidbg layout make --source needs.
SITE_FILES := make_site_pack probe.c vendor_rows witness_rows
LAYOUT_DIR := $(DESTDIR)$(PREFIX)/share/mpidbg/layouts
# Every file that make install writes, so that make uninstall takes away the same.
SUBCOMMANDS := $(shell sed -n 's/^\t{ "\([a-z]*\)", cmd_.*/\1/p' cli/main.c)
PAGES := $(SUBCOMMANDS:%=$B/man/mpidbg-%.1)
COMPLETIONS := $B/completions/mpidbg $B/completions/_mpidbg
INSTALLED := $(addprefix $(PREFIX)/share/man/man1/,$(notdir $(PAGES))) $(PREFIX)/share/bash-completion/completions/mpidbg \
	$(PREFIX)/share/zsh/site-functions/_mpidbg $(PREFIX)/lib/libmpidbg.so $(PREFIX)/bin/mpidbg $(PREFIX)/include/mpidbg/mqs.h \
	$(PREFIX)/include/mpidbg/mpidbg.h $(PREFIX)/include/mpidbg/mpidbg_jobs.h $(PREFIX)/include/mpidbg/mpidbg_vars.h $(addprefix $(PREFIX)/share/mpidbg/layouts/,$(notdir $(PACKS))) \
	$(addprefix $(PREFIX)/share/mpidbg/openmpi/,$(SITE_FILES) schema_rows) \
	$(PREFIX)/share/man/man1/mpidbg.1 $(PREFIX)/lib/pkgconfig/mpidbg.pc \
	$(addprefix $(PREFIX)/lib/,$(notdir $(M2D_LIBS))) $(PREFIX)/bin/mpi2dd-run $(PREFIX)/include/mpidbg/mpi2dd.h \
	$(PREFIX)/share/man/man1/mpi2dd-run.1 $(PREFIX)/include/mpidbg/mpi2dd_mpit.h \
	$(addprefix $(PREFIX)/share/mpidbg/gdb/,mpidbg.py $(GDB_SCRIPTS)) \
	$(patsubst %,$(PREFIX)/lib/%-gdb.py,$(notdir $(M2D_LIBS)))

# The prefix is part of the binaries; when it changes they are built again.
$B/prefix: FORCE
	$(Q)mkdir -p $(@D)
	$(Q)echo '$(PREFIX)' | cmp -s - $@ || echo '$(PREFIX)' > $@
.PHONY: FORCE
FORCE:
# The sources that use MPIDBG_PREFIX.
PREFIX_OBJ := $(patsubst %.c,$B/obj/%.o,$(shell grep -l MPIDBG_PREFIX $(COMPONENT_SRC) $(RUN_SRC) /dev/null)) \
	$(foreach f,$(FLAVOURS),$(patsubst %.c,$B/obj-$(f)/%.o,$(shell grep -l MPIDBG_PREFIX $(M2D_SRC) /dev/null)))
$(PREFIX_OBJ): $B/prefix

$B/mpidbg.pc: mpidbg.pc.in $B/prefix
	$(Q)sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(VERSION)|' $< > $@

$B/gen/schema_rows: readers/openmpi/schema.def tools/schema_rows
	$(Q)mkdir -p $(@D)
	$(Q)tools/schema_rows --optional $< > $@

# Made by the command from the table of its own --help.
$(PAGES): $B/man/mpidbg-%.1: $(COMMAND)
	$(Q)mkdir -p $(@D)
	$(Q)$(COMMAND) help --man $* > $@
$B/completions/mpidbg $B/completions/_mpidbg: $(COMMAND)
	$(Q)mkdir -p $(@D)
	$(Q)$(COMMAND) help --$(if $(filter _%,$(@F)),zsh,bash) > $@

.PHONY: install uninstall
install: build $(PAGES) $(COMPLETIONS) $B/mpidbg.pc $B/gen/schema_rows ## install to $(DESTDIR)$(PREFIX)
	install -d $(sort $(addprefix $(DESTDIR),$(dir $(INSTALLED))))
	install -m 755 $(PLUGIN) $(DESTDIR)$(PREFIX)/lib/libmpidbg.so
	install -m 755 $(COMMAND) $(DESTDIR)$(PREFIX)/bin/mpidbg
	install -m 755 $(M2D_LIBS) $(DESTDIR)$(PREFIX)/lib/
	install -m 755 $B/mpi2dd-run $(DESTDIR)$(PREFIX)/bin/mpi2dd-run
	install -m 644 include/mqs.h include/mpidbg.h include/mpidbg_jobs.h include/mpidbg_vars.h include/mpi2dd.h include/mpi2dd_mpit.h $(DESTDIR)$(PREFIX)/include/mpidbg/
	install -m 644 $(PACKS) $(LAYOUT_DIR)/
	install -m 644 $(addprefix layouts/openmpi/,$(filter-out make_site_pack,$(SITE_FILES))) $B/gen/schema_rows $(DESTDIR)$(PREFIX)/share/mpidbg/openmpi/
	install -m 755 layouts/openmpi/make_site_pack $(DESTDIR)$(PREFIX)/share/mpidbg/openmpi/
	install -m 644 gdb-scripts/mpidbg.py $(DESTDIR)$(PREFIX)/share/mpidbg/gdb/
	install -m 644 $(addprefix gdb-scripts/,$(GDB_SCRIPTS)) $(DESTDIR)$(PREFIX)/share/mpidbg/gdb/mpidbg_gdb/
	$(foreach l,$(notdir $(M2D_LIBS)),install -m 644 gdb-scripts/autoload.py $(DESTDIR)$(PREFIX)/lib/$(l)-gdb.py &&) true
	install -m 644 docs/mpidbg.1 docs/mpi2dd-run.1 $(DESTDIR)$(PREFIX)/share/man/man1/
	install -m 644 $(PAGES) $(DESTDIR)$(PREFIX)/share/man/man1/
	install -m 644 $B/completions/mpidbg $(DESTDIR)$(PREFIX)/share/bash-completion/completions/
	install -m 644 $B/completions/_mpidbg $(DESTDIR)$(PREFIX)/share/zsh/site-functions/
	install -m 644 $B/mpidbg.pc $(DESTDIR)$(PREFIX)/lib/pkgconfig/mpidbg.pc

# Folders that are empty now go, too, but not those of a prefix that belongs to the system.
uninstall: ## remove what make install wrote
	rm -f $(addprefix $(DESTDIR),$(INSTALLED))
	rm -rf $(DESTDIR)$(PREFIX)/share/mpidbg/gdb/mpidbg_gdb/__pycache__ $(DESTDIR)$(PREFIX)/share/mpidbg/gdb/__pycache__
	-rmdir $(DESTDIR)$(PREFIX)/include/mpidbg $(LAYOUT_DIR) $(DESTDIR)$(PREFIX)/share/mpidbg/openmpi $(DESTDIR)$(PREFIX)/share/mpidbg/gdb/mpidbg_gdb \
		$(DESTDIR)$(PREFIX)/share/mpidbg/gdb $(DESTDIR)$(PREFIX)/share/mpidbg 2>/dev/null
	$(if $(filter /usr /usr/local,$(PREFIX)),,-rmdir $(addprefix $(DESTDIR)$(PREFIX)/,share/man/man1 share/man \
		share/bash-completion/completions share/bash-completion share/zsh/site-functions share/zsh share \
		lib/pkgconfig lib include bin) $(DESTDIR)$(PREFIX) 2>/dev/null)
