"""From an environment to its plan, or to everything that is in the way."""

import pytest

from sizewell.config.environment import Environment
from sizewell.instance_selection import Catalog
from sizewell.kinds.training_job.config import TrainingJob
from sizewell.kinds.training_job.plan_model import TrainingJobPlan
from sizewell.planning import PlanError, PlanFault, build_plan
from sizewell.planning.foundation_plan_model import NewNetworkPlan
from tests.instance_selection.builders import catalog, gpu_instance
from tests.planning.builders import DECODER, container, endpoint, environment, policy, training_job

PRICED = catalog(gpu_instance(), usd_per_hour={"ml.g9.xlarge": 1.0})
UNPRICED = catalog(gpu_instance())
#: Of the foundation only the keys cost something.
EXISTING = {
    "mode": "existing",
    "vpc_id": "vpc-0123456789abcdef0",
    "subnet_ids": [f"subnet-0123456789abcdef{n}" for n in "01"],
}


def faults(of: Environment, under: Catalog = PRICED) -> tuple[PlanFault, ...]:
    with pytest.raises(PlanError) as raised:
        build_plan(of, under)
    return raised.value.faults


def test_plan_holds_endpoints_and_jobs_in_the_order_of_the_configuration() -> None:
    workloads = {"b-job": training_job(), "zoo": endpoint(), "a-job": training_job(), "ant": endpoint()}
    plan = build_plan(environment(workloads), PRICED)
    assert [workload.name for workload in plan.workloads] == ["zoo", "ant", "b-job", "a-job"]
    assert [line.workload for line in plan.bill.lines] == ["zoo", "ant", "b-job", "a-job", "foundation"]


def test_plan_repeats_who_where_and_with_which_prices() -> None:
    plan = build_plan(environment(policy=policy(production=False, region="eu-west-1")), PRICED)
    assert (plan.platform, plan.environment, plan.account, plan.region) == (
        "demo",
        "dev",
        "111122223333",
        "eu-west-1",
    )
    assert plan.catalog_version == PRICED.version


def test_foundation_follows_policy_and_storage() -> None:
    plan = build_plan(
        environment(
            policy=policy(removal="destroy", log_retention_days=14),
            storage={"checkpoint_expiry_days": 3, "noncurrent_version_expiry_days": 4},
            notifications={"emails": ["team@example.com"]},
        ),
        PRICED,
    )
    foundation = plan.foundation
    assert foundation.retain_state is False
    assert foundation.log_retention_days == 14
    assert (foundation.checkpoint_expiry_days, foundation.noncurrent_version_expiry_days) == (3, 4)
    assert foundation.alarm_emails == ("team@example.com",)


def test_network_that_exists_is_named_by_its_ids() -> None:
    subnet_ids = ("subnet-0123abcd", "subnet-0123abce")
    network = {"mode": "existing", "vpc_id": "vpc-0123abcd", "subnet_ids": subnet_ids}
    plan = build_plan(environment(network=network), PRICED)
    assert plan.foundation.network.model_dump(include=set(network)) == network


def test_zones_are_planned_by_their_ids() -> None:
    network = {"mode": "new", "availability_zone_ids": ["use1-az4", "use1-az1"]}
    planned = build_plan(environment(network=network), PRICED).foundation.network
    assert isinstance(planned, NewNetworkPlan)
    assert (planned.availability_zones, planned.availability_zone_ids) == (2, ("use1-az4", "use1-az1"))


def test_faults_of_all_workloads_come_at_once() -> None:
    workloads = {
        "slow": endpoint(latency={"max_p95_ms": 0.001}),
        "fine": endpoint(),
        "misspelt": endpoint(instances={"instance_type": "ml.g9.large"}),
        "late": training_job(
            dataset={"prefix": "data", "size_gib": 1, "examples": 10**9, "epochs": 90}, deadline_hours=1
        ),
    }
    assert [fault.key_path for fault in faults(environment(workloads))] == [
        ("workloads", "slow", "latency", "max_p95_ms"),
        ("workloads", "misspelt", "instances", "instance_type"),
        ("workloads", "late", "deadline_hours"),
    ]


