# SPDX-License-Identifier: BSD-3-Clause
"""plugin.py loads libmpidbg.so and does not depend on GDB; target.py accesses GDB; the other files implement commands."""
