"""Inputs over time as spreadsheets write them, right and wrong."""

import pytest

from precompute.running.input_table import MOST_PROBLEMS, read_inputs
from precompute.running.simulation import SimulationError

pytestmark = pytest.mark.fmu


@pytest.fixture
def read(fmu, tmp_path):
    def from_text(text):
        path = tmp_path / "in.csv"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_inputs(path, fmu("crank_slider"))

    return from_text


@pytest.mark.parametrize(
    "text",
    [
        "time,Q.crank\n0,0.5\n0.25,-1e3\n",
        "time;Q.crank\n0;0.5\n0.25;-1e3\n",
        "time;Q.crank\r\n0;0,5\r\n0,25;-1e3\r\n",  # German and French spreadsheets
        "time\tQ.crank\n0\t0,5\n0,25\t-1000\n",
        "\ufeff time ; Q.crank ;\n 0 ; 0,5 ;\n\n,25 ;-1000,; \n",
        '"time","Q.crank"\n"0","0.5"\n"0.25","-1000"\n',
    ],
)
def test_separators_and_decimal_commas(read, text):
    table = read(text)
    assert table.dtype.names == ("time", "Q.crank")
    assert table.tolist() == [(0.0, 0.5), (0.25, -1000.0)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        # which decimal mark?
        ("time;Q.crank\n0;1.234,5\n", r"line 2, column 2 \(Q.crank\): '1.234,5' has separators of thousands"),
        ("time;Q.crank\n0;1,234,567\n", r"column 2 \(Q.crank\): '1,234,567' has separators of thousands"),
        ("time;Q.crank\n0;1 234,5\n", r"'1 234,5' has separators of thousands"),
        (
            "time;Q.crank\n0;1.234\n0,5;1\n",
            r"line 3, column 1 \(time\): '0,5' has a comma, but '1.234' in line 2, column 2 \(Q.crank\) a point; "
            "write all numbers in one way",
        ),
        ('time,Q.crank\n0,"1,234"\n', r"line 2, column 2 \(Q.crank\): '1,234' has a comma, which separates columns"),
        (
            "time,Q.crank\n0,0,0,5\n",
            "line 2: expected 2 numbers separated by commas, found 4; are these decimal commas",
        ),
        # which cell?
        ("time,Q.crank\n0,1\n\n\n0.1,x\n", r"line 5, column 2 \(Q.crank\): 'x' is no number"),
        ("time,Q.crank\n0,1\n,1\n", r"line 3, column 1 \(time\): there is no number"),
        ("time,Q.crank\n0,inf\n", r"line 2, column 2 \(Q.crank\): 'inf' is not finite"),
        ("time,Q.crank\n0,1e999\n", r"line 2, column 2 \(Q.crank\): '1e999' is not finite"),
        ("time,Q.crank\n0\n", r"line 2: expected 2 numbers .* found 1; column 2 \(Q.crank\) is missing"),
        ("time,Q.crank\n0,1,2\n", r"line 2: expected 2 numbers separated by commas, found 3: 0,1,2"),
        ("time,Q.crank\n0,1\n0.3,2\n0.2,3\n", r"line 4, column 1 \(time\): 0.2 follows 0.3"),
        # which name?
        ("", "line 1: the first row must be names, beginning with 'time'; there is none"),
        ("Zeit;Q.crank\n0;1\n", "line 1: .* beginning with 'time'; it begins with 'Zeit'"),
        ("time,Q.crunk\n0,1\n", "line 1, column 2: 'Q.crunk' is no input of crank_slider.fmu; did you mean 'Q.crank'"),
        ("time,q.crank\n0,1\n", "line 1, column 2: 'q.crank' is no input"),
        ("time,Q.crank,Q.crank\n0,1,2\n", "line 1, column 3: the name 'Q.crank' stands twice"),
        ("time,Q.crank,\n0,1,5\n", "line 2: expected 2 numbers .* found 3"),
        ("time,Q.crank\n", "line 2: there are names, but no row of numbers"),
        (b"\xff\xfet\x00i\x00", "is no text in UTF-8; save it as 'CSV UTF-8'"),
    ],
)
def test_what_is_refused(read, text, message):
    with pytest.raises(SimulationError, match=message):
        read(text)


def test_all_problems_at_once(read):
    with pytest.raises(SimulationError, match="in.csv' has 3 problems:\n  line 2.*\n  line 3.*\n  line 4"):
        read("time,Q.crank\n0,x\n0.1\n0.2,nan\n0.3,1\n")
    with pytest.raises(SimulationError, match=r"has 50 problems:\n(  line.*\n){10}  and 40 more$") as caught:
        read("time,Q.crank\n" + "0,x\n" * 50)
    assert str(caught.value).count("\n") == MOST_PROBLEMS + 1
