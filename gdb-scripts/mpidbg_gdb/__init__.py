# SPDX-License-Identifier: BSD-3-Clause
"""plugin.py loads libmpidbg.so and knows no debugger; target.py is GDB; the others are what the user types."""
