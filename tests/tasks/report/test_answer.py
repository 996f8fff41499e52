from tasks.report.answer import best_method
from tasks.report.evidence import Evidence
from tasks.report.writers import html
from tests.tasks.report.made import CLUSTERING, PUBLIC, TINY, UCI, evidence, results, with_rivals

OWN = with_rivals(TINY, "GCN")


def runs(*values: tuple[str, float]) -> Evidence:
    found = results(*(("iris", method, "honest", value) for method, value in values), of=OWN)
    cells = found.assign(run=found.groupby("method").cumcount())
    return evidence(OWN, [cells], protocols=("honest",))


def test_the_best_method_is_named_and_the_next():
    said = best_method([runs(("FLGC*", 0.95), ("FLGC*", 0.97), ("GCN", 0.90), ("GCN", 0.91))])
    assert html._paragraphs(said) == (
        "<p>FLGC* <strong>is right most often</strong>: in 96.00 of 100 tested rows. GCN comes "
        "next, with 90.50.</p>\n"
    )
    close = best_method([runs(("FLGC*", 0.95), ("FLGC*", 0.91), ("GCN", 0.90), ("GCN", 0.94))])
    assert close.endswith("with 92.00, too close to tell them apart.")
    level = best_method([runs(("FLGC*", 0.95), ("GCN", 0.95))])
    assert level == "FLGC* and GCN **are right equally often**: accuracy 95.00."
    assert best_method([runs(("FLGC*", 0.9))]) == "", "one method is best of none"
    assert best_method([]) == best_method([runs()]) == ""


def test_clusterings_are_as_good_as_their_first_metric_says():
    cells = [
        results(("iris", method, "honest", value), of=CLUSTERING, metric=metric)
        for metric, values in {"ACC": (0.9, 0.8), "NMI": (0.1, 0.2)}.items()
        for method, value in zip(("FLGC*", "CAN"), values, strict=True)
    ]
    said = best_method([evidence(CLUSTERING, cells)])
    assert said == "FLGC* **finds the classes best**: ACC 0.900. CAN comes next, with 0.800."


def test_of_several_tables_it_is_counted_where_ours_are_best():
    def known(of, *cells):
        rows = results(*((*cell[:2], "honest", cell[2]) for cell in cells), of=of)
        return evidence(of, [rows])

    alone = known(UCI, ("iris", "FLGC*", 0.9), ("iris", "FLGC", 0.8))
    lost = known(PUBLIC, ("Cora", "GCN", 0.9), ("Cora", "FLGC*", 0.8))
    empty = evidence(CLUSTERING, [results(of=CLUSTERING)])
    found = best_method([alone, lost, empty])
    assert found.startswith("**A method of ours is the best on 0 of 1 table with baselines.** ")
    won = known(with_rivals(UCI, "SVM"), ("iris", "FLGC*", 0.9), ("iris", "SVM", 0.8))
    found = best_method([won, lost, empty])
    assert found.startswith("**A method of ours is the best on 1 of 2 tables with baselines.** ")
    assert found.endswith(f"The best of each: FLGC* ({UCI.title}); GCN ({PUBLIC.title}).")
