import hashlib
import json
from dataclasses import fields, is_dataclass, replace

import numpy as np
import pytest
from helpers_laws import law
from helpers_model import crank_slider, double_pendulum
from helpers_random import as_factors
from hypothesis import given, settings
from hypothesis import strategies as st

from fmu_src import __version__
from fmu_src.build.model_writer import checksum, save, to_bytes
from fmu_src.errors import TableFormatError
from fmu_src.model.model_file import ALIGNMENT, KERNEL, MAGIC, PRELUDE, from_bytes, load
from fmu_src.model.reduced_model import SCHEMA, Border, Law, MeasureInfo, Parameter
from fmu_src.model.rows import MarkerRows
from fmu_src.numpy_runtime.dynamics import mechanics, prepare

CRANK = crank_slider(nodes=12)
BYTES = to_bytes(CRANK)
BLOCK = CRANK.charts[0].blocks[-1]
FACTORS = as_factors(BLOCK)


def assert_same(a, b):
    assert type(a) is type(b)
    if isinstance(a, np.ndarray):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)
    elif is_dataclass(a):
        for field in fields(a):
            assert_same(getattr(a, field.name), getattr(b, field.name))
    elif isinstance(a, tuple):
        assert len(a) == len(b)
        for x, y in zip(a, b, strict=True):
            assert_same(x, y)
    else:
        assert a == b


HEADER = PRELUDE.size + KERNEL.size


def header_of(data):
    length = PRELUDE.unpack_from(data)[2]
    return json.loads(data[HEADER : HEADER + length])


def repack(data, change):
    """The file with a changed header and a checksum that fits: a forgery rather than damage."""
    length = PRELUDE.unpack_from(data)[2]
    start = HEADER + length + -(HEADER + length) % ALIGNMENT
    header = header_of(data)
    change(header)
    text = json.dumps(header).encode()
    body = data[PRELUDE.size : HEADER] + text + bytes(-(HEADER + len(text)) % ALIGNMENT) + data[start:]
    return PRELUDE.pack(MAGIC, SCHEMA, len(text), hashlib.sha256(body).digest()) + body


# --- round trip -------------------------------------------------------------------------------------------------------


def chart_with(**changes):
    return replace(CRANK, charts=(replace(CRANK.charts[0], **changes),))


def block_with(**changes):
    return chart_with(blocks=(*CRANK.charts[0].blocks[:-1], replace(BLOCK, **changes)))


AS_FACTORS = block_with(core=FACTORS.core, bases=FACTORS.bases)


@pytest.mark.parametrize("model", [CRANK, AS_FACTORS, double_pendulum(nodes=8)], ids=["plain", "factors", "pendulum"])
def test_a_model_comes_back_as_it_was(model, tmp_path):
    path = save(model, tmp_path / "model.kinetab")
    assert_same(load(path), replace(model, charts=load(path).charts))
    for a, b in zip(model.charts, load(path).charts, strict=True):
        assert_same(a, b)


def test_the_same_model_gives_the_same_bytes():
    assert to_bytes(crank_slider(nodes=12)) == BYTES
    for data in (BYTES, to_bytes(AS_FACTORS)):
        assert to_bytes(from_bytes(data)) == data
    assert to_bytes(replace(CRANK, description="other")) != BYTES


def test_the_layout_is_the_documented_one():
    magic, schema, length, digest = PRELUDE.unpack_from(BYTES)
    assert (magic, schema, PRELUDE.size, HEADER) == (b"KINETAB\0", SCHEMA, 56, 80)
    assert hashlib.sha256(BYTES[56:]).digest() == digest
    header = header_of(BYTES)
    assert header["runtime_version"] == __version__
    start = 80 + length + -(80 + length) % 64
    assert checksum(BYTES[start:]) == KERNEL.unpack_from(BYTES, 56)[2]
    assert start + header["payload_bytes"] == len(BYTES)
    place = header["model"]["charts"][0]["blocks"][-1]["core"]
    assert place["offset"] % 64 == 0 and place["dtype"] == "<f8"
    count = int(np.prod(place["shape"]))
    raw = np.frombuffer(BYTES, "<f8", count, start + place["offset"]).reshape(place["shape"])
    np.testing.assert_array_equal(raw, CRANK.charts[0].blocks[-1].core)


