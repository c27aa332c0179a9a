"""The rules about targets: whether batches are mixed, and whether a feature gives them away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from comgra_export.analysis.findings.model.finding import Finding, Severity
from comgra_export.analysis.findings.model.rule import NotCheckedError
from comgra_export.analysis.findings.rules.data import batches_not_shuffled, feature_is_label
from comgra_export.storage import TargetFact, TensorReference
from support.analysis.runs import Given, RunByHand, loss_call


def _batches(folder: Path, targets: Sequence[Sequence[float]], function: str = "cross_entropy", operation: str = "") -> list[Finding]:
    dtype = "I16" if function == "cross_entropy" else "F32"
    tensors = [
        Given("out", operation=operation or None),
        Given("target", "target", dtype=dtype, histogram=True),
        Given("loss", "loss", parents=("out", "target"), batch=False),
    ]
    written = RunByHand(folder, tensors)
    for position, target in enumerate(targets):
        values = {"out": np.zeros((len(target), 3)), "target": target, "loss": 1.0}
        written.step(position, values, {"out": 0.1}, losses=(loss_call(function, "out"),), backward_roots=(TensorReference("loss", 0),))
    return list(batches_not_shuffled.RULE.check(written.read()))


def test_batches_of_one_class_each(tmp_path: Path) -> None:
    (finding,) = _batches(tmp_path / "sorted", [[0] * 8, [0] * 8, [1] * 8, [1] * 8, [2] * 8])
    assert (finding.place.name, finding.limit) == ("target", 6)
    assert _batches(tmp_path / "mixed", [[0, 0, 0, 1, 1, 1, 2, 2], [0, 0, 1, 1, 1, 2, 2, 2]] * 3) == []


def test_the_limit_depends_on_the_number_of_batches(tmp_path: Path) -> None:
    # Shares of 0.25 and 0.75 in turn. Of 6 batches: variance between them 2 * 0.075, within 0.5 - 0.15, ratio 8 * 0.15 / 0.35 = 3.4.
    two = [[0] * 6 + [1] * 2, [0] * 2 + [1] * 6]
    assert _batches(tmp_path / "few", two * 3) == []
    # Of 10 batches: 2 * 0.0694 between, ratio 8 * 0.139 / 0.361 = 3.08.
    (finding,) = _batches(tmp_path / "many", two * 5)
    assert finding.value == pytest.approx(8 * 0.13889 / 0.36111, rel=1e-3)


def test_sorted_numbers(tmp_path: Path) -> None:
    levels = [0.0, 5.0, 1.0, 4.0, 2.0]
    batches = [(level + np.array([0.0, 0.1, 0.2, 0.3])).tolist() for level in levels]
    assert len(_batches(tmp_path / "sorted", batches, "mse_loss")) == 1
    drift = [(level + np.array([-1.0, 1.0, -1.0, 1.0])).tolist() for level in (0.0, 1.0, 2.0, 3.0, 4.0, 5.0)]
    assert _batches(tmp_path / "drift", drift, "mse_loss") == []
    with pytest.raises(NotCheckedError, match="chosen by an index"):
        _batches(tmp_path / "q", batches, "mse_loss", operation="GatherBackward0")
    with pytest.raises(NotCheckedError, match="only 4 batches"):
        _batches(tmp_path / "few", batches[:4], "mse_loss")


def _features(folder: Path, noise: float, *, values: bool = True, steps: int = 10) -> list[Finding]:
    tensors = [
        Given("net: input", "input", values=values),
        Given("out", parents=("net: input",)),
        Given("target", "target", values=values),
        Given("loss", "loss", parents=("out", "target"), batch=False),
    ]
    written = RunByHand(folder, tensors)
    target = np.tile([0.0, 1.0, 2.0, 3.0], 5)
    # As often higher as lower within each class.
    leak = target + noise * np.repeat([1.0, -1.0, 1.0, -1.0, 0.0], 4)
    other = np.repeat([1.0, 3.0, 2.0, 5.0, 4.0], 4)
    for position in range(steps):
        step = {"net: input": np.stack([other, leak], axis=1), "out": np.zeros((20, 4)), "target": target, "loss": 1.0}
        call = loss_call("cross_entropy", "out")
        written.step(position, step, {"out": 0.1}, losses=(call,), backward_roots=(TensorReference("loss", 0),))
    return list(feature_is_label.RULE.check(written.read()))


def test_a_feature_that_gives_the_target_away(tmp_path: Path) -> None:
    (finding,) = _features(tmp_path / "leak", 0.2)
    # The classes have a variance of 1.25, and the noise one of 0.8 * 0.04.
    assert finding.value == pytest.approx(1.25 / (1.25 + 0.032), rel=1e-4)
    assert "Feature 1" in finding.message
    # 1.25 / (1.25 + 0.8 * 0.09) = 0.946.
    assert _features(tmp_path / "noise", 0.3) == []


def test_features_need_the_values_of_200_samples(tmp_path: Path) -> None:
    for position, (values, steps) in enumerate([(False, 10), (True, 9)]):
        with pytest.raises(NotCheckedError, match="200 samples"):
            _features(tmp_path / str(position), 0.0, values=values, steps=steps)


@pytest.mark.parametrize(
    ("change", "values", "severity"),
    [
        # A reversed sentence has the same statistics, so without values it is a guess.
        ("", False, Severity.SYMPTOM),
        ("reversed", False, Severity.SYMPTOM),
        ("", True, Severity.PROBLEM),
        ("in rows", True, Severity.PROBLEM),
        ("reversed", True, None),
        ("shifted", False, None),
        ("flat", False, None),
        ("same batch", False, None),
    ],
)
def test_tokens_that_are_their_own_targets(tmp_path: Path, change: str, values: bool, severity: Severity | None) -> None:
    tensors = [
        Given("tokens", "input", dtype="I16", values=values),
        Given("out", parents=("tokens",)),
        Given("target", "target", dtype="I16", values=values, batch=change == "in rows" or not values),
    ]
    written = RunByHand(tmp_path, [*tensors, Given("loss", "loss", parents=("out", "target"), batch=False)])
    for step in range(6):
        text = np.random.default_rng(0 if change == "same batch" else step).integers(0, 9, (8, 5))
        tokens = text[:, 0] if change == "flat" else text[:, :4]
        target = {"shifted": text[:, 1:], "reversed": text[:, 3::-1]}.get(change, tokens)
        given = {"tokens": tokens, "out": np.zeros((tokens.size, 9)), "target": target if change == "in rows" else target.reshape(-1)}
        losses = (loss_call("cross_entropy", "out"),)
        written.step(step, {**given, "loss": 1.0}, {"out": 0.1}, losses=losses, backward_roots=(TensorReference("loss", 0),))
    try:
        findings = list(feature_is_label.RULE.check(written.read()))
    except NotCheckedError:
        findings = []
    assert [(finding.place.name, finding.severity) for finding in findings] == ([] if severity is None else [("tokens", severity)])
    assert all(("perhaps in another order" in finding.message) == (severity is Severity.SYMPTOM) for finding in findings)


def _compared(
    folder: Path, facts: Sequence[TargetFact], *, samples: int = 40, dtype: str = "F32", leaves_out: bool = False
) -> list[Finding]:
    """A fact for each step. The tokens and the target have the same statistics, unless the target leaves out every second one."""
    tensors = [
        Given("x", "input", dtype=dtype),
        Given("out", parents=("x",)),
        Given("target", "target", dtype=dtype, batch=False),
        Given("loss", "loss", parents=("out", "target"), batch=False),
    ]
    written = RunByHand(folder, tensors)
    for step, fact in enumerate(facts):
        values = np.random.default_rng(step).integers(0, 9, (samples, 3))
        target = values.reshape(-1).copy()
        target[: len(target) if leaves_out else 0 : 2] = -100
        given = {"x": values, "out": np.zeros((samples, 3)), "target": target, "loss": 1.0}
        call, root = loss_call("cross_entropy", "out"), TensorReference("loss", 0)
        written.step(step, given, {"out": 0.1}, losses=(call,), backward_roots=(root,), target_facts=(fact,))
    return list(feature_is_label.RULE.check(written.read()))


def _fact(feature: int = 2, share: float = 0.96, next_share: float = 0.7) -> TargetFact:
    return TargetFact(TensorReference("target", 0), TensorReference("x", 0), None, feature, share, next_share)


def test_what_the_recorder_has_compared_of_features(tmp_path: Path) -> None:
    (finding,) = _compared(tmp_path / "leak", [_fact(share=0.99), *[_fact()] * 4])
    assert (finding.place.name, finding.value, finding.severity) == ("x", 0.96, Severity.PROBLEM)
    assert "Feature 2 of `x` predicts the target alone: it explains 96.0% of the variance, in 200 samples." in finding.message
    assert finding.comparison == "The next feature has 0.7."
    assert _compared(tmp_path / "less in one step", [*[_fact()] * 5, _fact(share=0.95)]) == []
    assert _compared(tmp_path / "another feature", [*[_fact()] * 5, _fact(feature=1)]) == []
    # The values of a series go together.
    assert _compared(tmp_path / "like its neighbor", [_fact(next_share=0.76)] * 5) == []
    # The target itself, in other units, beside a feature that goes along with it.
    assert len(_compared(tmp_path / "copy", [_fact(share=1 - 1e-7, next_share=0.85)] * 5)) == 1
    assert _compared(tmp_path / "almost a copy", [_fact(share=1 - 1e-5, next_share=0.85)] * 5) == []
    assert _compared(tmp_path / "copy of a smooth series", [_fact(share=1 - 1e-7, next_share=0.995)] * 5) == []
    assert _compared(tmp_path / "four steps", [_fact()] * 4, samples=50) == []
    with pytest.raises(NotCheckedError, match="200 samples"):
        _compared(tmp_path / "few samples", [_fact()] * 5, samples=39)


@pytest.mark.parametrize(("same", "count"), [([True] * 6, 1), ([*[True] * 5, False], 0)])
def test_what_the_recorder_has_compared_of_tokens(tmp_path: Path, same: list[bool], count: int) -> None:
    facts = [TargetFact(TensorReference("target", 0), TensorReference("x", 0), each) for each in same]
    findings = _compared(tmp_path, facts, dtype="I16") if count else []
    if not count:
        with pytest.raises(NotCheckedError):
            _compared(tmp_path, facts, dtype="I16")
    assert [finding.severity for finding in findings] == [Severity.PROBLEM] * count
    assert all("have the very values of `x` in all 6 recorded steps" in finding.message for finding in findings)


def test_words_to_be_guessed_that_the_network_reads(tmp_path: Path) -> None:
    facts = [TargetFact(TensorReference("target", 0), TensorReference("x", 0), is_same=True)] * 6
    (finding,) = _compared(tmp_path / "read", facts, dtype="I16", leaves_out=True)
    assert (finding.place.name, finding.severity) == ("x", Severity.PROBLEM)
    with pytest.raises(NotCheckedError):
        _compared(tmp_path / "masked", [replace(fact, is_same=False) for fact in facts], dtype="I16", leaves_out=True)


@pytest.mark.parametrize(
    ("change", "is_named"),
    [("", True), ("shifted inside", False), ("one state", False), ("in another order", False), ("no recurrent layer", False)],
)
def test_a_decoder_that_reads_what_it_is_asked_for(tmp_path: Path, change: str, is_named: bool) -> None:
    """Beside another input. Without the change, the state at a position is computed from the token there."""
    tensors = [
        Given("source", "input", dtype="I16"),
        Given("answer", "input", dtype="I16"),
        Given("words", operation="EmbeddingBackward0", parents=("answer",)),
        *([Given("moved", operation="CatBackward0", parents=("words",))] if change == "shifted inside" else []),
        Given(
            "states",
            operation="TransposeBackward1",
            parents=("source", "moved" if change == "shifted inside" else "words"),
            module="decoder",
        ),
        Given("out", operation="AddmmBackward0", parents=("states",)),
        Given("target", "target", "flatten", dtype="I16", batch=False),
        Given("loss", "loss", parents=("out", "target"), batch=False),
    ]
    written = RunByHand(tmp_path, tensors, {"decoder": "Linear" if change == "no recurrent layer" else "GRU"})
    fact = TargetFact(TensorReference("target", 0), TensorReference("answer", 0), change != "in another order")
    for step in range(5):
        answer = np.random.default_rng(step).integers(0, 9, (6, 4))
        embedded = np.zeros((6, 4, 8))
        values = {
            "source": 9 - answer,
            "answer": answer,
            **dict.fromkeys(["words", "moved"] if change == "shifted inside" else ["words"], embedded),
            "states": np.zeros((6, 8)) if change == "one state" else embedded,
            "out": np.zeros((24, 9)),
            "target": answer.reshape(-1),
            "loss": 1.0,
        }
        losses = (loss_call("cross_entropy", "out"),)
        written.step(step, values, {"out": 0.1}, losses=losses, target_facts=(fact,), backward_roots=(TensorReference("loss", 0),))
    try:
        findings = list(feature_is_label.RULE.check(written.read()))
    except NotCheckedError:
        findings = []
    assert [finding.place.name for finding in findings] == (["answer"] if is_named else [])


@pytest.mark.parametrize(
    ("change", "is_named"),
    [
        ("", True),
        # The target is the input itself.
        ("itself", True),
        # A flipped sentence has the same statistics, and is no view.
        ("flipped", False),
        # The network gets the target for teacher forcing.
        ("another input", False),
        ("a mask", True),
        # Every sentence goes through a single state.
        ("autoencoder", False),
    ],
)
def test_tokens_from_which_the_target_is_taken(tmp_path: Path, change: str, is_named: bool) -> None:
    target = "tokens" if change == "itself" else "target"
    tensors = [
        Given("tokens", "input", dtype="I16"),
        Given("other", "input", dtype="BOOL" if change == "a mask" else "F32"),
        Given("state", operation="SliceBackward0", parents=("tokens", "other")),
        Given("out", operation="AddmmBackward0", parents=("state",)),
        Given("target", "target", "flip" if change == "flipped" else "view", ("tokens",), dtype="I16", batch=False),
        Given("loss", "loss", parents=("out", target), batch=False),
    ]
    written = RunByHand(tmp_path, tensors)
    for step in range(5):
        tokens = np.random.default_rng(step).integers(0, 9, (6, 4))
        values = {
            "tokens": tokens,
            **({"other": np.full((6, 3), step % 2)} if change in ("another input", "a mask") else {}),
            "state": np.zeros((6, 8) if change == "autoencoder" else (6, 4, 8)),
            "out": np.zeros((24, 9)),
            **({} if target == "tokens" else {"target": tokens[:, ::-1].reshape(-1) if change == "flipped" else tokens.reshape(-1)}),
            "loss": 1.0,
        }
        losses = (loss_call("cross_entropy", "out", target),)
        written.step(step, values, {"out": 0.1}, losses=losses, backward_roots=(TensorReference("loss", 0),))
    try:
        findings = list(feature_is_label.RULE.check(written.read()))
    except NotCheckedError:
        findings = []
    known = [finding for finding in findings if finding.severity is Severity.PROBLEM]
    assert [finding.place.name for finding in known] == ["tokens"] * is_named
