#!/usr/bin/env python3
"""Loads a dataset with pandas, Polars and DuckDB, and compares what they find with `giuthi-selfplay stats --json`.

    pip install pandas polars duckdb zstandard
    selfplay/python/check_readers.py path/to/giuthi-selfplay DIR

The parts are read as they lie in DIR and once more from copies compressed with Zstandard (plain ones, where they are
compressed in DIR). Each library chooses the types of the columns itself. Exit code 1 where any count, type or sum of a
column differs.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import duckdb
import pandas
import polars
import zstandard

TEXT = {"move", "source", "end"}


def by_pandas(files):
    """Rows, for each column whether it is a whole number, a fraction or text, sums, rows with a value."""
    frame = pandas.concat([pandas.read_csv(file) for file in files], ignore_index=True)
    kinds = {}
    for name, dtype in frame.dtypes.items():
        is_number = pandas.api.types.is_numeric_dtype(dtype)
        whole = pandas.api.types.is_integer_dtype(dtype)
        kinds[name] = "whole" if whole else "fraction" if is_number else "text"
    sums = {name: frame[name].sum() for name, kind in kinds.items() if kind != "text"}
    return len(frame), kinds, sums, int(frame["value"].notna().sum())


def by_polars(files):
    frame = polars.concat([polars.read_csv(file) for file in files], how="vertical_relaxed")
    kinds = {
        name: "whole" if dtype.is_integer() else "fraction" if dtype.is_float() else "text"
        for name, dtype in frame.schema.items()
    }
    sums = {name: frame[name].sum() for name, kind in kinds.items() if kind != "text"}
    return frame.height, kinds, sums, frame.height - frame["value"].null_count()


def by_duckdb(files):
    connection = duckdb.connect()
    table = connection.read_csv([str(file) for file in files])
    kinds = {}
    for name, dtype in zip(table.columns, table.dtypes):
        dtype = str(dtype)
        kinds[name] = "whole" if "INT" in dtype else "fraction" if dtype in ("DOUBLE", "FLOAT") else "text"
    numbers = [name for name, kind in kinds.items() if kind != "text"]
    wanted = ", ".join(f'sum("{name}")' for name in numbers)
    rows, with_value, *sums = table.aggregate(f'count(*), count("value"), {wanted}').fetchall()[0]
    return rows, kinds, dict(zip(numbers, sums)), with_value


def faults(found, wanted):
    """What a library found other than `stats`."""
    rows, kinds, sums, with_value = found
    if rows != wanted["rows"]:
        yield f"{rows} rows, not {wanted['rows']}"
    if with_value != wanted["values"]["rows"]:
        yield f"{with_value} rows with a value, not {wanted['values']['rows']}"
    for name, kind in kinds.items():
        right = "text" if name in TEXT else "fraction" if name == "value" else "whole"
        if kind != right:
            yield f"column {name} is taken for {kind}, not {right}"
    for name, total in wanted["sums"].items():
        if int(sums.get(name, -1)) != total:
            yield f"column {name} sums to {sums.get(name)}, not {total}"
    if set(sums) - {"value"} != set(wanted["sums"]):
        yield f"numbers are in {sorted(sums)}"
    total = wanted["values"]["mean_value"] * wanted["values"]["rows"]
    if abs(float(sums.get("value", 0.0)) - total) > 1e-6 * wanted["rows"]:
        yield f"column value sums to {sums.get('value')}, not {total}"


def main():
    program, folder = sys.argv[1], Path(sys.argv[2])
    said = subprocess.run([program, "stats", "--json", folder], check=True, stdout=subprocess.PIPE)
    wanted = json.loads(said.stdout)
    files = [folder / part["file"] for part in json.loads((folder / "manifest.json").read_text())["parts"]]
    good = True
    with tempfile.TemporaryDirectory() as scratch:
        others = []
        for file in files:
            if file.suffix == ".zst":
                other = Path(scratch) / file.stem
                with file.open("rb") as source, other.open("wb") as target:
                    zstandard.ZstdDecompressor().copy_stream(source, target)
            else:
                other = Path(scratch) / f"{file.name}.zst"
                other.write_bytes(zstandard.ZstdCompressor().compress(file.read_bytes()))
            others.append(other)
        for paths in (files, others):
            ending = ".csv.zst" if paths[0].suffix == ".zst" else ".csv"
            readers = [("pandas", pandas, by_pandas), ("Polars", polars, by_polars), ("DuckDB", duckdb, by_duckdb)]
            for name, module, read in readers:
                found = read(paths)
                wrong = list(faults(found, wanted))
                good &= not wrong
                state = "; ".join(wrong) or f"{found[0]} rows, {len(found[1])} columns, {len(found[2])} sums: the same"
                print(f"{name} {module.__version__}, {len(paths)} {ending}: {state}")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
