"""Systems of FMUs as SSP: what must fit together, all that does not at once, and the archive against its schemas."""

import zipfile
from io import BytesIO
from pathlib import Path
from xml.sax.saxutils import quoteattr

import fmpy.ssp
import pytest
from fmpy.ssp.ssd import read_ssd

from precompute.cli import main
from precompute.errors import MechanismError
from precompute.exporting import System, joined, read_system, ssp

SCHEMA = Path(fmpy.ssp.__file__).parent / "schema"

UNITS = {"m": 'm="1"', "mm": 'm="1" factor="0.001"', "N": 'kg="1" m="1" s="-2"'}

SENDER = """
out[1] output Real m
out[2] output Real m
out[3] output Real m
count output Integer -
on output Boolean -
k parameter Real -
hidden local Real -
"""
TAKER = """
in[1] input Real m
in[2] input Real m
in[3] input Real m
small input Real mm
plain input Real -
count input Integer -
flag input Boolean -
k parameter Real N
name parameter String -
mode parameter Enumeration -
"""


def described(path, variables=SENDER, units=UNITS, more=""):
    """An FMU as far as its description goes: lines name, causality, type, unit."""
    text = ""
    for line in filter(None, variables.splitlines()):
        name, causality, kind, unit = line.rsplit(" ", 3)
        start = {"Boolean": ' start="false"', "String": ' start=""', "Enumeration": ' start="1" declaredType="Mode"'}
        own = start.get(kind, ' start="0"') if causality in ("input", "parameter") else ""
        own += f' unit="{unit}"' if unit != "-" else ""
        own += ' min="0" max="10"' if (name, kind) == ("k", "Real") else ""
        discrete = "" if kind == "Real" or causality == "parameter" else ' variability="discrete"'
        fixed = ' variability="tunable"' if causality == "parameter" else discrete
        text += (
            f'<ScalarVariable name={quoteattr(name)} valueReference="{text.count("valueReference")}" '
            f'causality="{causality}"{fixed}><{kind}{own}/></ScalarVariable>'
        )
    listed = "".join(f'<Unit name="{name}"><BaseUnit {base}/></Unit>' for name, base in units.items())
    outputs = [i for i, line in enumerate(filter(None, variables.splitlines()), 1) if " output " in line]
    unknowns = "".join(f'<Unknown index="{i}"/>' for i in outputs)
    structure = f"<Outputs>{unknowns}</Outputs><InitialUnknowns>{unknowns}</InitialUnknowns>" if outputs else ""
    items = '<Item name="soft" value="1"/><Item name="hard" value="2"/>'
    mode = f'<SimpleType name="Mode"><Enumeration>{items}</Enumeration></SimpleType>'
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(
            "modelDescription.xml",
            f'<?xml version="1.0" encoding="UTF-8"?><fmiModelDescription fmiVersion="2.0" modelName="A" guid="1"{more}>'
            f'<CoSimulation modelIdentifier="A"/><UnitDefinitions>{listed}</UnitDefinitions>'
            f"<TypeDefinitions>{mode}</TypeDefinitions>"
            f"<ModelVariables>{text}</ModelVariables><ModelStructure>{structure}</ModelStructure></fmiModelDescription>",
        )
    return path


@pytest.fixture
def folder(tmp_path):
    described(tmp_path / "Sender.fmu")
    described(tmp_path / "Taker.fmu", TAKER)
    return tmp_path


def written(folder, connections="", parameters="", components="", top=""):
    path = folder / "system.toml"
    path.write_text(
        f'{top}\nconnections = [{connections}]\n[components]\na = "Sender.fmu"\nb = "Taker.fmu"\n{components}\n'
        f"[parameters]\n{parameters}\n",
        encoding="utf-8",
    )
    return path


