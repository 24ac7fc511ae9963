# SPDX-License-Identifier: BSD-3-Clause
# make deb, make rpm: packages of this tree, in build/deb and build/rpm.

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

build/.deps-rpm: DEPS = rpm
build/.deps-rpm: tools/deps | build/.deps
	$(Q)mkdir -p build
	$(if $(filter 0,$(INSTALL_DEPS)),,$(Q)tools/deps $(DEPS))
	$(Q)touch $@

# Required packages are not checked: on Debian they have other names.
.PHONY: rpm
rpm: build/.deps-rpm ## build RPM packages (mpidbg, mpi2dd, mpidbg-devel) in build/rpm
	$(Q)rm -rf build/rpm && mkdir -p build/rpm/SOURCES
	$(Q)tar -cz --exclude=./build --exclude=./.git --transform='s|^\.|mpidbg-$(VERSION)|' -f build/rpm/SOURCES/mpidbg-$(VERSION).tar.gz .
	$(Q)env -u MAKEFLAGS rpmbuild -bb --nodeps --define '_topdir $(CURDIR)/build/rpm' --define 'version $(VERSION)' \
		--define '_smp_mflags -j$(shell nproc)' packaging/rpm/mpidbg.spec \
		$(if $(filter 1,$(V)),,>build/rpm/log 2>&1) || { tail -n 40 build/rpm/log; exit 1; }
	@ls build/rpm/RPMS/*/*.rpm
