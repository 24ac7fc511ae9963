# SPDX-License-Identifier: BSD-3-Clause
# make help lists the targets. V=1 shows the commands. SAN=asan,ubsan (or tsan) builds with sanitizers, in a separate directory.
# CROSS=aarch64-linux-gnu builds for another machine (tools/cross.mk).

.DEFAULT_GOAL := build
MAKEFLAGS += --no-builtin-rules
# All processors, unless -j says otherwise. Several goals (make format lint check) are made one after the other.
ifeq ($(MAKELEVEL)$(filter -j%,$(MAKEFLAGS))$(word 2,$(MAKECMDGOALS)),0)
MAKEFLAGS += -j$(shell nproc)
endif
.SUFFIXES:
.DELETE_ON_ERROR:

VERSION := 0.1.0
PREFIX ?= /usr/local
DESTDIR ?=
V ?= 0
Q := $(if $(filter 1,$(V)),,@)
say = $(if $(filter 1,$(V)),,@printf '  %-6s %s\n' '$(1)' '$(2)')

CC := gcc
SAN ?=
comma := ,
B := build$(if $(CROSS),/$(CROSS))$(if $(SAN),/san-$(subst $(comma),-,$(SAN)))
include tools/cross.mk
SAN_FLAGS := $(if $(findstring asan,$(SAN)),-fsanitize=address -fno-omit-frame-pointer) \
	$(if $(findstring ubsan,$(SAN)),-fsanitize=undefined -fno-sanitize-recover=undefined) \
	$(if $(findstring tsan,$(SAN)),-fsanitize=thread)
WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wwrite-strings \
	-Wvla -Wundef -Wno-missing-field-initializers $(if $(WERROR),-Werror)
# gcc takes two thirds more for a sanitized file with -O1 than with -Og, and the tests need 7 % less processor time.
CFLAGS ?= $(if $(SAN),-Og,-O2) -g
LDFLAGS ?=
ALL_CFLAGS := -std=gnu11 -D_GNU_SOURCE -DMPIDBG_VERSION='"$(VERSION)"' -DMPIDBG_PREFIX='"$(PREFIX)"' $(WARN) $(CFLAGS) \
	$(SAN_FLAGS) -MMD -MP

