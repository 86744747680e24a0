"""The reference training script loses nothing, whenever it is killed."""

import random
import re
import signal
from pathlib import Path

import pytest

from tests.examples.training_script import Job, csv_rows

ROWS = csv_rows(50, 4)
HYPERPARAMETERS = {"epochs": 4, "batch_size": 8, "learning_rate": 0.1, "momentum": 0.9, "seed": 3}


def job(folder: Path) -> Job:
    return Job.laid_out(folder, ROWS, **HYPERPARAMETERS)


@pytest.fixture(scope="session")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, int]:
    """The model of a run that nothing disturbs, and how many lines it ran."""
    calm = job(tmp_path_factory.mktemp("calm") / "ml")
    ended = calm.run()
    assert ended.returncode == 0, ended.stderr
    counted = job(tmp_path_factory.mktemp("counted") / "ml").run_and_kill()
    return calm.model(), int(counted.stdout.rpartition("lines: ")[2])


@pytest.mark.parametrize("seed", range(3))
def test_killed_at_random_points_it_ends_with_the_same_model(
    seed: int, uninterrupted: tuple[bytes, int], tmp_path: Path
) -> None:
    model, lines = uninterrupted
    interrupted, chance, kills = job(tmp_path / "ml"), random.Random(seed), 0
    while (ended := interrupted.run_and_kill(line=chance.randrange(1, lines // 2))).returncode < 0:
        kills += 1
    assert ended.returncode == 0, ended.stderr
    assert kills >= 2
    assert ended.stdout.startswith("resuming from checkpoint-")
    assert interrupted.model() == model


@pytest.mark.parametrize("checkpoint", [1, 3])
def test_a_checkpoint_that_is_written_by_half_is_ignored(
    checkpoint: int, uninterrupted: tuple[bytes, int], tmp_path: Path
) -> None:
    interrupted = job(tmp_path / "ml")
    assert interrupted.run_and_kill(checkpoint=checkpoint).returncode == -signal.SIGKILL
    ended = interrupted.run()
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith("resuming") == (checkpoint > 1)
    assert interrupted.model() == uninterrupted[0]


def test_what_was_written_by_half_does_not_stay(tmp_path: Path) -> None:
    """All that lies in S3 comes back at each start: what interruptions leave would fill the disk."""
    resumed = job(tmp_path / "ml")
    checkpoints = resumed.ml / "checkpoints"
    checkpoints.mkdir()
    (checkpoints / "checkpoint-000000-000000000007.tmp").write_text("{")
    assert resumed.run_and_kill().returncode == 0
    assert [path.suffix for path in checkpoints.iterdir()] == [".json", ".json"]


def test_a_metric_definition_reads_the_loss_of_each_epoch(tmp_path: Path) -> None:
    printed = job(tmp_path / "ml").run().stdout
    losses = [float(loss) for loss in re.findall(r"train_loss=([0-9.]+)", printed)]
    assert len(losses) == 4
    assert losses[-1] < losses[0] / 2


def test_a_failure_says_why(tmp_path: Path) -> None:
    empty = Job.laid_out(tmp_path / "ml", "")
    ended = empty.run()
    assert ended.returncode == 1
    reason = (empty.ml / "output/failure").read_text()
    assert reason == f"ValueError: no rows in *.csv below {empty.ml}/input/data/training\n"
