-- SPDX-License-Identifier: BSD-3-Clause
-- For Lmod: set prefix to the PREFIX of make install.
help([[mpidbg shows why an MPI program hangs: mpidbg deadlock --job PID, mpidbg queues --job PID.]])
whatis("Name: mpidbg")
whatis("Description: message queues, communicators and deadlocks of MPI jobs, live and from cores")

local prefix = "/opt/mpidbg"

prepend_path("PATH", pathJoin(prefix, "bin"))
prepend_path("MANPATH", pathJoin(prefix, "share/man"))
prepend_path("PKG_CONFIG_PATH", pathJoin(prefix, "lib/pkgconfig"))
