"""Write the coefficients from published measurements: ``python -m tools.benchmarks.calibrate``."""

import argparse
from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path

import numpy as np

from sizewell.instance_selection.catalog import load_catalog
from sizewell.instance_selection.estimation.coefficients import COEFFICIENTS
from tools.benchmarks.calibration import Calibration, sampled
from tools.benchmarks.case_groups import grouped
from tools.benchmarks.intervals import REGION, write_uncertainty
from tools.benchmarks.predictions import predict_rows, read_cases
from tools.benchmarks.priors import PRIORS
from tools.benchmarks.tables import DATA, MEASUREMENTS, SOURCES, read_table, write_table

#: What a fit reads besides the measurements.
FACTS = (SOURCES, PRIORS, *(DATA / name for name in ("accelerators.csv", "processors.csv", "frameworks.csv")))
#: Which data the coefficients were fitted to, as ``sha256sum --check`` reads it.
DIGESTS = DATA / "calibration.sha256"
COLUMNS = ("physics", "coefficient", "factor", "level", "log_value", "unseen_log_sd", "publishers")


def write_coefficients(calibrations: Sequence[Calibration], path: Path) -> None:
    """Write what all rows say: one line for each level, with the number of publishers behind it."""
    lines = []
    for calibration in calibrations:
        publishers = calibration.publishers()
        for name, factors in calibration.fit(np.ones(len(calibration.cases.cases), bool)).items():
            for factor, of_factor in factors.items():
                lines += [
                    (
                        calibration.cases.physics,
                        name,
                        factor,
                        level,
                        f"{value.log_value:.4f}",
                        f"{value.unseen_log_sd:g}",
                        0 if value.unseen_log_sd else publishers.get((name, factor, level), 0),
                    )
                    for level, value in sorted(of_factor.items())
                ]
    write_table(path, COLUMNS, lines)


def digests(files: Iterable[Path]) -> str:
    """Return a line for each file: the SHA-256 of its content, and its name."""
    return "".join(f"{sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in files)


def main() -> None:
    """Write ``coefficients.csv`` from a file of measurements, beside it ``uncertainty.csv``, and the digests of the data."""
    parser = argparse.ArgumentParser(prog="python -m tools.benchmarks.calibrate", description=__doc__)
    parser.add_argument("file", type=Path, nargs="?", default=MEASUREMENTS)
    parser.add_argument("--out", type=Path, default=COEFFICIENTS)
    arguments = parser.parse_args()
    rows, catalog = read_table(arguments.file), load_catalog(REGION)
    calibrations = [Calibration(group) for group in grouped(sampled(read_cases(rows, catalog)))]
    write_coefficients(calibrations, arguments.out)
    left_out = predict_rows(rows, catalog, fit_rows=rows)
    write_uncertainty(left_out, arguments.out.with_name("uncertainty.csv"))
    if arguments.out == COEFFICIENTS:
        DIGESTS.write_text(digests((arguments.file, *FACTS)), "utf-8")


if __name__ == "__main__":
    main()
