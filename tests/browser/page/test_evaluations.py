"""Evaluations in a page: before any training, after training steps, and without any training."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from playwright.sync_api import expect
from torch import nn

import comgra_export
from support.browser.viewer import Viewer
from support.once import Once


def _export(folder: Path, epochs: int) -> str:
    """Two evaluations first, and two after every epoch of two training steps."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def evaluate() -> None:
        model.eval()
        with torch.no_grad():
            for _ in range(2):
                nn.functional.mse_loss(model(torch.rand(4, 3)), torch.rand(4, 2))
        model.train()

    with comgra_export.watch(model, folder / "recordings", every=1) as recorder:
        recorder.add_note("before any")
        evaluate()
        for epoch in range(epochs):
            for _ in range(2):
                optimizer.zero_grad()
                nn.functional.mse_loss(model(torch.rand(4, 3)), torch.rand(4, 2)).backward()
                optimizer.step()
            evaluate()
            recorder.add_note(f"epoch {epoch} ends")
    return str(comgra_export.export(folder / "recordings", folder / "report.html").path)


@pytest.fixture(scope="session")
def trained(once: Once) -> Path:
    return Path(once("trained and evaluated", lambda folder: _export(folder, 2)))


@pytest.fixture(scope="session")
def untrained(once: Once) -> Path:
    return Path(once("only evaluated", lambda folder: _export(folder, 0)))


@pytest.mark.parametrize(
    ("typed", "shown", "step"),
    [
        ("after 1", "after 1", 1.000001),
        ("After 1 (2)", "after 1 (2)", 1.000002),
        ("after step 3", "after 3", 3.000001),
        ("evaluation 2 after step 3", "after 3 (2)", 3.000002),
        ("evaluation 2", "evaluation 2", -0.999998),
        # The nearest.
        ("after 1 (7)", "after 1 (2)", 1.000002),
        ("99", "after 3 (2)", 3.000002),
        ("2", "2", 2),
    ],
)
def test_an_evaluation_is_typed_as_the_page_calls_it(
    typed: str, shown: str, step: float, trained: Path, visit: Callable[..., Viewer]
) -> None:
    viewer = visit(trained, {"tab": "tensors", "step": 0})
    viewer.choose("step", typed)
    expect(viewer.element("value-step")).to_have_value(shown)
    assert float(viewer.link()["step"]) == step


def test_keys_and_links_pass_evaluations_in_order(trained: Path, visit: Callable[..., Viewer]) -> None:
    viewer = visit(trained, {"tab": "tensors", "step": -0.999999}, wait=False)
    field = viewer.element("value-step")
    viewer.control("step").focus()
    for name in ("evaluation 1", "evaluation 2", "0", "1", "after 1", "after 1 (2)", "2", "3", "after 3", "after 3 (2)"):
        expect(field).to_have_value(name)
        viewer.page.keyboard.press("ArrowRight")
    viewer.go({"tab": "tensors", "step": 1.000002})
    expect(field).to_have_value("after 1 (2)")
    expect(viewer.element("step-words")).to_have_text("eval \u00b7 1 evaluation later")


def test_curves_name_evaluations(trained: Path, visit: Callable[..., Viewer]) -> None:
    viewer = visit(trained, {"tab": "overview"})
    evaluated = viewer.element("curve-line").filter(has_text="eval")
    expect(evaluated.locator(".curve-part").nth(1)).to_have_text("after 3 (2)")
    expect(viewer.page.locator(".small-chart-steps").first).to_have_text("evaluation 1after 3 (2)")


def test_a_run_without_training_counts_its_evaluations(untrained: Path, visit: Callable[..., Viewer]) -> None:
    viewer = visit(untrained, {"tab": "graphs", "step": -0.999998}, wait=False)
    expect(viewer.element("value-step")).to_have_value("evaluation 2")
    broken = visit(untrained, {"tab": "tensors", "step": 7.000001}, wait=False)
    expect(broken.page.get_by_text("\u201cafter 7\u201d (now \u201cevaluation 2\u201d)")).to_be_visible()


@pytest.mark.parametrize("width", [1440, 1024, 390])
def test_the_step_of_a_note_lies_beside_its_text(width: int, trained: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(trained, "#v=1&tab=notes", wait=False, viewport={"width": width, "height": 900})
    boxes = viewer.element("note").evaluate_all("""notes => notes.map((note) => [...note.children].map((part) => {
      const { left, right, top, bottom } = part.getBoundingClientRect();
      return { left, right, top, bottom };
    }))""")
    assert len(boxes) == 3
    for step, text in boxes:
        assert step["right"] <= text["left"] or step["bottom"] <= text["top"]
    # The texts begin below each other, whatever stands before them.
    assert len({text["left"] for _, text in boxes}) == 1


def test_the_choice_of_any_step_says_that_evaluations_are_among_them(trained: Path, visit: Callable[..., Viewer]) -> None:
    viewer = visit(trained, {"tab": "tensors", "type": "any_value", "step": 1})
    assert viewer.control("step-type").locator("option").all_inner_texts() == ["Any step or evaluation", "eval", "train"]
    viewer.press_button("step", "next")
    viewer.wait_until_shown({"type": "any_value", "step": "1.000001"})
