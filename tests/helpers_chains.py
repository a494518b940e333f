"""Mechanisms with as many loops as are asked for, as texts of mechanism files in mm and deg."""


def revolute(name: str, parent: str, child: str, x: float, z: float) -> str:
    """A hinge about y."""
    return (
        f'[joints.{name}]\ntype = "revolute"\nparent = "{parent}"\nchild = "{child}"\nat = [{x}, 0, {z}]\naxis = "y"\n'
    )


def bar(name: str, x: float, z: float) -> str:
    """A body of 1 kg."""
    return f"[bodies.{name}]\nmass = 1\ncom = [{x}, 0, {z}]\ninertia = [1e3, 1e3, 1e3]\n"


def four_bars(loops: int, named: bool = True) -> str:
    """Four-bars in series, one freedom: the rocker of each is the crank of the next."""
    text = 'schema = 1\nname = "Chain"\nunits = { length = "mm", angle = "deg" }\n'
    text += bar("crank", 0, 50) + revolute("pivot", "ground", "crank", 0, 0)
    last, x = "crank", 0.0
    for i in range(loops):
        foot, top = 300.0 * (i + 1), 300.0 * (i + 1) + (20.0 if i % 2 == 0 else -20.0)
        text += bar(f"coupler{i}", 0.5 * (x + top), 100) + bar(f"rocker{i}", foot, 50)
        text += revolute(f"a{i}", last, f"coupler{i}", x, 100)
        text += revolute(f"b{i}", f"coupler{i}", f"rocker{i}", top, 100)
        text += revolute(f"c{i}", "ground", f"rocker{i}", foot, 0)
        last, x = f"rocker{i}", top
    return text + ('[coordinates.free.crank]\nof = "joint.pivot"\nfrom = -10\nto = 10\n' if named else "")
