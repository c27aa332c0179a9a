"""The page: its elements, its policy, and names that try to break out of it."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from pathlib import Path

import pytest

from comgra_export.errors import ExportError, WrongChoiceError
from comgra_export.exporter import export
from comgra_export.exporter.pack import step_lanes
from comgra_export.storage import (
    CurvePoint,
    Group,
    Header,
    Layout,
    ModuleEntry,
    Network,
    Note,
    RecordedSamples,
    RecordingWriter,
    ShownTensor,
    StepDescription,
    Structure,
)
from support.exporter.recordings import HOSTILE_NAMES, random_step, write_trial
from support.exporter.stand_in import FRAME, SCRIPT, STYLE
from support.exporter.unpacker import Bundle
from support.storage.entries import tensor_entry


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    write_trial(tmp_path / "runs")
    return tmp_path / "runs"


def content_policy(bundle: Bundle) -> dict[str, str]:
    """The directives of the page's policy."""
    meta = next(element for element in bundle.page.all("meta") if "http-equiv" in element.attributes)
    assert meta.attributes["http-equiv"] == "Content-Security-Policy"
    return dict(directive.strip().split(" ", 1) for directive in meta.attributes["content"].split(";"))


def source_hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def properties(bundle: Bundle) -> dict[str, str]:
    """What the page's head says of itself to those who preview a link to it."""
    attributes = [element.attributes for element in bundle.page.all("meta") if "property" in element.attributes]
    return {each["property"]: each["content"] for each in attributes}


@pytest.mark.parametrize("output", ["report.html", "report", "report.zip"])
def test_previews_of_links_get_what_the_author_gave(runs: Path, tmp_path: Path, output: str) -> None:
    picture = 'https://me.github.io/a?b=1&c="<script>"'
    export(runs, tmp_path / output, title="A title", description="What it shows", picture=picture)
    bundle = Bundle(tmp_path / output)
    assert properties(bundle) == {
        "og:type": "website",
        "og:title": "A title",
        "og:description": "What it shows",
        "og:image": picture,
    }
    assert content_policy(bundle)["img-src"] == "data: blob:"


def test_a_page_names_no_picture_that_was_not_given_and_takes_no_path(runs: Path, tmp_path: Path) -> None:
    export(runs, tmp_path / "report.html", title="A title")
    assert properties(Bundle(tmp_path / "report.html")) == {"og:type": "website", "og:title": "A title"}
    for wrong in ("report.png", "https://", "https:///report.png", "https://me.github.io/a b.png", "https://me.github.io/a\n.png"):
        said = re.escape(f"{wrong!r} is not an address on the web. Give one that begins with https://")
        with pytest.raises(WrongChoiceError, match=said):
            export(runs, tmp_path / "another.html", picture=wrong)
    assert not (tmp_path / "another.html").exists()


def test_the_page_has_its_parts_in_order(runs: Path, tmp_path: Path) -> None:
    export(runs, tmp_path / "report.html", title="A title", description="What it shows")
    bundle = Bundle(tmp_path / "report.html")
    page = bundle.page
    assert page.declarations == ["doctype html"]
    assert page.one("html").attributes == {"lang": "en"}
    head = [element for element in page.elements if element.parents == ("html", "head")]
    assert head[0].attributes == {"charset": "utf-8"}
    assert head[1].attributes["http-equiv"] == "Content-Security-Policy"
    assert [element.tag for element in head][-5:] == ["link", "title", "style", "style", "script"]
    assert page.one("link", rel="icon").attributes["href"] == "data:,"
    assert page.one("meta", name="color-scheme").attributes["content"] == "light dark"
    assert page.one("meta", name="viewport")
    assert page.one("title").text == "A title"
    body = [(element.tag, element.attributes.get("id")) for element in page.elements if element.parents == ("html", "body")]
    count = len(bundle.index["chunks"]["bytes"])
    assert body == [("main", "app"), ("script", None), *(("template", f"chunk-{number}") for number in range(count))]
    assert "\r" not in bundle.text
    assert bundle.text.isascii()


