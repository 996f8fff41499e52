import io
import json
import re

import numpy as np
import pandas as pd
import pytest
from rich.console import Console

from flgc.statistics import Comparison, comparison, rendering
from tests.flgc.compared import AWKWARD, drawn, paper_accuracies
from tests.speeds import slow

LONG = [f"a method with quite a long name {i}" for i in range(20)]


@pytest.fixture(scope="module")
def paper() -> Comparison:
    return comparison(paper_accuracies(), "FLGC*")


def printed(found: Comparison, width: int = 100) -> str:
    out = io.StringIO()
    console = Console(file=out, width=width)
    for part in rendering.in_terminal(found, width):
        console.print(part)
    return out.getvalue()


def test_the_sentence_counts_and_names_the_rivals(paper: Comparison) -> None:
    text = rendering.verdict_sentence(paper)
    assert text == (
        "FLGC* is significantly better than 10 of 10 rivals at 0.05 (Wilcoxon), than 10 after "
        "Holm's correction: SS-ELM, TSVM, LapRLS, GCN-Linear, GCN, DropEdge, SGC, GCNII, APPNP, "
        "FLGC."
    )
    rivals, told = paper.against("APPNP"), rendering.verdict_sentence(paper, "APPNP")
    assert (rivals["verdict"] == "better").sum() == 3
    assert rivals.index[rivals["verdict_holm"] == "better"].tolist() == ["SS-ELM", "DropEdge"]
    assert told == (
        "APPNP is significantly better than 3 of 10 rivals at 0.05 (Wilcoxon), than 2 after Holm's "
        "correction: SS-ELM, DropEdge; not than: TSVM, LapRLS, GCN-Linear, GCN, SGC, GCNII, FLGC, "
        "FLGC*. It is significantly worse than GCNII, FLGC, FLGC*; after Holm's correction than "
        "FLGC, FLGC*."
    )


@pytest.mark.parametrize(
    ("n_datasets", "n_methods", "told"),
    [
        (3, 2, "With 3 datasets no pair can reach 0.05: the smallest p is 0.25. A single pair"),
        (6, 2, "With 6 datasets 0.05 can be reached: the smallest p is 0.031. A single pair"),
        (5, 4, "no pair can reach 0.05: the smallest p is 0.062."),
        (6, 4, "after Holm's correction over 3 rivals or Holm's correction over all 6 pairs: "),
        (7, 4, "With 7 datasets no pair can reach 0.05 after Holm's correction over all 6 pairs: "),
        (8, 4, "needs 6; Holm's correction over 3 rivals needs 7; Holm's correction over all 6"),
    ],
)
def test_what_cannot_be_reached_is_said(n_datasets: int, n_methods: int, told: str) -> None:
    found = comparison(drawn(n_datasets, LONG[:n_methods]))
    text = rendering.reach_sentence(found)
    assert told in text
    assert ("can be reached" in text) == (n_datasets >= (6 if n_methods == 2 else 8))


def test_datasets_of_the_pairs_are_told_where_they_differ() -> None:
    table = drawn(9, ["a", "b", "c"])
    table.iloc[0, 0] = np.nan
    found = comparison(table)
    assert rendering.reach_sentence(found).startswith("The pairs have 8 to 9 datasets. With 9 ")
    assert "that both methods have, 8 to 9." in rendering.rank_sum_sheet(found).note
    assert "over the 8 of 9 datasets that have them all" in rendering.friedman_sentence(found)


def test_friedman_in_words(paper: Comparison) -> None:
    assert rendering.friedman_sentence(paper) == (
        "Friedman's test of 11 methods over 24 datasets: Q = 85.48, p = 4.2e-14, at 0.05 the "
        "methods differ."
    )
    alike = comparison(drawn(5, ["a", "b", "c"], spread=0))
    assert rendering.friedman_sentence(alike).endswith("at 0.05 no difference is shown.")
    assert "needs three" in rendering.friedman_sentence(comparison(drawn(5, ["a", "b"])))


def test_parts_of_a_table_without_a_complete_dataset() -> None:
    table = drawn(9, ["a", "b", "c"])
    for i in range(9):
        table.iloc[i, i % 3] = np.nan
    found = comparison(table, "a")
    assert rendering.rank_sheet(found).rows == ()
    for text in (rendering.as_markdown(found), rendering.as_latex(found), printed(found)):
        assert "no dataset has values of all methods" in text
    assert json.loads(json.dumps(rendering.as_json(found), allow_nan=False))["groups"] == []


def test_groups_and_what_no_bar_can_join(paper: Comparison) -> None:
    text = rendering.groups_sentence(paper)
    assert "; DropEdge, SS-ELM. Undecided too, though a method between them differs: " in text
    assert text.endswith(
        "FLGC* with GCNII, GCN, LapRLS, TSVM; LapRLS with SS-ELM; TSVM with SS-ELM."
    )
    apart = comparison(drawn(30, ["a", "b"], spread=9))
    assert rendering.groups_sentence(apart).endswith("(Holm over all pairs): none.")


