"""Tests of `sweetspot.plan.nccl_variables`: the table of what NCCL reads, by version."""

import pytest

from sweetspot.errors import StudyError
from sweetspot.plan.nccl_variables import NEWEST, OLDEST, kinds, nccl_version, suggestion, version


class TestNcclVersion:
    """Tests of `nccl_version`."""

    def test_of_either_package(self) -> None:
        """NCCL comes under a name for each CUDA; a CPU engine has none."""
        assert nccl_version({"torch": "2.11.0", "nvidia-nccl-cu13": "2.28.9"}) == "2.28.9"
        assert nccl_version({"nvidia-nccl-cu12": "2.27.5"}) == "2.27.5"
        assert nccl_version({"torch": "2.13.0"}) is None


class TestVersion:
    """Tests of `version`."""

    def test_between_what_was_read(self) -> None:
        """An unknown or a newer NCCL is taken to behave like the newest that was read."""
        assert version("2.28.9") == (2, 28, 9)
        assert version("2.99.1") == version(None) == NEWEST

    @pytest.mark.parametrize("text", ["2.23.4", "main"])
    def test_refuses_an_older_one(self, text: str) -> None:
        """Before, a misspelt algorithm was ignored: other rules hold there."""
        with pytest.raises(StudyError, match=rf"^NCCL: version '{text}', expected 2.27.3 or newer; install"):
            version(text)


class TestKinds:
    """Tests of `kinds`."""

    def test_how_each_is_read(self) -> None:
        """Lists, levels, integers and text."""
        read = kinds((2, 28, 9))

        names = ("NCCL_ALGO", "NCCL_PROTO", "NCCL_P2P_LEVEL", "NCCL_P2P_DISABLE", "NCCL_SOCKET_IFNAME")
        assert [read[name] for name in names] == ["algorithms", "protocols", "level", "integer", "text"]

    def test_grows_with_the_version(self) -> None:
        """What only a newer one reads is not in an older one's table."""
        assert len(kinds(OLDEST)) < len(kinds((2, 28, 9))) < len(kinds(NEWEST))
        assert "NCCL_NETDEVS_POLICY" not in kinds((2, 27, 5))
        assert "NCCL_NETDEVS_POLICY" in kinds((2, 28, 3))

    def test_drops_what_a_version_no_longer_reads(self) -> None:
        """A variable that went is one that is ignored."""
        assert "NCCL_GIN_NCONTEXTS" in kinds((2, 29, 7))
        assert "NCCL_GIN_NCONTEXTS" not in kinds((2, 30, 3))


class TestSuggestion:
    """Tests of `suggestion`."""

    @pytest.mark.parametrize(
        ("name", "meant"),
        [("NCCL_ALGOS", "NCCL_ALGO"), ("NCCL_BUFFER_SIZE", "NCCL_BUFFSIZE"), ("NCCL_QQQ", "")],
    )
    def test_the_nearest_if_near(self, name: str, meant: str) -> None:
        """A typo is near to what was meant; anything else gets no guess."""
        assert suggestion(name, NEWEST) == meant