def test_a_chunk_has_a_next_sibling_once_it_is_whole(runs: Path, tmp_path: Path) -> None:
    export(runs, tmp_path / "report.html")
    assert re.search(r"</template>\n</body>\n</html>\n$", Bundle(tmp_path / "report.html").text)


@pytest.mark.parametrize("name", ["report.html", "report", "report.zip"])
def test_the_policy_allows_the_viewer_and_chunk_files_and_nothing_else(name: str, runs: Path, tmp_path: Path) -> None:
    export(runs, tmp_path / name)
    bundle = Bundle(tmp_path / name)
    scripts = [element.text for element in bundle.page.all("script") if "type" not in element.attributes]
    cut_off, *styles = [element.text for element in bundle.page.all("style")]
    assert (scripts, styles) == ([SCRIPT], [STYLE])
    assert content_policy(bundle) == {
        "default-src": "'none'",
        "script-src": source_hash(SCRIPT) + ("" if name == "report.html" else " 'self'"),
        "style-src": f"{source_hash(cut_off)} {source_hash(STYLE)}",
        "img-src": "data: blob:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    for element in bundle.page.elements:
        assert not {"src", "style", "onclick", "onerror", "onload"} & set(element.attributes)


@pytest.mark.parametrize("strict", ["", "// A comment\n'use strict';\n"])
def test_scripts_of_the_author_are_in_a_frame_alone_which_takes_webrtc_from_them(strict: str, runs: Path, tmp_path: Path) -> None:
    own = tmp_path / "my own.js"
    own.write_text(f"{strict}comgraVisualize('a<b>', () => 0);\n", encoding="utf-8")
    export(runs, tmp_path / "report", visualization=own)
    bundle = Bundle(tmp_path / "report")
    assert [element.text for element in bundle.page.all("script") if "type" not in element.attributes] == [SCRIPT]
    frame = json.loads(bundle.page.one("script", id="drawing-frame").text)
    scripts = re.findall("<script>(.*?)</script>", frame, re.DOTALL)
    assert scripts[0] == FRAME
    assert scripts[1].endswith(f"{own.read_text(encoding='utf-8')}\n//# sourceURL=my_own.js\n")
    assert scripts[1].index("RTC") < scripts[1].index("comgraVisualize")
    assert scripts[1].startswith("'use strict';") == bool(strict)
    hashes = " ".join(source_hash(text) for text in scripts)
    assert f"default-src 'none'; script-src {hashes}; style-src {source_hash(STYLE)}; img-src data: blob:;" in frame
    assert content_policy(bundle)["script-src"] == f"{source_hash(SCRIPT)} {hashes} 'self'"


def test_a_folder_without_chunk_files_allows_none(tmp_path: Path) -> None:
    write_trial(tmp_path / "runs", steps=())
    export(tmp_path / "runs", tmp_path / "report")
    assert "'self'" not in content_policy(Bundle(tmp_path / "report"))["script-src"]


def test_the_summary_says_what_is_in_the_bundle(runs: Path, tmp_path: Path) -> None:
    write_trial(runs, "another", steps=(1, 3, 5), seed=9)
    (runs / "group" / "another" / "rank-0" / "steps" / "000000000003.safetensors").unlink()
    export(runs, tmp_path / "report.html", title="A title", description="What it shows")
    page = Bundle(tmp_path / "report.html").page
    summary = " ".join(page.text_of(page.one("main", id="app")).split())
    for expected in ("A title", "What it shows", "JavaScript", "comgra_export 0.1.0", "2.9.0", "2025-01-02T03:04:05Z", "Step 3 of another"):
        assert expected in summary
    cells = [page.text_of(cell).split() for cell in page.all("td")]
    assert cells == [
        *(["another"], ["2"], ["1"], ["5"], ["(2)", "odd"]),
        *(["trial"], ["3"], ["0"], ["1200"], ["(2),", "(1)", "even", "odd"]),
    ]


@pytest.mark.parametrize("hostile", HOSTILE_NAMES, ids=lambda name: ascii(name[:30]))
def test_hostile_names_stay_text(hostile: str, tmp_path: Path) -> None:
    write_hostile(tmp_path / "runs", hostile)
    export(tmp_path / "runs", tmp_path / "report.html", title=hostile, description=hostile)
    bundle = Bundle(tmp_path / "report.html")
    page, index = bundle.page, bundle.index
    assert index["title"] == index["description"] == hostile
    assert {element.tag for element in page.elements} <= {
        *("html", "head", "meta", "link", "title", "style", "script", "body", "main", "h1", "h2", "p", "bdi"),
        *("table", "thead", "tbody", "tr", "th", "td", "ul", "li", "template"),
    }
    assert len(page.all("script")) == 2
    assert page.comments == []
    assert page.one("title").text == hostile
    assert not set("<>&") & set(page.one("script", id="bundle-index").text)
    assert page.one("main", id="app").parents == ("html", "body")
    trial = bundle.trial("trial")
    assert index["strings"][bundle.step_row(trial, 0)["type"]] == hostile
    assert bundle.document(trial["notes"])[0]["text"] == hostile
    assert bundle.listed("structures", 0)["nodes"]["name"] == [hostile]
    assert bundle.listed("layouts", 0)["tensors"]["name"] == [hostile]


def write_hostile(root: Path, name: str) -> None:
    """A recording in which everything that the user names has the same name."""
    writer = RecordingWriter(
        root / "group" / "trial" / "rank-0",
        Header(
            group="group",
            trial="trial",
            rank=0,
            world_size=1,
            writer=name,
            torch_version=name,
            started=name,
            prefixes_for_grouping_module_parameters_visually=(name,),
        ),
    )
    writer.write_network(Network((ModuleEntry(name, name, -1),)))
    writer.add_note(Note(name))
    writer.add_curve_point(CurvePoint(name, name, name, 0.0, 0.0))
    layout = Layout((tensor_entry(name, type="input", shape=(1, 1), batch_dimension=0, samples=1),), (Group(name, (0,)),))
    graph = writer.write_structure(Structure((ShownTensor(name, name, name, "input", name, 0),), ()))
    samples = RecordedSamples((0,), (name,), (name,))
    step = random_step(0, layout, 1)
    writer.write_step(StepDescription(0, name, 1, writer.write_layout(layout), (graph,), samples), step.blobs())
    writer.close()


def test_samples_are_labelled_with_what_is_known_of_them(tmp_path: Path) -> None:
    write_hostile(tmp_path / "runs", "cat")
    export(tmp_path / "runs", tmp_path / "report.html")
    index = Bundle(tmp_path / "report.html").index
    assert [index["strings"][label] for label in index["sample_sets"][0]["label"]] == ["Sample 000 | cat | cat"]


def test_lone_surrogates_in_a_title_are_replaced(runs: Path, tmp_path: Path) -> None:
    export(runs, tmp_path / "report.html", title="a\udc80b")
    bundle = Bundle(tmp_path / "report.html")
    assert bundle.index["title"] == bundle.page.one("title").text == "a\ufffdb"


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("viewer.js", "'</script>'"),
        ("viewer.js", "'</SCRIPT >'"),
        ("viewer.js", "'<!--'"),
        ("viewer.css", "/* </style> */"),
        ("viewer.js", "'é'"),
    ],
)
def test_a_viewer_that_would_break_the_page_is_refused(file: str, text: str, viewer: Path, runs: Path, tmp_path: Path) -> None:
    (viewer / file).write_text(text, encoding="utf-8")
    with pytest.raises(ExportError, match=f"static/dist/{file} holds .*npm run build"):
        export(runs, tmp_path / "report.html")
    assert not (tmp_path / "report.html").exists()


def test_line_ends_of_the_viewer_do_not_change_the_page(viewer: Path, runs: Path, tmp_path: Path) -> None:
    export(runs, tmp_path / "report.html")
    (viewer / "viewer.js").write_bytes(SCRIPT.replace("\n", "\r\n").encode())
    export(runs, tmp_path / "again.html")
    assert (tmp_path / "again.html").read_bytes() == (tmp_path / "report.html").read_bytes()


def test_inline_chunks_hold_nothing_but_base64(runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(step_lanes, "CHUNK_BYTES", 64)
    export(runs, tmp_path / "report.html")
    for template in Bundle(tmp_path / "report.html").page.all("template"):
        assert re.fullmatch("[A-Za-z0-9+/]+={0,2}", template.text)
