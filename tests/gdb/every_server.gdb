# SPDX-License-Identifier: BSD-3-Clause
# The same through a gdbserver, over a pipe.
-target extended-remote | gdbserver --multi -
-attach @PID0@
-file @PROGRAM@
+every
