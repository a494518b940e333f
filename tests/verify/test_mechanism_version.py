"""FMUs that were baked from something else than the file beside them, or by another version."""

import struct
import zipfile

import pytest
from helpers import MECHANISMS
from helpers_baked import baked

from fmu_src.build.python_fmu import build_fmu
from fmu_src.model.reduced_model import SCHEMA
from precompute.mechanism_file import load
from precompute.running.simulation import SimulationError
from precompute.verify.mechanism_version import changes, check_version
from precompute.verify.verification import verify

ARM = MECHANISMS / "short" / "trailing_arm.toml"


def test_the_file_that_it_was_baked_from_is_accepted():
    """Also where the bake has chosen the coordinates."""
    check_version(baked(load(ARM)), "arm.fmu", ARM)


def test_a_changed_file_is_refused_with_what_differs(tmp_path):
    text = ARM.read_text()
    changed = tmp_path / "arm.toml"
    changed.write_text(text.replace("mass = 30", "mass = 31", 1) + '\n[measures.more]\nof = "joint.pivot"\n')
    assert changed.read_text() != text
    with pytest.raises(SimulationError) as found:
        check_version(baked(load(ARM)), "arm.fmu", changed)
    said = str(found.value)
    assert "arm.fmu was baked from another version of" in said and "kinetab bake" in said
    assert (
        "bodies.arm.mass: 31 in the file, 30 in the FMU" in said
        and "measures" in said
        and "in the file, not in the FMU" in said
    )
    assert "coordinates" not in said


def test_an_fmu_of_another_schema_is_told_so(tmp_path):
    """What an older version has baked."""
    path, old = build_fmu(baked(load(ARM)), tmp_path / "now.fmu", []), tmp_path / "old.fmu"
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(old, "w") as target:
        for item in source.infolist():
            data = source.read(item)
            if item.filename.endswith(".kinetab"):
                data = data[:8] + struct.pack("<I", SCHEMA - 1) + data[12:]
            target.writestr(item, data)
    with pytest.raises(
        SimulationError, match=f"schema {SCHEMA - 1}, this version reads schema {SCHEMA}; bake .* again"
    ):
        verify(old)


def test_changes_have_places():
    now, baked = {"a": {"b": 1.0, "c": [1, 2]}, "d": 3}, {"a": {"b": 2.0, "c": [1, 2]}, "e": 4, "coordinates": {}}
    assert list(changes(now, baked)) == [
        "a.b: 1 in the file, 2 in the FMU",
        "d: 3 in the file, not in the FMU",
        "e: not in the file, 4 in the FMU",
    ]
