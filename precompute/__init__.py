"""kinetab, the offline half: closed-loop mechanisms to lookup tables.  `kinetab` is what users import.

mechanism.toml -> Mechanism -> Topology -> Configuration -> Coordinates -> sweep -> ReducedModel -> FMU

    pipeline.py       the whole method on one screen
    geometry/         rotations, poses, spatial velocities
    measures/         scalar functions of the configuration, each with its derivatives
    model/            the mechanism as data
    mechanism_file/   TOML <-> Mechanism, all problems at once
    kinematics/       tree, loops, B and dB, inertia
    coordinates/      which are independent, over which range; charts; what depends on what
    tables/           sweep, splines, certificate
    planning/         what is decided before the sweep, and whether other numbers allow it
    reduction/        ReducedModel: rows, laws, ports
    variants/         design parameters: tables of the mechanism with its hardpoints elsewhere
    reference/        the independent full model
    running/          FMUs run with FMPy
    verify/           FMUs compared with the full model
    report/           text, plots, pictures
    entry.py, cli.py  the command `kinetab`: how it begins and ends, and what it does
"""
