"""What would be a fault of a template, and comes from the configuration, is said at its line: before any synth."""

from pathlib import Path

import pytest

from sizewell.config import ConfigError
from sizewell.planning import load_for_synth, load_plan

BASE = """\
platform: demo
network: {mode: new}
policy:
  account: "111122223333"
  region: us-east-1
  allow_spot: true
  allow_burstable: true
workloads:
  plants:
    kind: real-time-endpoint
    model: &cnn
      architecture: cnn
      parameters_millions: 25.6
      layers: 50
      forward_gflops_per_image: 8.2
      activations_millions_per_image: 11.1
    container:
      images: &images
        cuda: {account: "123456789012", repository: plants, tag: 1.4-gpu}
        cpu_x86_64: {account: "123456789012", repository: plants, tag: 1.4-cpu}
      artifact: {key: models/plants/model.tar.gz}
    request: {images: 1}
    traffic: {peak_requests_per_second: 2, average_requests_per_second: 1}
    latency: {max_p95_ms: 800}
  learn:
    kind: training-job
    model: *cnn
    container: {images: *images}
    dataset: {prefix: data/, size_gib: 1, examples: 10000}
    deadline_hours: 4
    checkpoint: {interval_minutes: 15}
    batch_size_per_accelerator: 8
"""
LEAVE_OUT = "; or leave instance_type out, and the needs decide"
WHAT_SERVES = (
    "name an image that does: huggingface-pytorch, pytorch, tensorflow, triton; of an image that is not AWS's nothing is "
    "asked"
)

