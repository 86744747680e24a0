from sizewell.review.parity import Difference, group_differences


def difference(workload: str, subject: str, value: str = "1") -> Difference:
    return Difference(
        kind="size",
        workload=workload,
        subject=subject,
        setting="Variants.primary.MaxInstanceCount",
        value=value,
        reference_value="2",
        why="a size",
    )


def test_what_says_the_same_of_several_places_is_one_group() -> None:
    found = [difference("a", "X"), difference("a", "Y"), difference("b", "X"), difference("b", "Z", "3")]
    first, second = group_differences(found)
    assert (first.what, first.value, first.reference_value) == ("MaxInstanceCount", "1", "2")
    assert first.workloads == ("a", "b")
    assert first.places == ("a: X", "a: Y", "b: X")
    assert second.places == ("b: Z",)


def test_nothing_is_no_group() -> None:
    assert group_differences([]) == ()
