from typing import Any

from tests.review.hazards.apps import described, endpoint_app, hazards, text


def test_another_image_goes_live() -> None:
    assert described(hazards(endpoint_app(), endpoint_app(image="repository:2"), theme="models")) == text("""
        notice model-changed, dev/app-stack/Model: variant primary of endpoint assistant
        Image repository:1 → repository:2
        After this deployment another version of the model or of its container answers the requests.
        Make sure that the image and the artifact exist and were tested together. Keep the old artifact as long as
            you may want to roll back.
        """)


def test_another_artifact_goes_live() -> None:
    def app(uri: str) -> dict[str, Any]:
        source = {"S3DataSource": {"S3Uri": uri, "S3DataType": "S3Object"}}
        return endpoint_app(model={"PrimaryContainer": {"Image": "a", "ModelDataSource": source}})

    (found,) = hazards(app("s3://b/1"), app("s3://b/2"), theme="models")
    assert found.cause == "ModelDataSource s3://b/1 → s3://b/2"


def test_another_variable_is_no_other_version() -> None:
    def app(value: str) -> dict[str, Any]:
        return endpoint_app(model={"PrimaryContainer": {"Image": "a", "Environment": {"A": value}}})

    assert hazards(app("1"), app("2"), theme="models") == ()


def test_another_network() -> None:
    def app(*groups: str) -> dict[str, Any]:
        return endpoint_app(model={"VpcConfig": {"Subnets": ["a", "b"], "SecurityGroupIds": list(groups)}})

    assert described(hazards(app("one"), app("two"), theme="models")) == text("""
        warning model-network-changed, dev/app-stack/Model: variant primary of endpoint assistant
        SecurityGroupIds ["one"] → ["two"]
        The model is replaced, and its new instances start in another network. If they cannot reach Amazon S3 and
            Amazon ECR from there, they fail their health check and the update rolls back.
        Make sure that the subnets have free addresses and routes or VPC endpoints to S3 and ECR, and that the
            security groups let them through.
        """)
    assert hazards(app("one", "two"), app("two", "one")) == ()


def of_several(**container: Any) -> dict[str, Any]:
    several = {"Image": "a", "Mode": "MultiModel", "ModelDataUrl": "s3://b/models/"}
    return endpoint_app(model={"PrimaryContainer": several | container})


def test_an_endpoint_of_one_model_serves_several() -> None:
    single = endpoint_app(model={"PrimaryContainer": {"Image": "a", "ModelDataUrl": "s3://b/models/"}})
    assert described(hazards(single, of_several(), theme="models")) == text("""
        danger models-of-endpoint-changed, dev/app-stack/Model: variant primary of endpoint assistant
        Mode SingleModel → MultiModel
        A multi-model endpoint answers only requests with TargetModel, and any other endpoint only requests without
            it. Callers fail until they change, too.
        Add a second workload, move the callers, and remove the old workload in a later deployment.
        """)


def test_models_that_stay_in_memory_no_longer() -> None:
    cached, uncached = (
        of_several(MultiModelConfig={"ModelCacheSetting": setting}) for setting in ("Enabled", "Disabled")
    )
    assert described(hazards(cached, uncached, theme="models")) == text("""
        warning models-of-endpoint-changed, dev/app-stack/Model: variant primary of endpoint assistant
        ModelCacheSetting Disabled
        SageMaker unloads a model as soon as it has answered. Every request waits until its model is loaded.
        Disable the cache only if callers use each model once.
        """)
    assert hazards(uncached, cached, theme="models") == ()
