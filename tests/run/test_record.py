"""Tests of `sweetspot.run.record`: a round trip, and what is no record is refused."""

import base64
import json
import zlib
from array import array
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sweetspot.errors import RecordError
from sweetspot.run.record import FORMAT, KEYS, differences, digest, pack, read, unpack, write

RECORD: dict[str, Any] = {"format": FORMAT} | dict.fromkeys(KEYS)


class TestPack:
    """Tests of `pack`, `unpack` and `differences`."""

    def test_known_bytes(self) -> None:
        """The text is the same on every machine: base64, zlib, little-endian int32 of the differences."""
        packed = pack([3, 5, 4])

        assert differences(packed) == array("i", [3, 2, -1])
        assert unpack("eJxjZmBgYALi/0AAAAo2BAI=") == array("q", [3, 5, 4])

    @given(st.lists(st.integers(0, 2**31 - 1)))
    def test_round_trip(self, numbers: list[int]) -> None:
        """What was packed comes back, the empty list too."""
        assert unpack(pack(numbers)).tolist() == numbers

    def test_a_pass_of_more_than_36_minutes(self) -> None:
        """Microseconds may outgrow an int32 as long as no step does."""
        arrivals_us = [2_000_000_000, 4_000_000_000]

        assert unpack(pack(arrivals_us)).tolist() == arrivals_us

    def test_a_step_too_wide_is_refused(self) -> None:
        """No number is ever wrapped around."""
        with pytest.raises(OverflowError):
            pack([0, 2**31])

    def test_digest_names_the_numbers_not_their_packing(self) -> None:
        """Another zlib may pack the same output into other bytes."""
        numbers = array("i", [3, 2, -1]).tobytes()
        packed_otherwise = base64.b64encode(zlib.compress(numbers, level=0)).decode()

        assert packed_otherwise != pack([3, 5, 4])
        assert digest(packed_otherwise) == digest(pack([3, 5, 4])) == "ee5850d338bdfa06"
        assert digest(pack([3, 5, 5])) != digest(pack([3, 5, 4]))

    @pytest.mark.parametrize("packed", ["not base64!", "AAAA", "eJxjZGIGAAANAAc="])
    def test_damaged(self, packed: str) -> None:
        """Text that is not base64, not zlib, or not whole numbers of four bytes is named."""
        with pytest.raises(RecordError, match=r"expected a packed list; measure this launch again$"):
            unpack(packed)


class TestRead:
    """Tests of `read` and `write`."""

    def test_round_trip(self, tmp_path: Path) -> None:
        """A record comes back as it was written, and no other file stays in its folder."""
        path = tmp_path / "record.json"
        record = RECORD | {"launch": {"id": "s2.ring-ll"}, "round": 1, "failure": {"message": "died – 9"}}

        write(record, path)

        assert read(path) == record
        assert list(tmp_path.iterdir()) == [path]

    def test_a_failed_write_leaves_the_old_record(self, tmp_path: Path) -> None:
        """A record is replaced whole or not at all."""
        path = tmp_path / "record.json"
        write(RECORD, path)

        with pytest.raises(ValueError, match="not JSON compliant"):
            write(RECORD | {"round": float("nan")}, path)

        assert read(path) == RECORD
        assert list(tmp_path.iterdir()) == [path]

    def test_who_reads_the_old_record_reads_on(self, tmp_path: Path) -> None:
        """Writing puts a new file in the old one's place and leaves the old one's bytes alone."""
        path, also = tmp_path / "record.json", tmp_path / "also.json"
        write(RECORD, path)
        also.hardlink_to(path)

        write(RECORD | {"round": 1}, path)

        assert read(also) == RECORD

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("# a page", "Expecting value in line 1, expected JSON; delete it to measure this launch again"),
            ('{"format": 1, "sta', "truncated after 18 characters, expected a whole record; "),
            ("[1, 2]", "a JSON list, expected an object; delete it to measure this launch again"),
            ('{"format": 0}', "format 0, expected 1; delete it to measure this launch again"),
            ('{"format": 2}', "format 2, expected 1; delete it to measure this launch again"),
            ("{}", "format None, expected 1; delete it to measure this launch again"),
        ],
    )
    def test_damaged(self, tmp_path: Path, text: str, message: str) -> None:
        """Each kind of damage has its line, and it starts with the path."""
        path = tmp_path / "record.json"
        path.write_text(text)

        with pytest.raises(RecordError) as caught:
            read(path)

        assert str(caught.value).startswith(f"{path}: {message}")

    def test_missing_file(self, tmp_path: Path) -> None:
        """A record that is not there asks for its launch."""
        with pytest.raises(RecordError, match="No such file or directory, expected a record; measure"):
            read(tmp_path / "record.json")

    def test_not_utf8(self, tmp_path: Path) -> None:
        """Bytes that are no text are named by their place."""
        path = tmp_path / "record.json"
        path.write_bytes(b'{"\xff')

        with pytest.raises(RecordError, match="byte 2 is not UTF-8, expected JSON; delete"):
            read(path)

    @pytest.mark.parametrize("key", KEYS)
    def test_missing_key(self, tmp_path: Path, key: str) -> None:
        """Every top-level key but `reference` must be there."""
        path = tmp_path / "record.json"
        path.write_text(json.dumps({name: value for name, value in RECORD.items() if name != key}))

        with pytest.raises(RecordError, match=f"no {key!r} in it, expected one in every record; delete"):
            read(path)
