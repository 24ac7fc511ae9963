# SPDX-License-Identifier: BSD-3-Clause
# The same through a gdbserver, over a pipe. After two seconds without an answer GDB would ask again, and take the late answer for
# that to its next question: a busy machine is given more.
-set sysroot /
-set remotetimeout 300
-target extended-remote | gdbserver --once --multi -
-attach @PID0@
-file @PROGRAM@
+every
