"""Python files that draw at export: their arguments, their results and their errors."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from numpy.typing import NDArray

from comgra_export.errors import ExportError
from comgra_export.exporter import Progress, export
from support.exporter.drawn import drawn, places, svg_json, write_file
from support.exporter.recordings import write_trial
from support.exporter.unpacker import Bundle, read_files
from support.storage.strategies import Step

Build = Callable[..., Bundle]

AS_JSON = """
from html import escape
def as_svg(value):
    return f"<svg><text>{escape(json.dumps(value))}</text></svg>"
"""
# What the layout of the recordings gives: see exporter/recordings.py.
SAMPLES = (0, 3)
ITERATIONS = 3


@pytest.fixture
def recorded(tmp_path: Path) -> dict[int, Step]:
    return write_trial(tmp_path / "runs")


@pytest.fixture
def build(recorded: dict[int, Step], tmp_path: Path) -> Build:
    def build_(text: str, name: str = "page.html", **options: object) -> Bundle:
        written = export(tmp_path / "runs", tmp_path / name, visualization=write_file(tmp_path, text), **options)  # type: ignore[arg-type]
        return Bundle(written.path)

    return build_


def test_it_is_called_for_what_it_depends_on(build: Build) -> None:
    text = "def f(view): return as_svg([view.trial, view.rank, view.step, view.step_type, view.iteration, view.sample])\n"
    for number, per in enumerate(["()", "'step'", "('sample',)", "('step', 'iteration')", "('iteration', 'sample')"]):
        text += f"f{number} = visualization('{number}', per={per})(f)\n"
    bundle = build(AS_JSON + text)
    drawings = [{at: svg_json(text) for at, (_, text) in drawn(bundle, str(number)).items()} for number in range(5)]
    assert drawings[0] == {(-1, -1, -1): ["trial", 0, None, None, None, None]}
    steps = {0: "even", 7: "odd", 1200: "even"}
    assert drawings[1] == {(step, -1, -1): ["trial", 0, step, kind, None, None] for step, kind in steps.items()}
    assert set(drawings[2]) == {(step, -1, sample) for step in steps for sample in (-1, *SAMPLES)}
    assert drawings[2][7, -1, -1] == ["trial", 0, 7, "odd", None, None]
    assert drawings[2][7, -1, 3] == ["trial", 0, 7, "odd", None, 3]
    assert set(drawings[3]) == {(step, iteration, -1) for step in steps for iteration in range(ITERATIONS)}
    assert drawings[4][1200, 2, 0] == ["trial", 0, 1200, "even", 2, 0]
    assert [figure["per"] for figure in bundle.index["figures"]] == [
        [], ["step"], ["step", "sample"], ["step", "iteration"], ["step", "iteration", "sample"],
    ]  # fmt: skip


def test_it_reads_the_numbers_that_were_recorded(build: Build, recorded: dict[int, Step]) -> None:
    bundle = build(
        AS_JSON
        + """
@visualization("numbers", per=("step", "iteration", "sample"))
def f(view):
    value = lambda *a, **k: [(array := view.values(*a, **k)).shape, str(array.dtype), array.tobytes().hex()]
    chosen = {} if view.sample is not None else {"aggregation": "sample_3"}
    return as_svg({
        "x": value("x", iteration=0), "std": value("x", iteration=0, aggregation="batch_std"),
        "count": value("count", iteration=0, **chosen), "half": value("half", iteration=0, **chosen),
        "mask": value("mask", iteration=0, **chosen), "weight": value("net.weight"),
        "statistics": view.statistics("x", iteration=0, recording="gradients"), "svd": view.statistics("net.weight"),
        "tensors": view.tensors(), "steps": view.steps(), "iterations": view.iterations(), "samples": view.samples(),
        "curves": [(c.group, c.name, c.t.tolist(), repr(c.v.tolist())) for c in view.curves()],
        "elsewhere": value("x", step=7, iteration=0),
    })