#: What dev.yaml says below the workloads, the key after config/dev.yaml:, and the lines of the message.
FAULTS = {
    "plants: {scaling: {min_instances: 4, max_instances: 2}}": (
        "plants.scaling.min_instances",
        "is 4, above max_instances (2)",
    ),
    "plants: {model: {architecture: encoder, layers: null, forward_gflops_per_image: null, max_context_tokens: 500, "
    "activations_millions_per_image: null}, request: {images: null, input_tokens: 501}}": (
        "plants.request.input_tokens",
        "the model has a context of 500 tokens, but a request has input_tokens 501",
        "state what the container truncates it to, or take a model of a longer context; "
        "model.max_context_tokens states another limit",
    ),
    "plants: {model: {architecture: decoder, layers: null, forward_gflops_per_image: null, "
    "activations_millions_per_image: null}, request: {images: null, input_tokens: 400, output_tokens: 101}, "
    "container: {environment: {OPTION_MAX_MODEL_LEN: '500'}}}": (
        "plants.container.environment.OPTION_MAX_MODEL_LEN",
        "the engine takes 500 tokens, but a request has 501 (input_tokens 400 + output_tokens 101)",
        "raise it to 501, which costs memory, or ask for less in request",
    ),
    "plants: {container: {image: {framework: huggingface-tei, version: 1.9.4}, images: null}}": (
        "plants.container.image.framework",
        "tei serves encoder, not cnn",
        WHAT_SERVES,
    ),
    "plants: {container: {images: {cuda: {account: '763104351884', repository: vllm, tag: 0.11.0-gpu-sagemaker}, cpu_x86_64: "
    "null}}}": (
        "plants.container.images.cuda.repository",
        "vllm serves decoder, encoder, encoder-decoder, image-encoder, not cnn",
        WHAT_SERVES,
    ),
    "plants: {scaling: {min_instances: 40}}": (
        "plants.scaling.min_instances",
        "40 instances, but policy.max_endpoint_instances is 10",
    ),
    "plants: {instances: {instance_type: ml.p3.2xlarge}}": (
        "plants.instances.instance_type",
        "ml.p3.2xlarge cannot be used: region: AWS does not publish a hosting price for it in us-east-1",
        f"use another policy.region{LEAVE_OUT}",
    ),
    "plants: {instances: {instance_type: ml.t2.medium}, scaling: {min_instances: 1, max_instances: 4}}": (
        "plants.instances.instance_type",
        "ml.t2.medium cannot be used: autoscaling: burstable types cannot be autoscaled, and the configuration asks for "
        "a range of instances",
        "write the same number in scaling.min_instances without schedules, for a fixed count, or use a type that is not "
        "burstable" + LEAVE_OUT,
    ),
    "plants: {instances: {instance_type: ml.t2.medium}, scaling: {schedules: {nights: {at: '20:00', max_instances: 3}}}}": (
        "plants.instances.instance_type",
        "ml.t2.medium cannot be used: autoscaling: burstable types cannot be autoscaled, and the configuration asks for "
        "a range of instances",
        "write the same number in scaling.min_instances without schedules, for a fixed count, or use a type that is not "
        "burstable" + LEAVE_OUT,
    ),
    "plants: {scaling: {schedules: {nights: {at: '20:00', min_instances: 3, max_instances: 2}}}}": (
        "plants.scaling.schedules.nights.min_instances",
        "is 3, above max_instances (2)",
    ),
    "plants: {scaling: {max_instances: 2, schedules: {days: {at: '08:00', min_instances: 3}}}}": (
        "plants.scaling.schedules.days.min_instances",
        "leaves 3 instances at least and 2 at most, as max_instances is that of scaling; state max_instances here too",
    ),
    "plants: {scaling: {min_instances: 3, schedules: {nights: {at: '20:00', max_instances: 2}}}}": (
        "plants.scaling.schedules.nights.max_instances",
        "leaves 3 instances at least and 2 at most, as min_instances is that of scaling; state min_instances here too",
    ),
    "plants: {scaling: {schedules: {nights: {at: '20:00', max_instances: 40}}}}": (
        "plants.scaling.schedules.nights.max_instances",
        "40 instances, but policy.max_endpoint_instances is 10",
    ),
    "plants: {scaling: {schedules: {nights: {at: '20:00', time_zone: Berlin, max_instances: 3}}}}": (
        "plants.scaling.schedules.nights.time_zone",
        '"Berlin" is no name of the IANA time-zone database; did you mean Europe/Berlin?',
    ),
    "plants: {scaling: {schedules: {nights: {at: '20:00'}, late: {weekdays: [FRI], at: '20:00'}}}}": (
        "plants.scaling.schedules.late.at",
        "begins at the same moment as nights (FRI 20:00), and AWS does not say which of them comes last; choose another time",
    ),
    "plants: {scaling: {schedules: {a1: {at: '20:00'}, b1: {at: '21:00', time_zone: Asia/Tokyo}}}}": (
        "plants.scaling.schedules.b1.time_zone",
        "is Asia/Tokyo, but another schedule of the endpoint is in UTC: which of them begins first may change with daylight "
        "saving time; state all of them in one time zone",
    ),
    "plants: {scaling: {schedules: {a1: {weekdays: [MON, MON], at: '20:00'}}}}": (
        "plants.scaling.schedules.a1.weekdays",
        "names a day twice",
    ),
    "plants: {alarms: {cpu_utilization: {off_because: loud, period_s: 60}}}": (
        "plants.alarms.cpu_utilization.period_s",
        "has no effect beside off_because, which switches the alarm off; remove it, or write period_s: null in the "
        "environment's file to drop what base.yaml says",
    ),
    "plants: {alarms: {cpu_utilization: {period_s: 90}}}": (
        "plants.alarms.cpu_utilization.period_s",
        "is 90, but must be whole minutes, a multiple of 60: endpoints publish once a minute",
    ),
    "plants: {alarms: {memory_utilization: {datapoints_to_alarm: 4, evaluation_periods: 3}}}": (
        "plants.alarms.memory_utilization.datapoints_to_alarm",
        "is 4, but must lie between 1 and evaluation_periods (3)",
    ),
    "plants: {alarms: {overhead_latency: {above_ms: 9, period_s: 3540, evaluation_periods: 25}}}": (
        "plants.alarms.overhead_latency.evaluation_periods",
        "is 25: with period_s (3540) it covers 88,500 seconds, but CloudWatch takes 86,400 at most of periods below an hour",
    ),
    "plants: {alarms: {overhead_latency: {above_ms: 9, period_s: 604800}}}": (
        "plants.alarms.overhead_latency.evaluation_periods",
        "is 3: with period_s (604800) it covers 1,814,400 seconds, but CloudWatch takes 604,800 at most",
    ),
    "plants: {alarms: {model_latency_p99: {above_ms: 700}}}": (
        "plants.alarms.model_latency_p99.above_ms",
        "99 of 100 requests would be allowed 700 ms and 95 of 100 800 ms: the first includes the second",
        "raise above_ms of model_latency_p99, or lower that of model_latency_p95",
    ),
    "plants: {latency: {max_time_to_first_token_ms: 100}}": (
        "plants.latency.max_time_to_first_token_ms",
        "has no effect: the model writes no tokens, request.output_tokens says how many; remove it, or write "
        "max_time_to_first_token_ms: null in the environment's file to drop what base.yaml says",
    ),
    "plants: {latency: {max_inter_token_ms: 40}}": (
        "plants.latency.max_inter_token_ms",
        "has no effect: the model writes no tokens, request.output_tokens says how many; remove it, or write "
        "max_inter_token_ms: null in the environment's file to drop what base.yaml says",
    ),
    "plants: {latency: {max_time_to_first_token_ms: 800}}": (
        "plants.latency.max_time_to_first_token_ms",
        "is 800 and has no effect: an answer that is whole within max_p95_ms (800) has begun before; lower it, or remove it, "
        "or write max_time_to_first_token_ms: null in the environment's file to drop what base.yaml says",
    ),
    "plants: {instances: {instance_type: ml.c5.xlarge}, alarms: {gpu_utilization: {above_percent: 90}}}": (
        "plants.alarms.gpu_utilization",
        "ml.c5.xlarge has no NVIDIA GPU, and no metric of one",
        "write gpu_utilization: null to leave it out",
    ),
    "plants: {scaling: {min_instances: 2}, alarms: {server_error_rate: {off_because: a}, "
    "model_error_rate: {off_because: b}, model_latency_p95: {off_because: c}}}": (
        "plants.alarms",
        "server_error_rate, model_error_rate, model_latency_p95 are all off, but a new fleet of this endpoint takes over by "
        "a canary update, and nothing would call a bad one back",
        "leave one of them on",
    ),
    "plants: {latency: {max_p99_ms: 10}}": (
        "plants.latency.max_p99_ms",
        "is 10, below max_p95_ms (800)",
    ),
    "learn: {spot: {enabled: true}, checkpoint: null}": (
        "learn.spot.enabled",
        "Spot needs a checkpoint: without one, an interrupted job starts again from zero; "
        "add for example checkpoint: {interval_minutes: 15}",
    ),
    "learn: {spot: {enabled: true}, checkpoint: {interval_minutes: 240}}": (
        "learn.checkpoint.interval_minutes",
        "is 240, but deadline_hours ends the job after 240 minutes: Spot would have no checkpoint to resume from",
    ),
    "learn: {training_plan_arn: arn:aws:sagemaker:us-east-1:111122223333:training-plan/june, instances: {}}": (
        "learn.instances.instance_type",
        "is missing: name the instance type that the training plan reserves",
    ),
    "learn: {training_plan_arn: arn:aws:sagemaker:us-west-2:111122223333:training-plan/june, "
    "instances: {instance_type: ml.g5.xlarge}}": (
        "learn.training_plan_arn",
        "the training plan is in the region us-west-2, but this environment is in us-east-1",
    ),
    "learn: {spot: {enabled: true}, training_plan_arn: arn:aws:sagemaker:us-east-1:111122223333:training-plan/june}": (
        "learn.spot.enabled",
        "a training plan has instances of its own, and none on Spot; write enabled: false",
    ),
    "learn: {spot: {enabled: true}, keep_alive_minutes: 30}": (
        "learn.keep_alive_minutes",
        "SageMaker keeps no Spot instances; remove it, or write keep_alive_minutes: null in the environment's file to drop what "
        "base.yaml says",
    ),
    "learn: {schedule: {every: day}, keep_alive_minutes: 60}": (
        "learn.keep_alive_minutes",
        "has no effect, and is paid for: the schedule starts the next run 20 hours after the latest end of one; remove it, or "
        "write keep_alive_minutes: null in the environment's file to drop what base.yaml says",
    ),
    "learn: {encrypt_inter_container_traffic: false}": (
        "learn.encrypt_inter_container_traffic",
        "has no effect on one instance; raise max_instances, or remove it, or write encrypt_inter_container_traffic: null in the "
        "environment's file to drop what base.yaml says",
    ),
    "learn: {channels: {code: datasets/b/}}": (
        "learn.channels.code",
        "is the channel of container.code; choose another name",
    ),
    "learn: {dataset: {file_system: {type: fsx-lustre, id: fs-01234567, directory: /}}}": (
        "learn.dataset.file_system.directory",
        "is /, but a directory of FSx for Lustre begins with the mount name that the console shows with the file system; "
        "write /MOUNTNAME",
    ),
    "learn: {dataset: {file_system: {type: fsx-lustre, id: fs-01234567, directory: /fsx}}}": (
        "learn.dataset.file_system.subnet_id",
        "is missing: name the subnet in the zone of the file system: jobs that read Lustre run there",
    ),
    "learn: {file_systems: {a: {type: efs, id: fs-01234567, directory: /, subnet_id: subnet-01234567}}}": (
        "learn.file_systems.a.subnet_id",
        "has no effect on EFS, which has a mount target in each zone; remove it, or write subnet_id: null in the environment's "
        "file to drop what base.yaml says",
    ),
    "learn: {dataset: {prefix: data/, file_system: {type: efs, id: fs-01234567, directory: /}}}": (
        "learn.dataset.prefix",
        "stands beside file_system, but the data is in one place; remove it, or write prefix: null in the environment's file "
        "to drop what base.yaml says",
    ),
    "learn: {file_systems: {training: {type: efs, id: fs-01234567, directory: /}}}": (
        "learn.file_systems.training",
        "is the channel of dataset; choose another name",
    ),
    "learn: {file_systems: {images: {type: efs, id: fs-01234567, directory: /}}}": (
        "learn.file_systems.images",
        "is mounted within its VPC, but network.mode: new makes another one; use network.mode: existing with the VPC of the "
        "file system, or read a prefix of the artifact bucket",
    ),
    'learn: {container: {metrics: {loss: "loss=[0-9.]+"}}}': (
        "learn.container.metrics.loss",
        "has no parentheses around the number; write for example val_loss=([0-9.]+)",
    ),
    "learn: {spot: {enabled: true, max_wait_hours: 4}}": (
        "learn.spot.max_wait_hours",
        "is 4, but the run ends at deadline_hours (4), and needs time on demand before it; lower it, or leave it out: Spot is "
        "then tried as long as the deadline allows",
    ),
    "learn: {spot: {enabled: true, on_demand_fallback: false, max_wait_hours: 3}}": (
        "learn.spot.max_wait_hours",
        "has no effect with on_demand_fallback: false: Spot has all the time until deadline_hours; remove it, or write "
        "max_wait_hours: null in the environment's file to drop what base.yaml says",
    ),
    "learn: {schedule: {every: day}, deadline_hours: 100}": (
        "learn.deadline_hours",
        "is 100, but the schedule starts the next run after 24 hours: two would run at a time; state 24 at most, or "
        "schedule.every another period",
    ),
    'learn: {schedule: {every: week, at: "3:00"}}': (
        "learn.schedule.at",
        'got "3:00" (text); expected text such as 03:00',
        "The time of day at which the job starts, HH:MM in quotes.",
    ),
    "learn: {schedule: {every: month, day_of_month: 31}}": (
        "learn.schedule.day_of_month",
        "got 31; expected a whole number of at least 1 and at most 28",
        "The day on which a monthly job starts; at most 28, so that every month has it.",
    ),
}


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    directory = Path("config")
    directory.mkdir()
    (directory / "base.yaml").write_text(BASE, "utf-8")
    return directory


