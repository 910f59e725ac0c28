"""What a column, a row or a key of somebody else's table is called here. Pure.

`TABLE` is read from the top: the first pattern found in a name wins, so what only looks alike stands first.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from sweetspot.analyse.audit.figures import plain, seconds
from sweetspot.analyse.audit.words import english

TIMES = {
    *("cycle_s", "verify_s", "draft_s", "extend_s", "other_s", "tpot_s", "itl_s", "ttft_s", "latency_s"),
    "duration_s",
}
SPEEDS = {"tokens_per_s", "request_tokens_per_s"}
BASELINE = re.compile(
    r"baseline|\bbase\b|\b(?:no|non|w/o|without)[- ]?(?:spec|mtp|eagle|draft|sd\b)|vanilla|auto-?regressive"
    r"|\bar\b|^off$|^none$|normal decod|plain decod|spec(?:ulation|ulative)?(?: decoding)?[ :=]*off|disabled",
    re.IGNORECASE,
)

_ACCEPT = r"(?:accept(?:ance|ed|ing)?|acc)"
_TOKENS = r"(?:tok(?:en)?s?|tk)"
_PER_SECOND = (
    rf"(?:{_TOKENS} ?[/\\] ?s(?:ec(?:ond)?)?\b|{_TOKENS} per s(?:ec(?:ond)?)?\b|\btps\b|\bt/s\b|toks/s"
    rf"|{_TOKENS} s(?:ec)?$)"
)
TABLE: tuple[tuple[str, str], ...] = (
    ("", r"prefill|prompt|\bpeak\b|\bstd|stdev|variance|percentile|last_|retokenized|vision|text tokens"),
    ("", r"[gmt]i?b/s|img/s|(?:tput|throughput|tok(?:en)?s?/s)\w*[ /]*(?:/|per) ?(?:gpu|chip|card)"),
    ("ttft_s", r"ttft|first[- _]token"),
    ("latency_s", r"\be2e\b(?!.*(?:tok|through))|end[- ]to[- ]end.*(?:latency|time)|request latency"),
    ("requests_per_s", r"req(?:uest)?s? ?/ ?s|request throughput"),
    ("all_tokens_per_s", r"total (?:token )?throughput|total_throughput"),
    ("input_tokens_per_s", r"input.*(?:throughput|tok\w*/s)"),
    ("input_tokens", r"total[ _]input[ _]tokens$"),
    ("requests", r"^(?:successful[ _]requests|completed)$"),
    ("position_share", r"^position \d+$"),
    ("", r"\binput\b|accepted throughput|drafted throughput|per[- ]?pos|position|@ ?\d|pos ?\d|tflops"),
    ("", r"overall_throughput|verify[ _]?(?:count|tokens?)|(?:δ|delta|Δ) ?accept"),
    ("", r"accept\w* (?:threshold|histogram)"),
    ("accepted_drafts", r"accepted drafts?\b|drafts? accepted|accepted draft tokens? (?:per|/)"),
    ("accept_length", rf"{_ACCEPT}[- _]*(?:token[- _]*)?len(?:gth)?s?\b|^(?:τ|tau|al|mal|mat)\b|^τ| τ$"),
    ("accept_length", rf"\ba\.? ?len\b|(?:mean|avg\.?|average) accepted {_TOKENS}|^accepted {_TOKENS}$"),
    ("accept_length", rf"(?:{_TOKENS}|accepted) ?(?:per|/) ?(?:step|cycle|verify|forward|round|iter)"),
    ("accept_rate", rf"{_ACCEPT}(?:ance)?[- _]*(?:rate|ratio|prob)|{_ACCEPT}(?:ance)? ?%"),
    ("accept_rate", r"^(?:draft )?acceptance$|^(?:avg\.? |mean )?(?:α|alpha)(?: \(accept\))?$"),
    ("cycles", r"^(?:(?:spec[ _])?num[ _])?drafts$|^verify[ _]ct$|^rounds$"),
    ("duration_s", r"benchmark duration|^duration$|^decode[ _]seconds$"
    r"|^(?:total|wall)[ _](?:time|s|s total)(?:[ _]?\(?s\)?)?$"),
    ("output_tokens", r"total[ _](?:output|generated|completion)[ _]tokens$|^generation[ _]tokens$"),
    ("speedup", r"speed[- ]?up|^×$|^x$|× ?(?:vs|base)|ratio (?:to|vs)"),
    ("change", r"^(?:Δ|δ)|^(?:vs\.?|versus)\b|\bgain\b|improvement|\bdelta\b|change|^diff|^% |relative"),
    ("topk", r"top[- _]?k\b"),
    ("draft_tokens", rf"(?:num[- _]*)?draft[- _]*{_TOKENS}\b(?! ?(?:/|per))|^num[- _]draft$|^d$|^ndt$"),
    ("spec_tokens", rf"num[- _]*spec|spec(?:ulative)?[- _]*{_TOKENS}\b(?! ?(?:/|s$|per))"
    rf"|draft[- _]*(?:len(?:gth)?|depth|size|n[- _]max)|\bmtp {_TOKENS}$"),
    ("spec_tokens", r"^(?:k|γ|gamma|lookahead)$"),
    ("extend_s", r"re-?extend|draft[- _]extend|^extend"),
    ("verify_s", r"\bverif(?:y|ication)"),
    ("draft_s", r"\bdraft(?:ing|er)?(?:[- _]+(?:model|steps?|forward|phase|gen\w*))*(?:[- _]+(?:time|ms"
    r"|latency|cost))?"
                r"(?:[ ,]*[(\[].*)?$"),
    ("other_s", r"\bother\b|^overhead"),
    ("cycles_per_s", r"(?:steps?|it(?:er(?:ation)?s?)?|cycles?|forwards?|rounds?|verif\w+) ?/ ?s(?:ec)?\b"),
    ("tpot_s", rf"\btpot\b|time[- _]per[- _]output|(?:ms|s|µs|us) ?(?:/|per) ?{_TOKENS}|per[- ]token "
    rf"latency"),
    ("itl_s", r"\bitl\b|inter[- _]?token"),
    ("request_tokens_per_s", r"^interactivity"),
    ("request_tokens_per_s", r"(?:per|/) ?-?(?:req(?:uest)?|user|stream|seq(?:uence)?|session)\b"),
    ("tokens_per_s", rf"{_PER_SECOND}|throughput|\btput\b|(?:decode|generation|gen|output) speed|^speed$"),
    ("cycle_s", r"cycle|(?:step|iter(?:ation)?|round)s?[- _]*(?:time|latency|duration|ms)|(?:ms|s) ?(?:/"
    r"|per) ?(?:step|cyc|iter)"
                r"|(?:step|iteration|round) ?\((?:ms|s)\)|time per (?:step|cycle|iter)"),
    ("latency_s", r"latency"),
    ("total_s", r"^total\b(?! (?:tok|in|out|req))"),
    ("num_steps", r"^(?:(?:eagle|spec(?:ulative)?|num|draft|n|#)[- _]*)*steps?$"),
    ("mean_requests", r"^concurrency:?$"),
    ("batch", r"^(?:max[- _]*)?(?:batch(?:[- _]*size)?|bs|conc\.?|streams?|#?running[- _]?req\w*"
    r"|parallel(?:ism)?)$"
              r"|max[- _]concurren|max\w*[ _]request[ _]concurren|concurrent|in flight|^concurrency"),
)  # fmt: skip
_UNIT_IN_NAME = re.compile(
    r"[(\[,]\s*(ms|µs|μs|us|s|sec|seconds)\s*[)\]]?|[ _](ms|us|µs|s|sec)$|^(ms|us|µs) ?(?:/|per)"
)
_STATISTIC = re.compile(r"\b(p\d\d(?:\.\d)?|median|mean|avg|average|min|max)\b")
_OF = (
    ("time", re.compile(r"latency|tpot|ttft|\bitl\b|\btime\b|e2e")),
    ("speed", re.compile(rf"throughput|{_PER_SECOND}|\btps\b|tput")),
    ("accept", re.compile(r"accept|τ|\bal\b")),
)
_COMPILED = [(metric, re.compile(pattern, re.IGNORECASE)) for metric, pattern in TABLE]


class Name(NamedTuple):
    """What a name means."""

    metric: str
    unit: str  # "" if the name holds none
    decode: bool  # says that prefill is not in it
    text: str
    statistic: str = ""  # mean, median, p99, ...; "" if the name holds none
    of: str = ""  # what a speedup or change is of: time, speed, accept, or the text of a column

    @property
    def subject(self) -> str:
        """The name without its statistic: the same for the mean and the 99th percentile of one thing."""
        return " ".join(_STATISTIC.sub("", self.text.lower()).split())

    @property
    def typical(self) -> bool:
        """Whether the figure stands for a whole run: no tail of a distribution."""
        return self.statistic in {"", "mean", "avg", "average", "median", "p50"}


@lru_cache(maxsize=4096)
def understand(text: str) -> Name | None:
    """Return what a column is, or None if it is nothing that is checked."""
    name = re.sub(r"\s+", " ", plain(text)).strip(" :")
    name = name if " " in name else name.replace("_", " ")
    if not name or len(name) > 70:
        return None
    lowered = english(name.lower())
    found = next((metric for metric, pattern in _COMPILED if pattern.search(lowered)), "")
    if not found:
        return None
    match = _UNIT_IN_NAME.search(lowered)
    unit = next((group for group in match.groups() if group), "") if match else ""
    if found in SPEEDS and seconds(unit) is not None and "tok" not in lowered:
        return None
    if found in SPEEDS | {"tpot_s", "itl_s", "latency_s"} and BASELINE.search(lowered):
        found = f"baseline_{found}"
    decode = bool(re.search(r"decode|generation|\bgen\b", lowered))
    statistic = _STATISTIC.search(lowered)
    of = next((kind for kind, words in _OF if words.search(lowered)), "")
    return Name(
        found,
        "s" if unit in {"sec", "seconds"} else unit,
        decode,
        name,
        statistic[1] if statistic else "",
        of if found in {"speedup", "change"} else "",
    )
