import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sweetspot.errors import StudyError
from sweetspot.render.launch import launch_script
from sweetspot.run.record import read
from tests.engines import cpu_python

ROOT = Path(__file__).parents[2]
PUBLISHED = ROOT / "results" / "published" / "quickstart"
MODELS = {
    "constructed": None,
    "target": {"folder": "models/target"},
    "draft": {"folder": "models/it's a {draft} $HOME"},
}
ENGINE = {"name": "engine-cu13", "lock_sha256": "0123456789abcdef", "packages": {"sglang": "0.5.23"}}

Row = dict[str, Any]
Words = Callable[..., Row]


@pytest.fixture
def plan(make_plan: Callable[..., Row]) -> Row:
    """A baseline and two steps, with arguments and variables that a shell would trip over."""
    plan = make_plan(2)
    for launch in plan["launches"]:
        launch["args"] = {
            "dtype": "bfloat16",
            "disable-overlap-schedule": True,
            "json-model-override-args": '{"a b": "it\'s $HOME"}',
            "cuda-graph-bs": [1, 2, 4],
            "disable-radix-cache": True,
        }
        launch["env"] = {"NCCL_ALGO": "allreduce:tree,ring", "NCCL_DEBUG_FILE": "/tmp/a b;c"}
    plan["launches"][1]["args"] |= {
        "speculative-algorithm": "EAGLE3",
        "speculative-num-steps": 2,
        "speculative-eagle-topk": 1,
        "speculative-num-draft-tokens": 3,
    }
    return plan


@pytest.fixture
def started(tmp_path: Path) -> Words:
    """Return a function that runs a script with a stand-in for Python: its words and its environment."""
    stand_in = tmp_path / "python"
    stand_in.write_text(
        "#!/usr/bin/env python3\nimport json, os, sys\nprint(json.dumps([sys.argv[1:], dict(os.environ)]))\n"
    )
    stand_in.chmod(0o755)

    def start(script: str, *words: str, **variables: str) -> Row:
        path = tmp_path / "launch.sh"
        path.write_text(script)
        subprocess.run(["bash", "-n", path], check=True)
        environment = {"PATH": "/usr/bin:/bin", "PYTHON": str(stand_in), **variables}
        answer = subprocess.run(
            ["bash", path, *words], env=environment, check=True, capture_output=True, text=True
        )
        said, environment = json.loads(answer.stdout)
        return {"words": said, "env": environment}

    return start


def value_of(words: list[str], flag: str) -> str:
    """Return the word after *flag*, which must stand there once."""
    (at,) = (place for place, word in enumerate(words) if word == flag)
    return words[at + 1]