def test_definition_that_is_larger_than_a_state_machine_may_be() -> None:
    types = [gpu_instance(f"ml.g{number}.xlarge") for number in range(1, 5)]
    under = catalog(*types, usd_per_hour={one.name: 1.0 for one in types})

    def job(count: int) -> TrainingJob:
        long = {f"text{number}": "x" * 2500 for number in range(count)}
        return training_job(container=container(hyperparameters=long))

    assert len(build_plan(environment({"job": job(80)}), under).of(TrainingJobPlan)[0].attempts) == 4
    (fault,) = faults(environment({"job": job(96)}), under)
    assert fault.key_path == ("workloads", "job", "container")
    assert fault.reason.startswith(
        "4 attempts, each with the variables and hyperparameters, make a state machine of"
    )


def test_plan_above_the_budget_names_its_parts_dearest_first() -> None:
    workloads = {"cheap": endpoint(), "dear": endpoint(scaling={"min_instances": 2})}
    (fault,) = faults(environment(workloads, policy=policy(budget_usd_per_month=2000), network=EXISTING))
    assert fault == PlanFault(
        ("policy", "budget_usd_per_month"),
        "the plan costs 2,207.82 USD per month, the budget is 2,000.00 (dear 1,468.24, cheap 734.47, foundation "
        "5.10)\n"
        "fixed costs, whatever the load: 7.40 of it (dashboard: 3.00, customer-managed key: 2.00, "
        "alarm metric: 1.20, alarm: 0.80, alarm of target tracking: 0.40)",
        "raise the budget or ask for less; what each type costs: sizewell explain dear --env dev",
    )


def test_unknown_cost_is_unknown_beside_a_budget() -> None:
    both = catalog(gpu_instance(), gpu_instance("ml.g8.xlarge"), usd_per_hour={"ml.g9.xlarge": 1.0})
    workloads = {
        "priced": endpoint(instances={"instance_type": "ml.g9.xlarge"}),
        "unpriced": endpoint(instances={"instance_type": "ml.g8.xlarge"}),
    }
    (fault,) = faults(environment(workloads, policy=policy(budget_usd_per_month=1), network=EXISTING), both)
    assert "(priced 734.47, foundation 5.10, unpriced unknown)" in fault.reason


def test_plan_at_its_budget_stands() -> None:
    total = build_plan(environment(), PRICED).bill.usd_per_month
    assert build_plan(environment(policy=policy(budget_usd_per_month=total)), PRICED)


def test_unknown_costs_break_no_budget() -> None:
    known = build_plan(environment(), UNPRICED).bill.usd_per_month
    plan = build_plan(environment(policy=policy(budget_usd_per_month=known)), UNPRICED)
    assert plan.bill.unknown == ("plants",)


def test_fixed_costs_count_towards_the_budget() -> None:
    (fault,) = faults(environment(policy=policy(budget_usd_per_month=730)))
    assert fault.key_path == ("policy", "budget_usd_per_month")


def test_plan_above_the_budget_can_be_explained() -> None:
    plan = build_plan(environment(policy=policy(budget_usd_per_month=1)), PRICED, within_budget=False)
    assert plan.bill.usd_per_month is not None
    assert plan.bill.usd_per_month > 730


@pytest.mark.parametrize(
    ("family", "hint"),
    [
        ("gg9", "did you mean g9?"),
        ("ml.g9", "did you mean g9?"),
        ("ml.g9.xlarge", "did you mean g9?"),
        ("quantum", "write the middle of a type's name: g5 of ml.g5.xlarge"),
    ],
)
def test_misspelt_family_is_not_ignored(family: str, hint: str) -> None:
    (fault,) = faults(environment(policy=policy(denied_families=[family])))
    assert fault == PlanFault(
        ("policy", "denied_families", "0"), f'SageMaker has no instance family "{family}"', hint
    )


def test_misspelt_family_of_a_workload_is_the_only_fault() -> None:
    workloads = {"plants": endpoint(instances={"allowed_families": ["g9", "g99"]})}
    (fault,) = faults(environment(workloads))
    assert fault.key_path == ("workloads", "plants", "instances", "allowed_families", "1")


def test_workload_cannot_take_the_name_of_the_shared_stack() -> None:
    (fault,) = faults(environment({"foundation": endpoint()}))
    assert fault.key_path == ("workloads", "foundation")
    assert "demo-dev-foundation is the stack of what all workloads share" in fault.reason


def test_error_reads_as_a_list_of_keys_and_reasons() -> None:
    with pytest.raises(PlanError, match=r"^workloads\.plants\.model: none of 1 instance types meets"):
        build_plan(
            environment(
                {
                    "plants": endpoint(
                        model={**DECODER, "parameters_millions": 10**6},
                        engine="llm-engine",
                        request={"input_tokens": 1, "output_tokens": 1},
                    )
                }
            ),
            PRICED,
        )
