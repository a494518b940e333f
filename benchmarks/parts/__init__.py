"""The parts of `make bench`.

machine.py   on what was measured
models.py    mechanisms and variants of them, baked and kept in build/
variants.py  the kernel for families of processors, by several compilers
kernel.py    a compiled kernel, called from a loop in C
master.py    what a master sets and reads
timing.py    interleaved repetitions, medians
against.py   the kernel against that of another commit, which commit.py makes with commit_side.py
fmus.py      (a) kernel and FMUs, with 6 inputs and 20 outputs
rivals.py    (b) the kernel against other engines
baking.py    (c) bake time, file size and error over tolerance and orders
growth.py    (d) how the cost of a step grows
report.py    Markdown
"""
