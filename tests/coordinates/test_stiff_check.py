"""Stiff directions that cannot be independent, and bushings that turn too far, are refused in words."""

import tomllib

import pytest
from helpers import MECHANISMS

from precompute.coordinates.independent import choose_coordinates
from precompute.errors import SingularityError
from precompute.kinematics.assembly import close_loops
from precompute.kinematics.topology import spanning_tree
from precompute.mechanism_file import from_document
from precompute.pipeline import bake
from precompute.report.inspection import inspect


def four_bar(stiff, periodic=False):
    """The planar four-bar with bushings and stiff directions at some of its pins."""
    document = tomllib.loads((MECHANISMS / "four_bar.toml").read_text(encoding="utf-8"))
    document["bushings"] = {}
    for name, directions in stiff.items():
        pin = document["joints"][name]
        pin["stiff"] = directions
        document["bushings"][name] = {k: pin[k] for k in ("parent", "child", "at", "axis")} | {"stiffness": [1e5] * 6}
    if not periodic:
        document["coordinates"]["free"]["crank"] = {"of": "joint.crank", "from": -20, "to": 20}
    return from_document(document)


def chosen(mechanism):
    topology = spanning_tree(mechanism)
    return choose_coordinates(mechanism, topology, close_loops(mechanism, topology))


@pytest.mark.parametrize("direction", ["x", "ry", "rz"])
def test_a_planar_loop_holds_what_is_across_its_plane(direction):
    mechanism = four_bar({"crank_pin": [direction]})
    expected = f"stiff direction 'crank_pin.{direction}' cannot deflect, since the loop through .*rocker.* holds it"
    for stage in (bake, inspect):
        with pytest.raises(SingularityError, match=expected) as caught:
            stage(mechanism)
    assert "Take it out of 'stiff', or free another joint of the loop" in str(caught.value)


def test_directions_in_the_plane_are_independent():
    assert chosen(four_bar({"crank_pin": ["y", "z"]})).all_names == ("crank", "crank_pin.y", "crank_pin.z")


def test_only_the_directions_that_are_held_are_named():
    with pytest.raises(SingularityError, match="stiff directions 'crank_pin.x', 'crank_pin.ry' cannot deflect, since"):
        chosen(four_bar({"crank_pin": ["x", "y", "ry"]}))


def test_two_directions_that_move_only_together():
    text = "'crank_pin.x', 'coupler_pin.x' cannot deflect independently: 1 of them follows from the others"
    with pytest.raises(SingularityError, match=text):
        chosen(four_bar({"crank_pin": ["x"], "coupler_pin": ["x"]}))


def test_a_bushing_that_turns_all_round_is_refused():
    with pytest.raises(SingularityError, match=r"bushing 'crank_pin' turns by 1\d\d deg within the ranges"):
        inspect(four_bar({"crank_pin": ["y"]}, periodic=True))


def test_a_stiff_direction_is_no_free_coordinate():
    document = tomllib.loads((MECHANISMS / "four_bar.toml").read_text(encoding="utf-8"))
    document["joints"]["crank_pin"]["stiff"] = ["y"]
    document["coordinates"]["free"] = {"wrong": {"of": "joint.crank_pin[2]", "from": -1, "to": 1}}
    with pytest.raises(SingularityError, match="'crank_pin.y' is a stiff direction and cannot be a free coordinate"):
        chosen(from_document(document))
