"""Pages in a headless Chromium, where there is one."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

import pytest

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

needs_browser = pytest.mark.skipif(BROWSER is None, reason="no Chromium is found")

FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars")


class Browsed(NamedTuple):
    """What came of a page."""

    value: Any  # of the program
    messages: list[str]  # of the console


def browsed(folder: Path, page: str, program: str, budget: int = 10_000) -> Browsed:
    """Open a page from disk, evaluate an expression once it has settled, and listen to the console."""
    probe = f"""<script>
setTimeout(async () => {{
  let found;
  try {{
    if (window.kinetab) await kinetab.ready;
    found = {{ value: await ({program}) }};
  }} catch (error) {{ found = {{ error: String(error) }}; }}
  const out = document.createElement("pre");
  out.id = "probe";
  out.textContent = JSON.stringify(found);
  document.body.append(out);
}}, 300);
</script></body>"""
    path = folder / "page.html"
    path.write_text(page.replace("</body>", probe), encoding="utf-8")
    options = (f"--user-data-dir={folder / 'profile'}", f"--virtual-time-budget={budget}", "--enable-logging=stderr")
    command = [str(BROWSER), *FLAGS, *options, "--dump-dom", path.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    found = re.search(r'<pre id="probe">(.*?)</pre>', done.stdout, re.S)
    assert found, done.stderr[-2000:]
    result = json.loads(html.unescape(found[1]))
    assert "error" not in result, result["error"]
    return Browsed(result.get("value"), [line for line in done.stderr.splitlines() if "CONSOLE" in line])