class TestLaunchScript:
    """Tests of `launch_script`."""

    def test_what_was_measured_is_launched(self, plan: Row, started: Words) -> None:
        """Every argument and variable of the launch arrives as one word, whatever is in it."""
        server = started(launch_script(plan, "s2.default", MODELS, ENGINE))

        words = server["words"]
        assert words[:2] == ["-m", "sglang.launch_server"]
        assert value_of(words, "--json-model-override-args") == '{"a b": "it\'s $HOME"}'
        at = words.index("--cuda-graph-bs")
        assert words[at : at + 4] == ["--cuda-graph-bs", "1", "2", "4"]
        assert value_of(words, "--speculative-num-steps") == "2"
        assert value_of(words, "--speculative-draft-model-path") == "models/it's a {draft} $HOME"
        assert server["env"]["NCCL_ALGO"] == "allreduce:tree,ring"
        assert server["env"]["NCCL_DEBUG_FILE"] == "/tmp/a b;c"

    def test_what_served_the_measuring(self, plan: Row, started: Words) -> None:
        """It is on as it was, is named, and goes with one variable; nothing else goes with it."""
        script = launch_script(plan, "s2.default", MODELS, ENGINE)

        as_measured, without = started(script)["words"], started(script, AS_MEASURED="0")["words"]

        assert "#   --disable-radix-cache: no prompt finds" in script
        assert set(as_measured) - set(without) == {"--enable-metrics", "--disable-radix-cache"}
        assert set(without) <= set(as_measured)

    def test_the_deployment(self, plan: Row, started: Words) -> None:
        """Address, key and models are the user's, and more words are passed on."""
        script = launch_script(plan, "s2.default", MODELS, ENGINE)

        words = started(
            script, "--log-level", "info", HOST="0.0.0.0", PORT="80", API_KEY="a key", TARGET_MODEL="my model"
        )["words"]

        assert value_of(words, "--host") == "0.0.0.0"
        assert value_of(words, "--port") == "80"
        assert value_of(words, "--api-key") == "a key"
        assert value_of(words, "--model-path") == "my model"
        assert words[-2:] == ["--log-level", "info"]
        assert "--api-key" not in started(script)["words"]

    def test_a_baseline(self, plan: Row, started: Words) -> None:
        """It is served without speculation and without a draft."""
        script = launch_script(plan, "none.default", MODELS, ENGINE)

        assert not [word for word in started(script)["words"] if "speculative" in word]
        assert "draft" not in script

    @pytest.mark.parametrize(("variant", "steps"), [("none.default", None), ("s2.default", "2")])
    def test_of_a_launch_that_measured_several(
        self, plan: Row, started: Words, variant: str, steps: str | None
    ) -> None:
        """What let the server switch is left out: the variant is served alone."""
        switching = {"speculative-num-steps": 5, "speculative-num-draft-tokens": 6}
        launch = plan["launches"][1]
        launch["args"] |= {**switching, "speculative-adaptive": True}
        plan["launches"] = [launch | {"id": "oneload.default", "variants": ["none.default", "s2.default"]}]

        words = started(launch_script(plan, variant, MODELS, ENGINE))["words"]

        assert "--speculative-adaptive" not in words
        assert (value_of(words, "--speculative-num-steps") if steps else None) == steps
        assert ("--speculative-algorithm" in words) == (steps is not None)

    def test_where_python_lies(self, plan: Row) -> None:
        """A locked engine's own, from the project's folder; a user's is found on the path."""
        external = {"name": "external", "nearest_lock": "engine-cu13", "differences": {"torch": "2.0"}}

        locked = launch_script(plan, "s2.default", MODELS, ENGINE)
        own = launch_script(plan, "s2.default", MODELS, external | {"packages": {}})

        assert "python=${PYTHON:-.envs/engine-cu13-0123456789ab/bin/python}" in locked
        assert "python=${PYTHON:-python}" in own
        assert "# Not from a lock: " in own

    def test_what_to_know_can_be_read(self, plan: Row) -> None:
        """A caution is a comment of several lines, none so long that it is cut off on the page."""
        models = MODELS | {"constructed": {"shape": "8b", "acceptance": [0.75], "seed": 0}}

        lines = launch_script(plan, "s2.default", models, ENGINE).splitlines()

        told = lines[2 : lines.index("set -euo pipefail")]
        assert told[0].startswith("# Acceptance is a dial of a constructed pair: ") and len(told) > 1
        assert all(line.startswith("#") and len(line) <= 80 for line in told)

    def test_an_unknown_variant(self, plan: Row) -> None:
        """A verdict of another plan is refused."""
        with pytest.raises(StudyError, match=r"no variant s9\.default, expected one of none\.default, s2"):
            launch_script(plan, "s9.default", MODELS, ENGINE)


@pytest.mark.parametrize("variant", ["none.default", "s3.default"])
def test_it_repeats_the_recorded_command(variant: str, started: Words) -> None:
    """On the published study, the words are those of the record, but for address and key."""
    plan = json.loads((PUBLISHED / "plan.json").read_text())
    record = read(PUBLISHED / "run" / variant / "0" / "record.json")

    words = started(launch_script(plan, variant, record["models"], record["engine"]))["words"]

    command = record["server"]["command"]
    at = command.index("--api-key")
    recorded = command[1:at] + command[at + 2 :]
    theirs = {"--host", "--port", value_of(recorded, "--host"), value_of(recorded, "--port")}
    assert sorted(set(words) - {"--host", "--port", "127.0.0.1", "30000"}) == sorted(set(recorded) - theirs)


@pytest.mark.engine
@pytest.mark.parametrize(("variant", "steps"), [("none.default", "None"), ("s3.default", "3")])
def test_the_engine_accepts_it(variant: str, steps: str, started: Words, tmp_path: Path) -> None:
    """SGLang's own parser takes the words, and understands what was measured."""
    python = cpu_python()
    plan = json.loads((PUBLISHED / "plan.json").read_text())
    record = read(PUBLISHED / "run" / variant / "0" / "record.json")
    if not (ROOT / record["models"]["target"]["folder"]).exists():
        pytest.skip("the constructed pair of the published study is not built here")
    program = (
        "import json, sys; from sglang.srt.server_args import prepare_server_args;"
        "print(prepare_server_args(json.loads(sys.argv[1])).speculative_num_steps)"
    )
    server = started(launch_script(plan, variant, record["models"], record["engine"]))

    answer = subprocess.run(
        [python, "-c", program, json.dumps(server["words"][2:])],
        cwd=ROOT,
        env=server["env"] | {"HOME": str(tmp_path)},
        capture_output=True,
        text=True,
    )

    assert answer.stdout.splitlines()[-1:] == [steps], answer.stderr[-2000:]
