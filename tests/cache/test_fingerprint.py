"""Fingerprints: equal for equal data in any process, others wherever a bit differs."""

import subprocess
import sys
from dataclasses import dataclass
from enum import Enum
from itertools import combinations
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import pytest
from helpers import MECHANISMS, ROOT
from hypothesis import given
from hypothesis import strategies as st

from precompute.cache.fingerprint import fingerprint


class Colour(Enum):
    RED = 1
    BLUE = 2


class Pair(NamedTuple):
    a: object
    b: object


@dataclass(frozen=True, eq=False)
class Part:
    a: object
    b: object = None


@dataclass(frozen=True, eq=False)
class Other:
    a: object
    b: object = None


DIFFERENT = [
    *(None, True, False, 1, 0, -1, 10**30, 1.0, 0.0, -0.0, 1e-300, np.nextafter(1.0, 2.0).item()),
    *("", "1", "None", "a", "ä", (), [], {}, (1,), (1, 2), ((1,), 2), (1, (2,)), ("ab",), ("a", "b"), [1]),
    *({"a": 1}, {"a": 2}, {"b": 1}, {"a": 1, "b": 2}, {"b": 2, "a": 1}, {1: "a"}, MappingProxyType({"a": 1})),
    *(Colour.RED, Colour.BLUE, slice(1, 2), slice(1, 2, 1), slice(None), Pair(1, 2), Pair((1,), 2)),
    *(Part(1), Part(2), Other(1), Part(Part(1)), Part(None, 1), Part((1, None))),
    *(np.zeros(2), np.zeros(3), np.zeros((2, 1)), -np.zeros(2), np.zeros(2, dtype=int), np.zeros(2, dtype=bool)),
    *(np.arange(6.0).reshape(2, 3), np.arange(6.0).reshape(3, 2), np.arange(6.0).reshape(2, 3).T, np.float64(1.0)),
]


def test_what_differs_in_value_kind_or_place_has_another():
    found = [fingerprint(value) for value in DIFFERENT]
    alike = [(DIFFERENT[i], DIFFERENT[k]) for i, k in combinations(range(len(found)), 2) if found[i] == found[k]]
    assert alike == [] and all(len(digits) == 64 for digits in found)


def test_equal_data_has_the_same_however_it_lies_in_memory():
    a = np.arange(6.0).reshape(2, 3)
    assert fingerprint(a) == fingerprint(a.copy()) == fingerprint(np.asfortranarray(a)) == fingerprint(a[:, :].T.T)
    assert fingerprint(Part((a, {"x": Pair(1, 2.0)}))) == fingerprint(Part((a.copy(), {"x": Pair(1, 2.0)})))
    assert fingerprint("ab") == fingerprint("a" + "b")


DATA = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3).map(tuple) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
    max_leaves=6,
)


@given(DATA, DATA)
def test_two_pieces_of_data_have_the_same_only_if_they_print_the_same(a, b):
    """What Python prints of such data tells all of it: kinds, order, every digit."""
    assert (fingerprint(a) == fingerprint(b)) == (repr(a) == repr(b))


@pytest.mark.parametrize("value", [print, object(), Part(lambda: 1), int, Part, b"bytes", {1, 2}, np.array(["a"])])
def test_what_is_no_data_has_none(value):
    with pytest.raises(TypeError, match="no data"):
        fingerprint((1, value))


def test_a_mechanism_has_the_same_in_every_process():
    path = MECHANISMS / "five_link.toml"
    code = (
        "import sys; from precompute.cache.fingerprint import fingerprint; from precompute.mechanism_file import load;"
        "print(fingerprint(load(sys.argv[1])))"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", code, str(path)],
            env={"PYTHONPATH": str(ROOT), "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(seen) == 1
