"""What is asked of runs and probes, and where they take place. All of it hangs on the study alone."""

@one_line_errors()
def asked_of_run(wildcards):
    """What the run is of, as JSON: launch, round, attempt, and all that changes its physics."""
    return json.dumps(asked.of_run(STUDY, wildcards.launch, int(wildcards.round)), sort_keys=True)


@one_line_errors()
def identity_of_launch(wildcards):
    return json.dumps(asked.identity(STUDY, wildcards.launch), sort_keys=True)


def asked_of_probe(wildcards):
    """What the probe of an NCCL variant is of, as JSON: all that can change what it finds."""
    return json.dumps(asked.of_probe(STUDY, wildcards.nccl), sort_keys=True)


def preflight_of_probe(wildcards):
    """A preflight, which looks at the whole study."""
    first = STUDY.plan.launches[0].id
    return f"results/{wildcards.study}/preflight/{first}.json"


def earlier_rounds_first(wildcards):
    return asked.rank(STUDY, wildcards.launch, int(wildcards.round))


def smoke_of(wildcards):
    """What every launch waits for, but the one from which it is made."""
    return [] if wildcards.launch == SMOKE else f"results/{wildcards.study}/smoke.json"


def node_of_round(wildcards):
    """Where the node of a round is written down; the launch before all rounds runs anywhere."""
    return [] if wildcards.launch == SMOKE else f"{STUDY.folder}/plan/node/{wildcards.round}.json"


def bound_to(wildcards):
    return node_of_round(wildcards) or "-"


@one_line_errors()
def alone_on_its_node(wildcards):
    return sbatch_options(Path(bound_to(wildcards)))


def host_of_cache(wildcards, threads):
    """What the cache must know besides the inputs. (With `threads`, no change of it makes a run run again.)"""
    return fingerprint_for_cache()
