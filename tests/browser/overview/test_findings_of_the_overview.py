"""The findings of the overview: what is wrong, where, and since when."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, expect

from comgra_export import export
from comgra_export.analysis.findings.catalogue import all_rules
from comgra_export.analysis.findings.find import find
from comgra_export.analysis.findings.model.report import Report
from comgra_export.storage import ShownTensor, SourceLine, Structure
from support.analysis.rank_recordings import tensor, write_rank
from support.analysis.runs import Given, RunByHand
from support.analysis.samples import STEPS as STEPS_OF_SAMPLES
from support.analysis.samples import record_samples
from support.browser.axe import CONTRASTS, violations_in_all_colors
from support.browser.viewer import Viewer, fragment
from support.exporter.unpacker import without_checksum
from support.once import Once

HOSTILE = "<img src=x onerror=alert(1)>"
FILE = f"src/{'a_folder_with_a_long_name/' * 5}{HOSTILE}.py"
TENSORS = [
    Given("x", "input"),
    Given("model.a", "parameter"),
    Given(f"model.{HOSTILE}", "parameter"),
    Given("h", operation="ReluBackward0", parents=("x", "model.a"), source=SourceLine(FILE, 41, "forward")),
    Given("loss", "loss", parents=("h", f"model.{HOSTILE}")),
]
STEPS = (0, 5, 10, 15, 20, 25, 30, 35, 40, 45)


def _record(folder: Path) -> RunByHand:
    """One parameter has a gradient and never changes, and all units of a ReLU are dead."""
    written = RunByHand(folder / "runs", TENSORS)
    x = np.random.default_rng(0).normal(size=(100, 6))
    for step in STEPS:
        values = {
            "x": x,
            "model.a": np.eye(6) * (1 + step / 200),
            f"model.{HOSTILE}": np.arange(9).reshape(3, 3),
            "h": np.zeros((100, 6)),
            "loss": 1.0,
        }
        gradients = {
            "model.a": 0.1,
            f"model.{HOSTILE}": 0.1,
        }
        written.step(step, values, gradients, updates={"model.a": (2, 0.01), f"model.{HOSTILE}": (2, 0.0)})
    return written


@pytest.fixture(scope="session")
def page(once: Once) -> Path:
    """The page of that run."""

    def write(folder: Path) -> str:
        _record(folder).read()
        return str(export(folder / "runs", folder / "page.html").path)

    return Path(once("findings", write))


@pytest.fixture
def report(page: Path, tmp_path: Path) -> Report:
    """What the rules find in it."""
    return find(_record(tmp_path).read(), all_rules())


def _open(open_again: Callable[..., Viewer], page: Path, **options: str) -> Viewer:
    viewer = open_again(page, {"tab": "overview"}, **options)
    viewer.element("findings-summary").wait_for()
    return viewer


def test_the_list_shows_what_the_rules_found(page: Path, report: Report, open_again: Callable[..., Viewer]) -> None:
    viewer = _open(open_again, page)
    assert {"never-updated", "dead-relu"} <= {finding.rule for finding in report.findings}
    incidents = viewer.element("incident")
    assert [incident.get_attribute("data-rule") for incident in incidents.all()] == [each.cause.rule for each in report.incidents]
    messages = [incident.get_by_test_id("finding-message").first.inner_text() for incident in incidents.all()]
    # Code has a style of its own instead of backticks.
    assert messages == [each.cause.message.replace("`", "") for each in report.incidents]
    expect(viewer.page.locator("[data-rule=dead-relu] [data-testid=finding-message] code")).to_have_text("h")
    expect(viewer.element("problem-count")).to_have_text(str(sum(each.cause.severity >= 2 for each in report.incidents)))
    # The count is not a part of the tab's name in the list of keys.
    viewer.page.keyboard.press("?")
    expect(viewer.page.get_by_role("dialog").get_by_text("Overview", exact=True)).to_be_visible()
    viewer.page.keyboard.press("Escape")
    viewer.element("passed").locator("summary").click()
    expect(viewer.element("passed").locator("li")).to_have_count(len(report.passed))
    # Nobody takes what a rule looks for as what it found.
    expect(viewer.element("passed").locator("li").filter(has_text="nan-origin")).to_have_text(
        "nan-origin looked for: A value is NaN or infinite"
    )
    viewer.element("not-checked").locator("summary").click()
    expect(viewer.element("not-checked").locator("li")).to_have_count(len(report.lacking))
    expect(viewer.element("not-checked").locator("li").filter(has_text="linear-after-linear")).to_have_text(
        "linear-after-linear: No calls of modules were recorded. Record the network with watch(model, path), or with "
        "recorder.watch(model). It looks for: Two linear layers or convolutions without an activation between them"
    )
    # What is about nothing that this run has is only a number until somebody asks.
    others = viewer.element("not-applying")
    expect(others.locator("summary")).to_have_text(
        f"{len(report.does_not_apply)} rules do not apply to this run, as far as the recording shows"
    )
    expect(others.locator("li").first).to_be_hidden()
    others.locator("summary").click()
    expect(others.locator("li")).to_have_count(len(report.does_not_apply))
    expect(others.locator("li").filter(has_text="near-overflow")).to_contain_text("No tensor is in float16.")
    # No association was confirmed, so they are folded like what was not checked.
    expect(viewer.element("associations").locator("li").first).to_be_hidden()
    viewer.element("associations").locator("summary").click()
    expect(viewer.element("associations").locator("li").first).to_be_visible()


def test_links_lead_to_the_views(page: Path, report: Report, open_again: Callable[..., Viewer]) -> None:
    (cause,) = [each.cause for each in report.incidents if each.cause.rule == "never-updated"]
    viewer = _open(open_again, page)
    incident = viewer.page.locator("[data-testid=incident][data-rule=never-updated]")
    incident.get_by_test_id("place-link").first.click()
    viewer.page.wait_for_selector("[data-testid=summary]")
    expect(viewer.element("graph")).to_have_attribute("data-selected-node", cause.place.name)
    expect(viewer.element("value-step")).to_have_value(str(cause.step))
    viewer.element("tab-overview").click()
    # A step of a finding leads to what the finding is about, whatever was selected before.
    viewer.page.locator("[data-testid=incident][data-rule=dead-relu]").get_by_test_id("since-link").first.click()
    expect(viewer.element("graph")).to_have_attribute("data-selected-node", "h")
    viewer.element("tab-overview").click()
    incident.get_by_test_id("evidence-link").first.click()
    expect(viewer.page.locator("[data-testid=chart]").first).to_be_visible()
    assert "pane=time" in viewer.page.url
    expect(viewer.element("messages")).to_have_count(0)


def test_in_a_small_window_the_link_of_evidence_leads_to_what_is_below_the_graph(page: Path, open_again: Callable[..., Viewer]) -> None:
    viewer = _open(open_again, page)
    viewer.page.set_viewport_size({"width": 390, "height": 844})
    viewer.page.locator("[data-testid=incident][data-rule=never-updated]").get_by_test_id("evidence-link").first.click()
    expect(viewer.page.locator("[data-testid=chart]").first).to_be_in_viewport()
    # A place leads to the graph, as before.
    viewer.element("tab-overview").click()
    viewer.page.locator("[data-testid=incident][data-rule=never-updated]").get_by_test_id("place-link").first.click()
    expect(viewer.element("graph")).to_be_in_viewport()


def test_one_step_back_leads_from_a_link_to_the_findings(page: Path, open_again: Callable[..., Viewer]) -> None:
    viewer = _open(open_again, page)
    incident = viewer.page.locator("[data-testid=incident][data-rule=never-updated]")
    for link in ("place-link", "evidence-link"):
        incident.get_by_test_id(link).first.click()
        viewer.page.wait_for_function("() => ['step=', 'node=', 'agg='].every((part) => location.hash.includes(part))")
        viewer.page.go_back()
        expect(incident).to_be_visible()
    # What is chosen right after a link is a step of its own.
    incident.get_by_test_id("place-link").first.click()
    viewer.element("tab-graphs").click()
    expect(viewer.element("tab-graphs")).to_have_attribute("aria-selected", "true")
    viewer.page.wait_for_function("() => location.hash.includes('tab=graphs')")
    viewer.page.go_back()
    expect(viewer.element("tab-tensors")).to_have_attribute("aria-selected", "true")
    viewer.page.go_back()
    expect(incident).to_be_visible()


def test_the_evidence_is_drawn(page: Path, open_again: Callable[..., Viewer]) -> None:
    viewer = _open(open_again, page)
    curve = viewer.page.locator("[data-testid=incident][data-rule=dead-relu] .sparkline").first
    # Each number says what it is.
    expect(curve).to_contain_text(f"step {STEPS[0]}: 0")
    expect(curve).to_contain_text(f"step {STEPS[-1]}: 0")
    expect(curve).to_contain_text("lowest 0highest 0dashed: step 0")
    expect(curve.get_by_role("img")).to_have_attribute("aria-label", f"abs_mean of h at {len(STEPS)} steps, with step 0 marked")


def test_it_is_accessible(page: Path, open_again: Callable[..., Viewer]) -> None:
    viewer = _open(open_again, page)
    assert violations_in_all_colors(viewer.page, CONTRASTS) == []


def test_nodes_with_findings_have_badges_and_say_so(page: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(page, fragment({"tab": "tensors", "step": 0, "node": "h"}))
    # `h` and the parameter that stays.
    expect(viewer.element("graph")).to_have_attribute("data-badges", "finding:2 never-updated:1 zero:1")
    expect(viewer.element("node-findings")).to_contain_text("All units of h are zero")
    viewer.element("node-findings").get_by_role("button").click()
    expect(viewer.element("incidents")).to_be_visible()
    viewer.element("tab-about").click()
    expect(viewer.page.locator("#panel-about")).to_contain_text("3 findings in the trial \u201ctrial\u201d, 2 likely problems")


def test_badges_stay_whatever_the_colors_rise_to_groups_and_lead_to_their_nodes(page: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(page, fragment({"tab": "tensors", "step": 0, "node": "x", "color": "abs_mean"}))
    expect(viewer.element("graph")).to_have_attribute("data-badges", "finding:2 never-updated:1 zero:1")
    viewer.element("badge-zero").click()
    expect(viewer.element("graph")).to_have_attribute("data-selected-node", "h")
    expect(viewer.page.get_by_role("status").filter(has_text="all zero in the values")).to_have_count(1)
    # Both parameters are in a group then, and one of them is what stays.
    viewer.page.keyboard.press("F")
    expect(viewer.element("graph")).to_have_attribute("data-group-count", "1")
    expect(viewer.element("graph")).to_have_attribute("data-badges", "finding:2 never-updated:1 zero:1")
    viewer.element("badge-never-updated").click()
    expect(viewer.element("graph")).to_have_attribute("data-selected-node", f"model.{HOSTILE}")


def test_the_line_of_the_code_stands_at_the_place_and_at_the_tensor(page: Path, open_again: Callable[..., Viewer]) -> None:
    viewer = _open(open_again, page)
    incident = viewer.page.locator("[data-testid=incident][data-rule=dead-relu]")
    expect(incident.get_by_test_id("place-source")).to_have_text(f"({FILE}:41 in forward)")
    # The other finding is at a parameter, whose line is not known.
    stuck = viewer.page.locator("[data-testid=incident][data-rule=never-updated]")
    expect(stuck.get_by_test_id("place-link").first).to_be_visible()
    expect(stuck.get_by_test_id("place-source")).to_have_count(0)
    incident.get_by_test_id("place-link").first.click()
    made_at = viewer.element("summary-made-at")
    expect(made_at).to_have_text(f"{FILE}:41 in forward")
    for width in (1400, 800):
        viewer.page.set_viewport_size({"width": width, "height": 900})
        # Its end, where the line stands, is not cut off.
        assert made_at.evaluate("element => element.scrollWidth <= element.clientWidth")
    assert viewer.page.locator("img").count() == 0


def test_a_tensor_without_a_line_says_nothing_of_it(page: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(page, fragment({"tab": "tensors", "step": 0, "node": "x"}))
    expect(viewer.element("summary-type")).to_have_text("input")
    expect(viewer.element("summary-made-at")).to_have_count(0)


def test_without_javascript_the_first_findings_have_a_line_each(page: Path, report: Report, browser: Browser) -> None:
    with browser.new_context(java_script_enabled=False) as context:
        shown = context.new_page()
        shown.goto(page.as_uri())
        count = len(report.incidents)
        expect(shown.get_by_text(f"trial: {count} findings.")).to_be_visible()
        lines = shown.get_by_role("listitem").all_inner_texts()
        assert len(lines) == min(count, 3)
        assert lines[0].endswith(f"parameter model.{HOSTILE}, since step 0")
        position = [each.cause.rule for each in report.incidents].index("dead-relu")
        assert f": tensor h ({FILE}:41 in forward), since step 0" in lines[position]
        assert shown.locator("img").count() == 0


def test_what_differs_between_ranks_is_listed_for_all_of_them(tmp_path: Path, open_viewer: Callable[..., Viewer]) -> None:
    weights = np.arange(6.0, dtype=np.float32).reshape(2, 3)
    for rank in range(2):
        same = tensor("net.same", weights, batch=None, type="parameter", iteration=-1)
        other = tensor("net.other", weights + rank, batch=None, type="parameter", iteration=-1)
        graph = Structure(tuple(ShownTensor(name, name, "", "parameter", name, -1) for name in ("net.same", "net.other")), ())
        write_rank(tmp_path / "runs", rank, [same, other], world_size=2, steps=(3, 8), graphs=[graph]).close()
    path = export(tmp_path / "runs", tmp_path / "page.html").path
    for options in ({"tab": "overview"}, {"tab": "overview", "rank": "1"}):
        viewer = open_viewer(path, fragment(options), wait=False)
        viewer.element("findings-summary").wait_for()
        incident = viewer.page.locator("[data-testid=incident][data-rule=ranks-differ]")
        expect(incident.get_by_test_id("finding-message")).to_have_text(
            "1 of 2 parameters do not have the same values on all 2 ranks, since step 3: net.other."
        )
        expect(incident.get_by_test_id("place-link")).to_have_text(["net.other"])


def test_nothing_found_says_what_was_checked(tmp_path: Path, open_again: Callable[..., Viewer]) -> None:
    written = RunByHand(tmp_path / "runs", [Given("x", "input")])
    written.step(0, {"x": np.random.default_rng(0).normal(size=(8, 6))})
    report = find(written.read(), all_rules())
    assert report.incidents == ()
    viewer = _open(open_again, export(tmp_path / "runs", tmp_path / "page.html").path)
    expect(viewer.element("findings-summary")).to_have_text(
        f"Nothing was found by {len(report.passed)} rules on 1 step. {len(report.lacking)} rules could not be checked."
    )
    expect(viewer.element("problem-count")).to_have_count(0)
    # And why they could not be: the most frequent reason first.
    reasons = Counter(report.lacking.values())
    expect(viewer.element("reasons").locator("li").first).to_contain_text(f"{reasons.most_common(1)[0][1]} rules not checked: ")
    # A run without curves says how they come to be.
    expect(viewer.element("overview-no-curves")).to_contain_text("No curves were recorded: recorder.record_kpi_in_graph(")


def test_a_page_of_which_no_rule_was_checked_says_so(tmp_path: Path, open_viewer: Callable[..., Viewer]) -> None:
    written = RunByHand(tmp_path / "runs", [Given("x", "input")])
    written.step(0, {"x": np.ones((2, 2))})
    written.read()
    page = export(tmp_path / "runs", tmp_path / "page.html").path
    text, count = re.subn(r'"findings":\d+', '"findings":-1', without_checksum(page.read_text("utf-8")))
    assert count == 1
    page.write_text(text, "utf-8")
    viewer = open_viewer(page, wait=False)
    expect(viewer.element("findings-empty")).to_have_text("No rule was checked on this trial. Export the recording again to check it.")
    expect(viewer.element("run-card")).to_be_visible()


def test_the_list_names_other_trials_with_problems(tmp_path: Path, open_viewer: Callable[..., Viewer]) -> None:
    x = np.random.default_rng(0).normal(size=(8, 6))
    for trial, last in (("good", x), ("bad <b>", np.full((8, 6), np.nan)), ("worse", np.full((8, 6), np.inf))):
        written = RunByHand(tmp_path / "runs", [Given("x", "input")], trial=trial)
        written.step(0, {"x": x})
        written.step(1, {"x": last})
        written.read()
    path = export(tmp_path / "runs", tmp_path / "page.html").path
    viewer = open_viewer(path, fragment({"tab": "overview", "trial": "good"}), wait=False)
    # The selector marks them, before their findings are loaded.
    assert viewer.control("trial").locator("option").all_text_contents() == ["\u26a0 bad <b> (bug)", "good", "\u26a0 worse (bug)"]
    others = viewer.element("other-trials")
    expect(others).to_have_text("Other trials with likely problems: bad <b> (1), worse (1)")
    others.get_by_text("worse").click()
    expect(viewer.control("trial")).to_have_value("worse")
    expect(viewer.element("finding-message")).to_contain_text("it holds infinity at step 1")
    expect(others).to_have_text("Other trials with likely problems: bad <b> (1)")


def test_the_link_of_a_nan_leads_to_the_sample_that_has_it(tmp_path: Path, open_again: Callable[..., Viewer]) -> None:
    x = np.random.default_rng(0).normal(size=(8, 6)).astype(np.float32)
    x[3, 2] = np.nan
    written = RunByHand(tmp_path / "runs", [Given("x", "input", values=True)])
    written.step(0, {"x": x})
    written.read()
    viewer = _open(open_again, export(tmp_path / "runs", tmp_path / "page.html").path)
    expect(viewer.element("finding-message")).to_contain_text("Sample 3 is recorded; you can open it in the page.")
    link = viewer.element("evidence-link")
    expect(link).to_have_text("x, sample 3 at step 0")
    link.click()
    expect(viewer.control("aggregation")).to_have_value("sample_3")
    assert [row.place for row in viewer.rows() if row.value == "NaN" and row.place != ""] == ["2"]


@pytest.mark.parametrize(
    ("given", "pane", "shown"),
    [
        (Given("x", "input", values=True, batch=False), "histogram", "[data-testid=histogram-log]"),
        (Given("x", "input", histogram=True), "time", "[data-testid=over-time]"),
        (Given("x", "input"), "table", "[data-testid=values-table]"),
    ],
    ids=["values", "a histogram without values", "statistics alone"],
)
def test_the_link_of_a_drawn_histogram_leads_to_the_histogram(
    given: Given, pane: str, shown: str, tmp_path: Path, open_again: Callable[..., Viewer]
) -> None:
    x = np.random.default_rng(0).normal(size=(64, 6))
    x[3, 2] = np.nan
    written = RunByHand(tmp_path / "runs", [given])
    written.step(0, {"x": x})
    written.read()
    viewer = _open(open_again, export(tmp_path / "runs", tmp_path / "page.html").path)
    incident = viewer.page.locator("[data-testid=incident][data-rule=nan-origin]")
    # What is drawn arrives before the link is followed.
    expect(incident.get_by_test_id("value-picture")).to_be_visible()
    link = incident.get_by_test_id("evidence-link")
    expect(link).to_have_text("x, values at step 0")
    link.click()
    viewer.page.wait_for_selector(shown)
    expect(viewer.element(f"pane-{pane}")).to_have_attribute("aria-pressed", "true")


def test_associations_are_folded_behind_problems(tmp_path: Path, open_again: Callable[..., Viewer]) -> None:
    run = record_samples(tmp_path)
    run.read()
    viewer = _open(open_again, export(tmp_path / "group", tmp_path / "page.html").path)
    count = viewer.element("association").count()
    assert count > 0
    expect(viewer.element("association").first).to_be_visible()
    run.step(STEPS_OF_SAMPLES, {given.name: np.full((16, 2), np.nan) for given in run.tensors})
    run.read()
    viewer = _open(open_again, export(tmp_path / "group", tmp_path / "worse.html").path)
    expect(viewer.element("problem-count")).to_be_visible()
    expect(viewer.element("association").first).to_be_hidden()
    summary = viewer.element("associations").locator("summary")
    expect(summary).to_have_text(f"{viewer.element('association').count()} associations")
    summary.click()
    expect(viewer.element("association").first).to_be_visible()


def test_muted_findings_are_counted_and_not_listed(
    tmp_path: Path, open_again: Callable[..., Viewer], monkeypatch: pytest.MonkeyPatch
) -> None:
    _record(tmp_path).read()
    (tmp_path / "comgra-findings.toml").write_text('[[mute]]\nrule = "dead-relu"\n', "utf-8")
    monkeypatch.chdir(tmp_path)
    viewer = _open(open_again, export(tmp_path / "runs", tmp_path / "page.html").path)
    expect(viewer.page.locator("[data-testid=incident][data-rule=never-updated]")).to_have_count(1)
    expect(viewer.page.locator("[data-rule=dead-relu]")).to_have_count(0)
    expect(viewer.element("muted")).to_have_text("Muted: Units of a ReLU are dead (1)")
    viewer.element("tab-tensors").click()
    # The parameter that stays has a badge still.
    expect(viewer.element("graph")).to_have_attribute("data-badges", "finding:1 never-updated:1 zero:1")


def test_findings_come_with_the_steps_while_a_page_is_kept_fresh(tmp_path: Path, open_again: Callable[..., Viewer]) -> None:
    written = RunByHand(tmp_path / "runs", TENSORS[:2])
    rng = np.random.default_rng(0)
    for step in range(2):
        written.step(step, {"x": rng.normal(size=(8, 6)), "model.a": np.eye(6) + step}, {"model.a": 0.1}, updates={"model.a": (2, 0.01)})
    written.read()
    page = export(tmp_path / "runs", tmp_path / "page", live=True).page
    assert page is not None
    viewer = _open(open_again, page)
    origin = viewer.page.locator("[data-testid=incident][data-rule=nan-origin]")
    expect(origin).to_have_count(0)
    expect(viewer.element("findings-summary")).to_contain_text("2 steps")
    values = {"x": np.full((8, 6), np.nan), "model.a": np.eye(6) + 2}
    written.step(2, values, {"model.a": 0.1}, updates={"model.a": (2, 0.01)})
    written.read()
    export(tmp_path / "runs", tmp_path / "page", live=True, force=True)
    expect(origin.get_by_test_id("finding-message")).to_contain_text("it holds NaN at step 2", timeout=90_000)
    expect(viewer.element("findings-summary")).to_contain_text("3 steps")
    expect(viewer.element("problem-count")).to_have_text("1")
