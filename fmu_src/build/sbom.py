"""The software bill of materials of an FMU, CycloneDX 1.6: whose code is inside, file by file.

In: the files of the FMU.  Out: documentation/sbom.cdx.json.  Equal FMUs have equal ones: there is no date in it, and
its serial number is made from its content.  What a compiler adds of its own, such as start-up code, is not listed:
the compiler is, with its version.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..model.reduced_model import ReducedModel
from .origin import DIRTY, LICENSES, commit, version

SBOM_FILE = "sbom.cdx.json"


def sbom(
    model: ReducedModel, files: Mapping[str, bytes], parts: Mapping[str, Iterable[str]], compilers: Iterable[str]
) -> bytes:
    """The bill, as JSON.

    Args:
        model: the model.
        files: all files of the FMU but its documentation, by name.
        parts: whose code is in it, of `origin.LICENSES`, and the names of the files that are theirs; all other files
            are the model's.
        compilers: what its binaries were made with, as they call themselves.
    """
    owners = {name: sorted(theirs) for name, theirs in parts.items()}
    own = sorted(set(files) - {name for theirs in owners.values() for name in theirs})
    content = {
        "metadata": {
            "tools": {"components": [_tool("kinetab", version("kinetab")), *_compilers(compilers)]},
            "component": {
                "type": "library",
                "bom-ref": "fmu",
                "name": model.name,
                "description": model.description,
                "components": _files(own, files),
                "properties": [{"name": "kinetab:mechanism", "value": model.source_hash}],
            },
        },
        "components": [_part(name, _files(theirs, files)) for name, theirs in owners.items()],
        "dependencies": [{"ref": "fmu", "dependsOn": list(owners)}, *({"ref": name} for name in owners)],
    }
    head = {"bomFormat": "CycloneDX", "specVersion": "1.6", "serialNumber": _serial(content), "version": 1}
    return (json.dumps(head | content, indent=1, ensure_ascii=False) + "\n").encode()


def _serial(content: Mapping[str, Any]) -> str:
    digest = hashlib.sha256(json.dumps(content).encode()).digest()
    return uuid.UUID(bytes=digest[:16], version=5).urn


def _tool(name: str, version: str) -> dict[str, str]:
    return {"type": "application", "name": name, "version": version}


def _compilers(names: Iterable[str]) -> list[dict[str, str]]:
    return [_tool("C compiler", name) for name in sorted(set(names)) if name]


def _part(name: str, files: list[dict[str, Any]]) -> dict[str, Any]:
    """A component that we or others publish."""
    return {
        "type": "library",
        "bom-ref": name,
        "name": name,
        "version": version(name),
        "licenses": [{"license": {"id": LICENSES[name]}}],
        "purl": f"pkg:pypi/{name}@{version(name)}",
        **(_pedigree(commit()) if name == "kinetab" and commit() else {}),
        "components": files,
    }


def _pedigree(found: str) -> dict[str, Any]:
    notes = {"notes": "files had been changed since this commit"} if found.endswith(DIRTY) else {}
    return {"pedigree": {"commits": [{"uid": found.removesuffix(DIRTY)}], **notes}}


def _files(names: Sequence[str], files: Mapping[str, bytes]) -> list[dict[str, Any]]:
    return [
        {
            "type": "file",
            "name": name,
            "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(files[name]).hexdigest()}],
        }
        for name in names
    ]
