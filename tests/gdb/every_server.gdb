# SPDX-License-Identifier: BSD-3-Clause
# The same through a gdbserver, over a pipe.
-set sysroot /
-target extended-remote | gdbserver --once --multi -
-attach @PID0@
-file @PROGRAM@
+every
