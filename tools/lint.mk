# SPDX-License-Identifier: BSD-3-Clause
# make lint: all static checks of the source. Each check leaves a file below $B/lint, so that only
# changed files are checked again. make format rewrites the sources.

# A separate build in which warnings are errors (with WERROR=1 the normal build is used); the results for a file are
# next to its object. DEEP=1: clang's analyzer follows more paths of a function; takes several times as long.
.PHONY: lint
lint: build/.deps-lint ## warnings as errors, static analysis, layers, symbols, format (first run: about three minutes)
	$(Q)+$(MAKE) --no-print-directory B=$(if $(WERROR),$B,$B/lint) WERROR=1 SAN= -k -Otarget \
		$(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(shell nproc)) lint-all
	@echo "lint: no findings"

COMPONENT_SRC := $(PLUGIN_SRC) $(HOST_SRC) $(CLI_SRC)
LINT_C := $(COMPONENT_SRC) $(RUN_SRC) $(wildcard layouts/tool/*.c) $(TEST_SRC) $(wildcard tests/support/*.c) $(wildcard fuzz/*.c)
# Programs that include mpi.h, and programs without MPI that belong to a test or benchmark.
LINT_MPI := $(PROGRAM_SRC) $(wildcard bench/*.c) $(M2D_SRC)
FORMAT_SRC := $(wildcard $(foreach d,$(PLUGIN_DIRS) include host cli verdict report mpi2dd/run mpi2dd/abi mpi2dd/tables mpi2dd/calls mpi2dd/tracker mpi2dd/mpit fuzz bench tests/unit tests/conformance tests/live \
	examples tests/support tests/programs tests/cores tests/gdb layouts/openmpi layouts/tool,$(d)/*.c $(d)/*.h))

CLANG_FLAGS := -std=gnu11 -D_GNU_SOURCE -DMPIDBG_VERSION='"$(VERSION)"' -DMPIDBG_PREFIX='"$(PREFIX)"' -fvisibility=hidden
CLANG_WARN := -Wall -Wextra -Wno-missing-field-initializers -Wno-gnu-variable-sized-type-not-at-end -Wcomma \
	-Wduplicate-enum -Wenum-conversion -Wformat=2 -Wno-format-nonliteral -Widiomatic-parentheses -Wimplicit-fallthrough \
	-Wloop-analysis -Wmissing-prototypes -Wnull-pointer-arithmetic -Wpointer-arith -Wshadow-all -Wshift-sign-overflow \
	-Wstatic-in-inline -Wstrict-prototypes -Wtautological-compare -Wundef -Wno-unknown-warning-option \
	-Wunreachable-code -Wvla -Wwrite-strings
# The analyzer's steps for a function. More steps repeat the same code on other paths: with 50000 the six slowest files of the
# product take twice the time, and the same 97 of 100 blocks of code are visited (clang's debug.Stats).
analyzer_nodes = $(if $(filter tests/% fuzz/%,$<),10000,25000)
TIDY_FLAGS = $(if $(DEEP),,$(addprefix -Xclang ,-analyzer-config max-nodes=$(analyzer_nodes)))
# The MPI header that the compiler wrapper finds; it is not checked.
MPI_INCLUDE = $(patsubst -I%,-isystem %,$(filter -I%,$(shell mpicc.openmpi --showme:compile)))

LINT_DONE := $(LINT_C:%=$B/done/%.gcc) $(LINT_C:%=$B/done/%.tidy) \
	$(LINT_C:%=$B/done/%.cppcheck) $(LINT_MPI:%=$B/done/%.mpi) $B/done/format

# Files with code for each processor: compiled for the other one, too, with the headers of this machine but those of its C library.
LINT_CROSS := $(shell grep -lE '__aarch64__|EM_AARCH64|access/aarch64.h' $(COMPONENT_SRC) $(M2D_SRC)) access/aarch64.c

.PHONY: lint-all lint-layers lint-text lint-shell lint-headers lint-symbols lint-cycles lint-mutants lint-cross
lint-all: lint-layers lint-text lint-shell lint-headers lint-symbols lint-cycles lint-mutants lint-cross $(LINT_DONE)

lint-layers:
	$(Q)tools/check_layers
lint-text:
	$(Q)tools/lint_text
lint-shell:
	$(Q)tools/lint_shell
lint-headers:
	$(Q)tools/check_headers
# The patch of every mutant still applies.
lint-mutants:
	$(Q)for p in tests/mutants/*.patch; do git apply --check $$p || { echo "$$p: does not apply: create it again"; exit 1; }; done
lint-symbols: $(PLUGIN) $(COMMAND) $(M2D_LIBS)
	$(Q)tools/check_symbols $< $(M2D_LIBS)
	$(Q)! nm -D --defined-only $(COMMAND) | grep ' dwarf_' || { echo "$(COMMAND): libdw would call these functions of libdwarf"; exit 1; }
lint-cycles: $(PLUGIN_OBJ) $(HOST_OBJ) $(CLI_OBJ) $(RUN_OBJ) $(foreach mpi,openmpi mpich abi,$(M2D_SRC:%.c=$B/obj-$(mpi)/%.o))
	$(Q)tools/check_cycles plugin $(PLUGIN_OBJ)
	$(Q)tools/check_cycles command $(HOST_OBJ) $(CLI_OBJ)
	$(Q)tools/check_cycles starter $(RUN_OBJ)
	$(Q)tools/check_cycles mpi2dd-openmpi $(M2D_SRC:%.c=$B/obj-openmpi/%.o)
	$(Q)tools/check_cycles mpi2dd-mpich $(M2D_SRC:%.c=$B/obj-mpich/%.o)
	$(Q)tools/check_cycles mpi2dd-abi $(M2D_SRC:%.c=$B/obj-abi/%.o)

lint-cross: $(LINT_CROSS:%=$B/done/%.cross)
$B/done/%.c.cross: %.c $(wildcard access/*.h host/*.h mpi2dd/*.h mpi2dd/calls/*.h) | build/.deps-lint
	$(call say,CROSS,$<)
	$(Q)mkdir -p $(@D) && aarch64-linux-gnu-gcc $(CLANG_FLAGS) $(WARN) -Werror -O1 -fPIC -idirafter /usr/include $(MPI_INCLUDE) -c -o /dev/null $< && \
		touch $@

# The object is made by the ordinary rule, with -Werror; its list of headers invalidates the results.
$B/done/%.c.gcc: $B/obj/%.o
	$(Q)mkdir -p $(@D) && touch $@
# clang's warnings are among the findings of clang-tidy (clang-diagnostic-*).
$B/done/%.c.tidy: %.c $B/obj/%.o .clang-tidy
	$(call say,TIDY,$<)
	$(Q)mkdir -p $(@D) && clang-tidy --quiet $< -- $(CLANG_FLAGS) $(CLANG_WARN) $(TIDY_FLAGS) > $@.log 2>&1 || { grep -vE '^[0-9]+ warnings' $@.log; false; }
	$(Q)touch $@
$B/done/%.c.cppcheck: %.c $B/obj/%.o tools/cppcheck.suppress
	$(Q)mkdir -p $(@D) && cppcheck --quiet --std=c11 --enable=warning,portability --inline-suppr --error-exitcode=1 \
		--suppressions-list=tools/cppcheck.suppress -D__GNUC__ -D__x86_64__ -DMPIDBG_VERSION='"0"' \
		-DMPIDBG_PREFIX='"/"' $< && touch $@
# Compiled with the headers of a configured source of MPICH only (layouts/mpich/make_release_pack).
$(foreach c,gcc tidy cppcheck,$B/done/layouts/mpich/probe.c.$c): ;
$B/done/tests/programs/waits.c.mpi: private CLANG_FLAGS += -fopenmp
$B/done/%.c.mpi: %.c | build/.deps-lint
	$(call say,MPI,$<)
	$(Q)mkdir -p $(@D) && $(CC) $(CLANG_FLAGS) $(WARN) -O1 $(MPI_INCLUDE) -fsyntax-only $< && \
		clang $(CLANG_FLAGS) $(CLANG_WARN) -Werror $(MPI_INCLUDE) -fsyntax-only $< && touch $@
# One process for all changed files: it takes longer to start than to read a file.
$B/done/format: $(FORMAT_SRC) .clang-format
	$(Q)mkdir -p $(@D) && clang-format --dry-run -Werror $(if $(filter .clang-format,$?),$(FORMAT_SRC),$?) && touch $@

.PHONY: format
format: build/.deps-lint ## format the C sources with clang-format, the Python files with black
	clang-format -i $(FORMAT_SRC)
	tools/lint_shell --format