def opened(data):
    etree = pytest.importorskip("lxml.etree")
    archive = zipfile.ZipFile(BytesIO(data))
    root = etree.fromstring(archive.read("SystemStructure.ssd"))
    etree.XMLSchema(file=str(SCHEMA / "SystemStructureDescription.xsd")).assertValid(root)
    for name in archive.namelist():
        if name.endswith(".ssv"):
            values = etree.fromstring(archive.read(name))
            etree.XMLSchema(file=str(SCHEMA / "SystemStructureParameterValues.xsd")).assertValid(values)
    return archive, root


def problems(folder, **parts):
    with pytest.raises(MechanismError) as error:
        joined(read_system(written(folder, **parts)))
    return list(error.value.problems)


# -- the archive ------------------------------------------------------------------------------------------------------


def test_it_follows_the_schemas_and_fmpy_reads_what_the_file_says(folder, capsys):
    path = written(
        folder,
        '["a.out[1:3]", "b.in[1:3]"], ["a.out[1]", "b.plain"], ["a.count", "b.count"], ["a.on", "b.flag"]',
        'a.k = 3\n"b.small" = -1e-3\nb.name = "<x> & \\"y\\""\nb.mode = "hard"\n"b.k" = 2.5',
        top='name = "A & <b>"\nstop_time = 2\nstep_size = 0.01',
    )
    assert main(["export", str(path), "-o", str(folder / "it.ssp")]) == 0
    told = capsys.readouterr().out
    assert "2 components, 6 connections, 5 start values" in told and "both ends of 3 of" in told
    archive, root = opened((folder / "it.ssp").read_bytes())
    found = read_ssd(str(folder / "it.ssp"))
    assert found.name == "A & <b>"
    ends = [(c.startElement, c.startConnector, c.endElement, c.endConnector) for c in found.system.connections]
    assert ends[0] == ("a", "out[1]", "b", "in[1]") and ends[3] == ("a", "out[1]", "b", "plain") and len(ends) == 6
    sender, taker = found.system.elements
    assert [(c.name, c.kind) for c in sender.connectors] == [
        ("out[1]", "output"), ("out[2]", "output"), ("out[3]", "output"), ("count", "output"), ("on", "output"),
    ]  # fmt: skip
    values = {p.name: (p.type, p.value, p.unit) for p in taker.parameterBindings[0].parameterValues[0].parameters}
    assert values == {
        "small": ("Real", "-0.001", "mm"),
        "name": ("String", '<x> & "y"', None),
        "mode": ("Enumeration", "hard", None),
        "k": ("Real", "2.5", "N"),
    }
    assert archive.read("resources/Sender.fmu") == (folder / "Sender.fmu").read_bytes()
    space = {"ssd": "http://ssp-standard.org/SSP1/SystemStructureDescription"}
    assert root.find("ssd:DefaultExperiment", space).get("stopTime") == "2.0"
    assert {u.name: (u.m, u.factor) for u in found.units} == {"m": (1, 1.0), "mm": (1, 0.001), "N": (1, 1.0)}


def test_names_from_fmus_are_escaped(tmp_path):
    name = "<script>alert(\"1\")</script> & 'x'"
    described(tmp_path / "Sender.fmu", f"{name} output Real m\n")
    described(tmp_path / "Taker.fmu", f"{name} input Real m\n")
    (start, end), fmus = (
        (f"a.{name}", f"b.{name}"),
        {n: tmp_path / f"{f}.fmu" for n, f in (("a", "Sender"), ("b", "Taker"))},
    )
    _, root = opened(ssp(joined(System(fmus, ((start, end),), {end: 1.0}))))
    connections = [node for node in root.iter() if node.tag.endswith("}Connection")]
    assert connections[0].get("endConnector") == name
    assert not [node for node in root.iter() if str(node.tag).endswith("}script") or node.tag == "script"]


