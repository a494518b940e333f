"""Mechanisms and FMUs for other tools.

In: a mechanism, the variables of an FMU, or a file that describes a system of FMUs.  Out: a text or an archive in the
other tool's format, and what is not in it.

    mjcf.py                MuJoCo
    ssv.py                 parameter sets of SSP
    system.py, joining.py  a system of FMUs, and whether these fit together
    ssp.py                 such a system as an archive
"""

from precompute.exporting.joining import Joined, joined
from precompute.exporting.mjcf import Exported, mjcf
from precompute.exporting.ssp import ssp
from precompute.exporting.ssv import ssv
from precompute.exporting.system import System, read_system

__all__ = ["Exported", "Joined", "System", "joined", "mjcf", "read_system", "ssp", "ssv"]
