"""The report while a run goes on: on disk early, refreshed as methods are finished.

What is written is out of date minutes later, so it is computed outside of the store.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from prefect import get_run_logger

from flows.plan import Plan
from flows.reports import contents, report_folder
from flows.section import Section
from tasks.running.stage import artifacts_in
from tasks.stages.report import export, report_now

# At most this share of a run's time goes into reports of results so far.
SHARE = 0.03


class SoFar:
    """The sections of a run as far as they are, and the report of them on disk."""

    def __init__(self, plan: Plan, name: str) -> None:
        self.plan, self.name = plan, name
        self.sections: dict[str, Callable[[], Section]] = {}
        self.behind = False
        self.due = 0.0

    def add(self, section: Section) -> None:
        """Add a whole section; what was in the store before is no news.

        So a rerun leaves the report on disk, which may be whole, until it has computed more.
        """
        made = [*section.cells, *artifacts_in(section.products)]
        news = any(not artifact.cached for artifact in made)
        self.offer(section.experiment.name, news, lambda: section)

    def offer(self, name: str, news: bool, section: Callable[[], Section]) -> None:
        """A section as far as it is, put together only if a report is written."""
        self.behind |= news
        self.sections[name] = section
        self.keep_up()

    def keep_up(self) -> None:
        """Write the report if there is news, and if the last one is long enough ago."""
        if self.behind and time.monotonic() >= self.due:
            self.write()

    def write(self) -> None:
        """Write the report now; a fault in it does not end the run."""
        started = time.thread_time()  # what it takes from others, however long it waits for them
        try:
            sections = [section() for section in self.sections.values()]
            given = contents(self.plan, self.name, sections)
            given["title"] += ", so far"
            path = export(report_now(self.plan.store, **given), report_folder(self.name))
            get_run_logger().info("report so far: %s", path)
        except Exception:
            get_run_logger().warning("no report so far", exc_info=True)
        self.behind = False  # now: Ctrl-C may have come while files were written
        self.due = time.monotonic() + (time.thread_time() - started) / SHARE


_of_run: ContextVar[SoFar | None] = ContextVar("so_far", default=None)


@contextmanager
def so_far(plan: Plan, name: str) -> Iterator[SoFar]:
    """The report of the run that this is a part of, or one of its own.

    A run that is stopped, by Ctrl-C for one, writes what it has before it waits for its tasks.
    """
    report = _of_run.get() or SoFar(plan, name)
    token = _of_run.set(report)
    try:
        yield report
    except BaseException:
        if report.behind:
            report.write()
        raise
    finally:
        _of_run.reset(token)