@pytest.mark.parametrize("text", FAULTS)
def test_fault_is_said_at_its_line(text: str, directory: Path) -> None:
    key, *lines = FAULTS[text]
    (directory / "dev.yaml").write_text(f"policy: {{removal: destroy}}\nworkloads:\n  {text}\n", "utf-8")
    with pytest.raises(ConfigError) as raised:
        load_for_synth(directory, "dev")
    assert raised.value.render().splitlines() == [
        f"config/dev.yaml:3  workloads.{key}",
        *(f"  {line}" for line in lines),
    ]


@pytest.mark.parametrize(
    ("own", "group", "reason"),
    [
        ("{}", "", "is missing: name the security group of the file system"),
        (
            "{training_security_group_id: sg-01234567}",
            ", security_group_id: sg-12345678",
            "has no effect: existing.training_security",
        ),
    ],
)
def test_one_group_of_each_side_is_named_or_none(own: str, group: str, reason: str, directory: Path) -> None:
    network = (
        "network: {mode: existing, vpc_id: vpc-01234567, subnet_ids: [subnet-01234567, subnet-12345678]}"
    )
    mounted = f"{{type: efs, id: fs-01234567, directory: /{group}}}"
    (directory / "dev.yaml").write_text(
        f"{network}\nexisting: {own}\nworkloads:\n  learn: {{file_systems: {{images: {mounted}}}}}\n", "utf-8"
    )
    with pytest.raises(ConfigError) as raised:
        load_plan(directory, "dev")
    (fault,) = raised.value.faults
    assert (".".join(fault.key_path), fault.message.startswith(reason)) == (
        "workloads.learn.file_systems.images.security_group_id",
        True,
    )


