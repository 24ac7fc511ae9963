# SPDX-License-Identifier: BSD-3-Clause
# Layout packs: regenerated from the distribution's headers and source packages, and compared with the installed libraries.
# Only make layouts needs source packages; nothing that builds or checks does.

.PHONY: layouts schema-check
layouts: $(COMMAND) ## regenerate the layout packs (fetches source packages)
	$(Q)for make_pack in layouts/*/make_pack; do $$make_pack $(COMMAND) || exit 1; done

schema-check: $(COMMAND) ## compare the layout packs with the installed MPI libraries
	$(Q)for pack in $(PACKS); do $${pack%/*}/check_pack $(COMMAND) $$pack || exit 1; done
