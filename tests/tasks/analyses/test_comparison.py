import pytest

from tasks.report.ranks import compare_methods
from tests.tasks.report.made import RIVALS, UCI, evidence, says, with_rivals
from tests.tasks.report.test_ranks import near

TABLE = with_rivals(UCI, *RIVALS)


@pytest.mark.parametrize(
    ("gap", "better", "after"),
    [(0.15, 10, "."), (-0.02, 1, "; not than: GCN"), (0.0, 1, "; not than: GCN")],
)
def test_who_is_better_than_whom_in_each_protocol(gap: float, better: int, after: str):
    """All are near SGC, which is published."""
    others = {name: 0.001 * i for i, name in enumerate(("FLGC", *RIVALS))}
    cells = near("SGC", **{"FLGC*": gap, **others})
    pairs = compare_methods([cells], TABLE, ("paper",), "FLGC*")
    known = evidence(TABLE, [cells], {"wilcoxon": {"wilcoxon": pairs}})
    lines = says(known, "wilcoxon").splitlines()
    said = f"- FLGC* is significantly better than {better} of 10 rivals at 0.05 (Wilcoxon), than "
    [line] = [line for line in lines if line.startswith("- FLGC* is")]
    assert line.startswith(f"{said}{better} after Holm's correction: ")
    assert after in line
    assert lines[0].endswith("are the original's: x8d5k (re-drawn).")
    assert "100 of the 110 published rank sums" in "".join(lines)
    titles = ("FLGC* against each rival", "FLGC against each rival", "Rank sums of all pairs")
    assert {f"#### {title}, `paper`" for title in titles} <= set(lines)
    assert any("Friedman's test of 11 methods over the 23 of 24 datasets" in x for x in lines)
    [name] = known.declared.analyses["wilcoxon"].charts(known, known.rows("wilcoxon"))
    assert name == "ranks-paper"