def test_loaded_arrays_are_read_only_and_evaluate():
    chart = from_bytes(BYTES).charts[0]
    with pytest.raises(ValueError):
        chart.blocks[-1].coefficients[0, 0] = 1.0
    z = np.array([0.3])
    again, before = (mechanics(prepare(model)[0], z) for model in (from_bytes(BYTES), CRANK))
    np.testing.assert_array_equal(again.value, before.value)


def test_factors_are_multiplied_out():
    block = from_bytes(to_bytes(AS_FACTORS)).charts[0].blocks[-1]
    assert block.degree == BLOCK.degree and not block.coefficients.flags.writeable
    np.testing.assert_allclose(block.coefficients, BLOCK.core, rtol=0, atol=1e-14 * np.abs(BLOCK.core).max())


def test_a_model_without_splines_comes_back():
    none = chart_with(blocks=CRANK.charts[0].blocks[:1])
    assert [block.axes for block in from_bytes(to_bytes(none)).charts[0].blocks] == [()]


def test_saving_replaces_a_file_and_leaves_nothing_beside_it(tmp_path):
    path = tmp_path / "model.kinetab"
    path.write_text("old")
    save(CRANK, path)
    assert path.read_bytes() == BYTES
    assert [entry.name for entry in tmp_path.iterdir()] == ["model.kinetab"]


def test_a_place_that_cannot_be_written_is_an_error_in_words(tmp_path):
    with pytest.raises(TableFormatError, match="cannot write .*choose another place"):
        save(CRANK, tmp_path / "missing" / "model.kinetab")


# --- damage -----------------------------------------------------------------------------------------------------------


def test_a_missing_file_is_a_format_error(tmp_path):
    with pytest.raises(TableFormatError, match="cannot read .*bake"):
        load(tmp_path / "missing.kinetab")


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", b"KINETAB", MAGIC, MAGIC + bytes(40)])
def test_a_foreign_file_is_told_apart(data, tmp_path):
    path = tmp_path / "x.kinetab"
    path.write_bytes(data)
    with pytest.raises(TableFormatError, match=r"x\.kinetab.*bake"):
        load(path)


def test_another_schema_is_refused():
    data = bytearray(BYTES)
    data[8] += 1
    with pytest.raises(TableFormatError, match=f"schema {SCHEMA + 1}.*schema {SCHEMA}"):
        from_bytes(bytes(data))


def test_another_runtime_is_refused_unless_any_is_accepted():
    with pytest.raises(TableFormatError, match=r"run-time .* this is run-time 9\.9.*bake"):
        from_bytes(BYTES, "9.9")
    assert from_bytes(BYTES, None).name == "CrankSlider"


@settings(deadline=None)
@given(st.integers(0, len(BYTES) - 1))
def test_a_file_cut_short_is_a_format_error(size):
    with pytest.raises(TableFormatError):
        from_bytes(BYTES[:size])


@settings(deadline=None)
@given(st.integers(0, len(BYTES) - 1), st.integers(1, 255))
def test_a_flipped_byte_is_a_format_error(where, change):
    data = bytearray(BYTES)
    data[where] ^= change
    with pytest.raises(TableFormatError):
        from_bytes(bytes(data))


