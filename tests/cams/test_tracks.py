"""Tracks of followers against golden data, closed forms, complex steps, and by rolling on the outline itself."""

import json

import numpy as np
import pytest
from helpers import ROOT
from helpers_cams import BASE, MM, ROLLER, TOP, polar, pump_sides, shown

from precompute.cams.outline import distance, face_track, outline_problem, roller_track
from precompute.cams.polar_table import PolarTable, table_face_track, table_problem, table_roller_track
from precompute.cams.profile import Side, arc_by_radius

ECCENTRIC = (20.0 * MM, 3.0 * MM, 0.3)  # radius of a circle, how far its centre is away, and where
ANGLES = np.linspace(-4.0, 10.0, 137)


def egg():
    """A circle, a nose and two flanks of a large radius, all tangent."""
    base, nose, away, flank = 20 * MM, 8 * MM, 18 * MM, 60 * MM
    # the flank's centre is flank - base from the origin and flank - nose from the nose's centre
    x = ((flank - base) ** 2 - (flank - nose) ** 2 + away**2) / (2.0 * away)
    y = -np.sqrt((flank - base) ** 2 - x**2)
    centre, tip = np.array([x, y]), np.array([away, 0.0])
    low, high = base * -centre / (flank - base), tip + nose * (tip - centre) / (flank - nose)

    def mirrored(p):
        return p * [1.0, -1.0]

    return [
        Side(mirrored(high), high, tip),
        Side(high, low, centre),
        Side(low, mirrored(low), [0.0, 0.0]),
        Side(mirrored(low), mirrored(high), mirrored(centre)),
    ]


def circle():
    radius, away, where = ECCENTRIC
    start = polar(away, np.degrees(where)) + np.array([radius, 0.0])
    return [Side(start, start, polar(away, np.degrees(where)))]


def circle_table(step=5.0):
    radius, away, where = ECCENTRIC
    a = np.radians(np.arange(0.0, 360.0, step))
    return PolarTable(a, away * np.cos(a - where) + np.sqrt(radius**2 - (away * np.sin(a - where)) ** 2))


def tracks():
    flat = [Side(polar(20 * MM, 0), polar(20 * MM, 180), [0, 0]), Side(polar(20 * MM, 180), polar(20 * MM, 0))]
    return {
        "pump": roller_track(pump_sides(), ROLLER, shown),
        "edge on pump": roller_track(pump_sides(), 0.0, shown),
        "circle": roller_track(circle(), ROLLER, shown),
        "egg": roller_track(egg(), 5 * MM, shown),
        "face on egg": face_track(egg(), shown),
        "face on circle": face_track(circle(), shown),
        "table": table_roller_track(circle_table(), ROLLER, shown),
        "edge on table": table_roller_track(circle_table(), 0.0, shown),
        "face on table": table_face_track(circle_table(), shown),
        "corners": roller_track(shifted(flat, [0.0, -8 * MM]), 4 * MM, shown),
        "hollow": roller_track(big_hollow(), 4 * MM, shown),
    }


def shifted(sides, by):
    return [Side(s.start + by, s.end + by, None if s.centre is None else s.centre + by, s.hollow) for s in sides]


def big_hollow():
    """A circle with a hollow, rounded where they meet so that a roller passes."""
    a, b = polar(20 * MM, 20), polar(20 * MM, -20)
    return [Side(a, b, [0.0, 0.0]), arc_by_radius(b, a, 30 * MM, hollow=True)]


@pytest.mark.parametrize("name", tracks())
def test_derivatives_by_complex_step(name):
    track, h = tracks()[name], 1e-30
    jet, step = track.jet(ANGLES), track.jet(ANGLES + 1j * h).imag / h
    for order in range(3):
        assert np.abs(step[order] - jet[order + 1]).max() <= 1e-9 * np.abs(jet[order + 1]).max()
    if "face" not in name:
        speed = track.travelled(ANGLES + 1j * h).imag / h
        assert np.abs(speed - np.hypot(jet[0], jet[1])).max() <= 1e-12 * speed.max()


@pytest.mark.parametrize("name", tracks())
def test_borders_keep_value_and_slope_and_belong_to_the_piece_that_begins(name):
    track = tracks()[name]
    below, above = track.jet(track.borders - 1e-12), track.jet(track.borders + 1e-12)
    assert np.abs(above[0] - below[0]).max(initial=0.0) < 1e-12
    if name not in ("edge on pump", "hollow"):
        assert np.abs(above[1] - below[1]).max(initial=0.0) < 1e-10
    number = track.piece_at(track.borders)
    assert number.tolist() == list(range(len(track.borders)))
    assert (track.piece_at(track.borders + 2.0 * np.pi + 1e-12) == number).all()
    turn = track.travelled(ANGLES + 2.0 * np.pi) - track.travelled(ANGLES)
    assert turn == pytest.approx(track.around, abs=1e-12)


