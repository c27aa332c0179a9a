"""Values flow on, and no gradient comes back: a path that `detach`, `argmax` or NumPy cuts."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, NotCheckedError, Rule, Threshold
from comgra_export.analysis.findings.rules.graph.plain_numbers import SAME_RATIO, plain_numbers
from comgra_export.analysis.findings.rules.operations import has_graph
from comgra_export.analysis.findings.rules.parameters import has_twin, moves, received_gradients, require_gradients, trainable
from comgra_export.analysis.findings.rules.steps_to_loss import StepToLoss, steps_to_loss
from comgra_export.analysis.findings.rules.wording import names_of
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, TensorKey
from comgra_export.storage import TensorEntry

__all__ = ["RULE"]

_CALL = re.compile(r" \(call \d+\)")


def _check(run: Run) -> Iterator[Finding]:
    require_gradients(run)
    steps = steps_to_loss(run)
    if not steps:
        raise NotCheckedError("no training step has a graph that leads to a loss", lacks="loss")
    yield from _of_parameters(run, steps)
    yield from _of_recurrence(steps)
    yield from _of_terms(run, steps[0].number)


def _of_terms(run: Run, step: float) -> Iterator[Finding]:
    """Terms of the loss that are only numbers."""
    for each in plain_numbers(run):
        names = names_of([key.name for key in each.terms])
        what = f"a term that was computed from {names}" if each.factor is None else f"{each.factor:.3g} times {names}"
        terms = [Place("parameter", key.name) if key.iteration < 0 else Place("tensor", *key) for key in each.terms]
        total = Place("tensor", *each.total)
        yield RULE.finding(
            f"`{each.total.name}` holds {what}, and no gradient comes back from it. So the term is in the loss, and nothing learns "
            "from it. It looks like `item`, `float`, `detach` or `.data`.",
            *([total, *terms] if each.factor is None else [*terms, total]),
            step=step,
            evidence=(Evidence(FORWARD, *each.total, step, "mean", "The sum over the steps."),),
        )


def _of_parameters(run: Run, steps: list[StepToLoss]) -> Iterator[Finding]:
    """Parameters that the loss was computed from, and that never get a gradient."""
    without: defaultdict[TensorKey, list[str]] = defaultdict(list)
    without_autograd: defaultdict[TensorKey, list[str]] = defaultdict(list)
    for name in trainable(run):
        received = received_gradients(run, name)
        is_left_out = run.optimized is not None and name not in run.optimized
        if not len(received) or not received.absent.all() or is_left_out or moves(run, name) or has_twin(run, name):
            continue
        end = _end_of_gradient(steps[0], TensorKey(name, -1))
        if end is not None:
            without[end].append(name)
        elif run.optimized is not None and (end := _end_without_autograd(steps[0], TensorKey(name, -1))) is not None:
            without_autograd[end].append(name)
    first = steps[0]
    for end, names in without_autograd.items():
        is_one = len(names) == 1
        yield RULE.finding(
            f"The loss depends on `{end.name}`, which was computed without autograd. So {names_of(names)} never "
            f"get{'s' if is_one else ''} a gradient, although the optimizer holds {'it' if is_one else 'them'}. It looks like "
            "`torch.no_grad()` around the computation.",
            *(Place("tensor", *key) for key in (*_layer_before(first, end), end)),
            *(Place("parameter", name) for name in names),
            step=first.number,
            severity=Severity.SYMPTOM,
            evidence=(Evidence(FORWARD, *end, first.number, None, "The last tensor that was computed without autograd."),),
        )
    for end, names in without.items():
        yield RULE.finding(
            f"The loss depends on `{end.name}`, and no gradient comes back to it. So {names_of(names)} never "
            f"get{'s' if len(names) == 1 else ''} a gradient. It looks like `detach`, `.data`, `argmax`, `item` or NumPy after it.",
            *([] if end.iteration < 0 else [Place("tensor", *end)]),
            *(Place("parameter", name) for name in names),
            step=first.number,
            evidence=(Evidence(FORWARD, *end, first.number, None, "The last tensor before the path is cut."),),
        )


def _end_of_gradient(step: StepToLoss, parameter: TensorKey) -> TensorKey | None:
    """The last tensor that a parameter's gradient could come from, if its values reach the loss and its gradient does not."""
    graph = step.graph
    connected, waiting = {parameter}, [parameter]
    while waiting:
        key = waiting.pop()
        for child in graph.children.get(key, ()):
            if child not in connected and (key, child) not in graph.cut:
                connected.add(child)
                waiting.append(child)
    ends = [key for key in connected if key in step.entries and has_graph(step.entries[key].operation)]
    if connected & step.reached:
        return None
    cut = [
        key for key in ends if key in step.used and any((key, child) in graph.cut and child in step.used for child in graph.children[key])
    ]
    if not cut:
        # Through NumPy, not even the values can be followed: a tensor of the same shape begins anew.
        cut = [key for key in ends if not graph.children[key] and _begins_anew(step, step.entries[key])]
    if not cut and any((parameter, child) in graph.cut and child in step.reached for child in graph.children.get(parameter, ())):
        # It was read as `weight.data`, by something that has a gradient itself.
        return parameter
    return max(cut, key=lambda key: graph.depth.get(key, 0), default=None)