@settings(deadline=None)
@given(st.binary(max_size=400))
def test_any_bytes_behind_the_magic_are_a_format_error(junk):
    with pytest.raises(TableFormatError):
        from_bytes(MAGIC + junk)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 10**20) | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def paths(tree, here=()):
    yield here
    if isinstance(tree, dict) and here[:2] != ("model", "mechanism"):
        for key in tree:
            yield from paths(tree[key], (*here, key))
    elif isinstance(tree, list):
        for i in range(min(len(tree), 3)):
            yield from paths(tree[i], (*here, i))


FORGED = to_bytes(AS_FACTORS)
PLACES = [path for path in paths(header_of(FORGED)) if path]


@settings(deadline=None)
@given(st.sampled_from(PLACES), JSON)
def test_a_forged_header_is_refused_or_read_but_never_breaks_anything(place, value):
    def change(header):
        *way, last = place
        for key in way:
            header = header[key]
        header[last] = value

    try:
        from_bytes(repack(FORGED, change))
    except TableFormatError:
        pass


# --- models that cannot run -------------------------------------------------------------------------------------------


def rows_with(**changes):
    return chart_with(rows=replace(CRANK.charts[0].rows, **changes))


def slope_with(**changes):
    return chart_with(slopes=(replace(CRANK.charts[0].slopes[0], **changes),))


def axis_with(**changes):
    return chart_with(axes=(replace(CRANK.charts[0].axes[0], **changes),))


def bad(array, value, at=3):
    copy = np.array(array)
    copy.flat[at] = value
    return copy


def bases_with(*bases):
    return block_with(core=FACTORS.core, bases=bases)


def laws_with(one):
    return replace(CRANK, elements=(replace(CRANK.elements[0], laws=(one,)), CRANK.elements[1]))


BORDER = Border(0, True, 1.0, 0, (0.0,), 0)

