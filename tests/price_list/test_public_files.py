"""Price list files are downloaded whole, go on where they were interrupted, and are used again while AWS has the same."""

import errno
from decimal import Decimal
from pathlib import Path

import pytest

from sizewell.price_list.errors import PriceListError
from sizewell.price_list.public_files import public_prices
from tests.price_list.price_lists import PriceLists, of_sagemaker, offer_file, path_of

G5 = ("ml.g5.xlarge", "hosting")


def test_the_prices_of_a_region(lists: PriceLists, tmp_path: Path) -> None:
    found = public_prices(lists.url, "AmazonSageMaker", "us-east-1", tmp_path, print)
    assert found.published == "2026-11-20"
    assert {usage for _, usage in found.usd_per_hour} == {
        "hosting",
        "training",
        "processing",
        "transform",
        "notebook",
    }
    assert set(found.usd_per_hour.values()) == {Decimal("1.408")}
    of_ec2 = public_prices(lists.url, "AmazonEC2", "us-east-1", tmp_path, print)
    assert dict(of_ec2.usd_per_hour) == {("ml.g5.xlarge", "ec2"): Decimal("1.006")}


def test_a_file_is_used_again_while_aws_has_the_same(lists: PriceLists, tmp_path: Path) -> None:
    first = public_prices(lists.url, "AmazonSageMaker", "us-east-1", tmp_path, print)
    lists.asked.clear()
    assert public_prices(lists.url, "AmazonSageMaker", "us-east-1", tmp_path, print) == first
    assert len(lists.asked) == 1
    assert "If-None-Match" in lists.asked[0][1]
    lists.files[path_of("AmazonSageMaker")] = offer_file((of_sagemaker(*G5, "2"),), "2026-11-27T10:00:00Z")
    newer = public_prices(lists.url, "AmazonSageMaker", "us-east-1", tmp_path, print)
    assert (newer.published, newer.usd_per_hour[G5]) == ("2026-11-27", Decimal(2))


def test_a_download_that_breaks_goes_on_where_it_ended(lists: PriceLists, tmp_path: Path) -> None:
    lists.failures = ["503", "breaks", "429", "breaks"]
    said: list[str] = []
    found = public_prices(lists.url, "AmazonSageMaker", "us-east-1", tmp_path, said.append)
    assert found.usd_per_hour[G5] == Decimal("1.408")
    ranges = [headers.get("Range") for _, headers in lists.asked]
    assert ranges[:2] == [None, None]
    half = len(lists.files[path_of("AmazonSageMaker")]) // 2
    assert ranges[2] == ranges[3] == f"bytes={half}-"
    assert ranges[4] is not None
    assert ranges[4] != ranges[3]
    assert len(said) == 4
    assert "503" in said[0]
    assert "the connection ended after" in said[1]


def test_a_file_that_changed_meanwhile_is_taken_anew(lists: PriceLists, tmp_path: Path) -> None:
    lists.failures = ["breaks", "404"]
    with pytest.raises(PriceListError):
        public_prices(lists.url, "AmazonSageMaker", "us-east-1", tmp_path, print)
    lists.files[path_of("AmazonSageMaker")] = offer_file((of_sagemaker(*G5, "2"),))
    found = public_prices(lists.url, "AmazonSageMaker", "us-east-1", tmp_path, print)
    assert dict(found.usd_per_hour) == {G5: 2}


def test_what_keeps_failing_ends_with_one_message_and_keeps_what_there_is(
    lists: PriceLists, tmp_path: Path
) -> None:
    lists.failures = ["breaks"] * 5
    with pytest.raises(PriceListError, match=r"run the command again: it goes on where it ended"):
        public_prices(lists.url, "AmazonSageMaker", "us-east-1", tmp_path, print)
    lists.asked.clear()
    public_prices(lists.url, "AmazonSageMaker", "us-east-1", tmp_path, print)
    assert lists.asked[0][1]["Range"] != "bytes=0-"
    assert len(lists.asked) == 1


def test_a_region_without_a_file_is_named(lists: PriceLists, tmp_path: Path) -> None:
    with pytest.raises(
        PriceListError, match=r"eu-wst-1.*\n.*403.*\n  AWS has no such file: is the region right\?"
    ):
        public_prices(lists.url, "AmazonSageMaker", "eu-wst-1", tmp_path, print)


def test_nobody_listens(tmp_path: Path) -> None:
    with pytest.raises(PriceListError, match=r"cannot be read: .*refused"):
        public_prices("http://127.0.0.1:9", "AmazonSageMaker", "us-east-1", tmp_path, print)


@pytest.mark.parametrize(
    "content",
    [
        b"<html>proxy</html>",
        b"[]",
        b'{"publicationDate": "x", "products": {"A": 1}}',
        b"{}",
        b'{"terms": {}}',
    ],
)
def test_another_shape_is_refused_and_not_kept(content: bytes, lists: PriceLists, tmp_path: Path) -> None:
    lists.files[path_of("AmazonSageMaker")] = content
    with pytest.raises(PriceListError, match="is not the price list file that AWS documents"):
        public_prices(lists.url, "AmazonSageMaker", "us-east-1", tmp_path, print)
    assert [path.name for path in (tmp_path / "us-east-1").iterdir() if path.suffix == ".json"] == []


def test_a_full_disk_is_named_with_its_file(lists: PriceLists, tmp_path: Path) -> None:
    (tmp_path / "us-east-1").mkdir()
    part = tmp_path / "us-east-1" / "AmazonSageMaker.part"
    part.symlink_to("/dev/full")
    with pytest.raises(OSError, match="No space left") as error:
        public_prices(lists.url, "AmazonSageMaker", "us-east-1", tmp_path, print)
    assert (error.value.errno, error.value.filename) == (errno.ENOSPC, part.as_posix())
