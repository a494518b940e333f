"""The suspension in Pinocchio: the tree as joints, each cut as a 3D constraint, bushings exactly.

The time loop is C++ (pinocchio_loop.cpp), compiled once against the headers of the installed packages `pin` and
`cmeel-eigen`; it takes about two minutes, and the library is kept in build/.  One call runs the whole manoeuvre.
"""

from __future__ import annotations

import ctypes
import hashlib
import shutil
import subprocess
import sysconfig
import weakref
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from engines.common import BUILD, Case, Motion, forces, kept_file
from engines.tree import Link, Tree, tree
from engines.truth import Truth
from precompute.arrays import Array
from precompute.geometry.spatial import rotation_quaternion
from precompute.model.mechanism import GROUND

SOURCE = Path(__file__).with_name("pinocchio_loop.cpp")
FLAGS = (
    "-std=c++17 -O3 -march=native -DNDEBUG -shared -fPIC -w "
    "-DBOOST_MPL_LIMIT_LIST_SIZE=30 -DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS"
).split()

METHODS = {"RK4": 0, "midpoint": 1, "Euler": 2}  # numbers in the C++ file; Euler is the semi-implicit one
SOLVERS = {"constraintDynamics": (1e-12, 1, 0), "lcaba": (1e-6, 2, 1)}
"""Proximal parameter (positive, since constraints may repeat each other) and iterations; 1: the recursive algorithm."""

SETTLING = {"RK4": 2.0, "midpoint": 2.0, "Euler": 4.0}  # steps: time constant of constraint errors
STEPS = {
    "RK4": (2e-3, 1e-3, 5e-4, 2.5e-4, 1e-4),
    "midpoint": (2e-3, 1e-3, 5e-4, 2.5e-4, 1e-4),
    "Euler": (1e-3, 5e-4, 2.5e-4, 1e-4, 5e-5),
}

KINDS = ("hinge", "slide", "ball", "rod", "mount")


class LinkData(ctypes.Structure):
    """`Link` of the C++ file."""

    _fields_ = [
        ("parent", ctypes.c_int), ("kind", ctypes.c_int), ("point", 3 * ctypes.c_double),
        ("axes", 9 * ctypes.c_double), ("mass", ctypes.c_double), ("com", 3 * ctypes.c_double),
        ("inertia", 9 * ctypes.c_double), ("stiffness", ctypes.c_double), ("damping", ctypes.c_double),
        ("rest", ctypes.c_double),
    ]  # fmt: skip


class CutData(ctypes.Structure):
    """`Cut` of the C++ file."""

    _fields_ = [("parent", ctypes.c_int), ("child", ctypes.c_int), ("point", 3 * ctypes.c_double)]


class RubberData(ctypes.Structure):
    """`Rubber` of the C++ file."""

    _fields_ = [
        ("link", ctypes.c_int), ("point", 3 * ctypes.c_double), ("axes", 9 * ctypes.c_double),
        ("stiffness", 36 * ctypes.c_double), ("damping", 36 * ctypes.c_double),
    ]  # fmt: skip