"""
    )
    shown = svg_json(drawn(bundle, "numbers")[0, 2, 3][1])
    x, count, half, mask, weight, weight_gradient, x_gradient = recorded[0].records

    def as_found(array: NDArray[np.generic], dtype: str) -> list[object]:
        return [list(array.shape), dtype, array.astype(dtype).tobytes().hex()]

    assert shown["x"] == as_found(x.values.reshape(2, 3)[1], "float32")
    assert shown["std"] == as_found(x.aggregates.reshape(3, 3)[2], "float32")
    assert shown["count"] == as_found(count.values.reshape(2, 2)[1], "int64")
    # The upper half of a float32 is the bfloat16.
    bits = half.values.reshape(2, 2)[1].astype("<u4") << 16
    assert shown["half"] == [[2], "float32", bits.tobytes().hex()]
    assert shown["mask"] == as_found(mask.values.reshape(2, 5)[1], "bool")
    assert shown["weight"] == [[0], "float32", ""]
    of_sample_3 = x_gradient.statistics.reshape(4, 5)[:, 4].astype(float)
    assert list(shown["statistics"]) == ["mean", "abs_mean", "std", "abs_max"]
    assert np.array_equal(list(shown["statistics"].values()), of_sample_3, equal_nan=True)
    assert np.array_equal(list(shown["svd"].values()), weight.statistics.astype(float), equal_nan=True)
    assert weight_gradient is not weight
    assert shown["tensors"][1] == ["count", 0, "count", "count", "calculated", [2, 4], 1, "I64"]
    assert shown["steps"] == [[0, "even", 4], [7, "odd", 4], [1200, "even", 4]]
    assert (shown["iterations"], shown["samples"]) == (ITERATIONS, list(SAMPLES))
    assert shown["curves"][0] == ["loss", "train", [0, 7, 1200], "[0.0, nan, 400.0]"]
    assert shown["elsewhere"] == as_found(recorded[7].records[0].values.reshape(2, 3)[1], "float32")
    of_batch = svg_json(drawn(bundle, "numbers")[0, 2, -1][1])
    assert of_batch["x"] == as_found(x.aggregates.reshape(3, 3)[0], "float32")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("view.values('y', step=7, iteration=0)", "It has: x, count, half, mask, net.weight"),
        ("view.values('x', step=7)", "'x' has 0. Say it: iteration=..."),
        ("view.values('x', iteration=0)", "say it: step=..."),
        ("view.values('x', step=8, iteration=0)", "there is no step 8"),
        ("view.values('x', step=7, iteration=0, aggregation='sample_1')", "batch_mean, batch_abs_max, batch_std, sample_0, sample_3"),
        ("view.values('x', step=7, iteration=0, recording='backward')", "Recordings: forward, gradients"),
    ],
)
def test_what_is_not_there_is_an_error_that_says_what_is(build: Build, call: str, message: str) -> None:
    bundle = build(f"@visualization('f', per=())\ndef f(view): return {call}\n")
    ((kind, text),) = drawn(bundle, "f").values()
    assert kind == "error"
    assert message in text


@pytest.mark.slow
def test_every_kind_of_result_is_shown_as_what_it_is(build: Build) -> None:
    bundle = build("""
def at(title): return visualization(title, per=())
@at("svg")
def svg(view): return '<?xml version="1.0"?>\\n<!-- c --><svg width="5"><text>a</text></svg>'
@at("html")
def html(view): return "<p>caf\u00e9</p>"
@at("document")
def document(view): return "<!DOCTYPE html><title>t</title>"
@at("nothing")
def nothing(view): return None
@at("matplotlib")
def matplotlib(view):
    import matplotlib
    from matplotlib.figure import Figure
    figure = Figure()
    figure.subplots().set_title("a title <b> & more")
    return figure
@at("plotly")
def plotly(view):
    import plotly.graph_objects as go
    return go.Figure(go.Bar(y=[1, 2]), layout={"title": {"text": "</script><!--"}})
