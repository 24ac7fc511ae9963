# SPDX-License-Identifier: BSD-3-Clause
# Layout packs: made again from the distribution's headers and source packages, and compared with the installed libraries.
# Only make layouts needs source packages; nothing that builds or checks does.

.PHONY: layouts schema-check
layouts: $(COMMAND) ## make the layout pack of the installed Open MPI again (fetches its source package)
	$(Q)layouts/openmpi/make_pack $(COMMAND)

schema-check: $(COMMAND) ## compare the layout packs with the installed MPI libraries
	$(Q)for check in layouts/*/check_pack; do \
		for pack in $B/$${check%/*}/*.layout; do $$check $(COMMAND) $$pack || exit 1; done; done
