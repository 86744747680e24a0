"""A private REST API before an endpoint, for callers that do not call SageMaker.

It is reached through an interface endpoint of ``execute-api`` in the VPC and from nowhere else, and calls SageMaker with a
role of its own, outside of the VPC. API Gateway writes logs with a role that an account has once in each region
(https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-logging.html): without one, the stage is refused.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass

from aws_cdk import Aws, CfnOutput, Fn, RemovalPolicy
from aws_cdk import aws_apigateway as apigateway
from aws_cdk import aws_sagemaker as sagemaker
from constructs import Construct

from constructs_lib.endpoints.endpoint_access import invoke_statements
from constructs_lib.foundation.references import FoundationReferences
from constructs_lib.log_group import add_log_group
from constructs_lib.policies.acknowledgements import acknowledge, acknowledge_each
from constructs_lib.policies.statements import service_role
from sizewell.facts.api_gateway import INTEGRATION_TIMEOUT_S, private_api_policy
from sizewell.facts.compliance_packs import COMPLIANCE_PACKS

#: The last part of the address, as that of SageMaker's own API.
_STAGE = "invocations"
_CONTENT_TYPE, _TARGET_MODEL = "Content-Type", "X-Amzn-SageMaker-Target-Model"
#: https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_runtime_InvokeEndpoint.html; no caller chooses a variant.
_REQUEST_HEADERS = (
    _CONTENT_TYPE,
    "Accept",
    "X-Amzn-SageMaker-Custom-Attributes",
    "X-Amzn-SageMaker-Inference-Id",
)
_ANSWER_HEADERS = (_CONTENT_TYPE, "X-Amzn-SageMaker-Custom-Attributes", "x-Amzn-Invoked-Production-Variant")
#: Errors that say what a caller may do about them: a bad request, an error of the model, too many requests, nothing in service.
_ERRORS = ("400", "424", "429", "503")
_OTHER_ERRORS = "502"
#: Who called and what came of it; nothing of requests and answers.
_ACCESS_LOG = {
    "requestId": "$context.requestId",
    "requestTime": "$context.requestTime",
    "caller": "$context.identity.userArn",
    "sourceIp": "$context.identity.sourceIp",
    "vpcId": "$context.identity.vpcId",
    "status": "$context.status",
    "error": "$context.error.message",
    "integrationStatus": "$context.integration.integrationStatus",
    "integrationLatency": "$context.integration.latency",
    "responseLatency": "$context.responseLatency",
    "responseLength": "$context.responseLength",
}
_NO_WEB_ACL = (
    "A web ACL guards against the internet. The API is private: only the roles that its policy names call it, with signed "
    "requests from one VPC."
)
_ACCEPTED = {
    "AwsSolutions-APIG3": _NO_WEB_ACL,
    **dict.fromkeys((f"{pack}-APIGWAssociatedWithWAF" for pack in COMPLIANCE_PACKS[1:]), _NO_WEB_ACL),
    **dict.fromkeys(
        (f"{pack}-APIGWCacheEnabledAndEncrypted" for pack in COMPLIANCE_PACKS),
        "Nothing is cached: a cache of answers would keep data of callers, and serve what an older model said.",
    ),
    **dict.fromkeys(
        (f"{pack}-APIGWSSLEnabled" for pack in COMPLIANCE_PACKS),
        "A client certificate is for HTTP backends. API Gateway calls SageMaker over TLS with the credentials of a role.",
    ),
    f"{COMPLIANCE_PACKS[0]}-APIGWXrayEnabled": (
        "A call is one hop, from the stage to the endpoint, and the access log has how long both took."
    ),
}


@dataclass(frozen=True, kw_only=True)
class EndpointApiProps:
    """Who calls an endpoint through an API, and how often.

    ``role_arns`` are of any account; those of others need a permission of theirs as well. ``requests_per_second`` and
    ``burst_requests`` are what is let through; more is answered with 429. ``names_model`` is for an endpoint of many models:
    every request names the one that it is for. What the log groups keep outlives the stack, as ``removal_policy`` says.
    ``redeployed_with`` is a text that changes with the VPC: its id is known only when the stack is deployed, and a policy
    takes effect only with a deployment of the API.
    """

    endpoint: sagemaker.CfnEndpoint
    endpoint_name: str
    role_arns: Sequence[str]
    requests_per_second: int
    burst_requests: int
    foundation: FoundationReferences
    names_model: bool = False
    log_retention_days: int = 90
    removal_policy: RemovalPolicy = RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE
    redeployed_with: str = ""


class EndpointApi(Construct):
    """POST to its address, the output ``InvokeUrl``, is a request to the endpoint, with body and headers as they are."""

    def __init__(self, scope: Construct, construct_id: str, *, props: EndpointApiProps) -> None:
        super().__init__(scope, construct_id)
        self._props = props
        api = apigateway.CfnRestApi(
            self,
            "RestApi",
            name=props.endpoint_name,
            description="Invokes the endpoint of SageMaker that has its name",
            endpoint_configuration=apigateway.CfnRestApi.EndpointConfigurationProperty(types=["PRIVATE"]),
            policy=private_api_policy(props.role_arns, props.foundation.vpc_id),
            # Bodies of any type pass as they are:
            # https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-payload-encodings-workflow.html
            binary_media_types=["*/*"],
        )
        method = self._method(api)
        deployment = apigateway.CfnDeployment(self, "Deployment", rest_api_id=api.ref)
        deployment.override_logical_id(f"ApiDeployment{self._digest()}")
        deployment.add_resource_dependency(method)
        self._stage(api, deployment)
        output = CfnOutput(
            self,
            "Url",
            value=Fn.sub(
                "https://${Api}.execute-api.${AWS::Region}.${AWS::URLSuffix}/" + _STAGE, {"Api": api.ref}
            ),
            description="Where callers in the VPC post their requests",
        )
        output.override_logical_id("InvokeUrl")

    def _method(self, api: apigateway.CfnRestApi) -> apigateway.CfnMethod:
        props = self._props
        # No page names a condition for this trust; a role is passed within its account only:
        # https://docs.aws.amazon.com/IAM/latest/UserGuide/id_roles_use_passrole.html
        role = service_role(self, "Role", "apigateway.amazonaws.com", invoke_statements(props.endpoint.ref))
        validator = apigateway.CfnRequestValidator(
            self,
            "RequestValidator",
            rest_api_id=api.ref,
            validate_request_body=True,
            validate_request_parameters=True,
        )
        required = {_CONTENT_TYPE, _TARGET_MODEL}
        headers = (*_REQUEST_HEADERS, *((_TARGET_MODEL,) if props.names_model else ()))
        method = apigateway.CfnMethod(
            self,
            "Method",
            rest_api_id=api.ref,
            resource_id=api.attr_root_resource_id,
            http_method="POST",
            authorization_type="AWS_IAM",
            request_validator_id=validator.ref,
            request_parameters={f"method.request.header.{name}": name in required for name in headers},
            integration=apigateway.CfnMethod.IntegrationProperty(
                type="AWS",
                integration_http_method="POST",
                uri=f"arn:{Aws.PARTITION}:apigateway:{Aws.REGION}:runtime.sagemaker:path/endpoints/"
                f"{props.endpoint_name}/invocations",
                credentials=role.attr_arn,
                passthrough_behavior="WHEN_NO_MATCH",
                timeout_in_millis=INTEGRATION_TIMEOUT_S * 1000,
                request_parameters={
                    f"integration.request.header.{name}": f"method.request.header.{name}" for name in headers
                },
                integration_responses=[
                    # The pattern is of the status; what matches none is an error that callers cannot mend.
                    apigateway.CfnMethod.IntegrationResponseProperty(
                        status_code="200",
                        selection_pattern=r"2\d{2}",
                        response_parameters={
                            f"method.response.header.{name}": f"integration.response.header.{name}"
                            for name in _ANSWER_HEADERS
                        },
                    ),
                    *(
                        apigateway.CfnMethod.IntegrationResponseProperty(
                            status_code=error, selection_pattern=error
                        )
                        for error in _ERRORS
                    ),
                    apigateway.CfnMethod.IntegrationResponseProperty(status_code=_OTHER_ERRORS),
                ],
            ),
            method_responses=[
                apigateway.CfnMethod.MethodResponseProperty(
                    status_code="200",
                    response_parameters={f"method.response.header.{name}": False for name in _ANSWER_HEADERS},
                ),
                *(
                    apigateway.CfnMethod.MethodResponseProperty(status_code=error)
                    for error in (*_ERRORS, _OTHER_ERRORS)
                ),
            ],
        )
        acknowledge(
            method,
            "AwsSolutions-COG4",
            "Callers are roles, which IAM authorizes by their signature; a user pool is for people who sign in.",
        )
        return method

    def _stage(self, api: apigateway.CfnRestApi, deployment: apigateway.CfnDeployment) -> None:
        props = self._props
        accesses = add_log_group(self, None, props, "AccessLogGroup")
        # API Gateway makes it itself if it is missing, without key and expiry.
        name = Fn.sub("API-Gateway-Execution-Logs_${Api}/" + _STAGE, {"Api": api.ref})
        executions = add_log_group(self, name, props, "ExecutionLogGroup")
        stage = apigateway.CfnStage(
            self,
            "Stage",
            rest_api_id=api.ref,
            deployment_id=deployment.ref,
            stage_name=_STAGE,
            access_log_setting=apigateway.CfnStage.AccessLogSettingProperty(
                # Without the :* at the end of its own attribute.
                destination_arn=f"arn:{Aws.PARTITION}:logs:{Aws.REGION}:{Aws.ACCOUNT_ID}:log-group:{accesses.ref}",
                format=json.dumps(_ACCESS_LOG),
            ),
            method_settings=[
                apigateway.CfnStage.MethodSettingProperty(
                    resource_path="/*",
                    http_method="*",
                    logging_level="ERROR",
                    data_trace_enabled=False,
                    caching_enabled=False,
                    throttling_rate_limit=props.requests_per_second,
                    throttling_burst_limit=props.burst_requests,
                )
            ],
        )
        stage.add_resource_dependency(executions)
        acknowledge_each(stage, _ACCEPTED)

    def _digest(self) -> str:
        """Return what changes with the API: a deployment is a copy of it, and only another one copies again."""
        props = self._props
        values = [props.endpoint_name, sorted(props.role_arns), props.names_model, props.redeployed_with]
        code = [_REQUEST_HEADERS, _ANSWER_HEADERS, _ERRORS, _OTHER_ERRORS, INTEGRATION_TIMEOUT_S]
        return hashlib.sha256(json.dumps([values, code]).encode()).hexdigest()[:8]