def test_a_file_system_is_of_one_kind(directory: Path) -> None:
    (directory / "dev.yaml").write_text(
        "network: {mode: existing, vpc_id: vpc-01234567, subnet_ids: [subnet-01234567, subnet-12345678]}\n"
        "existing: {training_security_group_id: sg-01234567}\n"
        "workloads:\n"
        "  learn:\n"
        "    file_systems:\n"
        "      images: {type: efs, id: fs-01234567, directory: /}\n"
        "      more: {type: efs, id: fs-01234567, directory: /more}\n"
        "      words: {type: fsx-lustre, id: fs-01234567, directory: /fsx, subnet_id: subnet-01234567}\n",
        "utf-8",
    )
    with pytest.raises(ConfigError) as raised:
        load_plan(directory, "dev")
    assert raised.value.render() == (
        "config/dev.yaml:8  workloads.learn.file_systems.words.type\n"
        "  is fsx-lustre, but workloads.learn.file_systems.images says that fs-01234567 is efs: correct the type, or the id"
    )


@pytest.mark.parametrize(
    ("subnets", "key", "reason"),
    [
        (("subnet-01234567", "subnet-12345678"), "b", "is subnet-12345678, but a job runs in one subnet"),
        (("subnet-aaaaaaaa", "subnet-aaaaaaaa"), "a", "is none of network.subnet_ids"),
    ],
)
def test_all_lustre_of_a_job_is_in_one_subnet_of_the_network(
    subnets: tuple[str, str], key: str, reason: str, directory: Path
) -> None:
    network = "{mode: existing, vpc_id: vpc-01234567, subnet_ids: [subnet-01234567, subnet-12345678]}"
    mounted = ", ".join(
        f"{name}: {{type: fsx-lustre, id: fs-01234567, directory: /fsx, security_group_id: sg-01234567, subnet_id: {subnet}}}"
        for name, subnet in zip("ab", subnets, strict=True)
    )
    (directory / "dev.yaml").write_text(
        f"network: {network}\nworkloads:\n  learn: {{file_systems: {{{mounted}}}}}\n", "utf-8"
    )
    with pytest.raises(ConfigError) as raised:
        load_plan(directory, "dev")
    fault = raised.value.faults[0]
    assert (".".join(fault.key_path), fault.message.startswith(reason)) == (
        f"workloads.learn.file_systems.{key}.subnet_id",
        True,
    )


def test_the_base_has_none_of_these_faults(directory: Path) -> None:
    (directory / "dev.yaml").write_text("policy: {removal: destroy}\n", "utf-8")
    assert load_for_synth(directory, "dev").plan.workloads


def test_type_for_training_that_the_region_does_not_offer(directory: Path) -> None:
    pinned = "workloads:\n  learn: {instances: {instance_type: ml.p5.48xlarge}}\n"
    (directory / "dev.yaml").write_text("policy: {region: ap-east-2}\n" + pinned, "utf-8")
    with pytest.raises(ConfigError) as raised:
        load_plan(directory, "dev")
    assert raised.value.render() == (
        "config/dev.yaml:3  workloads.learn.instances.instance_type\n"
        "  ml.p5.48xlarge cannot be used: region: AWS prices no usage of it in ap-east-2; no list says so for training\n"
        f"  use another policy.region{LEAVE_OUT}"
    )
