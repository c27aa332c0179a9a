"""Reads bundles the way `docs/bundle-format.md` describes them. Shares no code with the exporter, so that the two check each other."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zipfile
import zlib
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

NUMPY_DTYPES = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "<i1",
    "U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "<u1", "BOOL": "<u1",
}  # fmt: skip


@dataclass(eq=False)
class Element:
    tag: str
    attributes: dict[str, str]
    parents: tuple[str, ...]
    text: str = ""


class PageParser(HTMLParser):
    """Collects the elements of a page with their own text."""

    VOID = frozenset({"meta", "link"})

    def __init__(self) -> None:
        super().__init__()
        self.elements: list[Element] = []
        self.declarations: list[str] = []
        self.comments: list[str] = []
        self._open: list[Element] = []

    def handle_decl(self, decl: str) -> None:
        self.declarations.append(decl)

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs}, tuple(element.tag for element in self._open))
        self.elements.append(element)
        if tag not in self.VOID:
            self._open.append(element)

    def handle_endtag(self, tag: str) -> None:
        assert self._open[-1].tag == tag, f"</{tag}> inside <{self._open[-1].tag}>"
        self._open.pop()

    def handle_data(self, data: str) -> None:
        if self._open:
            self._open[-1].text += data

    def all(self, tag: str) -> list[Element]:
        return [element for element in self.elements if element.tag == tag]

    def one(self, tag: str, **attributes: str) -> Element:
        (element,) = (element for element in self.all(tag) if attributes.items() <= element.attributes.items())
        return element

    def text_of(self, element: Element) -> str:
        """Its own text and that of the elements inside it."""
        start = self.elements.index(element)
        inside = [element]
        for other in self.elements[start + 1 :]:
            if len(other.parents) <= len(element.parents):
                break
            inside.append(other)
        return "\n".join(part.text for part in inside)


def parse_page(text: str) -> PageParser:
    parser = PageParser()
    parser.feed(text)
    parser.close()
    assert not parser._open, "an element is not closed"
    return parser


def without_checksum(page: str) -> str:
    """A page whose index has no checksum, as those of earlier exporters, so that a test may change it."""
    return re.sub(r',"crc32":\d+}(?=\s*</script>)', "}", page, count=1)


class Bundle:
    """A bundle of any of the three shapes, read whole."""

    def __init__(self, path: Path) -> None:
        self.files = read_files(path)
        self.text = self.files["index.html"].decode("ascii")
        self.page = parse_page(self.text)
        self.index: dict[str, Any] = json.loads(self.page.one("script", id="bundle-index").text)
        # It says nothing of the recordings.
        self.index.pop("crc32", None)

    def encoded(self, number: int) -> bytes:
        """The base64 of a chunk, from its place in the index."""
        templates = [element for element in self.page.all("template") if element.attributes["id"] == f"chunk-{number}"]
        name = f"data/c{number:06d}.js"
        if self.index["chunks"]["inline"][number]:
            assert len(templates) == 1
            assert name not in self.files
            return templates[0].text.encode("ascii")
        assert not templates
        match = re.fullmatch(rb'__comgraChunk\((\d+),"([A-Za-z0-9+/=]*)"\)\n?', self.files[name])
        assert match, name
        assert int(match[1]) == number
        return match[2]

    def chunk(self, number: int) -> bytes:
        """The raw bytes of a chunk."""
        table = self.index["chunks"]
        data = base64.b64decode(self.encoded(number), validate=True)
        data = decode(data, table["codec"][number], table["width"][number])
        assert len(data) == table["bytes"][number]
        assert zlib.crc32(data) == table["crc32"][number]
        return data

    def document(self, number: int) -> Any:  # noqa: ANN401 - any JSON
        assert self.index["chunks"]["width"][number] == 1
        return json.loads(self.chunk(number))

    def listed(self, kind: str, position: int) -> dict[str, Any]:
        """A layout or a laid-out graph."""
        places = self.index[kind]
        return dict(self.document(places["chunk"][position])[places["position"][position]])

    def trial(self, name: str, rank: int | None = 0) -> dict[str, Any]:
        """The entry of a rank of a trial; of all ranks together for None."""
        (trial,) = (trial for trial in self.index["trials"] if (trial["name"], trial["rank"]) == (name, rank))
        return dict(trial)

    def step_row(self, trial: dict[str, Any], step: float) -> dict[str, Any]:
        """One entry of every column of a trial's steps."""
        row = trial["steps"]["step"].index(step)
        return {name: column[row] for name, column in trial["steps"].items()}

    def arrays(self, trial: dict[str, Any], step: float, chunk_bytes: int = 4 * 1024 * 1024) -> list[tuple[str, str, NDArray[Any]]]:
        """Name, dtype and elements of a step's arrays, in the order of the index."""
        row = self.step_row(trial, step)
        array_set = self.index["array_sets"][row["array_set"]]
        strings = self.index["strings"]
        used = {8: 0, 4: 0, 2: 0, 1: 0}
        arrays = []
        for name, dtype, count in zip(array_set["name"], array_set["dtype"], array_set["count"], strict=True):
            numpy_dtype = np.dtype(NUMPY_DTYPES[strings[dtype]])
            width = numpy_dtype.itemsize
            elements = []
            for k in range(used[width], used[width] + count):
                chunk = self.chunk(row[f"lane{width}"] + k * width // chunk_bytes)
                start = k * width % chunk_bytes
                elements.append(chunk[start : start + width])
            used[width] += count
            arrays.append((strings[name], strings[dtype], np.frombuffer(b"".join(elements), numpy_dtype)))
        return arrays

    def series(self, trial: dict[str, Any], chunk_bytes: int = 4 * 1024 * 1024) -> list[dict[str, Any]]:
        """The records of a trial over time: each one's entry in the directory, steps, numbers `[rows, steps]` and counts `[5, steps]`."""
        directory = self.document(trial["series"])
        strings, columns = directory["strings"], directory["records"]

        def elements(width: int, dtype: str, start: int, rows: int, steps: int) -> NDArray[Any]:
            return self._elements(directory[f"lane{width}"], width, start, rows * steps, chunk_bytes).view(dtype).reshape(rows, steps)

        records = []
        for values in zip(*columns.values(), strict=True):
            record = dict(zip(columns, values, strict=True))
            record["group"], record["name"] = strings[record["group"]], strings[record["name"]]
            record["steps"] = directory["step_lists"][record["steps"]]
            rows, count = record["items"] * record["aggregations"] + 2, len(record["steps"])
            record["numbers"] = elements(record["width"], {4: "<f4", 8: "<f8"}[record["width"]], record["start"], rows, count)
            width = record["counts_width"]
            record["counts"] = elements(width, {4: "<i4", 8: "<i8"}[width], record["counts_start"], 5, count)
            records.append(record)
        return records

    def parameter_series(self, trial: dict[str, Any], chunk_bytes: int = 4 * 1024 * 1024) -> dict[int, tuple[list[int], NDArray[Any]]]:
        """Every parameter of a trial over time, by its position in the network: steps, and numbers `[3, steps]`."""
        directory = self.document(trial["series"])
        series = {}
        for position, listed, width, start in zip(*directory["parameters"].values(), strict=True):
            steps = directory["step_lists"][listed]
            raw = self._elements(directory[f"lane{width}"], width, start, 3 * len(steps), chunk_bytes)
            series[position] = (steps, raw.view({4: "<f4", 8: "<f8"}[width]).reshape(3, len(steps)))
        return series

    def histograms(self, trial: dict[str, Any], chunk_bytes: int = 512 * 1024) -> dict[tuple[Any, ...], dict[int, dict[str, Any]]]:
        """The histograms of every record at every step, by group, name, iteration and type."""
        by_record: dict[tuple[Any, ...], dict[int, dict[str, Any]]] = {}
        for chunk in trial["histograms"]:
            for key, of_record in self._part_of_histograms(self.document(chunk), chunk_bytes).items():
                known = by_record.setdefault(key, {})
                assert max(known, default=-1) < min(of_record)
                known.update(of_record)
        return by_record

    def _part_of_histograms(self, directory: dict[str, Any], chunk_bytes: int) -> dict[tuple[Any, ...], dict[int, dict[str, Any]]]:
        strings, columns = directory["strings"], directory["records"]
        by_record: dict[tuple[Any, ...], dict[int, dict[str, Any]]] = {}
        for values in zip(*columns.values(), strict=True):
            record = dict(zip(columns, values, strict=True))
            steps = directory["step_lists"][record["steps"]]
            width, whole = record["integers_width"], 14 * len(steps) + record["counts"]
            integers = self._elements(directory[f"lane{width}"], width, record["integers_start"], whole, chunk_bytes)
            integers = integers.view({4: "<i4", 8: "<i8"}[width])
            table, counts = integers[: 14 * len(steps)].reshape(14, -1).T, integers[14 * len(steps) :].tolist()
            width = record["width"]
            floats = self._elements(directory[f"lane{width}"], width, record["start"], 9 * len(steps), chunk_bytes)
            floats = floats.view({4: "<f4", 8: "<f8"}[width]).reshape(9, -1).T
            key = (strings[record["group"]], strings[record["name"]], record["iteration"], strings[record["type"]])
            assert key not in by_record
            by_record[key] = {}
            for step, row, numbers in zip(steps, table.tolist(), floats.tolist(), strict=True):
                own, counts = counts[: row[1] + row[4]], counts[row[1] + row[4] :]
                bins = {-(row[0] + place): count for place, count in enumerate(own[: row[1]])}
                bins.update({row[3] + place: count for place, count in enumerate(own[row[1] :])})
                by_record[key][step] = {
                    "bins": {number: count for number, count in sorted(bins.items()) if count},
                    "zeros": row[2],
                    "infinities": row[5:7],
                    "looked_at": row[7],
                    "counts": row[8:13],
                    "size": row[13],
                    "quantiles": numbers[:7],
                    "extrema": numbers[7:],
                }
            assert counts == []
        return by_record

    def flows(self, trial: dict[str, Any], chunk_bytes: int = 256 * 1024) -> list[dict[str, Any]]:
        """The gradient flows of a trial, with the arrays in place of their starts."""
        flows: list[dict[str, Any]] = self.document(trial["flows"])
        for flow in flows:
            samples = max(1, len(flow["samples"]))
            sizes = [samples * int(np.prod(layer["shape"])) for layer in flow["layers"]]

            def array(start: int, count: int, dtype: str, lane: int = flow["lane4"]) -> NDArray[Any] | None:
                return None if start < 0 else self._elements(lane, 4, start, count, chunk_bytes).view(dtype)

            for layer, size in zip(flow["layers"], sizes, strict=True):
                for key in ("values", "gradients"):
                    layer[key] = array(layer[key], size, "<f4")
            for pair in flow["pairs"]:
                count, source, target = sum(pair["count"]), sizes[pair["from"]], sizes[pair["to"]]
                pair["computed"] = array(pair["computed"], target, "<i4")
                pair["residuals"] = array(pair["residuals"], source, "<f4")
                for key, rows in (("by_source", source), ("by_target", target)):
                    own = pair[key]
                    starts, others = array(own["starts"], rows + 1, "<i4"), array(own["others"], count, "<i4")
                    pair[key] = {"starts": starts, "others": others, "flows": array(own["flows"], count, "<f4")}
                shown, count = pair["strongest"], sum(pair["strongest"]["count"])
                for key, dtype in (("sources", "<i4"), ("targets", "<i4"), ("flows", "<f4")):
                    shown[key] = array(shown[key], count, dtype)
        return flows

    def _elements(self, first: int, width: int, start: int, count: int, chunk_bytes: int) -> NDArray[np.uint8]:
        """The bytes of elements of a lane, one element after another."""
        content = b""
        for k in range(start * width, (start + count) * width, width):
            content += self.chunk(first + k // chunk_bytes)[k % chunk_bytes : k % chunk_bytes + width]
        return np.frombuffer(content, np.uint8)

    def digest(self) -> str:
        """What `content_digest` must be."""
        index = json.loads(json.dumps(self.index))
        del index["content_digest"], index["generation"]
        # Earlier versions have none.
        for key in ("story", "start"):
            index.pop(key, None)
        del index["chunks"]["codec"], index["chunks"]["inline"], index["chunks"]["identity"]
        index["chunks"].pop("encoded", None)
        chunks = b"".join(self.chunk(number) for number in range(len(self.index["chunks"]["bytes"])))
        return hashlib.sha256(chunks + json.dumps(index, separators=(",", ":")).encode("ascii")).hexdigest()


def read_files(path: Path) -> dict[str, bytes]:
    """The files of a bundle by their names relative to the page."""
    if path.is_dir():
        return {file.relative_to(path).as_posix(): file.read_bytes() for file in path.rglob("*") if file.is_file()}
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            return {name: archive.read(name) for name in archive.namelist()}
    return {"index.html": path.read_bytes()}


def decode(data: bytes, codec: int, width: int) -> bytes:
    """Undoes the encoding of a chunk: the first bytes of all elements come first, then their second ones, and so on."""
    if codec == 1:
        data = zlib.decompress(data, -15)
    else:
        assert codec == 0
    elements = len(data) // width
    assert elements * width == len(data)
    shuffled: NDArray[np.uint8] = np.frombuffer(data, np.uint8).reshape(width, elements)
    return bytes(shuffled.T.tobytes())