FLAT = {
    "no chart": (replace(CRANK, charts=()), "charts"),
    "nan": (block_with(core=bad(BLOCK.core, np.nan)), "not finite"),
    "slope": (slope_with(slope=np.inf), "a slope is not finite"),
    "slope axis": (slope_with(axis=1), "a slope points to number 1 of 1 axes"),
    "slope row": (slope_with(row=99), "a slope points to number 99 of"),
    "axes": (block_with(axes=(1,)), "axes"),
    "degree": (block_with(knots=(BLOCK.knots[0][: BLOCK.core.shape[0] + 1],)), "degree 0"),
    "dimensions": (block_with(core=BLOCK.core[None]), "dimensions"),
    "bases": (bases_with(*FACTORS.bases, *FACTORS.bases), "a block of 1 axes has a core of shape"),
    "basis": (bases_with(FACTORS.bases[0][:, 1:]), "and bases of shapes"),
    "rows of a basis": (bases_with(FACTORS.bases[0][1:]), "its spline from"),
    "size of a basis": (bases_with(np.broadcast_to(1.0, (2**28, len(FACTORS.core)))), "more than 268435456"),
    "infinite": (block_with(core=1e200 * FACTORS.core, bases=(1e200 * FACTORS.bases[0],)), "not finite"),
    "periodic": (block_with(core=bad(BLOCK.core, 7.0)), "periodic"),
    "knots": (block_with(knots=(BLOCK.knots[0][::-1].copy(),)), "do not ascend"),
    "knot count": (block_with(knots=(BLOCK.knots[0][1:],)), "its spline from"),
    "border": (axis_with(upper=7.0), "its spline from"),
    "axis name": (axis_with(name="other"), "'theta'.*'other'"),
    "coordinates": (replace(CRANK, coordinates=CRANK.coordinates * 2), "2 coordinates and 1 axes"),
    "cell shape": (block_with(cells=BLOCK.cells[:, :2]), "shape"),
    "cell count": (block_with(cells=BLOCK.cells[:-1]), "8 n are needed"),
    "cell row": (block_with(cells=bad(BLOCK.cells, 800, 0)), "a cell points to number 800 of"),
    "cell chunk": (block_with(cells=bad(BLOCK.cells, 1, 0)), "multiple of 8"),
    "cell twice": (block_with(cells=BLOCK.cells[[0] * len(BLOCK.cells)]), "contributes twice"),
    "cell order": (block_with(cells=BLOCK.cells[::-1].copy()), "not in order"),
    "row ends": (rows_with(ends=(8, 16)), "the rows of a chart end at"),
    "row measure": (rows_with(elements=(0, 1)), "the measure of 'spring.slider' has row 0"),
    "row marker": (rows_with(markers=(MarkerRows(0, 99, 0),)), "the rows of a rotation are 99"),
    "row count": (rows_with(markers=()), "rows for 0 markers"),
    "row read": (rows_with(measures=(0,)), "rows for 1 read measures, but 0 of them"),
    "row read place": (
        replace(rows_with(measures=(800,)), measures=(MeasureInfo("m", "m", "a length"),)),
        "the rows of a read measure are 800",
    ),
    "hand-over chart": (chart_with(borders=(replace(BORDER, chart=1),)), "a border points to number 1 of 1 charts"),
    "hand-over place": (chart_with(borders=(replace(BORDER, at=7.0),)), "a border at 7 is outside its table"),
    "hand-over offset": (chart_with(borders=(replace(BORDER, offset=()),)), "offset of a border"),
    "lap": (replace(CRANK, coordinates=(replace(CRANK.coordinates[0], lap=np.nan),)), "the lap of coordinate theta"),
    "gravity": (replace(CRANK, gravity=(0, 1, 6)), "gravity points to number 6 of 6 parameters"),
    "law index": (
        laws_with(law("spring", (3, 77))),
        "77 of 6 parameters",
    ),
    "law size": (laws_with(law("damper", (3, 4))), "needs 1"),
    "law table": (
        laws_with(law("damper_table", (3, 4))),
        "at least 2 of each",
    ),
    "law argument": (laws_with(Law("time", "both", "linear", (3,))), "the argument 'time'; known are extension"),
    "law side": (laws_with(Law("rate", "above", "linear", (3,))), "the side 'above'; known are both, beyond"),
    "law curve": (laws_with(Law("rate", "both", "cubic", (3,))), "the curve 'cubic'; known are linear"),
    "law reference": (laws_with(Law("rate", "both", "linear", (3,), 4)), "of the rate and has a reference"),
    "spin": (replace(CRANK, markers=(replace(CRANK.markers[0], spin_axis=(0.0, 1.0, 0.0)),)), "only one of"),
    "port": (replace(CRANK, ports=(replace(CRANK.ports[0], marker=1),)), "port 'pin' points to number 1 of 1 markers"),
    "step": (replace(CRANK, step_size=0.0), "must be positive"),
    "start": (replace(CRANK, starts=(replace(CRANK.starts[0], value=np.inf),)), "'q_start.theta' is inf"),
    "minimum": (
        replace(CRANK, parameters=(*CRANK.parameters[:-1], Parameter("damper.crank.c", -1.0, "N.m.s/rad", "", 0.0))),
        "below its minimum",
    ),
    "name": (replace(CRANK, name=""), "no name"),
}  # fmt: skip


@pytest.mark.parametrize("case", FLAT)
def test_a_model_that_cannot_run_is_not_written(case):
    model, message = FLAT[case]
    with pytest.raises(TableFormatError, match=message):
        to_bytes(model)


def test_a_start_outside_its_table_is_refused():
    pendulum = double_pendulum(nodes=8)
    outside = replace(pendulum.starts[0], value=1.7)
    with pytest.raises(TableFormatError, match="'alpha' starts at 1.7 rad, outside"):
        to_bytes(replace(pendulum, starts=(outside, pendulum.starts[1])))


def test_a_mechanism_that_is_not_plain_data_is_refused():
    with pytest.raises(TableFormatError, match="only numbers, text, lists"):
        to_bytes(replace(CRANK, mechanism={"when": object()}))
