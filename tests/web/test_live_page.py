"""The kernel in the page against the FMU that it is of: all outputs along a step of a load, with a rate changed."""

import json
import re

import numpy as np
import pytest
from helpers_browser import browsed, needs_browser
from helpers_fmu import Host

from precompute.web.report import of_fmu, report_page

AGREE = 1e-9
"""Relative, of the largest of each output."""

PROGRAM = """(async () => {
  const { live } = kinetab;
  await live.ready;
  const input = live.data.inputs[Number(live.find('input').value)];
  const rate = live.data.parameters.find((own) => /^spring\\..*\\.k$/.test(own.name));
  const found = live.run({ input, size: input.factor * 500, shape: 'step', time: 1, stop: 500 * live.data.step,
    parameters: [{ reference: rate.reference, value: 1.1 * rate.start }] });
  live.found = found;
  live.draw();
  return { input: input.name, start: input.start, rate: rate.name, k: rate.start, step: live.data.step,
    names: live.data.outputs.map((own) => own.name), values: found.values.filter((_, i) => i % 50 === 0) };
})()"""


@pytest.mark.fmu
@needs_browser
@pytest.mark.parametrize("name", ["double_wishbone_rigid", pytest.param("macpherson", marks=pytest.mark.slow)])
def test_the_kernel_in_the_page_is_that_of_the_fmu(name, fmu, tmp_path):
    pytest.importorskip("ziglang")
    page = report_page(of_fmu(fmu(name), check=False))
    data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.S)[1])
    assert "live" in data, re.search(r"Not in this page: .*", page)[0]
    coordinates = data["view"]["motions"][0]["axes"]
    assert all(axis.get("si") in ("m", "rad") for axis in coordinates)
    found = browsed(tmp_path, page, PROGRAM, budget=60_000)
    assert not found.messages
    got, host = found.value, Host(fmu(name))
    host.set(got["rate"], 1.1 * got["k"])
    host.set(got["input"], got["start"])
    host.start()
    theirs = [host.get(*got["names"])]
    for i in range(500):
        host.set(got["input"], got["start"] + 500.0 * ((i + 0.5) * got["step"] >= 0.1))
        host.step(i * got["step"], got["step"])
        theirs += [host.get(*got["names"])] if i % 50 == 49 else []
    host.close()
    for k, output in enumerate(got["names"]):
        ours, exact = (np.array([row[k] for row in rows]) for rows in (got["values"], theirs))
        size = max(np.abs(exact).max(), 1e-6)
        np.testing.assert_allclose(ours, exact, rtol=AGREE, atol=AGREE * size, err_msg=output)
