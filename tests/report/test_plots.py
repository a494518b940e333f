"""Pictures of runs: what stands in which panel, and that nothing hides anything."""

import numpy as np
import pytest

from precompute.report.plots import MOST_LINES, panels, plot_run, run_figure, usual
from precompute.running.simulation import Run

T = np.linspace(0.0, 1.0, 201)
OUTPUTS = {
    "q.arm": ("rad", 0.1 * np.sin(6 * T)),
    "q.shock": ("m", 0.02 * np.sin(6 * T)),
    "q.mount.x": ("m", 1e-3 * np.cos(6 * T)),
    "qd.arm": ("rad/s", 0.6 * np.cos(6 * T)),
    "marker.wheel.r[1]": ("m", 0.0 * T),
    "marker.wheel.r[3]": ("m", 0.3 + 0.05 * np.sin(6 * T)),
    "marker.rim.r[3]": ("m", 0.7 + 0.05 * np.sin(6 * T)),
    "marker.wheel.steer": ("rad", 0.01 * T),
    "spring.coil.force": ("N", 4000.0 + 100.0 * np.sin(6 * T)),
    "energy.kinetic": ("J", 1.0 + 0.01 * T),
    "energy.total": ("J", 100.0 + T),
    "energy.potential": ("J", 99.0 + 0.99 * T),
    "table.inRange": ("1", 1.0 + 0.0 * T),
}
INPUTS = {"port.contact.F[3]": ("N", 1000.0 * T), "port.contact.F[1]": ("N", 0.0 * T), "Q.arm": ("N.m", 5.0 + 0.0 * T)}


def made(outputs=OUTPUTS, inputs=INPUTS, count=201):
    both = {**outputs, **inputs}
    return Run(
        name="Corner",
        time=T[:count],
        outputs={name: values[:count] for name, (_, values) in outputs.items()},
        inputs={name: values[:count] for name, (_, values) in inputs.items()},
        units={name: unit for name, (unit, _) in both.items()},
        steps=count - 1,
        seconds=0.01,
    )


def axes_of(figure):
    figure.draw_without_rendering()
    return [ax for part in figure.subfigs for ax in part.axes]


def legends(figure):
    return [[text.get_text() for text in ax.get_legend().get_texts()] for ax in axes_of(figure)]


def test_panels_of_one_kind_and_unit():
    run = made()
    found = [(p.title, p.unit, [c.names for c in p.curves]) for p in panels(run, usual(run))]
    assert found == [
        ("Inputs", "N", [("port.contact.F[3]",)]),
        ("Inputs", "N m", [("Q.arm",)]),
        ("Coordinates", "deg", [("q.arm",)]),
        ("Coordinates", "mm", [("q.shock",)]),
        ("Deflections", "mm", [("q.mount.x",)]),
        ("Wheel", "deg", [("marker.wheel.steer",)]),
        ("Displacement since the start", "mm", [("marker.wheel.r[3]", "marker.rim.r[3]")]),
        ("Springs and dampers", "N", [("spring.coil.force",)]),
        ("Energy", "J", [("energy.kinetic",), ("energy.total",), ("energy.potential",)]),
    ]


def test_forces_of_elements_are_drawn_without_being_asked_for():
    names = {"element.mount.F": "N", "element.mount.force.s": "N", "element.servo.force.s": "N.m"}
    run = made(OUTPUTS | {name: (unit, T) for name, unit in names.items()})
    found = [(p.unit, [c.names for c in p.curves]) for p in panels(run, usual(run)) if p.title == "Forces of elements"]
    assert found == [("N", [("element.mount.force.s",)]), ("N m", [("element.servo.force.s",)])]


def test_roads_are_drawn_where_they_change():
    still, moved = (made(inputs={"wheel.left.road.d": ("m", 0.3 + change * T)}) for change in (0.0, 0.1))
    assert "wheel.left.road.d" not in usual(still) and "wheel.left.road.d" in usual(moved)


