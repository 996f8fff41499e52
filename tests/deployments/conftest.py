"""A failed test of a live stack tells what its server and workers said."""

from collections.abc import Generator
from typing import Any

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, Any]:
    report = yield
    up = getattr(item, "funcargs", {}).get("up")
    if report.failed and up is not None:
        report.sections.append(("the stack", up.logs))
    return report
