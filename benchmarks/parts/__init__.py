"""The parts of `make bench`.

machine.py   on what was measured
models.py    mechanisms and variants of them, baked and kept in build/
kernel.py    the kernel, called from a loop in C
timing.py    interleaved repetitions, medians
fmus.py      (a) kernel and FMUs, with 6 inputs and 20 outputs
against.py   (b) the kernel against other engines
baking.py    (c) bake time, file size and error over tolerance and orders
growth.py    (d) how the cost of a step grows
report.py    Markdown
"""