def test_fmus_of_several_instances_are_there_once_and_of_one_name_both(folder):
    (folder / "ä b").mkdir()
    described(folder / "ä b" / "sender.fmu")
    path = written(folder, components='c = "Sender.fmu"\nd = "ä b/sender.fmu"\ne = "ä b/../Taker.fmu"')
    archive, _ = opened(ssp(joined(read_system(path))))
    assert [n for n in archive.namelist() if n.endswith("fmu")] == [
        "resources/Sender.fmu", "resources/Taker.fmu", "resources/sender_2.fmu",
    ]  # fmt: skip


def test_the_same_system_is_the_same_file(folder):
    path = written(folder, '["a.out[1]", "b.in[1]"]', "a.k = 1")
    assert ssp(joined(read_system(path))) == ssp(joined(read_system(path)))


# -- what does not fit ------------------------------------------------------------------------------------------------


def test_all_that_does_not_fit_is_told_at_once(folder):
    found = problems(
        folder,
        connections='["a.out[1]", "b.small"], ["a.count", "b.plain"], ["a.out[4]", "b.in[1]"], ["a.k", "b.in[2]"], '
        '["a.out[2]", "b.k"], ["b.in[3]", "b.plai"]',
        parameters='"a.out[1]" = 1\n"a.k" = 11\n"b.k" = "strong"\n"b.mode" = "hrd"\n"b.count" = 1.5\n"b.nam" = "x"\n'
        '"a.hidden" = 1\n"b.flag" = 1',
        components='c = "None.fmu"\nd = "system.toml"',
    )
    for text in (
        "'a.out[1]' -> 'b.small': the units are m and mm; masters copy numbers as they are",
        "'a.count' -> 'b.plain': the types are Integer and Real",
        "'a.out[4]': 'a' has no variable 'out[4]'; did you mean 'out[",
        "'a.k' is a variable of the kind parameter; a connection needs an output there",
        "'b.k' is a variable of the kind parameter; a connection needs an input there; give it a value in [parameters]",
        "'b.in[3]' is a variable of the kind input; a connection needs an output there",
        "'b.plai': 'b' has no variable 'plai'; did you mean 'plain'?",
        "'a.out[1]' is a variable of the kind output, and its start cannot be set",
        "'a.k' is 11; the most that the FMU takes is 10",
        "'b.k' is 'strong'; its type is Real",
        "'b.mode' is 'hrd'; did you mean 'hard'?",
        "'b.count' is 1.5; its type is Integer",
        "'b.nam': 'b' has no variable 'nam'; did you mean 'name'?",
        "'a.hidden' is a variable of the kind local, and its start cannot be set",
        "'b.flag' is 1; its type is Boolean",
        "component 'c': there is no file",
        "component 'd': ",
    ):
        assert any(problem.startswith(text) for problem in found), (text, found)
    assert len(found) == 17, found


