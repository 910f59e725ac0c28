"""Tests of `sweetspot.plan.bundles`: one entry stands for several variables and for each alone."""

from typing import Any

import pytest

from sweetspot.errors import StudyError
from sweetspot.plan.bundles import expand, factor_id
from sweetspot.plan.study import check
from tests.plan.conftest import MakeStudy

ARGS = {"disable-custom-all-reduce": True}
BUNDLE = {"NCCL_PROTO": "LL", "NCCL_ALGO": "Ring", "NCCL_P2P_LEVEL": "SYS"}
DEFAULT: dict[str, Any] = {"env": {}, "args": {}}


class TestExpand:
    """Tests of `expand`."""

    def test_factors_before_their_bundle(self) -> None:
        """Each variable alone, then all together, with the arguments of the bundle."""
        found = expand({"default": DEFAULT, "published": {"bundle": BUNDLE, "args": ARGS}}, "a.yaml")

        assert list(found) == ["default", "ll", "ring", "p2p-sys", "published"]
        assert found["ll"] == {"env": {"NCCL_PROTO": "LL"}, "args": ARGS}
        assert found["p2p-sys"] == {"env": {"NCCL_P2P_LEVEL": "SYS"}, "args": ARGS}
        assert found["published"] == {"env": BUNDLE, "args": ARGS}

    def test_a_shared_factor_is_there_once(self) -> None:
        """Two bundles with one variable in common."""
        other = {"NCCL_ALGO": "Ring", "NCCL_PROTO": "Simple"}

        found = expand({"a": {"bundle": BUNDLE, "args": {}}, "b": {"bundle": other, "args": {}}}, "a.yaml")

        assert list(found) == ["ll", "ring", "p2p-sys", "a", "simple", "b"]

    def test_a_name_for_two_things(self) -> None:
        """A factor does not replace a variant that is something else."""
        nccl = {"ll": DEFAULT, "b": {"bundle": BUNDLE, "args": {}}}

        with pytest.raises(StudyError) as error:
            expand(nccl, "a.yaml")

        assert str(error.value) == (
            "a.yaml: nccl.b.bundle.NCCL_PROTO: measured as ll, expected that id for one variant alone; "
            "rename the other ll"
        )


class TestFactorId:
    """Tests of `factor_id`."""

    @pytest.mark.parametrize(
        ("variable", "value", "name"),
        [
            ("NCCL_PROTO", "^LL128", "not-ll128"),
            ("NCCL_ALGO", "allreduce:tree", "allreduce-tree"),
            ("NCCL_MIN_NCHANNELS", "8", "min-nchannels-8"),
            ("SGLANG_ENABLE_PCIE_IPC_ALLREDUCE", "1", "sglang-enable-pcie-ipc-allreduce-1"),
        ],
    )
    def test_says_variable_and_value(self, variable: str, value: str, name: str) -> None:
        """A value that says all stands alone; two values never share an id."""
        assert factor_id(variable, value) == name


class TestInAStudy:
    """Tests of bundles in a study."""

    def test_is_read_as_its_variants(self, make_study: MakeStudy) -> None:
        """What comes after the study file sees variants alone."""
        study = make_study(nccl={"default": DEFAULT, "b": {"bundle": BUNDLE, "args": {}}})

        assert list(check(study, "a.yaml")["nccl"]) == ["default", "ll", "ring", "p2p-sys", "b"]

    def test_of_one_variable_is_none(self, make_study: MakeStudy) -> None:
        """It would be measured twice."""
        study = make_study(nccl={"b": {"bundle": {"NCCL_PROTO": "LL"}, "args": {}}})

        with pytest.raises(
            StudyError, match=r"^a.yaml: nccl.b.bundle: a mapping, expected two variables or more"
        ):
            check(study, "a.yaml")

    def test_beside_an_environment(self, make_study: MakeStudy) -> None:
        """A variant is one or the other."""
        study = make_study(nccl={"b": {"bundle": BUNDLE, "env": {}, "args": {}}})

        with pytest.raises(
            StudyError, match=r"^a.yaml: nccl.b.bundle: unknown key, expected one of env, args"
        ):
            check(study, "a.yaml")
