"""Lays all pages, and what they link to, side by side for the generator of the site: python docs/stage.py FOLDER.

The pages stand where readers of the repository find them: README.md at the top, docs/ and integration/ beside it.  The
generator wants one folder with pages alone; so they are copied with their places kept, and links stay as they are.
"""

import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
STYLE = ROOT / "docs" / "site.css"
FENCE = re.compile(r"^```.*?^```", re.M | re.S)
CODE = re.compile(r"`[^`]*`")
LINK = re.compile(r"\]\(([^)\s]+)\)")


def pages() -> list[Path]:
    """All pages: README.md first."""
    top = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "integration/README.md")]
    return [*top, *sorted((ROOT / "docs").glob("*.md"))]


def links(text: str) -> list[str]:
    """Targets of the links and pictures of a page that are no addresses elsewhere."""
    prose = CODE.sub("", FENCE.sub("", text))
    return [target for target in LINK.findall(prose) if not target.startswith(("http://", "https://", "mailto:"))]


def linked(page: Path) -> set[Path]:
    """Files that a page links to."""
    names = {target.partition("#")[0] for target in links(page.read_text(encoding="utf-8"))}
    return {(page.parent / name).resolve() for name in names if name}


def stage(folder: Path) -> None:
    """Copy all pages and what they link to; what was there before goes."""
    shutil.rmtree(folder, ignore_errors=True)
    for file in {*pages(), STYLE, *(file for page in pages() for file in linked(page))}:
        copy = folder / file.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, copy)


if __name__ == "__main__":
    stage(Path(sys.argv[1]))
