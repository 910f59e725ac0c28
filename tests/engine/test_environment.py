"""Tests of `sweetspot.engine.environment`: what reaches a server, and what is recorded of it."""

import pytest

from sweetspot.engine.environment import check_inherited, inherited, visible
from sweetspot.errors import RunError


def test_what_is_recorded() -> None:
    """Variables that change a server are kept, those of no consequence and secrets are not."""
    environment = {"NCCL_PROTO": "LL", "HF_TOKEN": "secret", "EDITOR": "vi", "OMP_NUM_THREADS": "1"}

    assert visible(environment) == {"NCCL_PROTO": "LL", "OMP_NUM_THREADS": "1"}


def test_what_snakemake_sets_is_not_inherited(monkeypatch: pytest.MonkeyPatch) -> None:
    """Snakemake's thread variables, which follow --cores, never reach a server."""
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.setenv("PYTHONPATH", "somewhere")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")

    variables = inherited()

    assert "OMP_NUM_THREADS" not in variables
    assert "PYTHONPATH" not in variables
    assert variables["CUDA_VISIBLE_DEVICES"] == "0"


class TestCheckInherited:
    """Tests of `check_inherited`."""

    @pytest.mark.parametrize("name", ["NCCL_PROTO", "SGLANG_SIMULATE_ACC_LEN", "SGL_ANYTHING"])
    def test_a_variable_that_the_study_does_not_set(self, name: str) -> None:
        """It would reach the servers of this shell and no others."""
        with pytest.raises(RunError, match=rf"^{name}=1: set in this shell, .* or `unset {name}`$"):
            check_inherited({"PATH": "/bin", name: "1"}, {})

    def test_a_variable_that_no_study_may_set(self) -> None:
        """The line does not send its reader to a study that would be refused."""
        with pytest.raises(RunError, match=r"says what was measured; `unset NCCL_DEBUG`$"):
            check_inherited({"NCCL_DEBUG": "INFO"}, {})

    def test_the_version_that_an_image_tells(self) -> None:
        """NVIDIA's CUDA images set NCCL_VERSION, and no NCCL reads it."""
        check_inherited({"NCCL_VERSION": "2.28.3-1"}, {})

    def test_a_variable_that_the_study_sets(self) -> None:
        """The study's value goes over the shell's, and is in the identity."""
        check_inherited({"NCCL_NVLS_ENABLE": "1"}, {"NCCL_NVLS_ENABLE": "0"})
