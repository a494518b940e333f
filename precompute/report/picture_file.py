"""Pictures as files, in the format that a name's ending says.  matplotlib takes a third of a second to import."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from precompute.errors import PrecomputeError
from precompute.files import check_writable, write_file


def picture_format(path: Path) -> str:
    """What the name's ending says.

    Raises:
        PrecomputeError: pictures of that kind cannot be drawn.
    """
    from matplotlib.backend_bases import FigureCanvasBase

    ending, known = path.suffix.lstrip(".").lower(), sorted(FigureCanvasBase.get_supported_filetypes())
    if not ending:
        raise PrecomputeError(f"cannot draw '{path}': its name must say the kind of picture, as '{path.name}.png' does")
    if ending not in known:
        raise PrecomputeError(f"cannot draw '{path}': no picture ends in '.{ending}'; choose one of {', '.join(known)}")
    return ending


def check_picture(path: Path, apart_from: Sequence[Path | None]) -> None:
    """Before long work: that a picture of this name can be drawn and written."""
    picture_format(path)
    check_writable(path, apart_from=apart_from)


def save(figure: Any, path: Path) -> None:
    """Write a figure of matplotlib."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format=picture_format(path), dpi=120)
    write_file(path, buffer.getvalue())
