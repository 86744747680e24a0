"""Hazards in reading order, the same of several things together."""

from itertools import permutations

from hypothesis import HealthCheck, given, settings

from sizewell.review.model import Hazard, Review
from sizewell.review.rendering.hazard_blocks import hazard_blocks, hazard_counts
from tests.review.rendering.any_review import any_review
from tests.review.rendering.sample_review import sample


def hazard(subject: str, **given: object) -> Hazard:
    return Hazard.model_validate(
        {
            "rule": "removal-policy-weakened",
            "effect": "durability",
            "severity": "danger",
            "environment": "prod",
            "stack": "s",
            "subject": subject,
            "cause": "Retain → Delete",
            "consequence": "It goes.",
            "what_to_do": "Keep it.",
            **given,
        }
    )


def order(*hazards: Hazard) -> list[str]:
    return [block.hazard.subject for block in hazard_blocks(hazards)]


def test_the_same_of_several_things_is_one_block() -> None:
    block, other = hazard_blocks(
        (hazard("bucket a"), hazard("bucket b", stack="t"), hazard("c", cause="else"))
    )
    assert (block.title, block.count, block.environments) == ("2 times", 2, ("prod",))
    assert [place.subjects for place in block.places] == [("bucket a", "bucket b")]
    assert (other.title, other.is_single) == ("c", True)


def test_keys_come_first_and_logs_last_whatever_the_order() -> None:
    subjects = (
        "AWS::KMS::Key demo/Logs/Key",
        "key demo/Other",
        "AWS::S3::Bucket demo/AccessLogBucket",
        "bucket demo/Keys",
        "file system demo/A",
        "table demo/A",
        "AWS::SQS::Queue demo/A",
        "topic demo/A",
        "vpc demo/A",
        "AWS::Logs::LogGroup demo/BucketLogs",
        "log group demo/A",
    )
    for some in (subjects, subjects[::-1], *permutations(subjects[::3])):
        (block,) = hazard_blocks(map(hazard, some))
        assert block.places[0].subjects == tuple(one for one in subjects if one in some)


def test_one_thing_in_several_environments_is_named_once() -> None:
    (block,) = hazard_blocks((hazard("alarm A"), hazard("alarm A", environment="dev")))
    assert (block.title, block.environments, block.is_single) == ("alarm A", ("prod", "dev"), True)


def test_several_things_in_several_environments_say_which_is_where() -> None:
    (block,) = hazard_blocks(
        (hazard("a"), hazard("b"), hazard("b", environment="dev"), hazard("c", environment="dev"))
    )
    assert [(place.environments, place.subjects) for place in block.places] == [
        (("prod",), ("a",)),
        (("prod", "dev"), ("b",)),
        (("dev",), ("c",)),
    ]
    assert block.title == "4 times"


def test_the_same_words_in_two_stacks_are_told_apart() -> None:
    (block,) = hazard_blocks((hazard("alarm A", stack="s"), hazard("alarm A", stack="t")))
    assert block.places[0].subjects == ("alarm A of s", "alarm A of t")


def test_many_subjects_are_counted() -> None:
    (block,) = hazard_blocks(hazard(f"bucket {i:02}") for i in range(30))
    assert block.places[0].shown()[-2:] == ("bucket 19", "10 more")
    assert len(block.places[0].subjects) == 30


def test_what_others_follow_from_is_read_first() -> None:
    for rule in ("stack-removed", "workload-removed", "stack-relocated", "endpoint-renamed"):
        assert order(hazard("a"), hazard("root", rule=rule)) == ["root", "a"]
        assert order(hazard("a", environment="prod"), hazard("root", rule=rule, environment="dev")) == [
            "a",
            "root",
        ]
        assert order(hazard("a"), hazard("root", rule=rule, severity="warning")) == ["a", "root"]
    gone = hazard("gone", rule="environment-removed", severity="warning", environment="dev")
    assert order(hazard("a"), hazard("b", cause="else"), gone) == ["gone", "a", "b"]


def test_counts_say_findings_and_places() -> None:
    def counts(*hazards: Hazard) -> str:
        return hazard_counts(sample().model_copy(update={"hazards": hazards}))

    assert counts(hazard("a"), hazard("b", cause="else")) == "2 dangers"
    assert counts(hazard("a"), hazard("b"), hazard("c", severity="warning")) == (
        "2 dangers, 1 warning (2 findings in 3 places)"
    )


@given(any_review())
@settings(max_examples=50, suppress_health_check=list(HealthCheck))
def test_no_hazard_is_lost_and_severities_stay_in_order(review: Review) -> None:
    blocks = hazard_blocks(review.hazards)
    assert sum(block.count for block in blocks) == len(review.hazards)
    ranks = [
        ("danger", "warning", "notice").index(block.hazard.severity)
        for block in blocks
        if block.hazard.rule != "environment-removed"
    ]
    assert ranks == sorted(ranks)
    for block in blocks:
        named = {environment for place in block.places for environment in place.environments}
        assert named == set(block.environments)
