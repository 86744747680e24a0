"""``sizewell dashboard``: what CloudWatch will draw, without an account."""

import json
from pathlib import Path

from ruamel.yaml import YAML

from sizewell.cli.dashboard_page import draw_graph
from sizewell.dashboards.graph import Graph, Limit, Reading
from sizewell.dashboards.lines import line
from sizewell.dashboards.sample import POINTS
from sizewell.facts.metrics import metric
from tests.cli.conftest import BASE, Sizewell
from tests.html_page import Page
from tests.synthesis import PROJECT_ROOT

CONFIG = str(PROJECT_ROOT / "config")
LATENCY = Reading(
    metric=metric("AWS/SageMaker", "ModelLatency"),
    statistic="p95",
    dimensions=(("EndpointName", "chat"), ("VariantName", "primary")),
)


def test_the_graphs_of_a_workload_are_listed(sizewell: Sizewell) -> None:
    told = sizewell("dashboard", "plant-id-train", "--env", "prod", "--config", CONFIG)
    assert told.stdout.splitlines() == [
        "demo-prod, us-east-1",
        "  plant-id-train: Training job demo-prod-plant-id-train on ml.p4d.24xlarge.",
        "    Runs: Sum of ExecutionsSucceeded, Sum of ExecutionsFailed, Sum of ExecutionsTimedOut, Sum of ExecutionsAborted",
        "    Duration of a run: Maximum of ExecutionTime",
        "    CPU of a job: Average of CPUUtilization",
        "    GPU of a job: Average of GPUUtilization",
        "    Memory of a job: Average of MemoryUtilization",
    ]


def test_the_data_is_the_body_of_each_dashboard(sizewell: Sizewell) -> None:
    told = json.loads(sizewell("dashboard", "--env", "prod", "--config", CONFIG, "--json").stdout)
    assert told.keys() == {"demo-prod"}
    assert {widget["type"] for widget in told["demo-prod"]["widgets"]} == {"metric", "text"}


def test_the_page_draws_every_graph_and_needs_nothing_else(sizewell: Sizewell, tmp_path: Path) -> None:
    pages = [tmp_path / "first.html", tmp_path / "second.html"]
    for path in pages:
        told = sizewell("dashboard", "--env", "prod", "--config", CONFIG, "--html", str(path))
        assert told.stdout == f"{path} is written: open it in a browser.\n"
    text, again = (path.read_text("utf-8") for path in pages)
    assert text == again
    assert "://" not in text
    page = Page(text)
    graphs = json.loads(sizewell("dashboard", "--env", "prod", "--config", CONFIG, "--json").stdout)
    for widget in graphs["demo-prod"]["widgets"]:
        properties = widget["properties"]
        assert properties.get("title", "") in page.text
        for limit in properties.get("annotations", {}).get("horizontal", ()):
            assert limit["label"] in page.text
    assert "Sample data around what the plan expects: no metric was read." in page.text


def test_an_exporter_of_prometheus_gets_the_same_metrics(sizewell: Sizewell, tmp_path: Path) -> None:
    path = tmp_path / "yace.yml"
    told = sizewell("dashboard", "--env", "prod", "--config", CONFIG, "--prometheus", str(path))
    assert told.stdout == f"{path} is written: start the exporter with -config.file {path}.\n"
    jobs = YAML(typ="safe").load(path.read_text("utf-8"))["static"]
    # Nobody knows the names of the jobs of a training before they run; its state machine has one.
    assert {job["name"]: job["namespace"] for job in jobs if "train" in job["name"]} == {
        "plant-id-train": "AWS/States"
    }


def test_a_limit_lies_above_the_lines_that_keep_it() -> None:
    drawn = draw_graph(
        Graph(
            title="Latency", unit="ms", series=(line("p95", LATENCY, 50),), limits=(Limit("alarm: p95", 100),)
        )
    )
    (limit,), (drawn_line,) = drawn.limits, drawn.lines
    heights = [float(point.partition(",")[2]) for point in drawn_line.points.split()]
    assert len(heights) == POINTS
    assert limit.y < 10 < min(heights) < max(heights) < 70


def test_labels_of_limits_do_not_overlap() -> None:
    limits = (Limit("alarm: disk", 80), Limit("alarm: CPU", 90), Limit("alarm: GPU", 95))
    drawn = draw_graph(
        Graph(title="Utilization", unit="%", series=(line("CPU", LATENCY, 50),), limits=limits)
    )
    assert [(limit.label, limit.on_left) for limit in drawn.limits] == [
        ("alarm: GPU", False),
        ("alarm: CPU", True),
        ("alarm: disk", False),
    ]


def test_an_unknown_workload_is_told(sizewell: Sizewell) -> None:
    told = sizewell("dashboard", "plant", "--env", "prod", "--config", CONFIG)
    assert told.exit_code == 1
    assert told.stderr.startswith('there is no workload "plant" in prod; it has: support-bert, plant-id')


def test_an_environment_without_a_dashboard_says_so(sizewell: Sizewell, tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text(f"dashboard: false\n{BASE}", "utf-8")
    (tmp_path / "dev.yaml").write_text("{}\n", "utf-8")
    told = sizewell("dashboard", "--env", "dev", "--config", str(tmp_path))
    assert (told.exit_code, told.stderr) == (
        1,
        "dev has no dashboard: its configuration says dashboard: false\n",
    )


def test_a_page_and_data_are_two_outputs(sizewell: Sizewell) -> None:
    told = sizewell("dashboard", "--env", "prod", "--config", CONFIG, "--json", "--html", "page.html")
    assert told.exit_code == 2
    assert "ask for one of them" in told.stderr


def test_a_file_for_grafana_is_written_for_each_dashboard(sizewell: Sizewell, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "grafana"
    told = sizewell("dashboard", "plant-id", "--env", "prod", "--config", CONFIG, "--grafana", str(folder))
    assert told.stdout == f"{folder / 'demo-prod.json'} is written: import it into Grafana.\n"
    (path,) = folder.iterdir()
    assert json.loads(path.read_text("utf-8"))["title"] == "demo-prod"


def test_nothing_is_exported_of_workloads_in_clusters(sizewell: Sizewell, tmp_path: Path) -> None:
    config = PROJECT_ROOT / "examples" / "eks-deployment" / "config"
    target = tmp_path / "exporter.yaml"
    refused = sizewell("dashboard", "--env", "dev", "--config", str(config), "--prometheus", str(target))
    assert refused.exit_code == 1
    assert "nothing to export" in refused.stderr
    assert not target.exists()
