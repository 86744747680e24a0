"""When autoscaling is off in a deployment, and that it is on at the end, whatever happens in between."""

import itertools
from collections.abc import Mapping, Sequence

import pytest

from sizewell.deploy.assembly import Assembly
from tests.deploy.world import LARGE, Account, Killed, SimulatedDeployment, Template, assembly_of, endpoint

#: What is changed is told with its account and region.
CHAT = "chat (111122223333, us-east-1)"
CHANGES: dict[str, tuple[Template, Template]] = {
    "another type": (endpoint(), endpoint(instance_type=LARGE)),
    "another type of two variants": (
        endpoint(variants=("a", "b")),
        endpoint(variants=("a", "b"), instance_type=LARGE),
    ),
    "a variant removed": (endpoint(variants=("a", "b")), endpoint(variants=("a",))),
    "another type, and scaling removed": (endpoint(), endpoint(instance_type=LARGE, scaled=False)),
    "another type, and scaling added": (endpoint(scaled=False), endpoint(instance_type=LARGE)),
}
change = pytest.mark.parametrize("change", CHANGES)


def deploy(
    account: Account,
    templates: Mapping[str, Template],
    *names: str,
    dependencies: Mapping[str, Sequence[str]] | None = None,
) -> tuple[int, SimulatedDeployment]:
    """Deploy stacks, all without names, as a new process does; return the exit code."""
    account.is_dead, account.calls = False, []
    assembly: Assembly = assembly_of(templates, dependencies)
    one = SimulatedDeployment.of(account, assembly)
    return one.run(assembly.select(names, exclusively=False)), one


def account_with(**templates: Template) -> Account:
    account = Account()
    deploy(account, templates)
    return account


def variants(template: Template) -> set[str]:
    """The variants that a template scales."""
    ids = (body["Properties"].get("ResourceId") for body in template["Resources"].values())
    return {text.rpartition("/")[2] for text in ids if text}


def test_a_new_type_takes_three_updates_and_says_each_of_them() -> None:
    account = account_with(chat=endpoint())
    code, one = deploy(account, {"chat": endpoint(instance_type=LARGE)})
    assert code == 0
    assert account.calls == ["chat: update off", "chat: cdk off", "chat: update on"]
    assert one.said == [
        f"{CHAT}: variant primary of endpoint chat changes from ml.g5.xlarge to ml.g5.2xlarge, which SageMaker refuses while "
        "the variant is autoscaled",
        f"{CHAT}: 1 of 3: turning autoscaling off",
        f"{CHAT}: autoscaling is off (UPDATE_COMPLETE)",
        f"{CHAT}: 2 of 3: deploying with autoscaling off",
        f"{CHAT}: 3 of 3: turning autoscaling on",
        f"{CHAT}: autoscaling is on (UPDATE_COMPLETE)",
    ]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, endpoint()),
        (endpoint(), endpoint()),
        (endpoint(), endpoint(scaled=False)),
        (endpoint(scaled=False), endpoint()),
        (endpoint(scaled=False), endpoint(scaled=False, instance_type=LARGE)),
        (endpoint(), endpoint(name="other", instance_type=LARGE)),
    ],
    ids=["new", "unchanged", "no longer scaled", "scaled from now on", "never scaled", "another endpoint"],
)
def test_everything_else_is_one_deployment(before: Template | None, after: Template) -> None:
    account = account_with(chat=before) if before else Account()
    deploy(account, {"chat": after})
    assert account.calls == ["chat: cdk"]


@change
def test_every_change_arrives_and_scales(change: str) -> None:
    before, after = CHANGES[change]
    account = account_with(chat=before)
    code, _ = deploy(account, {"chat": after})
    assert (code, account.stacks["chat"].template) == (0, after)
    assert account.registered("chat") == variants(after)


@change
def test_a_change_that_fails_leaves_what_was_there_and_scales_it(change: str) -> None:
    before, after = CHANGES[change]
    account = account_with(chat=before)
    account.failing = {"chat"}
    code, _ = deploy(account, {"chat": after})
    assert code != 0
    assert account.stacks["chat"].template == before
    assert account.stacks["chat"].status in ("UPDATE_COMPLETE", "UPDATE_ROLLBACK_COMPLETE")
    assert account.registered("chat") == variants(before)
    assert deploy(account, {"chat": after})[0] == 0
    assert account.registered("chat") == variants(after)


@change
@pytest.mark.parametrize("fails", [False, True], ids=["", "and fails"])
@pytest.mark.parametrize("moment", ["before", "after"])
def test_the_next_run_ends_what_a_killed_one_began(change: str, fails: bool, moment: str) -> None:
    before, after = CHANGES[change]
    killed = 0
    for number in itertools.count():
        account = account_with(chat=before)
        account.failing = {"chat"} if fails else set()
        account.kill_at = (number, moment)
        try:
            deploy(account, {"chat": after})
        except Killed:
            killed += 1
            account.kill_at = None
            for _ in range(2):
                deploy(account, {"chat": after})
            assert account.stacks["chat"].status == "UPDATE_COMPLETE"
            assert account.stacks["chat"].template == after
            assert account.registered("chat") == variants(after)
        else:
            break
    assert killed == len(account.calls) > 0


def test_where_stacks_are_deployed_is_said_before_it_happens() -> None:
    _, one = deploy(Account(), {"chat": endpoint(), "search": endpoint("s")})
    assert one.said == [f"deploying {CHAT}, search (111122223333, us-east-1)"]


def test_what_need_not_wait_is_deployed_before_and_what_depends_on_it_after() -> None:
    templates = {
        "foundation": endpoint("f"),
        "chat": endpoint(),
        "search": endpoint("s"),
        "own": endpoint("o"),
    }
    above = {"chat": ["foundation"], "search": ["foundation"], "own": ["chat"]}
    account = Account()
    deploy(account, templates, dependencies=above)
    deploy(account, {**templates, "chat": endpoint(instance_type=LARGE)}, dependencies=above)
    assert account.calls == [
        "foundation: cdk",
        "search: cdk",
        "chat: update off",
        "chat: cdk off",
        "chat: update on",
        "own: cdk",
    ]


def test_the_first_failure_ends_the_run_and_no_other_stack_is_touched() -> None:
    account = account_with(a=endpoint("a"), b=endpoint("b"))
    account.failing = {"a"}
    code, _ = deploy(account, {name: endpoint(name, LARGE) for name in "ab"})
    assert code == 1
    assert account.calls == ["a: update off", "a: cdk off", "a: update on"]


def test_a_stack_that_was_left_off_is_turned_on_though_nothing_changes() -> None:
    account = account_with(chat=endpoint())
    account.update(account.stacks["chat"], {"Autoscaling": "off"})
    code, one = deploy(account, {"chat": endpoint()})
    assert code == 0
    assert account.registered("chat") == {"primary"}
    assert one.said[0] == f"{CHAT}: a deployment that did not finish left autoscaling off"


def test_a_rollback_that_failed_is_said_and_touched_no_further() -> None:
    account = account_with(chat=endpoint())
    stack = account.stacks["chat"]
    account.stacks["chat"] = type(stack)("chat", "UPDATE_ROLLBACK_FAILED", stack.template, stack.parameters)
    with pytest.raises(Exception, match="cdk rollback chat takes a failed deployment back"):
        deploy(account, {"chat": endpoint(instance_type=LARGE)})
    assert account.calls == []
