"""What `make bench` does.

Tools:
machine.py   on what was measured
models.py    mechanisms and variants of them, baked and kept in build/
stages.py    a bake, stage by stage, on a clock
variants.py  the kernel for families of processors, by several compilers
kernel.py    a compiled kernel, called from a loop in C
master.py    what a master sets and reads
timing.py    interleaved repetitions, medians
commit.py    models and kernels of another commit, which commit_side.py makes with its code
report.py    Markdown, with the tables and numbers of cells.py

Parts:
against.py   the kernel against that of another commit
steps.py     a step in all variants of the kernel, and the longest of many
fmus.py      kernel and FMUs, with 6 inputs and 20 outputs
making.py    bake by stage, compilers, loading, sizes
growth.py    how all costs grow
baking.py    bake time, file size and error over tolerance and orders
rivals.py    the kernel against other engines
"""
