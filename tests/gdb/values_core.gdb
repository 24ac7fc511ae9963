# SPDX-License-Identifier: BSD-3-Clause
# The same on a core.
-set startup-with-shell off
-set environment LD_PRELOAD @PRELOAD@
-set environment OMPI_MCA_osc @OSC@
-break values_here
-run @DIR@/data
-up
-generate-core-file @DIR@/core
-kill
-shell tests/support/job_ended @DIR@
-core-file @DIR@/core
-up
+values_shown