@pytest.mark.parametrize("name", ["pump", "circle", "egg", "corners", "hollow"])
def test_roller_touches_and_nowhere_reaches_in(name):
    sides = {"pump": pump_sides, "circle": circle, "egg": egg, "hollow": big_hollow}.get(name)
    sides = (
        sides()
        if sides
        else shifted(
            [Side(polar(20 * MM, 0), polar(20 * MM, 180), [0, 0]), Side(polar(20 * MM, 180), polar(20 * MM, 0))],
            [0.0, -8 * MM],
        )
    )
    radius = {"pump": ROLLER, "circle": ROLLER, "egg": 5 * MM}.get(name, 4 * MM)
    r = tracks()[name].jet(ANGLES)[0]
    centre = np.stack([r * np.cos(ANGLES), r * np.sin(ANGLES)], axis=-1)
    gaps = np.stack([distance(side, centre) for side in sides]).min(axis=0)
    assert gaps == pytest.approx(radius, abs=1e-14)


def test_golden_rows_of_the_fuel_pump():
    """r, r', r'' and the spin of the roller at 1000 rpm; at 102 and 258 deg the limit from smaller angles."""
    golden = json.loads((ROOT / "tests" / "golden" / "fuel_pump.json").read_text())
    w, rows = golden["summary"]["w"], golden["rows"]
    assert len(rows) == 91
    angle = np.radians([row["cam_deg"] for row in rows])
    angle -= np.isin([row["cam_deg"] for row in rows], (102, 258)) * 1e-13
    r, r1, r2, _ = tracks()["pump"].jet(angle) / MM
    way = np.hypot(r, r1)
    found = {
        "r": r,
        "q3d": r1 * w,
        "q3dd": r2 * w**2,
        "q4d": way * w / 12.0,
        "q4dd": (r * r1 + r1 * r2) / way * w**2 / 12.0,
        "pressure_angle": np.arctan2(r1, r),
    }
    for name, values in found.items():
        expected = np.array([row[name] for row in rows])
        assert np.abs(values - expected).max() <= 1e-12 * np.abs(expected).max(), name


def test_borders_of_the_fuel_pump():
    borders = np.degrees(tracks()["pump"].borders) % 360.0
    beta = 34.48820897371101, 54.93760962356959
    assert borders == pytest.approx([258.0, 102.0, 102 + beta[0], 102 + beta[1], 258 - beta[1], 258 - beta[0]])


def test_table_of_a_circle_is_the_circle():
    found = tracks()
    x = np.linspace(-3.0, 9.0, 100)
    for a, b in (("table", "circle"), ("face on table", "face on circle")):
        error = np.abs(found[a].jet(x) - found[b].jet(x)).max(axis=1)
        assert (error[:3] < [1e-11, 1e-9, 1e-7]).all()
    assert found["table"].around == pytest.approx(found["circle"].around, rel=1e-12)
    assert found["circle"].around == pytest.approx(2.0 * np.pi * (ECCENTRIC[0] + ROLLER), rel=1e-14)


def test_table_converges_with_order_six():
    x = np.linspace(-3.0, 3.0, 331)
    exact = tracks()["circle"].jet(x)[0]
    errors = [np.abs(table_roller_track(circle_table(s), ROLLER, shown).jet(x)[0] - exact).max() for s in (30.0, 15.0)]
    assert errors[0] / errors[1] > 2**5.5


def test_face_touches_as_the_farthest_point_along_its_normal():
    track, sides = tracks()["face on egg"], egg()
    own = [s.first_normal + s.turned * np.linspace(0, 1, 2001) for s in sides]
    points = np.concatenate(
        [s.centre + s.radius * np.stack([np.cos(a), np.sin(a)], axis=-1) for s, a in zip(sides, own, strict=True)]
    )
    x = np.linspace(0, 6, 41)
    normals = np.stack([np.cos(x), np.sin(x)], axis=-1)
    assert track.jet(x)[0] == pytest.approx((normals @ points.T).max(axis=1), abs=1e-8)


