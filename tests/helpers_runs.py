"""Runs of both run-times from start to end, and what they say of their steps."""

from __future__ import annotations

import re

import numpy as np
from helpers_kernel import Pair

SIZE = 1e-3
"""Communication step [s]."""


class Runs(Pair):
    """Runs of both run-times, or of the kernel alone, which is fast; what they say is the same."""

    def begin(self, values, numpy=True):
        self.both = (self.compiled, self.numpy) if numpy else (self.compiled,)
        for instance in self.both:
            instance.set([self.names.index(name) for name in values], list(values.values()))
            instance.setup(0.0)
            instance.enter_initialization()
        return self._same([instance.exit_initialization() for instance in self.both])

    def step(self, i, size=SIZE):
        return self._same([instance.step(i * size, size) for instance in self.both])

    def read(self, *names):
        found = [i.get([self.names.index(name) for name in names]) for i in self.both]
        np.testing.assert_allclose(found[0], found[-1], rtol=1e-6, atol=1e-12)
        return found[0]

    def _same(self, said):
        assert said[0] == said[-1]
        return said[0]


def suggested(text):
    """The step that a warning names."""
    return float(re.search(r"set 'solver\.step' = ([\d.e-]+) s;", text).group(1))
