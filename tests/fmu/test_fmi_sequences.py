"""Random sequences of FMI calls, legal and illegal, to a native and a Python FMU side by side.

What each call must return is written down here a second time, from the standard; both FMUs must agree with it, and with
each other to the bit.  `make sequences` runs 10 000 of them, `make test` a tenth.
"""

import math
import os
from ctypes import byref, c_char_p, c_double, c_int, c_size_t, c_void_p, create_string_buffer
from dataclasses import replace

import pytest
from helpers import MECHANISMS
from helpers_baked import baked, baked_file
from helpers_elements import SERVO, element, rotor, slider
from helpers_fmi import DISCARD, ERROR, LAST_TIME, OK, TERMINATED, WARNING, Component, Unpacked, reals, references
from helpers_kinds import NO_FRONT, builder
from helpers_model import crank_slider, double_pendulum
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from precompute.mechanism_file import from_document, load, to_document

pytestmark = [pytest.mark.fmu, NO_FRONT]

SEQUENCES = int(os.environ.get("KINETAB_SEQUENCES", "1000"))
CALLS = 25

BEFORE, INITIALIZING, STEPPING, AFTER = range(4)
KINDS = ("native", "python")
UNPACKED = {}

STIFF = element(
    "mx",
    force="-F - u",
    rates={"F": "k*(s_rate - F/(50*in_valve))"},
    residuals={"u": "u + 0.2*u^3 - s"},
    k=1e9,
    in_valve=1,
)

odd = st.sampled_from([math.nan, math.inf, -math.inf, 1e308, -1e308, 5e-324, -0.0, 1e9])
numbers = st.one_of(st.floats(-2.0, 2.0), odd)


@pytest.fixture(scope="module", autouse=True)
def fmus(tmp_path_factory):
    """Both kinds of seven models, unpacked; steps of one are implicit, one has a disc on the floor."""
    folder = tmp_path_factory.mktemp("sequences")
    loaded = from_document({**to_document(load(MECHANISMS / "rssr.toml")), "loads": "all"})
    yoke = load(MECHANISMS / "scotch_yoke.toml")
    for name, model in (
        ("crank", crank_slider()),
        ("pendulum", double_pendulum(nodes=15)),
        ("loads", baked(replace(loaded, tables=replace(loaded.tables, tolerance=1e-3)))),
        ("held", baked(replace(yoke, tables=replace(yoke.tables, tolerance=1e-3)))),
        ("elements", baked(rotor(SERVO, element("brake", force="-c*s_rate*in_grip", c=0.01, in_grip=1)))),
        ("implicit", baked(slider(STIFF, rate=0.5))),
        ("rolling", baked_file("rolling_disc")),
    ):
        for kind in KINDS:
            path = builder(kind)(model, folder / f"{name}_{kind}.fmu")
            UNPACKED[name, kind] = Unpacked(path, folder / f"{name}_{kind}")