def test_circles_are_seen_right():
    r = tracks()["circle"].jet(np.array([0.3, 0.3 + np.pi]))[0]
    assert r == pytest.approx([ECCENTRIC[0] + ROLLER + ECCENTRIC[1], ECCENTRIC[0] + ROLLER - ECCENTRIC[1]])
    pump = tracks()["pump"].jet(np.radians([0.0, 180.0]))[0]
    assert pump == pytest.approx([BASE + ROLLER, TOP + ROLLER], rel=1e-15)


BAD_ROLLERS = [
    (big_hollow(), 40 * MM, "side 2 is hollow with a radius of 30 mm, into which a roller of radius 40 mm does not go"),
    (
        [Side([0.02, -0.02], [0.02, 0.02]), Side([0.02, 0.02], [0.005, 0.0]), Side([0.005, 0.0], [-0.02, 0.0]),
         Side([-0.02, 0.0], [-0.02, -0.02]), Side([-0.02, -0.02], [0.02, -0.02])],
        4 * MM,
        "meet in a hollow corner of 53.1301 deg, into which a roller of radius 4 mm does not go",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("sides", "radius", "told"), BAD_ROLLERS)
def test_undercutting_is_refused_with_numbers(sides, radius, told):
    with pytest.raises(ValueError, match="undercuts") as error:
        roller_track(sides, radius, shown)
    assert told in str(error.value)


def test_roller_that_touches_elsewhere_is_refused_with_how_far():
    a = np.radians(np.arange(0, 360, 3.0))
    table = PolarTable(a, (20 + 2.5 * np.cos(6 * a)) * MM)
    table_roller_track(table, 3 * MM, shown)
    with pytest.raises(
        ValueError, match=r"undercuts: at .* deg the table is hollow with a radius of .* mm, into which"
    ):
        table_roller_track(table, 15 * MM, shown)


@pytest.mark.parametrize(
    ("sides", "told"),
    [
        (pump_sides()[:2], "a closed outline turns once to the left"),
        ([Side(s.end, s.start, s.centre, True) for s in pump_sides()[::-1]], "counterclockwise"),
        (
            [
                Side(polar(16 * MM, 0), polar(17 * MM, 180), [0, 0]),
                Side(polar(17 * MM, 180), polar(16 * MM, 0), [0, 0]),
            ],
            "side 1 is an arc that begins 16 mm from its centre and ends 17 mm from it: its radii do not fit",
        ),
        (shifted(pump_sides(), [0.1, 0.0]), "go by"),
    ],
)
def test_outlines_that_are_none(sides, told):
    assert told in (outline_problem(sides, shown) or "")
    assert outline_problem(pump_sides(), shown) is None
    assert outline_problem(egg(), shown) is None


def test_flat_follower_needs_a_cam_that_bulges():
    with pytest.raises(
        ValueError, match="side 2 is straight: a flat follower lies on all of it at once.*jumps by 19.2354 mm"
    ):
        face_track(pump_sides(), shown)
    with pytest.raises(ValueError, match="side 2 is hollow: a flat follower bridges it"):
        face_track(big_hollow(), shown)
    a = np.radians(np.arange(0, 360, 3.0))
    with pytest.raises(ValueError, match="the table is hollow: a flat follower bridges it"):
        table_face_track(PolarTable(a, (20 + 2.5 * np.cos(6 * a)) * MM), shown)


def test_arcs_by_radius():
    side = arc_by_radius(np.array([1.0, 0.0]), np.array([0.0, 1.0]), 1.0, hollow=False)
    assert side.centre == pytest.approx([0.0, 0.0], abs=1e-15)
    assert arc_by_radius(side.start, side.end, 1.0, hollow=True).centre == pytest.approx([1.0, 1.0])
    with pytest.raises(ValueError, match="is too small: its ends are 2.82843 radii apart, more than two"):
        arc_by_radius(side.start, side.end, 0.5, hollow=False)
    with pytest.raises(ValueError, match="a full circle needs its centre"):
        arc_by_radius(side.start, side.start, 0.5, hollow=False)


@pytest.mark.parametrize(
    ("angles", "radii", "told"),
    [
        (np.arange(5.0), np.ones(5), "at least 8"),
        (np.arange(9.0), np.ones(9), "a full turn or more; it closes by itself"),
        (np.arange(9.0) / 2 * [1, 1, 1, 1, 1, 1, 1, 1, 0.1], np.ones(9), "angles must ascend"),
        (np.arange(9.0) / 2, -np.ones(9), "radii must be positive"),
        (np.arange(9.0) / 2, np.ones(8), "give as many of both"),
    ],
)
def test_tables_that_are_none(angles, radii, told):
    assert told in (table_problem(angles, radii, shown) or "")
