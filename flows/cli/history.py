"""`flgc history`: what scheduled runs measured, and what drifted."""

from typing import Annotated

import typer

from flows.cli.options import StoreUrl
from flows.cli.terminal import be_quiet, output, print_table, print_text, stop

app = typer.Typer(add_completion=False)


@app.command("history")
def history(
    suite: Annotated[
        str | None, typer.Option(help="Only this one; default: all that have a history.")
    ] = None,
    store: StoreUrl = None,
) -> None:
    """Show what the scheduled runs (`track`) measured, the newest first, and what drifted.

    A value drifts if it lies outside the spread of the values before it. Nothing is computed.

    Example: flgc history --suite tiny
    """
    be_quiet()
    from tasks.analyses.history import (
        NO_HISTORY,
        drift_sentences,
        drift_verdict,
        judge_history,
        recent_runs,
    )
    from tasks.report.tables import as_text
    from tasks.stages.history import past
    from tasks.store import StoreError

    try:
        rows = past(store or "")
        suites = sorted(rows["suite"].unique())
        if not suites:
            raise ValueError(NO_HISTORY)
        if suite not in (None, *suites):
            raise ValueError(f"no history of {suite!r}; choose from {', '.join(suites)}")
    except (ValueError, StoreError) as error:
        stop("history", error, 2)
    for name in [suite] if suite else suites:
        judged = judge_history(rows[rows["suite"] == name])
        print_table(f"The last runs of the suite {name}", recent_runs(judged).map(as_text))
        print_text(output, f"\n{drift_verdict(judged)}.")
        for sentence in drift_sentences(judged):
            print_text(output, f"- {sentence}")