def _end_without_autograd(step: StepToLoss, parameter: TensorKey) -> TensorKey | None:
    """The last tensor on the way from a parameter to the loss, if nothing on it was computed with autograd."""
    made, waiting = set(), [parameter]
    while waiting:
        for child in step.graph.children.get(waiting.pop(), ()):
            if child not in made and child in step.used and child in step.entries and not has_graph(step.entries[child].operation):
                made.add(child)
                waiting.append(child)
    last = [key for key in made if any(child in step.reached for child in step.graph.children.get(key, ()))]
    if not made.issuperset(step.used.intersection(step.graph.children.get(parameter, ()))):
        return None
    return max(last, key=lambda key: step.graph.depth.get(key, 0), default=None)


def _layer_before(step: StepToLoss, end: TensorKey) -> list[TensorKey]:
    """The last result of a module without autograd before a tensor that no module returned; nothing if a module returned it."""
    if step.entries[end].module is not None and "input" not in step.entries[end].role:
        return []
    before = [key for key in step.graph.ancestors(end) if key in step.entries and step.entries[key].type == "calculated"]
    results = [key for key in before if step.entries[key].module is not None and "input" not in step.entries[key].role]
    return sorted(results, key=lambda key: step.graph.depth.get(key, 0))[-1:]


def _begins_anew(step: StepToLoss, entry: TensorEntry) -> bool:
    """Whether the loss was computed from a tensor of the same shape that was computed from nothing."""
    for key in step.used:
        other = step.entries.get(key)
        is_new = other is not None and other.type == "calculated" and not has_graph(other.operation) and not step.graph.parents.get(key)
        if is_new and other is not None and other.shape == entry.shape and other.dtype == entry.dtype and key.iteration >= 0:
            return True
    return False


def _of_recurrence(steps: list[StepToLoss]) -> Iterator[Finding]:
    """Modules that are called again and again on their own results, of which only those of the last call get gradients."""
    cut_in: list[dict[str, TensorKey]] = []
    for step in steps:
        outputs: defaultdict[str, list[TensorKey]] = defaultdict(list)
        for key, entry in step.entries.items():
            if key in step.used and key.iteration >= 0 and has_graph(entry.operation):
                outputs[_CALL.sub("", key.name)].append(key)
        cut_in.append({name: last for name, keys in outputs.items() if (last := _last_before_cut(step, keys)) is not None})
    for name, last in cut_in[0].items():
        if all(name in cut for cut in cut_in):
            yield RULE.finding(
                f"Only the last of the repeated results `{name}` gets a gradient. It looks as if every repetition begins with a detached "
                "state, so nothing is learned over more than one of them.",
                Place("tensor", *last),
                step=steps[0].number,
                evidence=(Evidence(FORWARD, *last, steps[0].number, None, "The last result without a gradient."),),
            )


def _last_before_cut(step: StepToLoss, keys: list[TensorKey]) -> TensorKey | None:
    """The last of repeated results to which no gradient flows, if that is all but one, and the next was computed from it."""
    keys = sorted(keys, key=lambda key: step.graph.depth.get(key, 0))
    is_cut = len(keys) > 2 and keys[-1] in step.reached and not step.reached.intersection(keys[:-1])
    # Repetitions have a weight in common. Samples that move along the gradient of an input have none, and nothing to learn.
    weights = [{each for each in step.graph.with_gradient([key]) if each.iteration < 0} for key in keys[-2:]]
    return keys[-2] if is_cut and weights[0] & weights[1] and keys[-1] in step.graph.descendants(keys[-2]) else None


RULE = Rule(
    name="cut-path",
    title="A path without gradients",
    severity=Severity.PROBLEM,
    formula="a trainable parameter without any gradient, from which the loss was computed other than through its target (a symptom "
    "without autograd, if an optimizer holds it; no copies); or a repeated result of which only the last gets a gradient; "
    "or a sum in the loss whose other term is a multiple of a scalar with a graph",
    source="exact; NeuraLint, Humbatova et al. (missing gradients), TrainCheck",
    needs="graphs that lead to the loss, and gradients",
    advice=(
        "Search for `detach`, `.data`, `argmax`, `.item()`, `numpy()` and `torch.tensor(...)` in the code that uses the tensor.",
        "Compute what is not to be trained under `torch.no_grad()`, or set `requires_grad_(False)`.",
    ),
    wrong_if="The gradient of the parameter is there after a backward pass, or it was frozen on purpose.",
    check=_check,
    thresholds=(Threshold("difference of the ratio of a term to a scalar, relative to it", SAME_RATIO, "exact, up to rounding"),),
    explains=(Explains("no-gradient", "upstream"), Explains("loss-does-not-fall"), Explains("vanishing-gradient", "upstream")),
    priority=2,
)
