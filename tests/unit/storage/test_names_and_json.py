"""Folder names, texts with invalid Unicode, and numbers that JSON cannot hold."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comgra_export.errors import DamagedRecordingError, MisuseError
from comgra_export.storage import check_folder_name, clean_text, decode_number, dumps, encode_number, folder_of_name, loads, name_of_folder
from comgra_export.storage.text.names import names_instead
from support.storage.strategies import folder_names


@pytest.mark.parametrize("name", ["a", "run 1", "x" * 200, "é" * 100, "a.b", "a..b", "🦔", "~", "-rf", "a\u202eb", "*?"])
def test_names_that_may_be_folders(name: str) -> None:
    assert check_folder_name("trial", name) == name


@given(folder_names)
def test_every_name_by_the_rules_may_be_a_folder(name: str) -> None:
    assert check_folder_name("trial", name) == name


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("", "empty"),
        ("x" * 201, "200 bytes"),
        ("é" * 101, "200 bytes"),
        ("/a", "begin with /"),
        ("a" + "/" * 67, "200 bytes"),
        ("a\\b", r"\\"),
        ("..", "dot"),
        (".", "dot"),
        (".hidden", "begin with a dot"),
        ("a.", "end with"),
        ("a ", "end with"),
        (" ", "end with"),
        ("a\0b", "control"),
        ("a\nb", "control"),
        ("a\x7fb", "control"),
        ("a\x9fb", "control"),
        ("a\ud800b", "Unicode"),
    ],
)
def test_names_that_may_not(name: str, rule: str) -> None:
    with pytest.raises(MisuseError, match=rule) as caught:
        check_folder_name("trial", name)
    assert "trial" in str(caught.value)
    str(caught.value).encode()


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("plain", "plain"),
        ("50% of it", "50% of it"),
        ("lr=1/2", "lr=1%2F2"),
        ("50%/2", "50%25%2F2"),
        ("50%2F2", "50%252F2"),
        ("50%252F2", "50%25252F2"),
        ("a/../b", "a%2F..%2Fb"),
    ],
)
def test_the_folder_of_a_name(name: str, folder: str) -> None:
    assert folder_of_name(check_folder_name("trial", name)) == folder
    assert name_of_folder(folder) == name


@given(st.lists(st.text("ab%/2F5", max_size=8), min_size=2, max_size=2, unique=True))
def test_no_two_names_share_a_folder(names: list[str]) -> None:
    first, second = map(folder_of_name, names)
    assert first != second
    assert "/" not in first + second
    assert [name_of_folder(first), name_of_folder(second)] == names


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("dead-rel", "Did you mean 'dead-relu'?"),
        ("nan", "Did you mean 'nan-origin' or 'dominant-nan'?"),
        ("", "There are 'dominant-nan', 'nan-origin', 'dead-relu'."),
        ("xyz", "There are 'dominant-nan', 'nan-origin', 'dead-relu'."),
    ],
)
def test_names_that_are_like_one_or_contain_it_come_first(name: str, sentence: str) -> None:
    assert names_instead(name, ["dominant-nan", "nan-origin", "dead-relu"]) == sentence


def test_a_name_that_is_no_string_is_refused_with_advice() -> None:
    with pytest.raises(MisuseError, match=r"trial is 3, which is not a string"):
        check_folder_name("trial", 3)  # type: ignore[arg-type]


@given(st.text(st.characters(), max_size=20))
def test_clean_text_is_utf8_and_changes_nothing_else(text: str) -> None:
    cleaned = clean_text(text)
    assert len(cleaned) == len(text)
    cleaned.encode()
    assert all(after == ("\ufffd" if "\ud800" <= before <= "\udfff" else before) for before, after in zip(text, cleaned, strict=True))


@given(st.floats() | st.integers(-(2**63), 2**63 - 1))
def test_numbers_survive_json(number: float) -> None:
    read = decode_number(loads(dumps([encode_number(number)]), "file")[0])  # type: ignore[index]
    assert read == number or (math.isnan(read) and math.isnan(number)) or float(number) == read
    assert math.copysign(1, read) == math.copysign(1, number) or math.isnan(number)


def test_numbers_look_as_the_page_says() -> None:
    values = [math.nan, math.inf, -math.inf, 1200, 0.5, np.float32(0.25), np.int64(7), np.float64("inf"), 2**70]
    assert (
        dumps([encode_number(value) for value in values])
        == b'["NaN","Infinity","-Infinity",1200,0.5,0.25,7.0,"Infinity",1.1805916207174113e+21]'
    )


@pytest.mark.parametrize("value", [None, True, "nan", "inf", "1", [], {}])
def test_other_values_are_no_numbers(value: object) -> None:
    with pytest.raises(ValueError, match="neither a number"):
        decode_number(value)


def test_surrogates_in_keys_and_lists_are_replaced() -> None:
    assert dumps({"a\ud800": ("b\udfff", ["\ud800", 1, None])}) == '{"a\ufffd":["b\ufffd",["\ufffd",1,null]]}'.encode()


def test_what_json_cannot_hold_is_a_type_error() -> None:
    with pytest.raises(TypeError):
        dumps({"a": object()})


@pytest.mark.parametrize("data", [b"", b"{", b"NaN", b"[1,]", b"\xff", b"[" * 5000, b"'a'"])
def test_bad_json_names_the_file(data: bytes) -> None:
    with pytest.raises(DamagedRecordingError, match=r"steps/x\.json"):
        loads(data, "steps/x.json")