# ---- sources: a directory is a component; its files are found by name ------------------
PLUGIN_DIRS := access functions model readers readers/openmpi readers/mpich readers/ucx readers/tracked readers/jobs readers/python mqs mpidbg render
PLUGIN_SRC := $(foreach d,$(PLUGIN_DIRS),$(wildcard $(d)/*.c))
HOST_SRC := $(wildcard host/*.c)
CLI_SRC := $(wildcard cli/*.c) $(wildcard waits/*.c) $(wildcard verdict/*.c) $(wildcard report/*.c) $(wildcard hosts/*.c)
# Layout packs, each plain or as changes of another one (layouts/tool/changes.h); the build expands them.
PACK_SRC := $(wildcard layouts/*/*.layout layouts/*/*.changes)
PACKS := $(sort $(patsubst %,$B/%.layout,$(basename $(PACK_SRC))))

PLUGIN_OBJ := $(PLUGIN_SRC:%.c=$B/obj/%.o) $B/obj/gen/packs.o
HOST_OBJ := $(HOST_SRC:%.c=$B/obj/%.o)
CLI_OBJ := $(filter-out $B/obj/cli/main.o,$(CLI_SRC:%.c=$B/obj/%.o))
# shared by host/, cli/ and verdict/ with the plugin: instructions, the reader of layout packs, the quoting of texts, the table of MPI functions
SHARED_OBJ := $B/obj/access/aarch64.o $B/obj/access/pack.o $B/obj/access/pack_find.o $B/obj/access/quote.o $B/obj/access/rc.o \
	$B/obj/functions/functions.o $B/obj/gen/packs.o

PLUGIN := $B/libmpidbg.so
COMMAND := $B/mpidbg
# libdwarf and libdw both define dwarf_attr() and more: libdwarf is linked statically and its symbols are hidden, so that
# libdw calls its own.
# Its pkg-config file names what later versions need, and that of ncurses in which library the terminal functions are. Queried
# at link time, because they may be installed during the build.
CLI_LIBS = -Wl,--exclude-libs,libdwarf.a -l:libdwarf.a -ldw -lelf -ljansson \
	$(or $(shell $(PKG_CONFIG) --libs ncursesw 2>/dev/null),-lncursesw -ltinfo) -lz -ldl -lpthread \
	$(filter-out -L% -ldwarf -lz,$(shell $(PKG_CONFIG) --static --libs libdwarf 2>/dev/null))

.PHONY: build
build: $(PLUGIN) $(COMMAND) mpi2dd ## build the plugin, the command, the in-target libraries, the starter (the default)

# Packages are installed by the first command that needs them; these files record it. Sequential, because apt has a lock.
# INSTALL_DEPS=0: packages are installed by other means (package builders, Spack).
build/.deps: DEPS = build
build/.deps-test: DEPS = test
build/.deps-lint: DEPS = lint
build/.deps-test: | build/.deps
build/.deps-lint: | build/.deps-test
build/.deps build/.deps-test build/.deps-lint: tools/deps
	$(Q)mkdir -p build
	$(if $(filter 0,$(INSTALL_DEPS)),,$(Q)FLAVOURS='$(FLAVOURS)' MPICC_openmpi='$(MPICC_openmpi)' MPICC_mpich='$(MPICC_mpich)' \
		CC='$(CC)' tools/deps $(DEPS))
	$(Q)touch $@

$B/obj/%.o: %.c | build/.deps
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -fPIC -fvisibility=hidden -c $< -o $@

# A program that the build runs. BUILD_CC: the compiler for this machine, where CC is one for another.
BUILD_CC ?= $(CC)
PACK_TOOL := $B/layout-packs
PACK_TOOL_SRC := $(wildcard layouts/tool/*.c) access/pack.c access/rc.c access/quote.c
$(PACK_TOOL): $(PACK_TOOL_SRC) $(wildcard layouts/tool/*.h) access/pack.h access/rc.h access/quote.h | build/.deps
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(BUILD_CC) -std=gnu11 -D_GNU_SOURCE $(WARN) -O1 -o $@ $(PACK_TOOL_SRC)

$B/layouts/.expanded: $(PACK_TOOL) $(PACK_SRC)
	$(call say,GEN,$(@D))
	$(Q)rm -rf $(@D) && mkdir -p $(sort $(dir $(PACKS)))
	$(Q)for folder in $(sort $(patsubst $B/%/,%,$(dir $(PACKS)))); do $(PACK_TOOL) expand $$folder $B/$$folder || exit 1; done
	$(Q)touch $@
$(PACKS): $B/layouts/.expanded ;

$B/gen/packs.c: $(PACKS)
	$(call say,GEN,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(PACK_TOOL) embed $(PACKS) > $@

$B/obj/gen/packs.o: $B/gen/packs.c | build/.deps
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -I. -fPIC -fvisibility=hidden -c $< -o $@

$(PLUGIN): $(PLUGIN_OBJ) mqs/exports.map
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -shared -Wl,-soname,libmpidbg.so -Wl,--version-script=mqs/exports.map \
		$(if $(SAN),,-Wl$(comma)-z$(comma)defs) -o $@ $(PLUGIN_OBJ)

$(COMMAND): $B/obj/cli/main.o $(CLI_OBJ) $(HOST_OBJ) $(SHARED_OBJ)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(CLI_LIBS)

# ---- tests ---------------------------------------------------------------------------------------
# GDB is not sanitized, and hangs with a sanitizer in its process: tests that load the plugin into GDB run only unsanitized. So do
# tests of the in-target library only: it is sanitized only for live/check_track_sanitized. Others test make and tools/.
PLAIN_ONLY := $(addprefix tests/,unit/check_deps.c unit/check_install.c unit/check_lint.c unit/check_pack_changes.c \
	unit/check_random_mutants.c unit/check_run_tests.c gdb/check_gdb_commands.c gdb/check_gdb_editors.c \
	gdb/check_gdb_tracked.c gdb/check_gdb_sessions.c \
	$(addprefix live/check_,$(addsuffix .c,mpi2dd_connect mpi2dd_events mpi2dd_load mpi2dd_settings mpi2dd_spawn \
	mpit_rules mpit_stages track_calls track_neutral track_objects track_programs track_requests)))
# ONLY="unit live/check_plugin": a directory of tests, or one program
# Of the standard ABI: a test that exists only where both MPIs have a library of it.
ABI_LIBRARIES := $(wildcard $(foreach m,openmpi mpich,/usr/lib/*/libmpi_abi_$m.so.1.0.0))
ABI_LIBRARIES := $(if $(word 2,$(ABI_LIBRARIES)),$(ABI_LIBRARIES))
ABI_HEADER := $(firstword $(wildcard /usr/lib/*/mpich/include/mpi_abi.h /usr/lib/*/openmpi/include/standard_abi/mpi.h))
ABI_ONLY := $(if $(ABI_LIBRARIES),,tests/live/check_abi.c)
# A test of the launcher of Open MPI 5.
PMIX_ONLY := $(if $(shell command -v prterun),,tests/live/check_pmix.c) $(if $(wildcard /usr/lib/*/pmix2/include),,tests/unit/check_hosts_pmix.c)
ALL_TEST_SRC := $(filter-out $(ABI_ONLY) $(PMIX_ONLY) $(if $(SAN),$(PLAIN_ONLY)),$(wildcard tests/*/check_*.c))
TEST_SRC := $(if $(ONLY),$(foreach o,$(ONLY),$(or $(filter tests/$o.c tests/$o/%,$(ALL_TEST_SRC)),\
	$(error ONLY: tests/ has no folder or program "$o"$(if $(SAN), that is run sanitized); unit and live/check_plugin are\
	such))),$(ALL_TEST_SRC))
