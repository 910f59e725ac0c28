"""Turns what one request left on the wire into a request of a record, once the clock has stopped."""

import json
from dataclasses import dataclass, field
from typing import Any

from sweetspot.errors import EngineError
from sweetspot.run.record import digest, pack

EVENT, DONE = b"data: ", b"[DONE]"
META = ("e2e_latency", "decode_throughput", "first_token_latency")  # besides spec_*


@dataclass
class Stream:
    """One request as it was seen on the wire."""

    prompt: str  # its id
    sent_us: int  # since the pass began
    reads: list[tuple[int, bytes]] = field(default_factory=list)  # arrival, since the pass began, and bytes


def observed(stream: Stream, outputs: dict[str, str]) -> dict[str, Any]:
    """Return the request of a record that *stream* shows, and add its tokens to *outputs*.

    Args:
        stream: A finished request.
        outputs: Packed token ids by digest; each distinct output stands there once.

    Raises:
        EngineError: If it is no stream of SGLang's, or ends early.
    """
    events = list(_events(stream))
    if not events or events[-1][1]["meta_info"].get("finish_reason") is None:
        raise EngineError(
            f"prompt {stream.prompt}: a stream without a finish reason, expected it to end with one; "
            f"see the server's last words",
            "bad_answer",
        )
    meta = events[-1][1]["meta_info"]
    counts = [event["meta_info"]["completion_tokens"] for _, event in events]
    ids = _token_ids([event["output_ids"] for _, event in events], meta["completion_tokens"])
    if ids is None:
        raise EngineError(
            f"prompt {stream.prompt}: other numbers of token ids in its chunks, expected completion_tokens "
            f"{meta['completion_tokens']}; take an SGLang that was tried",
            "bad_answer",
        )
    packed = pack(ids)
    outputs[digest(packed)] = packed
    return {
        "prompt": stream.prompt,
        "sent_us": stream.sent_us,
        "chunk_us": pack([arrived for arrived, _ in events]),
        "chunk_tokens": pack(counts),
        "output": digest(packed),
        "prompt_tokens": meta["prompt_tokens"],
        "completion_tokens": meta["completion_tokens"],
        "cached_tokens": meta.get("cached_tokens", 0),
        "finish": meta["finish_reason"]["type"],
        "meta": {key: value for key, value in meta.items() if key.startswith("spec_") or key in META},
    }


def _events(stream: Stream) -> list[tuple[int, dict[str, Any]]]:
    """Return the stream's events, each with the arrival of the read that completed it."""
    found: list[tuple[int, dict[str, Any]]] = []
    pending = b""
    for arrived, read in stream.reads:
        *lines, pending = (pending + read).split(b"\n")
        for line in lines:
            if not line.startswith(EVENT) or line[len(EVENT) :].strip() == DONE:
                continue
            event = json.loads(line[len(EVENT) :])
            if "meta_info" not in event:
                raise EngineError(
                    f"prompt {stream.prompt}: {event}, expected meta_info; see the server's last words",
                    "bad_answer",
                )
            found.append((arrived, event))
    return found


def _token_ids(chunks: list[list[int]], completion_tokens: int) -> list[int] | None:
    """Return the whole output, whether each chunk repeats all tokens so far or brings the new ones alone."""
    together = [token for chunk in chunks for token in chunk]
    for ids in (chunks[-1], together):
        if len(ids) == completion_tokens:
            return ids
    return None