def test_the_matrix_is_as_table_vi(paper: Comparison) -> None:
    sheet = rendering.rank_sum_sheet(paper)
    assert sheet.header == ("", *map(str, range(1, 12)))
    assert [row[0] for row in sheet.rows][::10] == ["1 SS-ELM", "11 FLGC*"]
    assert sheet.rows[0][1:4] == ("-", "66.0↓", "54.0↓")
    assert sheet.rows[7][10:] == ("104.5", "65.5↓")
    assert sheet.rows[3][6] == "215.0↑"
    assert sheet.rows[2][4] == "110.0"
    assert "Critical values for 24 datasets without ties: 91 and 81." in sheet.note


def test_the_control_against_its_rivals(paper: Comparison) -> None:
    sheet = rendering.control_sheet(paper)
    assert sheet.rows[7] == (
        "GCNII", "24", "234.5", "65.5", "18/2/4", "+0.56", "0.014", "0.014", "better",
    )  # fmt: skip
    verdicts = {row[0]: row[-1] for row in rendering.control_sheet(paper, "APPNP").rows}
    assert verdicts["SGC"] == "better before Holm"
    assert verdicts["GCNII"] == "worse before Holm"
    assert verdicts["FLGC"] == "worse"
    assert verdicts["GCN"] == "undecided"


def test_json_has_every_number_and_no_nan(paper: Comparison) -> None:
    found = json.loads(json.dumps(rendering.as_json(paper, ["a note"]), allow_nan=False))
    assert found["rank_sums"]["SS-ELM"]["TSVM"] == 66.0
    assert found["rank_sums"]["TSVM"]["SS-ELM"] == 234.0
    assert "TSVM" not in found["rank_sums"]["TSVM"]
    assert found["verdicts"]["GCNII"]["APPNP"] == "better"
    assert len(found["pairs"]) == 55
    assert {row["rival"] for row in found["rivals"]} == set(found["methods"]) - {"FLGC*"}
    assert found["friedman"]["datasets"] == 24
    needed = [value for key, value in found["reach"].items() if key.startswith("needed")]
    assert needed == [6, 9, 12]
    assert found["sentences"][-1] == "a note"
    two = rendering.as_json(comparison(drawn(3, ["a", "b"])))
    assert two["friedman"]["p_value"] is None


def test_markdown_tables_keep_their_columns() -> None:
    found = comparison(drawn(12, list(AWKWARD)))
    text = rendering.as_markdown(found, ["a | note"])
    tables = [line for line in text.splitlines() if line.startswith("|")]
    cells = [len(re.findall(r"(?<!\\)\|", line)) - 1 for line in tables]
    assert cells == [9] * (2 + 5) + [7] * (2 + 6) + [2] * (2 + 6)
    assert "&lt;b>" in text
    assert "<b>" not in text
    assert r"a \| note" in text


def test_latex_is_balanced_and_escaped() -> None:
    found = comparison(drawn(12, list(AWKWARD)))
    text = rendering.as_latex(found, ["100 %"])
    body = text.partition("\n")[2]
    stack: list[str] = []
    for what, name in re.findall(r"\\(begin|end)\{(\w+)\}", body):
        if what == "begin":
            stack.append(name)
        else:
            assert stack.pop() == name
    assert stack == []
    assert body.count(r"\begin{tabular}") == 3
    plain = re.sub(r"\\[\\{}&%$#_]", "", body)
    assert plain.count("{") == plain.count("}")
    assert "%" not in plain
    assert "#" not in plain
    assert "~" not in plain
    assert not re.sub(r"\$\\(up|down)arrow\$", "", plain).count("$")
    assert r"under\_score \$x\$" in body
    assert r"back\textbackslash{}slash \#1" in body
    rows = [line for line in body.splitlines() if line.endswith(r"\\")]
    ands = [len(re.findall(r"(?<!\\)&", row)) for row in rows]
    assert ands == [8] * 6 + [6] * 7 + [1] * 7
    assert text.count(r"\toprule") == text.count(r"\bottomrule") == 3


@pytest.mark.parametrize(
    "names", [LONG[:2], LONG[:11], slow(LONG), slow([f"m{i}" for i in range(20)])]
)
@pytest.mark.parametrize("width", [60, slow(100)])
def test_the_terminal_shows_every_number_within_its_width(names: list[str], width: int) -> None:
    found = comparison(drawn(24, names))
    text = printed(found, width)
    assert max(map(len, text.splitlines())) <= width
    words = set(re.findall(r"[\d.]+", text))
    sums = {f"{value:.1f}" for value in found.pairs["rank_sum_for"]}
    assert sums <= words
    assert "…" not in text


def test_blocks_of_a_wide_matrix_are_the_matrix() -> None:
    sheet = rendering.rank_sum_sheet(comparison(drawn(24, LONG)))
    blocks = list(rendering.side_by_side(sheet, 100))
    assert len(blocks) == 2
    assert sum((block.header[1:] for block in blocks), ()) == sheet.header[1:]
    for i, row in enumerate(sheet.rows):
        assert {block.rows[i][0] for block in blocks} == {row[0]}
        assert sum((block.rows[i][1:] for block in blocks), ()) == row[1:]


def test_names_are_no_markup_in_the_terminal() -> None:
    assert "[red]x" in printed(comparison(drawn(12, list(AWKWARD))))


def test_equal_methods_have_no_effect() -> None:
    same = pd.DataFrame({"a": [1.0, 2, 3, 4], "b": [1.0, 2, 3, 4]})
    row = rendering.control_sheet(comparison(same)).rows[0]
    assert row[2:] == ("5.0", "5.0", "0/4/0", "+0.00", "1", "1", "undecided")
