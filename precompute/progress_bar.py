"""Progress of a command on stderr: one bar with the time left where someone sees it move, else a line now and then."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from rich.console import Console
from rich.progress import BarColumn, ProgressColumn, Task, TextColumn
from rich.progress import Progress as Bar
from rich.text import Text

from precompute.progress import Progress, unheard

PAUSE = 5.0
"""[s] Between lines, and before the first: what is short says nothing."""

NEARLY = 0.99
"""No more is shown before the end."""

EARLY = 0.02, 1.0
"""No time left is said before so much is done, and so many seconds have passed."""


@dataclass
class Estimate:
    """What is done, which never becomes less, and what that says of the time left."""

    what: str = ""
    share: float = 0.0
    begun: float | None = None  # the share that was done already at the start, as of a study that goes on
    started: float = field(default_factory=lambda: time.monotonic())
    heard: float = 0.0  # when the share last grew [s] after the start

    def __call__(self, what: str, share: float) -> None:
        """A stage tells where it is."""
        self.what = what
        self.begun = share if self.begun is None else self.begun
        if share > self.share:
            self.share, self.heard = min(share, NEARLY), self.passed

    @property
    def passed(self) -> float:
        """[s] Since the start."""
        return time.monotonic() - self.started

    def left(self) -> str:
        """The time left, as if all went on as it did until now; nothing where that says too little."""
        done = self.share - (self.begun or 0.0)
        if done < EARLY[0] or self.passed < EARLY[1]:
            return ""
        end = self.heard * (1.0 + (1.0 - self.share) / done)
        return f"about {duration(max(end - self.passed, 1.0))} left"


def duration(seconds: float) -> str:
    """Roughly, as people say it."""
    if seconds < 10.0:
        return f"{seconds:.0f} s"
    if seconds < 90.0:
        return f"{5 * round(seconds / 5)} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400.0 else f"{seconds / 3600:.1f} h"


@contextmanager
def shown(quiet: bool = False) -> Iterator[Progress]:
    """Progress of what is done meanwhile, on stderr; nothing if it is to be quiet."""
    if quiet:
        yield unheard
    elif sys.stderr.isatty():
        estimate = Estimate()
        columns = (BarColumn(24), Told(estimate), TextColumn("{task.description}"))
        with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("", total=1.0)

            def moved(what: str, share: float) -> None:
                estimate(what, share)
                bar.update(task, description=what, completed=estimate.share)

            yield moved
    else:
        estimate, over = Estimate(), threading.Event()
        speaker = threading.Thread(target=speak, args=(estimate, over), daemon=True)
        speaker.start()
        try:
            yield estimate
        finally:
            over.set()
            speaker.join()


def speak(estimate: Estimate, over: threading.Event) -> None:
    """A line every few seconds, also while a stage says nothing."""
    while not over.wait(PAUSE):
        print(f"kinetab: {told(estimate)}: {estimate.what or 'begins'}", file=sys.stderr, flush=True)


class Told(ProgressColumn):
    """Percent, time passed and time left."""

    def __init__(self, estimate: Estimate) -> None:
        super().__init__()
        self.estimate = estimate

    def render(self, task: Task) -> Text:
        """Anew whenever the bar is drawn, so that the time runs while a stage says nothing."""
        return Text(told(self.estimate))


def told(estimate: Estimate) -> str:
    """`34 %, 12 s, about 25 s left`."""
    parts = (f"{int(100 * estimate.share)} %", duration(estimate.passed), estimate.left())
    return ", ".join(part for part in parts if part)
