"""Parameters, as SSM describes them."""

from tests.integration.readers.common import ClientFactory, Properties, present, user_tags


def read_parameter(client: ClientFactory, physical_id: str, properties: Properties) -> Properties:
    api = client("ssm")
    found = api.get_parameter(Name=physical_id)["Parameter"]
    named = [{"Key": "Name", "Option": "Equals", "Values": [physical_id]}]
    (described,) = api.describe_parameters(ParameterFilters=named)["Parameters"]
    tags = api.list_tags_for_resource(ResourceType="Parameter", ResourceId=physical_id)["TagList"]
    return present(
        Name=found["Name"],
        Type=found["Type"],
        Value=found["Value"],
        Description=described.get("Description"),
        Tags=user_tags(tags),
    )
