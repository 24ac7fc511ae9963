# SPDX-License-Identifier: BSD-3-Clause
# make deb: Debian packages of this tree, in build/deb.

build/.deps-deb: DEPS = deb
build/.deps-deb: tools/deps | build/.deps
	$(Q)mkdir -p build
	$(if $(filter 0,$(INSTALL_DEPS)),,$(Q)tools/deps $(DEPS))
	$(Q)touch $@

# dpkg-buildpackage works on a copy, because it writes into its tree.
.PHONY: deb
deb: build/.deps-deb ## build Debian packages (mpidbg, mpi2dd, mpidbg-dev) in build/deb, and run lintian
	$(Q)rm -rf build/deb && mkdir -p build/deb/mpidbg
	$(Q)tar -c --exclude=./build --exclude=./.git . | tar -x -C build/deb/mpidbg
	$(Q)cp -r packaging/debian build/deb/mpidbg/debian
	$(Q)grep -q '^mpidbg ($(VERSION))' packaging/debian/changelog || \
		{ echo "packaging/debian/changelog has no entry for version $(VERSION)" >&2; exit 1; }
	$(Q)cd build/deb/mpidbg && dpkg-buildpackage -b -us -uc $(if $(filter 1,$(V)),,>../log 2>&1) || { tail -n 40 ../log; exit 1; }
	$(Q)cd build/deb && lintian --allow-root --fail-on error,warning --tag-display-limit 0 mpidbg_*.changes
	@ls build/deb/*.deb
