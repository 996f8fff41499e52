"""People's own files are measured before they are read: small files may stand for many values."""

import os
import re
import tracemalloc
import zipfile

import numpy as np
import pandas as pd
import pytest

from flgc.datasets import DatasetError, from_table
from flgc.datasets.limits import VARIABLE
from flgc.datasets.own import from_files

N = 2_000


def refused(path, message, **options):
    """Refused with these words, before much memory was taken."""
    tracemalloc.start()
    try:
        with pytest.raises(DatasetError, match=message):
            from_files(path, **options)
        assert tracemalloc.get_traced_memory()[1] < 40e6
    finally:
        tracemalloc.stop()


def numbers(folder):
    zeros = {f"c{i}": np.zeros(2_000_000) for i in range(2)}
    pd.DataFrame(zeros | {"y": np.arange(2_000_000) % 2}).to_parquet(folder / "t.parquet")
    return folder / "t.parquet", "6000000 values would take 0.048 GB"


def long_text(folder):
    texts = ["u" * 100_000, "v" * 100_000] * 500
    pd.DataFrame({"a": texts, "y": np.arange(1000) % 2}).to_parquet(folder / "t.parquet")
    return folder / "t.parquet", "its text would take 0.1 GB"


def many_texts(folder):
    lines = [f"u{i},v{i},{i % 2}\n" for i in range(N)]
    (folder / "t.csv").write_text("a,b,y\n" + "".join(lines))
    return folder / "t.csv", "'a' becomes 2000 columns, .*--ordinal.* 2000 x 2000 values"


def wide_above_short(folder):
    names = ",".join(f"c{i}" for i in range(N))
    (folder / "t.csv").write_text(names + "\n1" * N)
    return folder / "t.csv", "2001 x 2000 values"


def large(folder):
    with (folder / "t.csv").open("wb") as file:
        file.truncate(10**12)  # of holes, which take no place
    return folder / "t.csv", "the file itself would take 1e\\+03 GB"


def packed(folder):
    with zipfile.ZipFile(folder / "t.pt", "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("t/data.pkl", bytes(40_000_000))
    return folder / "t.pt", "the unpacked file would take 0.04 GB"


SMALL = (numbers, long_text, many_texts, wide_above_short, large, packed)


@pytest.mark.parametrize("made", SMALL, ids=lambda made: made.__name__)
def test_small_files_of_much_are_refused_by_their_size_in_memory(tmp_path, monkeypatch, made):
    monkeypatch.setenv(VARIABLE, "0.03")
    path, message = made(tmp_path)
    refused(path, f"{message}.*set {VARIABLE}=")


def test_the_limit_can_be_raised_and_says_what_is_no_limit(tmp_path, monkeypatch):
    path, _ = many_texts(tmp_path)
    monkeypatch.setenv(VARIABLE, "0.03")
    with pytest.raises(DatasetError) as refusal:
        from_table(path)
    enough = re.search(rf"{VARIABLE}=(\d+)", str(refusal.value))
    monkeypatch.setenv(VARIABLE, enough[1])
    dataset = from_table(path)
    assert dataset.features.shape == (N, 2 * N)
    assert (dataset.features.sum(axis=1) == 2).all()
    assert dataset.features[5, dataset.feature_names.index("b=v5")] == 1
    for wrong in ("much", "-1", "0", "nan"):
        monkeypatch.setenv(VARIABLE, wrong)
        with pytest.raises(DatasetError, match=f"{VARIABLE}={wrong!r} is not a limit: give"):
            from_table(path)


@pytest.mark.parametrize("ending", ["csv", "parquet", "pt"])
def test_pipes_and_devices_are_refused_instead_of_waited_for(tmp_path, ending):
    os.mkfifo(tmp_path / f"pipe.{ending}")
    (tmp_path / f"zero.{ending}").symlink_to("/dev/zero")
    for name in ("pipe", "zero"):
        refused(tmp_path / f"{name}.{ending}", "is a pipe or a device; name a regular file")
    (tmp_path / "nodes.csv").write_text("a,y\n1,u\n2,v\n")
    refused(tmp_path / "nodes.csv", "is a pipe or a device", edges=tmp_path / f"pipe.{ending}")


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_is_known_by_its_mark(tmp_path, encoding):
    text = "\ufeffa;größe;y\r\n1;groß;x\r\n2;klein;z\r\n"
    (tmp_path / "t.csv").write_bytes(text.encode(encoding))
    dataset = from_table(tmp_path / "t.csv")
    assert dataset.feature_names == ("a", "größe=groß", "größe=klein")
    assert dataset.features.tolist() == [[1, 1, 0], [2, 0, 1]]


def test_a_first_line_may_be_long(tmp_path):
    names = [f"column-number-{i}" for i in range(9_000)]
    (tmp_path / "t.csv").write_text(",".join([*names, "y"]) + "\n" + ",".join("1" * 9_001) + "\n")
    assert from_table(tmp_path / "t.csv").feature_names == tuple(names)
