# SPDX-License-Identifier: BSD-3-Clause
# Further targets: checks of the source, formatting, fuzzing, installation, packages. Included at the end of the Makefile.

include tools/lint.mk tools/fuzz.mk tools/install.mk tools/package.mk tools/static.mk
-include tools/layouts.mk tools/demo.mk bench/bench.mk tests/cores/cores.mk tests/neutral/neutral.mk \
	tests/sanitized/sanitized.mk

.PHONY: support-table
support-table: ## write the table of docs/tested.md from the results of the last make check
	tools/support_table $B

.PHONY: picture
picture: build ## draw docs/report.png, the report of a stored snapshot; needs Chromium and Graphviz
	$(Q)$B/mpidbg report --snapshot tests/snapshots/ring_hang.json -o $B/report.html
	$(Q)profile=$$(mktemp -d) && chromium --headless --no-sandbox --disable-gpu --disable-background-networking --hide-scrollbars \
		--user-data-dir="$$profile" --window-size=1000,1080 --screenshot=docs/report.png "file://$(abspath $B/report.html)" \
		>/dev/null 2>&1; rm -rf "$$profile"
	$(Q)tools/report_sum $B > tests/snapshots/report.sum

.PHONY: matrix
matrix: ## run demo and tests in a root of each release (CELLS="bookworm trixie"), write docs/support.md; as root, takes hours
	$(Q)tools/deps matrix
	$(Q)tools/matrix $B $(CELLS)

.PHONY: check-foreign
check-foreign: build ## read cores of aarch64, of Debian's Open MPI under QEMU; as root, needs the network
	$(Q)tools/deps foreign
	$(Q)tools/check_foreign $B

.PHONY: check-damaged
check-damaged: build programs ## ask about N damaged cores and snapshots of both MPIs (SEED=1)
	$(Q)tools/check_damaged $B $(or $(N),100) $(or $(SEED),1)

.PHONY: check-random
check-random: build programs $B/tests/live/check_random ## ask about N random jobs from seed FIRST (FAULT=NAME: all with this fault)
	$(Q)MPIDBG_BUILD=$B RANDOM_N=$(or $(N),100) RANDOM_FIRST=$(FIRST) RANDOM_KEEP=$B/random $(if $(FAULT),RANDOM_FAULT=$(FAULT)) \
		$(if $(WAY),RANDOM_WAY=$(WAY)) CK_DEFAULT_TIMEOUT=60 CK_TIMEOUT_MULTIPLIER=4 $B/tests/live/check_random
