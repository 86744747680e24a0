"""The local cloud answers programs that hold the secret of its start: no web page, no other name, no other user."""

import base64
import http.client
import io
import json
import urllib.request
import zipfile
from typing import Any

import boto3
import pytest
from botocore.config import Config

from sizewell_localcloud.cloud import LocalCloud
from sizewell_localcloud.emulator.access import NO_PAGES, NO_SECRET, TOKEN_NAME
from sizewell_localcloud.variables import SECRET_ACCESS_KEY
from tests.integration.emulator.lab import ACCOUNT, REGION, Lab, refusal

FUNCTIONS = "/2015-03-31/functions"
PAGE = "https://page.example"
SCOPE = f"{ACCOUNT}/20260101/{REGION}/lambda/aws4_request"
SIGNED_BY_THE_KEY_ALONE = f"AWS4-HMAC-SHA256 Credential={SCOPE}, SignedHeaders=host, Signature=0"


def ask(
    cloud: LocalCloud,
    method: str = "GET",
    path: str = FUNCTIONS,
    body: bytes | None = None,
    *,
    secret: str | None = None,
    **headers: str,
) -> tuple[int, http.client.HTTPMessage, str]:
    """Send a request as it stands, with the secret unless another one or none is given."""
    token = cloud.secret if secret is None else secret
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    sent |= {TOKEN_NAME: token} if token else {}
    connection = http.client.HTTPConnection("127.0.0.1", cloud.port, timeout=300)
    try:
        connection.request(method, path, body, sent)
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read().decode()
    finally:
        connection.close()


def functions(lab: Lab) -> list[str]:
    return [each["FunctionName"] for each in lab("lambda").list_functions()["Functions"]]


@pytest.mark.parametrize("secret", ["", None], ids=["a page", "a page that knows the secret"])
@pytest.mark.parametrize(
    ("method", "headers"),
    [
        pytest.param("POST", {"Origin": PAGE, "Content_Type": "text/plain"}, id="simple request"),
        pytest.param("POST", {"Origin": "null"}, id="request of a sandboxed frame"),
        pytest.param("GET", {"Origin": "null"}, id="reading request of a sandboxed frame"),
        pytest.param("POST", {"Sec_Fetch_Site": "cross-site"}, id="request without an origin"),
        pytest.param("GET", {"Sec_Fetch_Site": "same-origin"}, id="request of a page of its own"),
        pytest.param(
            "POST", {"Origin": PAGE, "Content_Type": "application/x-www-form-urlencoded"}, id="form"
        ),
        pytest.param(
            "OPTIONS",
            {"Origin": PAGE, "Access_Control_Request_Method": "POST", "Access_Control_Request_Headers": "x"},
            id="preflight",
        ),
        pytest.param("OPTIONS", {}, id="preflight without an origin"),
    ],
)
def test_a_web_page_is_refused(lab: Lab, method: str, headers: dict[str, str], secret: str | None) -> None:
    request = {
        "FunctionName": lab.name("of-a-page"),
        "Runtime": "python3.12",
        "Handler": "index.handler",
        "Role": lab.role_of_lambda,
        "Code": {
            "ZipFile": base64.b64encode(archive("index.py", "def handler(event, context): ...")).decode()
        },
    }
    before = functions(lab)
    status, answered, text = ask(
        lab.cloud, method, body=json.dumps(request).encode(), secret=secret, **headers
    )
    assert (status, NO_PAGES in text) == (403, True)
    assert cors(answered) == []
    assert functions(lab) == before


@pytest.mark.parametrize("host", ["page.example", "page.example:{port}", "127.0.0.1.page.example:{port}",
                                  "127.0.0.1", "localhost:80", "bucket.localhost:{port}", "[::1]:{port}", ""])  # fmt: skip
def test_a_name_that_was_rebound_is_refused(cloud: LocalCloud, host: str) -> None:
    status, _, text = ask(cloud, Host=host.format(port=cloud.port))
    assert status == 403
    assert f"answers to no other host than 127.0.0.1:{cloud.port} and localhost:{cloud.port}" in text


def test_both_names_of_loopback_are_answered(cloud: LocalCloud) -> None:
    for name in ("127.0.0.1", "localhost", "LocalHost"):
        assert ask(cloud, Host=f"{name}:{cloud.port}")[0] == 200


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", FUNCTIONS),
        ("POST", "/"),
        ("PUT", "/some-bucket/some-key"),
        ("HEAD", "/some-bucket/some-key"),
        ("GET", "/_localcloud/calls"),
        ("POST", "/_localcloud/clear"),
        ("POST", "/_ministack/reset"),
        ("POST", "/_ministack/config"),
        ("GET", "/_ministack/health"),
        ("GET", "/_ministack/ready"),
        ("GET", "/_localstack/health"),
        ("GET", "/health"),
        ("POST", "/_ministack/rds/iam-auth"),
        ("PUT", "/_ministack/cfn-response/0"),
        ("GET", f"/_ministack/lambda-code/{ACCOUNT}/{REGION}/f"),
        ("GET", "/_aws/execute-api/0a0a0a0a/stage"),
        ("GET", "/oauth2/userInfo"),
        ("POST", f"/?{TOKEN_NAME}=wrong"),
    ],
)
def test_another_user_is_refused_on_every_path(cloud: LocalCloud, method: str, path: str) -> None:
    signed: dict[str, Any] = {"Authorization": SIGNED_BY_THE_KEY_ALONE}
    for secret, headers in (("", {}), ("", signed), ("wrong", signed), (cloud.secret[:-1], {})):
        status, answered, text = ask(cloud, method, path, secret=secret, **headers)
        assert (status, NO_SECRET in text) == (403, method != "HEAD")
        assert cors(answered) == []


