"""The packages, what each may import, and the drawing of it in docs/design.md."""

import ast
import re
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from helpers import ROOT

ORDER = {
    "fmu_src": ["errors", "files", "model", "interface", "numpy_runtime", "slave", "build"],
    "precompute": [
        "arrays",
        "plain",
        "units",
        "errors",
        "telling",
        "hints",
        "quantities",
        "files",
        "threads",
        "progress",
        "cache",
        "geometry",
        "cams",
        "measures",
        "formulas",
        "model",
        "device_types",
        "mechanism_file",
        "following",
        "kinematics",
        "coordinates",
        "tables",
        "planning",
        "reduction",
        "reference",
        "natural",
        "kc",
        "rig",
        "scene",
        "design",
        "redesign",
        "variants",
        "running",
        "solving",
        "loading",
        "verify",
        "pipeline",
        "report",
        "exporting",
        "importing",
        "modes",
        "sheets",
        "sensitivity",
        "study",
        "fitting",
        "web",
        "templates",
        "results",
        "outcome",
        "progress_bar",
        "command_options",
        "command_line",
        "commands",
        "cli",
        "entry",
    ],
    "kinetab": ["mechanism", "models", "commands", "__main__"],
}
"""Packages and single modules of each half, from the ground up: each may import those before it."""

NOT_AT_LOAD = [
    ("precompute.report.inspection", "precompute.report.report_text"),  # inside a function
    ("precompute.report.assemblies", "precompute.report.assembly_text"),  # as well
    ("precompute.model.problems", "precompute.model.mechanism"),  # for types alone
    ("precompute.model.doubts", "precompute.model.mechanism"),  # as well
    ("precompute.model.cams", "precompute.model.mechanism"),  # as well
    ("precompute.model.contact_problems", "precompute.model.mechanism"),  # as well
]

HALVES = ["fmu_src", "precompute", "kinetab"]
MOST_MODULES = 20


def name_of(file: Path) -> str:
    return ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


@cache
def imported() -> dict[str, frozenset[str]]:
    """Module -> the modules of ours that it imports."""
    files = {name_of(file): file for half in HALVES for file in (ROOT / half).rglob("*.py")}
    found = {}
    for name, file in files.items():
        package = name if file.name == "__init__.py" else name.rpartition(".")[0]
        targets = set()
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                targets |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
                base = ".".join([*above, *([node.module] if node.module else [])])
                targets |= {f"{base}.{alias.name}" if f"{base}.{alias.name}" in files else base for alias in node.names}
        found[name] = frozenset((targets & files.keys()) - {name})
    return found


def part(module: str) -> str:
    """The package or single module right below a half; empty for the half itself."""
    return module.split(".")[1] if "." in module else ""


def test_a_package_imports_only_those_before_it():
    wrong = []
    for module, targets in imported().items():
        for target in targets:
            half, other = module.partition(".")[0], target.partition(".")[0]
            if half != other:
                good = HALVES.index(other) < HALVES.index(half)
            elif not part(module) or not part(target):
                good = True
            else:
                good = ORDER[half].index(part(target)) <= ORDER[half].index(part(module))
            wrong += [] if good else [f"{module} imports {target}"]
    assert not wrong


def test_natural_coordinates_share_nothing_with_what_they_certify():
    """Data of the mechanism and its measures, and nothing that solves, moves or tabulates it."""
    allowed = {"arrays", "units", "errors", "measures", "model", "natural"}
    found = {t for m, targets in imported().items() if part(m) == "natural" for t in targets}
    assert {part(t) for t in found} <= allowed


def test_no_module_imports_itself_by_a_detour():
    at_load = {m: {t for t in targets if t.count(".") > 1} for m, targets in imported().items() if m.count(".") > 1}
    for module, target in NOT_AT_LOAD:
        at_load[module].discard(target)
    list(TopologicalSorter(at_load).static_order())


def test_packages_are_small_and_say_what_comes_in_and_goes_out():
    for half in HALVES:
        for folder in {file.parent for file in (ROOT / half).rglob("*.py")}:
            count = len([file for file in folder.glob("*.py") if file.name != "__init__.py"])
            assert count <= MOST_MODULES, f"{folder.name} has {count} modules"
            doc = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8")))
            assert doc, folder
            if folder.parent != ROOT:
                assert re.search(r"\bIn: .*Out: ", doc, re.S) or "->" in doc, folder


def drawn(half: str) -> str:
    """The packages of a half, each with those of it that it imports and that none of these imports already."""
    direct = {name: set() for name in ORDER[half]}
    for module, targets in imported().items():
        if module.startswith(f"{half}.") and part(module) in direct:
            direct[part(module)] |= {part(t) for t in targets if t.startswith(f"{half}.")} - {part(module), ""}
    below = {}
    for name in ORDER[half]:
        below[name] = set().union(*(below[t] | {t} for t in direct[name])) if direct[name] else set()
    lines = []
    for name in ORDER[half]:
        needed = [t for t in direct[name] if not any(t in below[other] for other in direct[name])]
        lines.append(f"{name:15} <- {', '.join(sorted(needed, key=ORDER[half].index))}".rstrip(" <-"))
    return "\n".join(lines)


@pytest.mark.parametrize("half", ["fmu_src", "precompute"])
def test_the_drawing_in_the_docs_is_true(half):
    text = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
    shown = re.search(rf"```\n{half}\n(.*?)\n```", text, re.S)
    assert shown and shown[1] == drawn(half), f"docs/design.md should show\n{half}\n{drawn(half)}"
