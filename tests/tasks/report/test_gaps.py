from flgc.datasets import NotAvailable, NotReachable
from tasks.report.gaps import (
    FAILED,
    NOT_AVAILABLE,
    NOT_REACHABLE,
    Gap,
    absent,
    dataset_gap,
    listed,
    verdict,
)


def test_one_line_for_each_cause():
    gaps = [
        Gap(FAILED, "uci: graph wine", "ValueError: sour", 4),
        dataset_gap("Cora", NotReachable("", reasons={"a.org": "refused"}), 14),
        Gap(NOT_AVAILABLE, "air", "nobody has it", 4),
        # The second attempt gives another reason, for the same cause.
        dataset_gap("Cora", NotReachable("", reasons={"a.org": "a while"}), 14),
        Gap(NOT_AVAILABLE, "cotton", "nobody has it", 4),
        Gap(FAILED, "uci: timing wine", "ValueError: slow"),
    ]
    assert listed(gaps) == [
        "air, cotton: not available (8 cells): nobody has it",
        "Cora: no source could be reached (28 cells): a.org: refused",
        "uci: graph wine: failed (4 cells): ValueError: sour",
        "uci: timing wine: failed: ValueError: slow",
    ]
    assert verdict(1, gaps) == "1 cell complete, 8 not available, 28 not reachable, 4 failed"


def test_of_many_steps_that_broke_alike_a_few_are_named():
    gaps = [Gap(FAILED, f"uci: fit {i}", "OSError: full", 1) for i in range(40)]
    (line,) = listed(gaps)
    assert line.endswith("uci: fit 5, and 34 more: failed (40 cells): OSError: full")


def test_methods_of_one_name_keep_their_reasons():
    gaps = [Gap(FAILED, "uci: score iris thing", f"a:{kind}: no", 2) for kind in ("X", "Y", "X")]
    assert listed(gaps) == [
        "uci: score iris thing: failed (4 cells): a:X: no",
        "uci: score iris thing: failed (2 cells): a:Y: no",
    ]


def test_nonsense_from_a_source_is_a_failure_in_one_line_without_secrets():
    error = NotAvailable("Cora could not be had:\n  - https://me:pass@a.org/x: wrong content\n")
    found = dataset_gap("Cora", error, 1)
    assert found.kind == FAILED
    assert found.reason == "Cora could not be had: - https://***@a.org/x: wrong content"
    assert dataset_gap("Cora", KeyError("x"), 1).reason == "KeyError: 'x'"
    assert dataset_gap("Cora", NotReachable("moon"), 1) == Gap(NOT_REACHABLE, "Cora", "moon", 1)


def test_a_dataset_that_could_not_be_had_is_absent_and_a_step_that_broke_is_not():
    gaps = [Gap(NOT_REACHABLE, "Cora", "moon", 1), Gap(FAILED, "uci: graph wine", "sour", 4)]
    assert absent(gaps, ("Cora", "wine")) == {"Cora": NOT_REACHABLE}
