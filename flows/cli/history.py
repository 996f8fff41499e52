"""`flgc history`: what scheduled runs have measured, and what has drifted."""

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
        found = judge_history(rows[rows["suite"] == name])
        print_table(f"The last runs of the suite {name}", recent_runs(found).map(as_text))
        output.print()
        for line in (f"{drift_verdict(found)}.", *(f"- {line}" for line in drift_sentences(found))):
            print_text(output, line)
