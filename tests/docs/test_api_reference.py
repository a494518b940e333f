"""docs/api-reference.md: every public name as the sources have it; docs/api.md names only what is there."""

import inspect
import re

import pytest
from helpers import ROOT
from helpers_pages import api_reference

import kinetab as kt

PAGE = (ROOT / "docs" / "api-reference.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (`.*?) \| (.*) \|$", (ROOT / "docs" / "api.md").read_text(encoding="utf-8"), re.M)


def test_it_is_what_the_sources_say():
    assert PAGE == api_reference.reference(), "python docs/api_reference.py"


def test_it_has_every_public_name():
    assert sorted(re.findall(r"^### (\w+)$", PAGE, re.M)) == sorted({*kt.__all__} - {"__version__"})


@pytest.mark.parametrize(("names", "text"), ROWS)
def test_what_the_tables_say_of_a_class_is_there(names, text):
    """`.gap` in the row of a class is a method, a property or a field of it, or of another class of the row."""
    classes = [of for name in re.findall(r"`(\w+)`", names) if isinstance(of := getattr(kt, name), type)]
    known = {n for of in classes for base in of.__mro__ for n in (*vars(base), *vars(base).get("__annotations__", ()))}
    known |= {n for of in classes for n in re.findall(r"self\.(\w+) = ", inspect.getsource(of))}  # of errors
    told = set(re.findall(r"`\.(\w+)", text))
    assert not classes or told <= known, told - known


def test_signatures_and_comments():
    assert "def kc(mechanism: Mechanism, *, travel: Given = None" in PAGE and 'convention: Convention = "iso"' in PAGE
    assert "    stiffness: float | None = ...  # [N/m] or [N m/rad]" in PAGE
    assert "- mechanism: the mechanism, or its file." in PAGE
