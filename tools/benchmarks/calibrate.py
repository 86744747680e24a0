"""Write the coefficients from published measurements: ``python -m tools.benchmarks.calibrate``."""

import argparse
from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path

import numpy as np

from sizewell.instance_selection.catalog import load_catalog
from sizewell.instance_selection.estimation.coefficients import FITTED, Key, levels, load_priors
from tools.benchmarks.calibration import Calibration, sampled
from tools.benchmarks.case_groups import grouped
from tools.benchmarks.intervals import REGION, write_uncertainty
from tools.benchmarks.predictions import predict_rows, read_cases
from tools.benchmarks.tables import DATA, MEASUREMENTS, SOURCES, read_table, write_table

#: What a fit reads besides the measurements.
FACTS = (SOURCES, DATA / "accelerators.csv", DATA / "processors.csv")
#: Ships beside the coefficients: which data they were fitted to, as ``sha256sum --check`` reads it.
DIGESTS = "calibration.sha256"
COLUMNS = ("physics", "coefficient", "factor", "level", "log_value", "log_sd", "rows", "sources")


def write_coefficients(calibrations: Sequence[Calibration], path: Path) -> None:
    """Write what all rows say: one line for each level, with the numbers of rows and sources behind it."""
    lines = []
    for calibration in calibrations:
        cases = calibration.cases
        fitted = calibration.fit(np.ones(len(cases.cases), bool))
        seen: dict[Key, set[int]] = {}
        for name, prior in load_priors(cases.physics).items():
            for factor in prior.factors:
                for i, level in enumerate(levels(factor, cases.labels, len(cases.cases))):
                    if calibration.usable[i]:
                        seen.setdefault((name, factor, level), set()).add(i)
        for key, coefficient in sorted(fitted.items()):
            if key[0] == "offset":
                continue
            rows = seen[key]
            sources = {cases.cases[i].source for i in rows}
            lines.append(
                [
                    cases.physics,
                    *key,
                    f"{coefficient.log_value:.4f}",
                    f"{coefficient.log_sd:.3f}",
                    len(rows),
                    len(sources),
                ]
            )
    write_table(path, COLUMNS, lines)


def digests(files: Iterable[Path]) -> str:
    """Return a line for each file: the SHA-256 of its content, and its name."""
    return "".join(f"{sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in files)


def main() -> None:
    """Write ``coefficients.csv`` from a file of measurements, and beside it ``uncertainty.csv`` and the digests."""
    parser = argparse.ArgumentParser(prog="python -m tools.benchmarks.calibrate", description=__doc__)
    parser.add_argument("file", type=Path, nargs="?", default=MEASUREMENTS)
    parser.add_argument("--out", type=Path, default=FITTED)
    arguments = parser.parse_args()
    rows, catalog = read_table(arguments.file), load_catalog(REGION)
    calibrations = [Calibration(group) for group in grouped(sampled(read_cases(rows, catalog)))]
    write_coefficients(calibrations, arguments.out)
    left_out = predict_rows(rows, catalog, fit_rows=rows)
    write_uncertainty(left_out, arguments.out.with_name("uncertainty.csv"))
    arguments.out.with_name(DIGESTS).write_text(digests((arguments.file, *FACTS)), "utf-8")


if __name__ == "__main__":
    main()
