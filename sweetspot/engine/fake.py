"""A stand-in for SGLang's server: the same command line and HTTP answers, with tokens and speeds made up.

For tests of everything around a server. A token follows from the prompt and its position alone, so that
variants agree; the acceptance of each draft is a seeded draw. `FAKE_FAULT` in its environment makes it
misbehave: `die-at-start`, `refuse-start` (as a plugin does), `never-healthy`, and from its first request on
`die`, `stall`, `refuse`, `garble`, `cut-short`, `wrong-token`, `dead-draft` or `orphan` (which leaves a
process behind in a session of its own); `die-after-N` waits for N requests. `lingers` still has a request
when its last token is out, until it is asked once more; `never-idle` for good; `no-flush` fails to flush. If
it is started for that it can be switched between step counts: `no-switch` refuses, `switch-lies` says the new
step count and runs the old one, `switch-lies-after-N` at the switch after N, `slow-plain` runs the baseline
too slowly there, and `timer-stays-on` times what it was told not to. With SWEETSPOT_CYCLES set it leaves
cycles as SGLang's timer does.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from sweetspot.engine.fake_state import Fake


async def serve(fake: Fake) -> None:
    """Answer on the loopback interface until told to end."""

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await _answer(fake, reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the client left
        finally:
            writer.close()

    async with await asyncio.start_server(connected, fake.options.host, fake.options.port) as server:
        print(f"server_args={vars(fake.options)}", flush=True)
        await server.serve_forever()


async def _answer(fake: Fake, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    """Answer one request; return False once the client has closed the connection."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    path = head.split(" ", 2)[1]
    headers = dict(line.lower().split(": ", 1) for line in head.strip().split("\r\n")[1:])
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    if path != "/health_generate" and headers.get("authorization") != f"bearer {fake.options.api_key}":
        await _send(writer, 401, b"{}")
    elif path == "/health_generate":
        await _send(writer, 503 if fake.fault == "never-healthy" else 200, b"")
    elif path == "/server_info":
        await _send(
            writer, 200, json.dumps({**vars(fake.options), "internal_states": [fake.state()]}).encode()
        )
    elif path == "/start_profile":
        Path(json.loads(body)["output_dir"], "made-up-TP-0-DECODE.trace.json.gz").touch()
        await _send(writer, 200, b"")
    elif path == "/flush_cache":
        await _send(writer, fake.flush(), b"Flush cache failed.\n")
    elif path == "/set_internal_state":
        order = json.loads(body)["server_args"]
        done = fake.switch(order["speculative_num_steps"], bool(order.get("sweetspot_timer", True)))
        await _send(writer, 200, json.dumps([done]).encode())
    elif path == "/generate":
        fake.in_flight += 1
        try:
            await _generate(fake, json.loads(body), writer)
        finally:
            fake.in_flight -= 1
    else:
        await _send(writer, 404, b"{}")
    return True


async def _generate(fake: Fake, body: dict[str, Any], writer: asyncio.StreamWriter) -> None:
    fake.generations += 1
    fake.lingering = fake.fault == "lingers"
    fake.nccl.forward(len(body["input_ids"]))
    if fake.fault in {"die", f"die-after-{fake.generations - 1}"}:
        print("Scheduler hit an exception: made up", flush=True)
        os._exit(3)
    if fake.fault == "orphan":
        subprocess.Popen(["sleep", "600"], start_new_session=True)
    if fake.fault == "refuse":
        await _send(writer, 400, b'{"error": "made up"}')
        return
    if not body.get("stream"):
        events = [event async for event in fake.stream(body)]
        await _send(writer, 200, json.dumps(fake.with_candidates(events[-1])).encode())
        return
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
    async for event in fake.stream(body):
        if fake.fault == "stall":
            await asyncio.sleep(3600)
        if fake.fault == "garble":
            event["meta_info"] = None
        if fake.fault == "cut-short" and event["meta_info"]["finish_reason"]:
            break
        _chunk(writer, b"data: " + json.dumps(event).encode() + b"\n\n")
        await writer.drain()
    _chunk(writer, b"data: [DONE]\n\n")
    _chunk(writer, b"")
    await writer.drain()


def _chunk(writer: asyncio.StreamWriter, data: bytes) -> None:
    writer.write(b"%x\r\n%s\r\n" % (len(data), data))


async def _send(writer: asyncio.StreamWriter, status: int, body: bytes) -> None:
    writer.write(b"HTTP/1.1 %d Made-Up\r\nContent-Length: %d\r\n\r\n%s" % (status, len(body), body))
    await writer.drain()


def main() -> int:
    """Serve as the command line asks; unknown options are SGLang's and change nothing."""
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--host", required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--api-key", required=True)
    parser.add_argument("--speculative-num-steps", type=int)
    parser.add_argument("--speculative-adaptive-config")
    parser.add_argument("--speculative-num-draft-tokens", type=int)
    parser.add_argument("--tp-size", type=int, default=1)
    parser.add_argument("--model-path", required=True)
    parser.add_argument("--disable-custom-all-reduce", action="store_true")
    fake = Fake(parser.parse_known_args()[0])
    if fake.fault == "refuse-start":
        print("sweetspot_timer: made up")
        print("EOFError: the process that was to serve is gone")
        return 1
    if fake.fault == "die-at-start":
        print("RuntimeError: made up, at the start")
        return 1
    asyncio.run(serve(fake))
    return 0


if __name__ == "__main__":
    sys.exit(main())