class PinocchioCase(Case):
    """Pinocchio with one method at one step size."""

    engine = "pinocchio"

    def __init__(self, truth: Truth, method: str, solver: str, step: float) -> None:
        self.truth, self.configuration, self.step = truth, f"{method}, {solver}", step
        self.method, cut = METHODS[method], tree(truth)
        self.handle = create(truth, cut, step * SETTLING[method], SOLVERS[solver])
        weakref.finalize(self, library().destroy, self.handle)
        self.start = np.concatenate([start(link) for link in cut.links])
        assert library().size(self.handle) == self.start.size
        self.forces = forces(truth.milliseconds, step)

    def run(self) -> None:
        """One call of the C++ loop."""
        self.call(1, None)

    def simulate(self) -> Motion:
        """Run and look at the wheel once per millisecond."""
        every = max(1, round(1e-3 / self.step))
        out = np.zeros((len(self.forces) // every + 1, 12))
        self.call(every, pointer(out))
        R = out[:, 3:].reshape(-1, 3, 3).swapaxes(1, 2)
        return Motion(out[:, :3], R @ self.truth.wheel[2])

    def call(self, every: int, out: Any) -> None:
        """The whole manoeuvre."""
        start, force, step = pointer(self.start), pointer(self.forces), ctypes.c_double(self.step)
        library().run(self.handle, self.method, start, force, len(self.forces), step, every, out)


def cases(truth: Truth) -> list[Case]:
    """Every method with every solver at every step size."""
    return [
        PinocchioCase(truth, method, solver, step)
        for method, steps in STEPS.items()
        for solver in SOLVERS
        for step in steps
    ]


# -- the library ------------------------------------------------------------------------------------------------------


@cache
def library() -> ctypes.CDLL:
    """The C++ file as a library, compiled if need be."""
    if not built():
        headers = [f"-I{headers_of_packages()}", f"-I{headers_of_packages() / 'eigen3'}"]
        with kept_file(library_path()) as path:
            subprocess.run(["g++", *FLAGS, *headers, str(SOURCE), "-o", str(path)], check=True)
    found = ctypes.CDLL(str(library_path()))
    found.create.restype = ctypes.c_void_p
    found.size.argtypes = found.destroy.argtypes = [ctypes.c_void_p]
    found.run.argtypes = [ctypes.c_void_p, ctypes.c_int, *2 * [ctypes.c_void_p], ctypes.c_int, ctypes.c_double]
    found.run.argtypes += [ctypes.c_int, ctypes.c_void_p]
    return found


def built() -> bool:
    """Whether the library is there and new."""
    return library_path().exists()


def can_build() -> bool:
    """Whether there are a compiler and all headers."""
    return shutil.which("g++") is not None and (headers_of_packages() / "eigen3" / "Eigen").is_dir()


def library_path() -> Path:
    """Where the library belongs; the name depends on the source, the flags and the packages."""
    key = hashlib.sha256(SOURCE.read_bytes() + str((FLAGS, version("pin"))).encode()).hexdigest()[:12]
    return BUILD / f"pinocchio_loop_{key}.so"


def headers_of_packages() -> Path:
    """Where `pin` and what it needs have their headers."""
    return Path(sysconfig.get_path("purelib")) / "cmeel.prefix" / "include"


def create(truth: Truth, cut: Tree, settling: float, solver: tuple[float, int, int]) -> ctypes.c_void_p:
    """The model in the library; constraint errors decay with the time constant `settling` [s]."""
    number = {GROUND: 0} | {link.name: i + 1 for i, link in enumerate(cut.links)}
    links = [link_data(link, number) for link in cut.links]
    cuts = [CutData(number[c.parent], number[c.child], array(c.point)) for c in cut.cuts]
    rubbers = [
        RubberData(number[b.child], array(b.p), array(b.R.T), array(b.stiffness), array(b.damping))
        for b in truth.mechanism.bushings
    ]
    lists = [x for items in (links, cuts, rubbers) for x in (packed(items), len(items))]
    wheel = (number[truth.wheel[0]], array(truth.wheel[1]))
    numbers = (ctypes.c_double(settling), ctypes.c_double(solver[0]), *solver[1:])
    handle = library().create(*lists, array(cut.gravity), *wheel, *numbers)
    return ctypes.c_void_p(handle)


def link_data(link: Link, number: dict[str, int]) -> LinkData:
    """A link for the library; bushings come separately."""
    axes = np.zeros((3, 3))
    axes[:, : link.axes.shape[1]] = link.axes
    spring = (link.stiffness[0], link.damping[0], link.rest) if link.kind in ("hinge", "slide") else (0.0, 0.0, 0.0)
    vectors = (array(link.point), array(axes.T), link.mass, array(link.com), array(link.inertia))
    return LinkData(number[link.parent], KINDS.index(link.kind), *vectors, *spring)


def start(link: Link) -> Array:
    """Start coordinates of a link, as Pinocchio counts them: quaternions have the scalar last."""
    if link.kind not in ("ball", "mount"):
        return np.array(link.start_angles())
    turned = np.roll(rotation_quaternion(link.start.R), -1)
    return turned if link.kind == "ball" else np.concatenate([link.start.p, turned])


def array(values: Array) -> Any:
    """Numbers for C, row by row."""
    flat = np.ravel(values).tolist()
    return (len(flat) * ctypes.c_double)(*flat)


def packed(items: Sequence[Any]) -> Any:
    """An array of structures."""
    return (type(items[0]) * len(items))(*items) if items else None


def pointer(values: Array) -> Any:
    """Address of an array's numbers."""
    return values.ctypes.data_as(ctypes.c_void_p)