def test_the_secret_of_another_start_is_refused(cloud: LocalCloud) -> None:
    with LocalCloud() as other:
        assert ask(other)[0] == 200
        assert ask(other, secret=cloud.secret)[0] == 403
        assert ask(cloud, secret=other.secret)[0] == 403


def test_a_web_socket_is_refused(lab: Lab) -> None:
    gateway = lab("apigatewayv2")
    api = gateway.create_api(
        Name=lab.name("api"), ProtocolType="WEBSOCKET", RouteSelectionExpression="$request.body.action"
    )["ApiId"]
    gateway.create_stage(ApiId=api, StageName="stage", AutoDeploy=True)
    wanted: dict[str, Any] = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec_WebSocket_Version": "13"}
    path, key = f"/_aws/execute-api/{api}/stage", "AAAAAAAAAAAAAAAAAAAAAA=="
    assert ask(lab.cloud, path=path, Sec_WebSocket_Key=key, **wanted)[0] == 403


def test_a_body_is_read_to_its_end_before_it_is_refused(cloud: LocalCloud) -> None:
    assert ask(cloud, "PUT", "/some-bucket/some-key", bytes(5_000_000), secret="")[0] == 403


@pytest.mark.parametrize(
    ("service", "operation"),
    [
        ("s3", "list_buckets"),
        ("lambda", "list_functions"),
        ("sagemaker", "list_models"),
        ("cloudformation", "list_stacks"),
        ("cloudwatch", "list_metrics"),
        ("ec2", "describe_vpcs"),
    ],
)
def test_a_client_without_the_secret_reads_why(cloud: LocalCloud, service: str, operation: str) -> None:
    said = refusal(getattr(client(cloud, service, "of an earlier start"), operation))
    assert said.startswith("AccessDenied: ")
    assert NO_SECRET in said


def test_no_answer_lets_a_page_read_it(lab: Lab) -> None:
    rule = {"AllowedMethods": ["GET"], "AllowedOrigins": ["*"]}
    lab("s3").put_bucket_cors(Bucket=lab.bucket, CORSConfiguration={"CORSRules": [rule]})
    for path in (FUNCTIONS, f"/{lab.bucket}", "/_ministack/health", "/_localcloud/calls", "/oauth2/userInfo"):
        assert cors(ask(lab.cloud, path=path)[1]) == []


def test_what_is_handed_out_lets_its_holder_in(lab: Lab) -> None:
    s3 = lab("s3")
    s3.put_object(Bucket=lab.bucket, Key="k", Body=b"text")
    for version in ("s3", "s3v4"):
        signer = client(lab.cloud, "s3", lab.cloud.secret, config=Config(signature_version=version))
        url = signer.generate_presigned_url("get_object", {"Bucket": lab.bucket, "Key": "k"})
        with urllib.request.urlopen(url, timeout=300) as answer:
            assert answer.read() == b"text"
    session = lab("sts").assume_role(RoleArn=lab.role, RoleSessionName="s")["Credentials"]
    assumed = client(
        lab.cloud,
        "s3",
        session["SessionToken"],
        aws_access_key_id=session["AccessKeyId"],
        aws_secret_access_key=session["SecretAccessKey"],
    )
    assert assumed.get_object(Bucket=lab.bucket, Key="k")["Body"].read() == b"text"
    stack = lab.name("signal")
    status, why = lab.stack("create", stack, {"Handle": {"Type": "AWS::CloudFormation::WaitConditionHandle"}})
    assert status == "CREATE_COMPLETE", why
    signal = json.dumps({"Status": "SUCCESS", "UniqueId": "1", "Reason": "", "Data": ""}).encode()
    handle = urllib.request.Request(
        lab.physical_ids(stack)["Handle"], signal, {"Content-Type": ""}, method="PUT"
    )
    with urllib.request.urlopen(handle, timeout=300) as answer:
        assert answer.status == 200


def test_a_custom_runtime_opens_no_second_port(lab: Lab) -> None:
    name = lab.name("function")
    lab("lambda").create_function(
        FunctionName=name,
        Runtime="provided.al2023",
        Handler="bootstrap",
        Role=lab.role_of_lambda,
        Code={"ZipFile": archive("bootstrap", "#!/bin/sh\nexit 1\n")},
    )
    answer = lab("lambda").invoke(FunctionName=name)
    assert answer["FunctionError"] == "Unhandled"
    assert "custom runtimes (provided.*) are not emulated" in answer["Payload"].read().decode()


def client(cloud: LocalCloud, service: str, token: str, **more: Any) -> Any:
    known = {"aws_access_key_id": ACCOUNT, "aws_secret_access_key": SECRET_ACCESS_KEY} | more
    return boto3.client(
        service, region_name=REGION, endpoint_url=cloud.endpoint_url, aws_session_token=token, **known
    )


def cors(headers: http.client.HTTPMessage) -> list[str]:
    return [name for name in headers if name.lower().startswith("access-control-")]


def archive(name: str, text: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as packed:
        packed.writestr(name, text)
    return buffer.getvalue()
