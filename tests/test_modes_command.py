"""`kinetab modes` as a user meets it."""

import json

import numpy as np
from helpers import MECHANISMS

from precompute.cli import main

STRUT = str(MECHANISMS / "macpherson.toml")


def test_a_line_per_mode(capsys):
    assert main(["modes", STRUT]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Small motions of 'MacPherson', wheels at design height, on their tyres; held: rack\n")
    lines = out.splitlines()[3:]
    assert len(lines) == 9 and all(" %" in line for line in lines)


def test_all_of_it_as_json(capsys):
    assert main(["modes", STRUT, "--on", "load", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    A, B, C, D = (np.array(found[name]) for name in "ABCD")
    n, m, p = (len(found[what]) for what in ("states", "inputs", "outputs"))
    assert (A.shape, B.shape, C.shape, D.shape) == ((n, n), (n, m), (p, n), (p, m))
    assert set(found["states"]) | set(found["inputs"]) | set(found["outputs"]) == set(found["units"])
    eigenvalues = np.array([complex(*mode["eigenvalue"]) for mode in found["modes"]])
    np.testing.assert_allclose(np.abs(np.linalg.eigvals(A)).max(), np.abs(eigenvalues).max(), rtol=1e-12)
    assert found["state"] == "wheels at design height, on pads that keep their forces"


def test_mistakes(capsys, tmp_path):
    assert main(["modes", STRUT, "--axle", "rear"]) == 1
    assert "there is no axle 'rear'" in capsys.readouterr().err
    assert main(["modes", str(MECHANISMS / "four_bar.toml"), "--on", "tyre"]) == 1
    assert "it has no wheel" in capsys.readouterr().err
