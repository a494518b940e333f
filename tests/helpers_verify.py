"""The dynamic half of `kinetab verify` by itself, which takes a fraction of the time."""

from precompute.mechanism_file import from_document
from precompute.running.model_reader import read_model
from precompute.verify.dynamic_check import dynamic_check, manoeuvre
from precompute.verify.limits import Limits


def motion(path, stop=None, step=None, values=None, inputs=None, free=True):
    """A `DynamicCheck` of an FMU that moves by itself, or under inputs, or (free=False) is led through its range."""
    model = read_model(path)
    values = dict(values or {})
    course = manoeuvre(path, model, values, stop, step, inputs, free)
    mechanism = from_document(model.mechanism)
    return dynamic_check(path, model, mechanism, values, course, Limits().of(model))
