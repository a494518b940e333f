"""The same suspension in other multibody engines: how exact and how fast each of them computes it.

    common.py           the manoeuvre, motions of the wheel, the cases that are run and timed
    truth.py            the independent full model's answer, and the state in which everything starts
    tree.py             the mechanism cut into a tree, as engines with joint coordinates want it
    mujoco_model.py     MuJoCo
    pinocchio_model.py  Pinocchio, with its loop in pinocchio_loop.cpp
    exudyn_model.py     Exudyn
    __main__.py         prints a table

`common.cases(truth, engine)` lists the cases of an engine, each with `errors` and `time_once()`; `common.measure` runs
any list of them.
"""
