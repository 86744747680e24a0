"""The container image of a workload: its address, and until when AWS patches it."""

from calendar import timegm

from sizewell.config.container import Image
from sizewell.facts.container_images import AVAILABLE_IMAGES, release_of
from sizewell.facts.durations import DAY_S
from sizewell.planning.names import Names
from sizewell.planning.plan import DeploymentPlan
from sizewell.planning.workload_plan import ImagePatchesPlan, ImagePlan

#: Time to build and test on another image before the patches end.
WARNING_DAYS = 60


def plan_image(image: Image, names: Names) -> ImagePlan:
    """Return the plan of an image. One in the account of the environment is the user's own: AWS patches none of those."""
    release = None if image.account == names.account else release_of(image.repository, image.tag)
    return ImagePlan(
        uri=names.image_uri(image.account, image.repository, image.tag),
        repository_arn=names.repository_arn(image.account, image.repository),
        patches=ImagePatchesPlan(
            release=f"{release.repository} {release.version}", end=release.end_of_patch, read=release.read
        )
        if release and release.end_of_patch
        else None,
    )


def image_warnings(plan: DeploymentPlan) -> tuple[str, ...]:
    """Return which images are no longer patched, or not for long, on the day when AWS's dates were read.

    That day is data and not today: two plans of one configuration are the same.
    """
    lines = [
        f"{variant.name}: {_ending(patches)}"
        for workload in plan.workloads
        for variant in workload.variants
        for image in variant.images
        if (patches := image.patches) and _days_left(patches) <= WARNING_DAYS
    ]
    return (*lines, f"Newer images: {AVAILABLE_IMAGES}") if lines else ()


def _days_left(patches: ImagePatchesPlan) -> int:
    return _day(patches.end) - _day(patches.read)


def _day(iso_date: str) -> int:
    year, month, day = map(int, iso_date.split("-"))
    return timegm((year, month, day, 0, 0, 0)) // DAY_S


def _ending(patches: ImagePatchesPlan) -> str:
    days = _days_left(patches)
    distance = f"{abs(days)} {'day' if abs(days) == 1 else 'days'} {'before' if days < 0 else 'after'}"
    return (
        f"AWS patches {patches.release} until {patches.end}, "
        f"{distance} the date of this release's data ({patches.read})"
    )
