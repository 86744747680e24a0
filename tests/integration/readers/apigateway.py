"""REST APIs, as API Gateway describes them."""

import json

from tests.integration.readers.common import ClientFactory, Properties, capitalized, picked, present


def read_rest_api(client: ClientFactory, physical_id: str, properties: Properties) -> Properties:
    found = client("apigateway").get_rest_api(restApiId=physical_id)
    return capitalized(picked(found, "name", "description", "binaryMediaTypes")) | present(
        EndpointConfiguration=capitalized(picked(found["endpointConfiguration"], "types")),
        # It is quoted twice.
        Policy=json.loads(json.loads(f'"{found["policy"]}"')),
        Tags=found.get("tags"),
    )


def read_request_validator(client: ClientFactory, physical_id: str, properties: Properties) -> Properties:
    api_id = properties["RestApiId"]
    found = client("apigateway").get_request_validator(restApiId=api_id, requestValidatorId=physical_id)
    return {"RestApiId": api_id} | capitalized(
        picked(found, "validateRequestBody", "validateRequestParameters")
    )


def read_method(client: ClientFactory, physical_id: str, properties: Properties) -> Properties:
    where = {"restApiId": properties["RestApiId"], "resourceId": properties["ResourceId"]}
    found = client("apigateway").get_method(**where, httpMethod="POST")
    integration = found["methodIntegration"]
    return capitalized(where) | present(
        HttpMethod=found["httpMethod"],
        AuthorizationType=found["authorizationType"],
        RequestValidatorId=found.get("requestValidatorId"),
        RequestParameters=found["requestParameters"],
        MethodResponses=[
            {"StatusCode": status, **present(ResponseParameters=one.get("responseParameters"))}
            for status, one in found["methodResponses"].items()
        ],
        Integration=capitalized(
            picked(integration, "type", "uri", "credentials", "passthroughBehavior", "timeoutInMillis")
        )
        | {
            "IntegrationHttpMethod": integration["httpMethod"],
            "RequestParameters": integration["requestParameters"],
            "IntegrationResponses": [
                {
                    "StatusCode": status,
                    **present(
                        SelectionPattern=one.get("selectionPattern"),
                        ResponseParameters=one.get("responseParameters"),
                    ),
                }
                for status, one in integration["integrationResponses"].items()
            ],
        },
    )


def read_deployment(client: ClientFactory, physical_id: str, properties: Properties) -> Properties:
    api_id = properties["RestApiId"]
    client("apigateway").get_deployment(restApiId=api_id, deploymentId=physical_id)
    return {"RestApiId": api_id}


def read_stage(client: ClientFactory, physical_id: str, properties: Properties) -> Properties:
    api_id = properties["RestApiId"]
    found = client("apigateway").get_stage(restApiId=api_id, stageName=physical_id)
    settings = found["methodSettings"]["*/*"]
    names = (
        "cachingEnabled",
        "dataTraceEnabled",
        "loggingLevel",
        "throttlingBurstLimit",
        "throttlingRateLimit",
    )
    return {
        "RestApiId": api_id,
        "StageName": found["stageName"],
        "DeploymentId": found["deploymentId"],
    } | present(
        AccessLogSetting=capitalized(picked(found["accessLogSettings"], "destinationArn", "format")),
        MethodSettings=[
            {"HttpMethod": "*", "ResourcePath": "/*", **capitalized({name: settings[name] for name in names})}
        ],
        Tags=found.get("tags"),
    )
