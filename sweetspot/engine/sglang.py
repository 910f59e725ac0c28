"""SGLang's HTTP server as one launch needs it: its command line, its life and its answers."""

import os
import secrets
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import httpx

from sweetspot.engine import environment
from sweetspot.engine.base import Engine
from sweetspot.engine.command import LOOPBACK, command_line, free_port, write_candidates
from sweetspot.engine.process import ServerProcess
from sweetspot.engine.redact import Redactor
from sweetspot.errors import EngineError

POLL_S = 0.1
ANSWER_S = 60.0  # for anything but a generation
BUSY_S = 10.0  # until a server is done with what it sent the last token of
BUSY_POLL_S = 0.02
SWITCH = "SWEETSPOT_SWITCH"  # turns on the plugin that obeys a switch
TIMER = "SWEETSPOT_CYCLES"  # turns on the plugin that times cycles


class Server:
    """A running server on a free port of the loopback interface, behind a random key.

    A context manager: it is healthy inside, and nothing of it is left afterwards.

    Args:
        engine: What to run.
        models: Folders of the `target` and, for speculation, of the `draft`.
        args: Server arguments, flag: value (true for a bare flag, a list for several values).
        env: Environment variables of the study, on top of the inherited ones.
        log: File for the server's output, redacted.
        start_s: Seconds within which it has to be healthy.
        held: File descriptors that stay open until its last process is gone.
        candidates: Step counts between which it can be switched, 0 for the baseline; none if it is not to be.
        cycles: Prefix of the file to which each decode cycle is written; None if they are not to be timed.
    """

    def __init__(
        self,
        engine: Engine,
        models: dict[str, Path],
        args: dict[str, Any],
        env: dict[str, str],
        log: Path,
        start_s: float,
        held: tuple[int, ...] = (),
        candidates: Sequence[int] = (),
        cycles: Path | None = None,
    ) -> None:
        self._api_key = secrets.token_hex(16)
        self._start_limit_s = start_s
        self._redactor = Redactor(self._api_key)
        port = free_port()
        self.url = f"http://{LOOPBACK}:{port}"
        self.headers = {"Authorization": f"Bearer {self._api_key}"}
        if "speculative-algorithm" in args:
            args = {**args, "speculative-draft-model-path": str(models["draft"])}
        switching = {}
        if candidates:
            args = {**args, "speculative-adaptive-config": str(write_candidates(candidates, log))}
            switching = {SWITCH: "1"}
        owned = {"model-path": str(models["target"]), "host": LOOPBACK, "port": port}
        owned |= {"api-key": self._api_key, "enable-metrics": True}
        command = [str(engine.python), "-m", engine.module, *command_line({**owned, **args})]
        import_paths = os.pathsep.join(map(str, engine.import_paths))
        environment.check_inherited(os.environ, env)
        variables = environment.inherited() | ({"PYTHONPATH": import_paths} if import_paths else {})
        variables |= env | switching | ({TIMER: str(cycles)} if cycles else {})
        self.command: list[str] = self._redactor.data(command)
        self.environment: dict[str, str] = self._redactor.data(environment.visible(variables))
        self.start_s: float | None = None  # from its start to the first healthy answer, if there was one
        self.stop_s: float | None = None  # from the order to end until nothing was left
        self._process = ServerProcess(command, variables, log, self._redactor, held)
        self._http = httpx.Client(
            base_url=self.url, headers=self.headers, timeout=ANSWER_S, trust_env=False, verify=False
        )

    def __enter__(self) -> Self:
        """Start the server and wait until it is healthy.

        Raises:
            EngineError: If it dies, or takes longer than the limit.
        """
        began = time.monotonic()
        self._process.__enter__()
        try:
            self._wait_until_healthy(began)
        except BaseException as error:
            self.__exit__(type(error), error, error.__traceback__)
            raise
        self.start_s = time.monotonic() - began
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop the server and wait until nothing of it is left."""
        began = time.monotonic()
        self._http.close()
        self._process.__exit__(kind, error, trace)
        self.stop_s = time.monotonic() - began

    def resolved(self) -> dict[str, Any]:
        """Return what the server says of itself: its resolved arguments and its state, redacted."""
        answer = self._ask("GET", "/server_info")
        info: dict[str, Any] = self._redactor.data(answer.json())
        return info

    def flush_cache(self) -> None:
        """Empty the server's caches and put its free slots in order, so that each pass starts alike."""
        # By this status SGLang 0.5.9 to 0.5.23 say that requests run (since 0.5.10 "Flush cache failed.")
        self._ask("POST", "/flush_cache", busy=httpx.codes.BAD_REQUEST)

    def switch(self, num_steps: int, timer: bool | None = None) -> bool:
        """Order *num_steps*, 0 for the baseline; return whether it is obeyed: not while there is work.

        The timer is turned on or off with it, or left as it is if that is None.
        """
        order = {"speculative_num_steps": num_steps}
        body = {"server_args": order if timer is None else order | {"sweetspot_timer": int(timer)}}
        return bool(self._ask("POST", "/set_internal_state", json=body).json() == [True])

    def running(self) -> dict[str, Any]:
        """Return the step count that is set, and how many cycles ran since the switch at which step count."""
        (state,) = self._ask("GET", "/server_info").json()["internal_states"]
        return {"num_steps": state["speculative_num_steps"], "cycles": state["sweetspot_switch"]["cycles"]}

    def start_profile(self, folder: Path, cycles: int) -> None:
        """Order a torch profiler's trace of the next *cycles* of each stage into *folder*."""
        order = {
            "output_dir": str(folder),
            "num_steps": cycles,
            "profile_by_stage": True,
            "with_stack": False,
        }
        self._ask("POST", "/start_profile", json={**order, "activities": ["CPU", "GPU"]})

    def generate(self, body: dict[str, Any], limit_s: float) -> dict[str, Any]:
        """Return the answer to one request that is not streamed, nor timed."""
        answer: dict[str, Any] = self._ask("POST", "/generate", json=body, timeout=limit_s).json()
        return answer

    def explain(self, error: Exception) -> EngineError:
        """Return what lies behind a failed request: the server's own death before anything else."""
        time.sleep(POLL_S)  # a dying server closes its connections before it can be waited for
        status = self._process.exit_status()
        if status is not None:
            return EngineError(
                f"the server: died in mid-run with exit status {status}, expected it to serve on; "
                f"{self._process.reason()}",
                "died",
            )
        if isinstance(error, EngineError):
            return error
        if isinstance(error, httpx.TimeoutException):
            limit_s = error.request.extensions["timeout"]["read"]
            return EngineError(
                f"{error.request.url.path}: nothing came for {limit_s:g} s, expected a token or an answer; "
                f"{self._process.reason()}, or raise limits.stall_s",
                "stalled",
            )
        return EngineError(
            f"a request: {error!r}, expected an answer; see the server's last words", "refused"
        )

    def redact(self, text: str) -> str:
        """Return *text* without what must not be published."""
        return self._redactor.text(text)

    def last_words(self) -> list[str]:
        """Return the last lines of the server's log, redacted."""
        return self._process.last_words()

    def _ask(self, method: str, path: str, busy: int | None = None, **options: Any) -> httpx.Response:  # noqa: ANN401
        """Return the answer to a request, asking again for `BUSY_S` while its status is *busy*."""
        until = time.monotonic() + BUSY_S
        while True:
            try:
                answer = self._http.request(method, path, **options)
            except httpx.HTTPError as error:
                raise self.explain(error) from error
            if answer.status_code == httpx.codes.OK:
                return answer
            if answer.status_code != busy or time.monotonic() >= until:
                words = " ".join(answer.text.split())[:200]
                raise EngineError(f"{path}: status {answer.status_code}, expected 200; {words}", "refused")
            time.sleep(BUSY_POLL_S)

    def _wait_until_healthy(self, began: float) -> None:
        while True:
            status = self._process.exit_status()
            if status is not None:
                raise EngineError(
                    f"the server: died at its start with exit status {status}, expected it healthy; "
                    f"{self._process.reason()}",
                    "start_died",
                )
            left_s = began + self._start_limit_s - time.monotonic()
            if left_s <= 0:
                raise EngineError(
                    f"the server: not healthy after {self._start_limit_s:g} s, expected it within "
                    f"limits.start_s; {self._process.reason()}, or raise it",
                    "start_timeout",
                )
            try:
                if self._http.get("/health_generate", timeout=left_s).status_code == httpx.codes.OK:
                    return
            except httpx.HTTPError:
                pass  # it does not listen yet
            time.sleep(POLL_S)