class Sequences(RuleBasedStateMachine):
    """The standard's phases, the clock and the saved states, beside two FMUs."""

    @initialize(model=st.sampled_from(["crank", "pendulum", "loads", "held", "elements", "implicit", "rolling"]))
    def instantiate(self, model):
        self.pair = [Component(UNPACKED[model, kind]) for kind in KINDS]
        self.name = model
        self.roles = roles(self.pair[0].fmu)
        self.states = []  # (phase, time, wild, one state for each FMU)
        self._start_anew()

    def _start_anew(self):
        self.phase, self.time, self.stop = BEFORE, 0.0, math.inf
        self.wild = False  # a table of a law may no longer ascend, or forces overflow: outputs and steps are refused

    def teardown(self):
        for component in getattr(self, "pair", ()):
            component.free()
            if not self.states:
                assert not component.blocks

    def both(self, name, make=lambda component: ()):
        """One status of both, with a message for each that is not OK or a mere Discard."""
        found = []
        for component in self.pair:
            before = len(component.log)
            status = component.call(name, *make(component))
            said = component.log[before:]
            assert len(said) == (status in (WARNING, ERROR)), (name, status, said)
            assert all(text and level == status for _, level, _, text in said)
            found.append(status)
        assert found[0] == found[1], (name, found, [component.log[-1:] for component in self.pair])
        return found[0]

    def expect(self, expected, name, *arguments):
        status = self.both(name, lambda _: arguments)
        assert status == expected, (name, arguments, status, self.pair[0].log[-1:])
        return status == OK

    def legal(self, *phases):
        return OK if self.phase in phases else ERROR

    # --- life -----------------------------------------------------------------------------------------------------

    @rule(start=numbers, stop=st.one_of(st.none(), numbers))
    def setup(self, start, stop):
        fine = self.phase == BEFORE and math.isfinite(start) and (stop is None or stop >= start)
        if self.expect(OK if fine else ERROR, "SetupExperiment", 0, 0.0, start, stop is not None, float(stop or 0.0)):
            self.time, self.stop = start, math.inf if stop is None else stop

    @rule()
    def enter(self):
        if self.expect(self.legal(BEFORE), "EnterInitializationMode"):
            self.phase = INITIALIZING

    @rule()
    def leave(self):
        status = self.both("ExitInitializationMode")
        if self.phase != INITIALIZING:
            assert status == ERROR
        elif status <= WARNING:  # not if a start value is outside its table
            self.phase = STEPPING

    @rule()
    def terminate(self):
        if self.expect(self.legal(STEPPING), "Terminate"):
            self.phase = AFTER

    @rule()
    def reset(self):
        self.expect(OK, "Reset")
        self._start_anew()

    # --- variables ------------------------------------------------------------------------------------------------

    @rule(picks=st.lists(st.integers(0, 2**32 - 1), max_size=4), wild=st.booleans())
    def get(self, picks, wild):
        count = len(self.roles)
        vrs = picks if wild else [pick % count for pick in picks]
        status = self.both("GetReal", lambda _: (references(*vrs), c_size_t(len(vrs)), reals(*map(float, vrs))))
        if any(vr >= count for vr in vrs):
            assert status == ERROR
        elif self.phase >= STEPPING and not self.wild:
            assert status == OK

    @rule(
        pick=st.integers(0, 10**6), value=numbers, role=st.sampled_from(["input", "tunable", "fixed", "output", None])
    )
    def set(self, pick, value, role):
        candidates = [vr for vr, found in enumerate(self.roles) if found == role] or [len(self.roles) + pick]
        vr = candidates[pick % len(candidates)]
        status = self.both("SetReal", lambda _: (references(vr), c_size_t(1), reals(value)))
        forbidden = role in ("output", None) or not math.isfinite(value) or self.phase == AFTER
        if forbidden or (role == "fixed" and self.phase >= STEPPING):
            assert status == ERROR
        elif role == "input":
            assert status == OK
        self.wild |= status == OK and (role == "tunable" or abs(value) > 1e6)

    # --- steps ----------------------------------------------------------------------------------------------------

    @rule(size=st.one_of(st.floats(1e-4, 0.02), numbers), late=st.sampled_from([0.0, 0.0, 0.0, 1e-3, -1e-3, math.nan]))
    def step(self, size, late):
        at = self.time + late
        status = self.both("DoStep", lambda _: (at, size, 1))
        wrong = self.phase != STEPPING or not size > 0.0 or not math.isfinite(size)
        wrong |= not abs(late) <= 1e-9 * max(1.0, abs(self.time))
        if wrong or at + size > self.stop + 1e-6 * max(1.0, abs(self.stop)):
            assert status == ERROR
        if status <= WARNING:
            self.time = at + size

    @rule(count=st.integers(1, 5), size=st.floats(1e-4, 0.02))
    def walk(self, count, size):
        """Legal steps, from wherever it is."""
        if self.phase == AFTER:
            self.reset()
        if self.phase == BEFORE:
            self.enter()
        if self.phase == INITIALIZING:
            self.leave()
        for _ in range(count if self.phase == STEPPING else 0):
            status = self.both("DoStep", lambda _: (self.time, size, 1))
            if self.time + size <= self.stop and self.name == "crank" and not self.wild:
                assert status == OK  # its table is periodic: it cannot be left
            if status > WARNING:
                break
            self.time += size

    @rule(kind=st.integers(0, 3))
    def status(self, kind):
        fine = self.phase in (STEPPING, AFTER)
        for name, value, known in (
            ("GetRealStatus", c_double(), LAST_TIME),
            ("GetBooleanStatus", c_int(), TERMINATED),
            ("GetIntegerStatus", c_int(), None),
            ("GetStatus", c_int(), None),
            ("GetStringStatus", c_char_p(), None),
        ):
            expected = ERROR if not fine else OK if kind == known else DISCARD
            if self.expect(expected, name, kind, byref(value)) and kind == LAST_TIME:
                assert value.value == pytest.approx(self.time, rel=1e-12, abs=1e-12)

    # --- saved states ---------------------------------------------------------------------------------------------

    @rule()
    def save(self):
        places = [c_void_p() for _ in self.pair]
        for component, place in zip(self.pair, places, strict=True):
            assert component.call("GetFMUstate", byref(place)) == OK
        blocks = [component.to_bytes(place) for component, place in zip(self.pair, places, strict=True)]
        assert blocks[0] == blocks[1]
        self.states.append((self.phase, self.time, self.wild, places))

    @rule(pick=st.integers(0, 99))
    def restore(self, pick):
        if not self.states:
            return
        self.phase, self.time, self.wild, places = self.states[pick % len(self.states)]
        for component, place in zip(self.pair, places, strict=True):
            assert component.call("SetFMUstate", place) == OK

    @rule(pick=st.integers(0, 99), at=st.integers(0, 10**6), flip=st.integers(0, 255), cut=st.booleans())
    def restore_bytes(self, pick, at, flip, cut):
        """As they were saved, cut short, or with a changed head."""
        if not self.states:
            return
        phase, time, wild, places = self.states[pick % len(self.states)]
        block = bytearray(self.pair[0].to_bytes(places[0]))
        block[at % 16] ^= flip  # which model it belongs to
        data = bytes(block[: len(block) - cut])
        for component in self.pair:
            place = c_void_p()
            status = component.call("DeSerializeFMUstate", data, c_size_t(len(data)), byref(place))
            assert status == (ERROR if cut else OK)
            if not cut:
                assert component.call("SetFMUstate", place) == (ERROR if flip else OK)
                assert component.call("FreeFMUstate", byref(place)) == OK and not place
        if not cut and not flip:
            self.phase, self.time, self.wild = phase, time, wild

    @rule(pick=st.integers(0, 99))
    def forget(self, pick):
        if self.states:
            *_, places = self.states.pop(pick % len(self.states))
            for component, place in zip(self.pair, places, strict=True):
                assert component.call("FreeFMUstate", byref(place)) == OK and not place

    # --- never legal, or never of use -------------------------------------------------------------------------------

    @rule(name=st.sampled_from(["Integer", "Boolean", "String"]), n=st.integers(0, 1))
    def other_types(self, name, n):
        fine = OK if n == 0 else ERROR
        self.expect(fine, f"Get{name}", references(0), c_size_t(n), create_string_buffer(8))
        expected = ERROR if self.phase == AFTER else fine
        self.expect(expected, f"Set{name}", references(0), c_size_t(n), create_string_buffer(8))

    @rule(which=st.integers(0, 8))
    def never_legal(self, which):
        one, vr, value = c_size_t(1), references(0), reals(1e-3)
        name, *arguments = (
            ("GetReal", None, one, value),
            ("GetReal", vr, one, None),
            ("SetReal", vr, one, None),
            ("SetReal", None, one, value),
            ("GetFMUstate", None),
            ("SetFMUstate", None),
            ("DeSerializeFMUstate", None, one, byref(c_void_p())),
            ("SetDebugLogging", 1, one, None),
            ("CancelStep",),
        )[which]
        self.expect(ERROR, name, *arguments)

    @invariant()
    def equal_to_the_bit(self):
        if getattr(self, "pair", None) and self.phase >= STEPPING:
            outputs = self.pair[0].fmu.outputs
            values = [reals(*map(float, outputs)) for _ in self.pair]
            where = iter(values)
            status = self.both("GetReal", lambda _: (references(*outputs), c_size_t(len(outputs)), next(where)))
            assert status == OK or self.wild
            assert bytes(values[0]) == bytes(values[1])


def roles(fmu):
    """input, tunable, fixed or output, by value reference."""
    kinds = {"parameter": None, "input": "input", "output": "output"}
    return [kinds[causality] or variability for causality, variability in fmu.roles]


TestSequences = Sequences.TestCase
TestSequences.settings = settings(
    max_examples=SEQUENCES,
    stateful_step_count=CALLS,
    derandomize=SEQUENCES == 1000,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