@at("wrong")
def wrong(view): return 5
@at("malformed")
def malformed(view): return "<svg><text>a & b</text></svg>"
""")
    by_title = {figure["title"]: drawn(bundle, figure["title"]).get((-1, -1, -1)) for figure in bundle.index["figures"]}
    assert by_title["svg"] == ("svg", '<svg xmlns="http://www.w3.org/2000/svg" width="5"><text>a</text></svg>')
    assert by_title["html"] is not None
    assert by_title["html"][0] == "html"
    assert "<p>caf\u00e9</p>" in by_title["html"][1]
    assert by_title["document"] is not None
    assert by_title["document"][1].startswith("<!DOCTYPE html><title>t</title>")
    assert by_title["nothing"] is None
    assert by_title["matplotlib"] is not None
    assert by_title["matplotlib"][0] == "svg"
    image = ElementTree.fromstring(by_title["matplotlib"][1])
    assert "a title <b> & more" in [text.text for text in image.iter("{http://www.w3.org/2000/svg}text")]
    assert by_title["plotly"] is not None
    assert by_title["plotly"][0] == "plotly"
    assert not set("<>&") & set(by_title["plotly"][1])
    assert json.loads(by_title["plotly"][1])["layout"]["title"]["text"] == "</script><!--"
    frame = bundle.document(bundle.index["plotly"])
    assert "Plotly.newPlot" in frame["behind"]
    assert len(frame["before"]) > 1_000_000
    assert by_title["wrong"] is not None
    assert by_title["wrong"][0] == "error"
    assert "builtins.int" in by_title["wrong"][1]
    assert "matplotlib or plotly" in by_title["wrong"][1]
    assert by_title["malformed"] is not None
    assert "not well-formed" in by_title["malformed"][1]


def test_what_begins_with_many_comments_is_read(build: Build) -> None:
    text = "@visualization('html', per=())\ndef html(view): return '<!-- a -->' * 60 + '<p>x'\n"
    text += "@visualization('svg', per=())\ndef svg(view): return '<!-- a -->' * 60 + '<svg/>'\n"
    bundle = build(text)
    ((kind, document),) = drawn(bundle, "html").values()
    assert (kind, document.startswith("<!doctype html>"), "<!-- a --><p>x" in document) == ("html", True, True)
    assert [kind for kind, _ in drawn(bundle, "svg").values()] == ["svg"]


def test_a_file_may_declare_data_classes(build: Build) -> None:
    text = "@dataclass\nclass Row:\n    name: 'str'\n@visualization('f', per=())\ndef f(view): return f'<p>{Row(view.trial)}'\n"
    ((_, document),) = drawn(build(f"from dataclasses import dataclass\n{text}"), "f").values()
    assert "<p>Row(name='trial')" in document


def test_equal_results_are_stored_once(build: Build) -> None:
    bundle = build("@visualization('f', per=('step', 'sample'))\ndef f(view): return f'<p>{view.step % 2}</p>'\n")
    drawings = places(bundle, "f")
    assert len(drawings) == 9
    assert len(set(drawings.values())) == 2


@pytest.mark.slow
def test_the_same_file_gives_the_same_bytes(build: Build, tmp_path: Path) -> None:
    text = """
@visualization("f")
def f(view):
    from matplotlib.figure import Figure
    figure = Figure()
    figure.subplots().fill_between([1, 2], [view.step, 3], hatch="/")
    return figure
@visualization("g")
def g(view): return "<style>b{}</style><style>a{}</style><i style='top:0'></i><script>1</script><script>2</script>"
"""
    first, second = build(text, "first.html"), build(text, "second.html")
    assert first.files == second.files


def test_a_failure_keeps_its_traceback_and_no_folder(build: Build, tmp_path: Path) -> None:
    secret = tmp_path / "a folder of mine"
    bundle = build(f"""
import numpy
def helper(view):
    open({str(secret / "numbers.txt")!r})
@visualization("f", per="step")
def f(view):
    if view.step == 7:
        try:
            helper(view)
        except OSError as error:
            raise RuntimeError("not in {tmp_path}/deep/er/x.npy or /srv/data/y.npy, see https://example.org/a/b, 1/2") from error
    if view.step == 1200:
        numpy.linalg.inv(numpy.zeros((2, 2)))
    return "fine"