def test_all_that_is_wrong_in_the_file_is_told_at_once(folder):
    found = problems(
        folder,
        top='nme = "x"\nname = 3\nstop_time = 0\nstep_size = "1"',
        connections='["a.out[1:3]", "b.in[1:2]"], "a.k", ["tire.N", "b.in[3]"], ["a.count", "b.count"], '
        '["a.out[1]", "b.count"], ["a", "b.plain"]',
        parameters='"x.y" = 1\n"b.in[1:3]" = [1, 2]\n"b.name" = 1979-05-27\nb.k = 1\n[parameters.b2]\nk = 1',
        components='"c d" = "Sender.fmu"\ne = 3',
    )
    for text in (
        "there is no key 'nme'; did you mean 'name'?",
        "name: 3 is no name",
        "stop_time: is 0; a positive number of seconds is expected",
        "step_size: is '1'; a positive",
        "connections: 'a.out[1:3]' has 3 components, 'b.in[1:2]' 2",
        "connections: 'a.k' is no pair",
        "'tire.N' names no FMU of the system; known: a, b, c d",
        "connected twice: b.count",
        "'a' names an FMU and none of its variables; write 'a.VARIABLE'",
        "'x.y' names no FMU",
        "parameters: 'b.in[1:3]' has 3 components and 2 values",
        "parameters: 'b.name' is datetime.date(1979, 5, 27); a number",
        "'b2.k' names no FMU of the system; did you mean",
        "components: 'c d' is no name",
        "components: 'e' is 3; the name of an FMU is expected",
    ):
        assert any(problem.startswith(text) for problem in found), (text, found)
    assert len(found) == 15, found


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("nan", "a finite number"), ("-inf", "a finite number"), ("1" + "0" * 400, "a finite number"),
        ("true", "its type is Real"), ("-1", "the least that the FMU takes is 0"),
    ],
)  # fmt: skip
def test_values_that_no_fmu_takes(folder, value, told):
    (found,) = problems(folder, parameters=f'"b.k" = {value}')
    assert told in found


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "[components] says which FMUs there are"),
        ("a = ", "there is no valid value"),
        ("[components]\na = 1" + "0" * 5000, "thousands of digits"),
        ("x = " + "[" * 5000, "nested too deeply"),
        ("[bodies.a]\nmass = 1\n", "is a mechanism file; bake it"),
        ("components = 3\nconnections = 3\nparameters = 3", "connections: is a list"),
        ('[components]\na = "a\\u0000b"', "the name of an FMU is expected"),
        (f'[components]\na = "{"x" * 5000}.fmu"', "name too long"),
        ('[components]\na = "."', "component 'a': "),
        ('connections = [["a.x[1:999999]", "a.y[1:999998]"]]\n[components]\na = "a.fmu"', "has 999999 components"),
    ],
)  # fmt: skip
def test_files_that_are_none(tmp_path, capsys, text, told):
    path, out = tmp_path / "s.toml", tmp_path / "s.ssp"
    path.write_text(text, encoding="utf-8")
    out.write_bytes(b"what was there")
    assert main(["export", str(path), "-o", str(out)]) == 1
    assert told in capsys.readouterr().err and out.read_bytes() == b"what was there"


def test_fmus_that_do_not_co_simulate(folder):
    with zipfile.ZipFile(folder / "Sender.fmu") as archive:
        text = archive.read("modelDescription.xml").decode()
    with zipfile.ZipFile(folder / "Sender.fmu", "w") as archive:
        new = '<ModelExchange modelIdentifier="A"/>'
        archive.writestr("modelDescription.xml", text.replace('<CoSimulation modelIdentifier="A"/>', new))
    (found,) = problems(folder, parameters='"a.nothing" = 1')
    assert "is no FMU for co-simulation by FMI 2.0" in found


def test_units_of_one_name_that_are_not_the_same(folder):
    described(folder / "Taker.fmu", TAKER, UNITS | {"m": 'm="2"'})
    found = problems(folder, connections='["a.out[1]", "b.in[1]"]')
    assert any("the units are m and m" in problem for problem in found)
    assert "the unit 'm' of 'a' is another than that of 'b'" in found


def test_the_command_says_what_goes_with_what(folder, capsys):
    path = str(written(folder))
    for words, told in (
        (["export", str(folder / "Sender.fmu"), "-o", str(folder / "a.ssp")], "an archive is of a file with"),
        (["export", str(folder / "Sender.fmu"), "-o", str(folder / "a.csv")], "curves are of a mechanism file"),
        (["export", path, "-o", str(folder / "a.ssp"), "--step", "1ms"], "--step is for .xml alone"),
        (["export", path, "-o", str(folder / "Sender.fmu")], "must end in"),
    ):
        assert main(words) == 1 and told in capsys.readouterr().err
    (folder / "Sender.ssp").symlink_to(folder / "Sender.fmu")
    before = (folder / "Sender.fmu").read_bytes()
    assert main(["export", path, "-o", str(folder / "Sender.ssp")]) == 1
    assert "reads or writes that file itself" in capsys.readouterr().err
    assert (folder / "Sender.fmu").read_bytes() == before
