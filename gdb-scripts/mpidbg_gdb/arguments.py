# SPDX-License-Identifier: BSD-3-Clause
"""The arguments of MPI functions, for $mpi_arg(), because a stripped library has no names: from the plugin's table of functions. All are
passed like integers or addresses, so the register or stack slot of each follows from its number."""


def _kind(words):
    """Type and name of a parameter, as words -> (name, kind): "int", "*" for an address, "MPI_Comm" ..."""
    name, kind = words[-1].lstrip("*"), words[-2]
    return name.rstrip("[]"), "*" if "*" in "".join(words) or kind == "void" else kind


def of(plugin, function):
    """[("buf", "*"), ("count", "int"), ("datatype", "MPI_Datatype"), ...]; []: the function is not known, or has none"""
    known = plugin.function(function)
    texts = known.parameters.decode().split(",") if known and known.parameters else []
    return [_kind(text.split()) for text in texts]


def scatters(plugin, function):
    """Are the first recorded data of the function those received?"""
    known = plugin.function(function)
    return bool(known and known.scatters)