""")
    drawings = drawn(bundle, "f")
    assert drawings[0, -1, -1][0] == "html"
    kind, text = drawings[7, -1, -1]
    assert kind == "error"
    lines = text.splitlines()
    assert lines[0] == "Traceback (most recent call last):"
    assert 'File "own.py", line 11, in f' in text
    assert "    helper(view)" in lines
    assert "FileNotFoundError: [Errno 2] No such file or directory: 'numbers.txt'" in lines
    assert lines[-1] == "RuntimeError: not in x.npy or y.npy, see https://example.org/a/b, 1/2"
    assert (
        drawings[1200, -1, -1][1].endswith("numpy.linalg.LinAlgError: Singular matrix\n") or "Singular matrix" in drawings[1200, -1, -1][1]
    )
    assert "linalg.py" not in drawings[1200, -1, -1][1]
    places_of_machine = (str(tmp_path), str(Path.home()), "a folder of mine", "site-packages", "/srv/data")
    everything = [bundle.text, *(bundle.chunk(number).decode("utf-8", "replace") for number in range(len(bundle.index["chunks"]["bytes"])))]
    assert not [place for place in places_of_machine for part in everything if place in part]
    (problem,) = (problem for problem in bundle.index["about"]["problems"] if "own.py" in problem)
    assert problem.startswith(
        "own.py: \u201cf\u201d could not be drawn for 2 of 3 selections. The first is trial, step 7: RuntimeError: not in"
    )


def test_the_name_of_a_home_folder_is_not_kept(build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/homes/jane")
    bundle = build("@visualization('f', per=())\ndef f(view): raise IsADirectoryError(21, 'Is a directory', '/homes/jane')\n")
    ((_, text),) = drawn(bundle, "f").values()
    assert text.endswith("IsADirectoryError: [Errno 21] Is a directory: '...'\n")


def test_an_exit_of_the_function_is_an_error_and_an_interruption_is_not(build: Build) -> None:
    bundle = build("@visualization('f')\ndef f(view): raise SystemExit(3)\n")
    assert {kind for kind, _ in drawn(bundle, "f").values()} == {"error"}
    with pytest.raises(KeyboardInterrupt):
        build("@visualization('f')\ndef f(view): raise KeyboardInterrupt\n", "other.html")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def f(:\n", r"own\.py' is not valid Python, line 3: SyntaxError"),
        ("x = 1\n", r"own\.py' declares none"),
        ("x = 1\n1 / 0\n", r'(?s)failed while it was loaded.*File "own\.py", line 4.*ZeroDivisionError'),
        ("visualization('f', per='epoch')(print)\n", "there is no 'epoch'. Give some of step, iteration, sample"),
        ("visualization('f')(5)\n", "Put it above a function"),
        ("raise SystemExit\n", "failed while it was loaded"),
    ],
)
def test_a_file_that_cannot_be_loaded_ends_the_export(build: Build, text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ExportError, match=message):
        build(text)
    assert not (tmp_path / "page.html").exists()


def test_what_a_file_prints_is_not_printed_as_a_result(build: Build, capsys: pytest.CaptureFixture[str]) -> None:
    build("print('loaded')\n@visualization('f')\ndef f(view): print('drawn')\n")
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == "loaded\n" + "drawn\n" * 3


def test_progress_is_reported_for_every_call(build: Build) -> None:
    reports: list[Progress] = []
    build("@visualization('f', per=('iteration',))\ndef f(view): pass\n", progress=reports.append)
    assert [(report.done, report.total) for report in reports if report.stage == "Drawing"] == [(done, 9) for done in range(10)]


def test_steps_that_are_left_out_are_not_drawn(build: Build) -> None:
    bundle = build("@visualization('f')\ndef f(view): return f'<svg id=\"{[s.step for s in view.steps()]}\"/>'\n", steps="7-")
    drawings = drawn(bundle, "f")
    assert [step for step, _, _ in drawings] == [7, 1200]
    assert all('id="[7, 1200]"' in text for _, text in drawings.values())


def test_what_is_drawn_counts_towards_the_size(build: Build) -> None:
    text = "import random\n@visualization('f')\ndef f(view): return '<p>' + random.Random(view.step).randbytes(60_000).hex()\n"
    whole = build(text)
    limit = 240_000
    assert len(whole.text) > limit
    small = build(text, "small.html", max_size=limit)
    assert len(small.text) <= limit
    kept = small.trial("trial")["steps"]["step"]
    assert 0 < len(kept) < 3
    assert [step for step, _, _ in drawn(small, "f")] == kept


def policy_of(bundle: Bundle) -> dict[str, list[str]]:
    (meta,) = (tag for tag in bundle.page.all("meta") if tag.attributes.get("http-equiv") == "Content-Security-Policy")
    directives = [directive.split() for directive in meta.attributes["content"].split(";")]
    return {name: sources for name, *sources in directives}


def test_the_policy_is_loosened_for_frames_only(build: Build, tmp_path: Path) -> None:
    without = policy_of(Bundle(export(tmp_path / "runs", tmp_path / "plain.html").path))
    image = policy_of(build("@visualization('f')\ndef f(view): return '<svg><style>a{}</style></svg>'\n", "image.html"))
    assert image == without
    framed = policy_of(build("@visualization('f')\ndef f(view): return '<b style=\"top:0\">b</b><script>1</script>'\n", "framed.html"))
    # By sha256sum and base64.
    assert "'sha256-a4ayc/80/OGda4BO/1o/V0etpOqiLx1JwB5S3beHW0s='" in framed["script-src"]
    assert framed["script-src"][: len(without["script-src"])] == without["script-src"]
    assert "'unsafe-hashes'" in framed["style-src"]
    assert "'unsafe-hashes'" not in framed["script-src"]
    assert {name: value for name, value in framed.items() if name not in ("script-src", "style-src")} == {
        name: value for name, value in without.items() if name not in ("script-src", "style-src")
    }
    assert not [source for value in framed.values() for source in value if "unsafe-inline" in source or "unsafe-eval" in source]


def test_code_that_cannot_work_in_the_page_is_reported(build: Build) -> None:
    bundle = build("@visualization('f')\ndef f(view): return '<script src=\"https://e.org/x.js\"></script><b onclick=\"1\">'\n")
    problems = [problem for problem in bundle.index["about"]["problems"] if problem.startswith("own.py")]
    assert len(problems) == 2
    assert re.search("scripts and style sheets from elsewhere", problems[1])
    assert re.search("event attributes such as onclick", problems[0])


def test_scripts_and_python_can_be_mixed_and_shapes_agree(recorded: dict[int, Step], tmp_path: Path) -> None:
    script = tmp_path / "own.js"
    script.write_text("1;", encoding="utf-8")
    other = tmp_path / "other.js"
    other.write_text("2;", encoding="utf-8")
    python = write_file(tmp_path, "@visualization('f')\ndef f(view): return '<p>x'\n")
    written = [export(tmp_path / "runs", tmp_path / name, visualization=[script, python, other]) for name in ("a.html", "a.zip", "a")]
    bundles = [Bundle(result.path) for result in written]
    assert len({bundle.index["content_digest"] for bundle in bundles}) == 1
    assert [bundle.digest() for bundle in bundles] == [bundles[0].index["content_digest"]] * 3
    assert bundles[0].index["visualizations"] == ["own.js", "other.js"]
    assert [figure["file"] for figure in bundles[2].index["figures"]] == ["own.py"]
    frame = json.loads(bundles[2].page.one("script", id="drawing-frame").text)
    assert frame.index("1;\n//# sourceURL=own.js") < frame.index("2;\n//# sourceURL=other.js")
    assert read_files(written[2].path).keys() >= {"index.html"}


def test_the_policy_has_nothing_of_figures_that_are_left_out(build: Build) -> None:
    """A script per step: if a step is left out for the size, its hash is left out too."""
    text = "import random\n@visualization('f')\n"
    text += "def f(view): return f'<script>{view.step}</script><p>' + random.Random(view.step).randbytes(60_000).hex()\n"
    small = build(text, "small.html", max_size=240_000)
    kept = small.trial("trial")["steps"]["step"]
    assert 0 < len(kept) < 3
    allowed = set(policy_of(small)["script-src"])
    hashes = {step: base64.b64encode(hashlib.sha256(str(step).encode()).digest()).decode() for step in (0, 7, 1200)}
    assert {step for step, digest in hashes.items() if f"'sha256-{digest}'" in allowed} == set(kept)