# The longest tests are started first, so that the others run in parallel; WAITING use less than a fifth of a processor, and one of
# them runs beside the others.
LONG := $(patsubst %,tests/%.c,live/check_deadlock live/check_random gdb/check_gdb_sessions live/check_track_sanitized live/check_waits \
	live/check_no_deadlock unit/check_mpich_damage unit/check_losses live/check_queues_pml_ucx live/check_objects live/check_answers \
	live/check_track_requests live/check_ranks_end gdb/check_gdb_commands live/check_objects_bare live/check_queues_mpich \
	live/check_origins live/check_stopped live/check_mpit_rules live/check_queues_blocked live/check_request_orphans)
WAITING := $(patsubst %,tests/%.c,live/check_mpi2dd_hang live/check_cluster live/check_track_programs live/check_mpi2dd_run \
	unit/check_hosts_gather live/check_track_calls unit/check_run_hub live/check_track_neutral live/check_watch live/check_top \
	live/check_mpi2dd_connect live/check_mpi2dd_spawn live/check_uninterruptible live/check_job live/check_mpi2dd_run_signals \
	live/check_ends)
TEST_RUN := $(filter $(TEST_SRC),$(LONG)) $(filter-out $(LONG) $(WAITING),$(TEST_SRC))
TEST_WAITING := $(filter $(TEST_SRC),$(WAITING))
TEST_BIN := $(patsubst tests/%.c,$B/tests/%,$(TEST_RUN) $(TEST_WAITING))
TEST_SUPPORT_OBJ := $(patsubst %.c,$B/obj/%.o,$(wildcard tests/support/*.c))

$(TEST_SRC:%.c=$B/obj/%.o) $(TEST_SUPPORT_OBJ): | build/.deps-test
# To optimize the test programs takes longer than it saves; tests/support is what their loops run, and is optimized. With WERROR they
# are optimized as well, because gcc then finds more to warn of.
$(ALL_TEST_SRC:%.c=$B/obj/%.o): private ALL_CFLAGS += $(if $(SAN)$(WERROR)$(filter-out file,$(origin CFLAGS)),,-O0)
# Headers of PMIx come with those of Open MPI.
$B/obj/tests/unit/check_hosts_pmix.o: private ALL_CFLAGS += $(patsubst %,-isystem %,$(firstword $(wildcard /usr/lib/*/pmix2/include)))
# A thread in vfork() has no frame pointer that can be read: its callers must do without (test_uninterruptible).
$B/obj/tests/live/check_host_live.o: private ALL_CFLAGS += -O2

$B/libplugin.a: $(PLUGIN_OBJ)
	$(Q)rm -f $@ && ar rcs $@ $^
$B/libhost.a: $(HOST_OBJ) $(CLI_OBJ)
	$(Q)rm -f $@ && ar rcs $@ $^
$B/libsupport.a: $(TEST_SUPPORT_OBJ)
	$(Q)rm -f $@ && ar rcs $@ $^

$B/tests/%: $B/obj/tests/%.o $B/libsupport.a $B/libhost.a $B/libplugin.a $B/librun.a
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -Wl,--wrap=_mark_point -o $@ $(filter %.o %.a,$^) -lcheck -lsubunit -lrt -lm -lpthread $(CLI_LIBS)

# They copy the static command.
$B/tests/live/check_static $B/tests/live/check_cluster: | $B/mpidbg-static

.PHONY: check check-build check-all check-mutants
check-build: build $(TEST_BIN) programs ## build what make check runs

check: check-build ## run every test; SAN=asan,ubsan runs them sanitized, ONLY="unit gdb" selects tests
	$(Q)tools/run_tests $B $(TEST_RUN:tests/%.c=$B/tests/%) --waiting $(TEST_WAITING:tests/%.c=$B/tests/%)

# make check uses every third or fourth point of fault loops, this uses all of them (tests/support/suite.h).
check-all: export CHECK_ALL := 1
check-all: check ## make check with every point of the exhaustive loops; prints its time

check-mutants: check-build ## plant each fault of tests/mutants, which a test must detect (FAULT=NAME: one; RANDOM=200: random ones, IN=verdict: in it)
	$(Q)tools/run_mutants $B $(if $(filter command%,$(origin RANDOM)),--random $(RANDOM) $(or $(SEED),$(shell date +%Y%m%d)) $(ONLY),$(FAULT))

.PHONY: clean
clean: ## remove everything that was built
	rm -rf build

.PHONY: help
help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sort | awk -F':.*## ' '{ printf "  make %-12s %s\n", $$1, $$2 }'

.SECONDARY:
-include $(shell find $B/obj -name '*.d' 2>/dev/null)
include mpi2dd/mpi2dd.mk
include tests/programs/programs.mk
include examples/examples.mk
-include tools/targets.mk