def test_plain_names_and_units_are_drawn():
    figure = run_figure(made(), usual(made()))
    assert legends(figure) == [
        ["contact Fz"],
        ["arm load"],
        ["arm"],
        ["shock"],
        ["mount x"],
        ["wheel steer"],
        ["wheel, rim z"],
        ["coil force"],
        ["kinetic energy", "total energy", "potential energy"],
    ]
    first = axes_of(figure)[0]
    assert first.get_title() == "Inputs" and first.get_ylabel() == "force [N]"
    assert all(ax.get_ylabel() for ax in axes_of(figure))


def test_values_are_those_of_the_run_in_engineering_units():
    run = made()
    coordinate, wheel = panels(run, ["q.arm", "marker.wheel.r[3]"])
    np.testing.assert_allclose(coordinate.curves[0].values, np.degrees(0.1 * np.sin(6 * T)), rtol=1e-14)
    np.testing.assert_allclose(wheel.curves[0].values, 50.0 * np.sin(6 * T), atol=1e-10)


def test_only_what_is_asked_for():
    figure = run_figure(made(), ["marker.wheel.r[3]", "qd.arm", "port.contact.F[1]", "table.inRange"])
    assert legends(figure) == [["contact Fx"], ["wheel z"], ["arm velocity"], ["table inRange"]]


@pytest.mark.parametrize("names", [usual(made()), ["q.arm"], ["energy.total", "energy.kinetic"]])
def test_no_legend_lies_over_curves_or_beyond_the_picture(names):
    figure = run_figure(made(), names)
    whole = figure.bbox
    boxes = [ax.get_window_extent() for ax in axes_of(figure)]
    for ax in axes_of(figure):
        legend = ax.get_legend().get_window_extent()
        assert not any(legend.overlaps(box) for box in boxes)
        assert legend.x1 <= whole.x1 and legend.y0 >= whole.y0 and legend.y1 <= whole.y1


def test_curves_that_run_close_together_differ_in_their_lines():
    close = {f"marker.m{i}.r[3]": ("m", 0.05 * np.sin(6 * T) * (1 + 0.005 * i)) for i in range(3)}
    (ax,) = axes_of(run_figure(made(close), list(close)))
    lines = sorted(ax.get_lines(), key=lambda line: line.get_zorder())
    assert [line.get_linestyle() for line in lines] == ["-", "--", ":"]  # dashes above what they would hide
    apart = {f"marker.m{i}.r[3]": ("m", (i + 1) * 0.05 * np.sin(6 * T)) for i in range(3)}
    (ax,) = axes_of(run_figure(made(apart), list(apart)))
    assert {line.get_linestyle() for line in ax.get_lines()} == {"-"}


def test_a_calm_curve_lies_above_a_wild_one():
    both = {"spring.a.force": ("N", 50.0 * np.cos(3 * T)), "spring.b.force": ("N", 100.0 * np.sin(200 * T))}
    (ax,) = axes_of(run_figure(made(both), list(both)))
    calm, wild = ax.get_lines()
    assert calm.get_zorder() > wild.get_zorder()


def test_of_too_many_curves_those_that_move_most_are_drawn_and_the_others_counted():
    many = {f"marker.m{i}.r[3]": ("m", 0.01 * (i + 1) * T) for i in range(MOST_LINES + 5)}
    (panel,) = panels(made(many), list(many))
    assert [c.names[0] for c in panel.curves] == list(many)[5:] and panel.left_out == 5
    (ax,) = axes_of(run_figure(made(many), list(many)))
    assert ax.get_title().endswith(f"(the {MOST_LINES} that move most; 5 more)")


@pytest.mark.parametrize("count", [1, 2])
def test_the_few_samples_of_a_run_that_failed(tmp_path, count):
    plot_run(made(count=count), tmp_path / "a.png", stopped=True)
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    figure = run_figure(made(count=count), ["q.arm"], stopped=True)
    assert figure.get_suptitle() == f"Corner, stopped at {T[count - 1]:.4g} s"
