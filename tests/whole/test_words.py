"""What FMUs say has the units of the mechanism's file, and the time; both run-times say the same."""

import math
from dataclasses import replace

from helpers import ROOT
from helpers_baked import baked_file
from helpers_kernel import Pair
from helpers_model import crank_slider, double_pendulum
from helpers_stiff import stiff_pendulum

from fmu_src.errors import FmuError
from fmu_src.model.units import DisplayUnit
from precompute.mechanism_file import load
from precompute.reduction.reduced import stiff_info
from precompute.units import USUAL, Units

STIFF = ROOT / "tests" / "mechanisms" / "crank_slider_stiff.toml"
DEG, MM = DisplayUnit("deg", 180.0 / math.pi), DisplayUnit("mm", 1e3)


def told(model):
    """The model with degrees and millimetres in its messages."""

    def words(info):
        return replace(info, told=DEG if info.unit == "rad" else MM)

    charts = tuple(replace(c, axes=tuple(words(a) for a in c.axes)) for c in model.charts)
    return replace(model, charts=charts, stiff=tuple(words(s) for s in model.stiff))


class Heard(Pair):
    """What both say, which is the same."""

    def start(self, **values):
        for instance in (self.compiled, self.numpy):
            names = [name.replace("__", ".") for name in values]
            instance.set([self.names.index(name) for name in names], list(values.values()))
            instance.setup(3.0)
            instance.enter_initialization()
        return self.said(lambda instance: instance.exit_initialization())

    def step(self, size=1e-3):
        return self.said(lambda instance: instance.step(3.0, size))

    def said(self, call):
        texts = []
        for instance in (self.compiled, self.numpy):
            try:
                texts.append(call(instance))
            except FmuError as error:
                texts.append(str(error))
        assert texts[0] == texts[1]
        return texts[0]


def test_models_have_the_units_of_their_file():
    crank = load(STIFF)
    assert {axis.words for chart in baked_file("crank_slider").charts for axis in chart.axes} == {DEG}
    stiff = stiff_info(replace(crank, units=Units("in", angle="deg")), crank.stiff_coordinates[0], 1e-3)
    assert (stiff.unit, stiff.words.text(0.0254)) == ("m", "1 in")
    assert USUAL.told("rad") == DEG and Units("in").told("m").text(0.0254) == "1 in"


def test_a_step_that_leaves_its_table(tmp_path):
    both = Heard(told(double_pendulum()), tmp_path)
    both.start(q_start__alpha=1.599, qd_start__alpha=5.0)
    said = both.step()
    assert (
        said.startswith("between t = 3 s and 3.001 s: coordinate 'alpha' = 91.7591909 deg is outside its table [")
        and "91.6732472] deg;" in said
    )


def test_a_table_that_is_continued(tmp_path):
    said = Heard(told(double_pendulum(outside="linear")), tmp_path).start(q_start__alpha=1.61)
    assert said.startswith("at t = 3 s: coordinate 'alpha' = 92.2462 deg is outside its table [-91.6732, 91.6732] deg,")


def test_a_deflection_that_is_too_large(tmp_path):
    model = told(stiff_pendulum(nodes=17))
    limit = f"{model.stiff[0].radius * 1e3:.6g} mm"
    both = Heard(model, tmp_path)
    said = both.start(**{f"q_start__{model.stiff[0].name.replace('.', '__')}": 2.0 * model.stiff[0].radius})
    assert f"mm is beyond {limit}, up to which the tables were measured" in said


def test_a_motion_that_diverges(tmp_path):
    both = Heard(told(double_pendulum()), tmp_path)
    both.start(solver__step=0.5, qd_start__alpha=3.0)
    said = both.step(5.0)
    assert "the motion diverged: '" in said and " deg/s, in a step of 0.5 s by more than " in said


def test_a_step_that_is_lowered(tmp_path):
    said = Heard(told(crank_slider()), tmp_path).start(qd_start__theta=628.0)
    assert "'theta' moves at 35981.7 deg/s," in said and said.count("deg") == 2


def test_outputs_that_cannot_be_found_have_their_time(tmp_path):
    """Deflections without inertia, which no equilibrium holds."""
    model = told(stiff_pendulum(nodes=17, quasistatic=True))
    both = Heard(model, tmp_path)
    both.start()
    names = [name for name in both.names if name.startswith("port.") and ".F[" in name]
    for instance in (both.compiled, both.numpy):
        instance.set([both.names.index(name) for name in names], [1e15] * len(names))
    outputs = [both.names.index("energy.total")]
    said = both.said(lambda instance: instance.get(outputs))
    assert str(said).startswith("at t = 3 s: no static equilibrium") and "mm: check that" in str(said)
