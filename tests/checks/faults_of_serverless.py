"""Faults of variants: what they run on, and what serverless ones cannot have."""

from tests.checks.builders import config, resource, serverless_variant, template, variant
from tests.checks.fault_collection import fault

INSTEAD = "serve the model on instances, or do without"

fault(
    "serverless and instance in one variant",
    template(Config=config(serverless_variant() | {"InstanceType": "ml.g5.xlarge"})),
    "variant-capacity",
    "Config",
    "ProductionVariants.0",
    "variant primary is serverless and has InstanceType",
    "remove ServerlessConfig or InstanceType",
)
fault(
    "neither serverless nor instance",
    template(Config=config({"VariantName": "primary", "InitialInstanceCount": 1})),
    "variant-capacity",
    "Config",
    "ProductionVariants.0",
    "variant primary has neither instances nor ServerlessConfig",
    "give InstanceType and InitialInstanceCount, or InstancePools, or ServerlessConfig",
)
fault(
    "an instance type that is taken away",
    template(Config=config(variant(InstanceType={"Ref": "AWS::NoValue"}))),
    "variant-capacity",
    "Config",
    "ProductionVariants.0",
    "variant primary has neither instances nor ServerlessConfig",
    "give InstanceType and InitialInstanceCount, or InstancePools, or ServerlessConfig",
)
fault(
    "two shadow variants",
    template(
        Config=config(
            ShadowProductionVariants=[variant(VariantName="one"), variant(VariantName="two")],
        )
    ),
    "shadow-variants",
    "Config",
    "ShadowProductionVariants",
    "there are 1 production and 2 shadow variants",
    "a shadow test compares exactly one production variant with one shadow variant",
)
for value, shown in ((5000, "5000"), ("512", "512")):
    fault(
        f"serverless memory {shown}",
        template(Config=config(serverless_variant(MemorySizeInMB=value))),
        "serverless-memory",
        "Config",
        "ProductionVariants.0.ServerlessConfig.MemorySizeInMB",
        f"MemorySizeInMB is {shown}, allowed are 1024, 2048, 3072, 4096, 5120, 6144",
        "round up to the next of these sizes",
    )
fault(
    "serverless concurrency 201",
    template(Config=config(serverless_variant(MaxConcurrency=201))),
    "serverless-concurrency",
    "Config",
    "ProductionVariants.0.ServerlessConfig.MaxConcurrency",
    "MaxConcurrency is 201, allowed is 1 to 200",
    "choose a value of 1 to 200",
)
fault(
    "more provisioned than allowed at once",
    template(Config=config(serverless_variant(ProvisionedConcurrency=21))),
    "serverless-concurrency",
    "Config",
    "ProductionVariants.0.ServerlessConfig.ProvisionedConcurrency",
    "ProvisionedConcurrency is 21, above MaxConcurrency (20)",
    "lower ProvisionedConcurrency or raise MaxConcurrency",
)
for words, path, properties in (
    ("data capture", "DataCaptureConfig", {"DataCaptureConfig": {"InitialSamplingPercentage": 100}}),
    ("asynchronous inference", "AsyncInferenceConfig", {"AsyncInferenceConfig": {"OutputConfig": {}}}),
    ("a VPC", "VpcConfig", {"VpcConfig": {"Subnets": ["subnet-1"]}}),
    ("network isolation", "EnableNetworkIsolation", {"EnableNetworkIsolation": True}),
):
    fault(
        f"serverless with {words}",
        template(Config=config(serverless_variant(), **properties)),
        "serverless-excludes",
        "Config",
        path,
        f"serverless endpoints do not have {words}",
        INSTEAD,
    )
fault(
    "two serverless variants",
    template(Config=config(serverless_variant(), serverless_variant() | {"VariantName": "other"})),
    "serverless-excludes",
    "Config",
    "ProductionVariants",
    "serverless endpoints do not have several production variants (2)",
    INSTEAD,
)
fault(
    "serverless with a shadow",
    template(Config=config(serverless_variant(), ShadowProductionVariants=[variant(VariantName="s")])),
    "serverless-excludes",
    "Config",
    "ShadowProductionVariants",
    "serverless endpoints do not have shadow variants",
    INSTEAD,
)
for words, path, model in (
    ("a VPC", "VpcConfig", {"VpcConfig": {"Subnets": ["subnet-1"]}}),
    ("network isolation", "EnableNetworkIsolation", {"EnableNetworkIsolation": "true"}),
    (
        "several models in one container",
        "PrimaryContainer.Mode",
        {"PrimaryContainer": {"Mode": "MultiModel"}},
    ),
    (
        "a private Docker registry",
        "PrimaryContainer.ImageConfig.RepositoryAccessMode",
        {"PrimaryContainer": {"ImageConfig": {"RepositoryAccessMode": "Vpc"}}},
    ),
    (
        "a ModelDataSource: they take a ModelDataUrl of one .tar.gz",
        "PrimaryContainer.ModelDataSource",
        {"PrimaryContainer": {"ModelDataSource": {"S3DataSource": {}}}},
    ),
    ("a pipeline of containers (2)", "Containers", {"Containers": [{}, {}]}),
):
    fault(
        f"serverless with a model that has {words}",
        template(Config=config(serverless_variant()), Model=resource("SageMaker::Model", **model)),
        "serverless-excludes",
        "Model",
        path,
        f"serverless endpoints do not have {words}",
        INSTEAD,
    )
