"""Tests of `sweetspot.plan.flags`."""

import pytest

from sweetspot.errors import StudyError
from sweetspot.plan.flags import check_env, check_flags


class TestCheckFlags:
    """Tests of `check_flags`."""

    @pytest.mark.parametrize(
        ("flag", "remedy"),
        [
            ("model-path", "use models.target"),
            ("model", "use models.target"),
            ("revision", "use models.target.revision"),
            ("tp", "use tp_size"),
            ("tp-size", "use tp_size"),
            ("tensor-parallel-size", "use tp_size"),
            ("disable-radix-cache", "use radix_cache"),
            ("speculative-algorithm", "use speculation.algorithm"),
            ("speculative-num-steps", "use speculation.num_steps"),
            ("speculative-eagle-topk", "use speculation.trees"),
            ("speculative-num-draft-tokens", "use speculation.trees"),
            ("speculative-draft-model-path", "use models.draft"),
            ("speculative-draft-model-revision", "use models.draft.revision"),
            ("speculative-token-map", "remove it, since only the keys of speculation shape a variant"),
            ("host", "remove it, since each server gets a free port of this host"),
            ("port", "remove it, since each server gets a free port of this host"),
            ("nccl-port", "remove it, since each server gets a free port of this host"),
            ("api-key", "remove it, since each server gets a key of its own"),
            ("admin-api-key", "remove it, since each server gets a key of its own"),
            ("enable-metrics", "remove it, since it is always on"),
            ("stream-interval", "remove it, since the cycles are read from how tokens arrive"),
            ("stream-output", "remove it, since the cycles are read from how tokens arrive"),
            ("incremental-streaming-output", "remove it, since the cycles are read from how tokens arrive"),
            ("config", "write its arguments here, since the plan has to know them"),
        ],
    )
    def test_names_the_key_to_use_instead(self, flag: str, remedy: str) -> None:
        """What the tool sets can't be set beside it, and the line says where it can."""
        with pytest.raises(StudyError) as error:
            check_flags("config.yaml: args_sets.a", ["dtype", flag])

        line = f"config.yaml: args_sets.a.{flag}: a flag that sweetspot sets, expected it absent; {remedy}"
        assert str(error.value) == line

    def test_leaves_the_rest_to_the_user(self) -> None:
        """Flags that shape no variant are the user's, even those that some hosts may not have."""
        check_flags(
            "x", ["trust-remote-code", "enable-nccl-nvls", "enable-symm-mem", "disable-custom-all-reduce"]
        )

    def test_leaves_how_a_draft_is_served(self) -> None:
        """The draft of a quantised target, or of one with a latent, may need its own."""
        check_flags("x", ["speculative-draft-attention-backend", "speculative-draft-model-quantization"])


class TestCheckEnv:
    """Tests of `check_env`."""

    def test_keeps_the_import_path(self) -> None:
        """The plugins would not load."""
        with pytest.raises(StudyError) as error:
            check_env("config.yaml: nccl.a.env", ["NCCL_PROTO", "PYTHONPATH"])

        line = (
            "config.yaml: nccl.a.env.PYTHONPATH: a variable that sweetspot sets, expected it absent; "
            "remove it, since the runner puts the server's plugins there"
        )
        assert str(error.value) == line

    @pytest.mark.parametrize("name", ["SGLANG_SIMULATE_ACC_LEN", "SGLANG_SIMULATE_ACC_TOKEN_MODE"])
    def test_refuses_a_simulation(self, name: str) -> None:
        """A faked acceptance must not be ranked."""
        with pytest.raises(
            StudyError, match=rf"^x.{name}: a simulation, expected it absent; .* means nothing$"
        ):
            check_env("x", [name])

    def test_leaves_the_rest_to_the_user(self) -> None:
        """Which GPUs a study takes is the user's."""
        check_env("x", ["CUDA_VISIBLE_DEVICES", "NCCL_PROTO"])
