"""A page as one file: style, scripts and data inside.

Names come from files of users.  In HTML they are escaped; to scripts they come as JSON in which no tag can begin or
end, and scripts write them as text alone.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Mapping, Sequence
from html import escape
from importlib.resources import files
from typing import Any

import numpy as np

from fmu_src import __version__
from fmu_src.build.pages.html import asset as style
from precompute.arrays import Array


def page(
    title: str,
    body: str,
    data: Mapping[str, Any],
    scripts: Sequence[str],
    library: str = "",
    behind: Sequence[str] = (),
) -> str:
    """The whole file.

    Args:
        title: of the window; any text.
        body: HTML.
        data: what scripts read, as JSON.
        scripts: names of our own scripts, in their order.
        library: HTML that loads a library, after them.
        behind: scripts that need it.
    """
    needing = "".join(asset(name) for name in behind)
    more = f'{library}<script>\n"use strict";\n{needing}</script>\n' if behind else ""
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="kinetab {escape(__version__)}">
<title>{escape(title)}</title>
<link rel="icon" href="data:,">
<style>
{style("style.css")}</style>
</head>
<body>
{body}
{running(data, scripts)}{more}</body>
</html>
"""


def running(data: Mapping[str, Any], scripts: Sequence[str]) -> str:
    """What makes a page move: data, and scripts that read them; see `page`."""
    return f"""<script type="application/json" id="data">{embedded(data)}</script>
<script>
"use strict";
{"".join(asset(name) for name in scripts)}</script>
"""


def asset(name: str) -> str:
    """One of our own scripts."""
    return (files("precompute.web") / "assets" / name).read_text(encoding="utf-8")


def embedded(data: Mapping[str, Any]) -> str:
    """JSON that can stand in a script element: '<', '>' and '&' are written as numbers, so no tag is in it."""
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def compressed(content: bytes) -> str:
    """By gzip, as base64; the same text of the same content."""
    return base64.b64encode(gzip.compress(content, mtime=0)).decode()


def packed(values: Array) -> str:
    """Numbers of single precision, little-endian, as base64."""
    return base64.b64encode(np.ascontiguousarray(values, dtype="<f4").tobytes()).decode()
