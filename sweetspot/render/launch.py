"""Writes launch.sh: the command and the environment that serve a variant as it was measured. Pure.

What was measured is what is launched. What belongs to a deployment (address, key, where Python and the models
lie) are shell variables with defaults, and what served the measuring alone is named and can be left out.
"""

import shlex
from collections.abc import Iterator, Mapping
from textwrap import wrap
from typing import Any

from sweetspot.engine.command import command_line
from sweetspot.errors import StudyError
from sweetspot.render.cautions import cautions

_SPECULATIVE = "speculative-"
_FOR_MEASURING = {
    "enable-metrics": "the server counts what it does",
    "disable-radix-cache": "no prompt finds its beginning in the cache, so that all passes do the same work",
}
_KERNELS = "sweetspot/engine/cpu/site"  # what SGLang's CPU path calls, from the project's folder


def launch_script(
    plan: dict[str, Any], variant_id: str, models: dict[str, Any], engine: dict[str, Any]
) -> str:
    """Return a bash script that serves *variant_id* as it was measured.

    Args:
        plan: The content of plan.json.
        variant_id: Of a variant of the plan; a baseline is served without speculation.
        models: What a record holds as `models`.
        engine: What a record holds as `engine`.

    Raises:
        StudyError: If the plan has no such variant.
    """
    variant = next((entry for entry in plan["variants"] if entry["id"] == variant_id), None)
    if variant is None:
        known = ", ".join(entry["id"] for entry in plan["variants"])
        raise StudyError(f"plan.json: no variant {variant_id}, expected one of {known}; plan the study again")
    launch = next(entry for entry in plan["launches"] if variant_id in entry["variants"])
    args = {"enable-metrics": True} | _of_variant(launch["args"], variant)
    served = {flag: value for flag, value in args.items() if flag not in _FOR_MEASURING}
    measuring = {flag: value for flag, value in args.items() if flag in _FOR_MEASURING}
    lines = [
        "#!/usr/bin/env bash",
        f"# Serves {variant_id} of study {plan['study']} as it was measured, with SGLang {plan['sglang']} "
        f"({engine['name']}).",
        *(
            line
            for title, text in cautions(plan, engine, models)
            for line in wrap(f"# {title}: {text}", 80, subsequent_indent="#   ")
        ),
        "set -euo pipefail",
        "",
        "# The deployment's: set these variables to change them. Without API_KEY anyone may ask.",
        f"python=${{PYTHON:-{shlex.quote(_python(engine))}}}",
        "host=${HOST:-127.0.0.1}",
        "port=${PORT:-30000}",
        *_models(models, variant),
        "",
        *_environment(engine, launch["env"]),
        "arguments=(",
        *_words(served),
        '  --model-path "$target"',
        *(['  --speculative-draft-model-path "$draft"'] if variant["num_steps"] else []),
        '  --host "$host"',
        '  --port "$port"',
        ")",
        '[ -z "${API_KEY:-}" ] || arguments+=(--api-key "$API_KEY")',
        "",
        "# Set for measuring, and on in every number of the study. AS_MEASURED=0 serves without:",
        *(f"#   --{flag}: {_FOR_MEASURING[flag]}" for flag in measuring),
        "measuring=(",
        *_words(measuring),
        ")",
        '[ "${AS_MEASURED:-1}" = 0 ] || arguments+=("${measuring[@]}")',
        "",
        'exec "$python" -m sglang.launch_server "${arguments[@]}" "$@"',
    ]
    return "\n".join(lines) + "\n"


def _of_variant(args: Mapping[str, Any], variant: Mapping[str, Any]) -> dict[str, Any]:
    """Return a launch's arguments with the speculation of *variant* alone, also if it measured several."""
    plain = {flag: value for flag, value in args.items() if not flag.startswith(_SPECULATIVE)}
    if not variant["num_steps"]:
        return plain
    return plain | {
        "speculative-algorithm": args["speculative-algorithm"],
        "speculative-num-steps": variant["num_steps"],
        "speculative-eagle-topk": variant["eagle_topk"],
        "speculative-num-draft-tokens": variant["num_draft_tokens"],
    }


def _python(engine: Mapping[str, Any]) -> str:
    """Return the interpreter of a locked engine from the project's folder, or the one on the path."""
    return f".envs/{engine['name']}-{engine['lock_sha256'][:12]}/bin/python" if _locked(engine) else "python"


def _locked(engine: Mapping[str, Any]) -> bool:
    return "lock_sha256" in engine and engine["name"] != "external"


def _models(models: Mapping[str, Any], variant: Mapping[str, Any]) -> Iterator[str]:
    """Yield a shell variable for each model that *variant* loads."""
    for role in ("target", "draft") if variant["num_steps"] else ("target",):
        yield f"{role}=${{{role.upper()}_MODEL:-{shlex.quote(models[role]['folder'])}}}"


def _environment(engine: Mapping[str, Any], environment: Mapping[str, str]) -> Iterator[str]:
    """Yield an export for each variable that the measured server was given, and an empty line after them."""
    if engine["name"] == "engine-cpu":
        yield f"export PYTHONPATH={_KERNELS}  # from the project's folder: what SGLang's CPU path calls"
    for name, value in environment.items():
        yield f"export {name}={shlex.quote(value)}"
    if environment or engine["name"] == "engine-cpu":
        yield ""


def _words(args: Mapping[str, Any]) -> Iterator[str]:
    """Yield a line of quoted words for each flag."""
    for flag, value in args.items():
        yield "  " + shlex.join(command_line({flag: value}))
