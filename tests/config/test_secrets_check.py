"""Made-up credentials in pieces, so that no scanner of this repository takes them for real ones."""

import re
from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies

from sizewell.config.secret_shapes import token_shown
from sizewell.config.secrets_check import check_secrets
from sizewell.config.tree import Node, Position
from sizewell.facts.secret_tokens import ANYWHERE, AT_A_WORD


def shown(key: str, value: Any) -> list[str | None]:
    at = Position("f.yaml", 1, 1)
    return [fault.value for fault in check_secrets(Node({key: Node(value, at)}, at))]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("AKIA" + "Q" * 16, "AKIA…(20 characters)"),
        ("gh" + "p_" + "a" * 36, "ghp_…(40 characters)"),
        ("github" + "_pat_" + "a" * 30, "github_pat_…(41 characters)"),
        ("hf" + "_" + "a" * 34, "hf_…(37 characters)"),
        ("xox" + "b-" + "1" * 12, "xoxb-…(17 characters)"),
        ("sk" + "-proj-" + "a" * 30, "sk-…(38 characters)"),
        ("wJal" + "rXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY12", "…(40 characters)"),
        ("-----BEGIN RSA " + "PRIVATE KEY-----\nMIIB", "-----BEGIN…(36 characters)"),
        ("postgres://app:" + "hunter2@db/x", "postgres://…(27 characters)"),
    ],
)
def test_secret_is_found_whatever_the_key(value: str, expected: str) -> None:
    assert shown("ANY", value) == [expected]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("PGPASSWORD", "hunter2"),
        ("DB_PASS", "hunter2"),
        ("MYSQL_PWD", "hunter2"),
        ("ACCESSTOKEN", "abcdef"),
        ("REDISCLI_AUTH", "abcdef"),
        ("PASSWORD", "12345678"),
        ("password", 12345678),
        ("CACHE", "redis://:" + "pw@cache:6379/0"),
        ("DSN", " postgres://app:" + "pw@db/x"),
        ("URL", "jdbc:postgresql://db/x?user=app&password=" + "pw"),
        ("URL", "Server=db;User Id=app;Pwd=" + "pw"),
        ("SESSION", "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxIn0.c2lnbmF0dXJl"),
        ("PAY", "sk_" + "live_" + "a1" * 12),
        ("NPM", "npm" + "_" + "a1" * 18),
        ("LINE", "//registry.example/:_authToken=" + "abc"),
        ("DOCKER", "dckr" + "_pat_" + "a1" * 14),
        ("UPLOAD", "pypi" + "-" + "A1" * 40),
        ("BOT", "xapp" + "-1-" + "A1" * 10),
        ("ARGUMENTS", "--user=app --password=" + "pw"),
        ("SETTINGS", '{"user": "app", "password": "' + 'pw"}'),
        ("ARGUMENTS", "train.py --password " + "pw --epochs 3"),
        ("ARGUMENTS", "serve --db-password '" + "pw' "),
        ("HEADERS", "Authorization: Bearer " + "a1b2c3d4e5f6a7b8"),
        ("HEADERS", "authorization: basic " + "YXBwOmh1bnRlcjI="),
        ("NETRC", "machine example.com\n  login app\n  password " + "pw"),
        ("NETRC", "default login app password " + "pw"),
        ("FETCH", "curl -s -u app:" + "pw https://example.com/a"),
        ("LINK", "https://x.blob.core.windows.net/a?sv=2024-11-04&se=2027-01-01&sr=c&sig=" + "aB3%2F" * 11),
        ("LINK", "https://b.s3.amazonaws.com/k?X-Amz-Expires=60&X-Amz-Signature=" + "0a" * 32),
        ("STORE", "Endpoint=sb://x/;SharedAccessKeyName=n;SharedAccessKey=" + "a1B2" * 11),
        ("HOOK", "https://discord.com/api/webhooks/" + "1" * 18 + "/" + "aB3-" * 17),
        ("HOOK", "https://hooks.slack.com/triggers/" + "T0A1/1234567/" + "a1" * 16),
        ("HOOK", "https://x.webhook.office.com/webhookb2/" + "0a1b2c3d-" * 4 + "@".join(["", "a1"])),
        ("DD_APP_KEY", "0a" * 20),
        ("LINK", "https://files.example/a?token=" + "a1b2c3d4e5f6a7b8"),
        ("STORE", "DefaultEndpointsProtocol=https;AccountKey=" + "a1B2" * 22),
    ],
)
def test_secret_is_found_by_its_form_its_name_or_what_is_assigned(key: str, value: Any) -> None:
    (text,) = shown(key, value)
    assert text is not None
    assert text.endswith(f"…({len(str(value))} characters)")
    assert "pw" not in text


def test_secret_behind_a_flag_of_a_command() -> None:
    at = Position("f.yaml", 1, 1)
    command = ["python", "train.py", "--password", "hunter2", "--epochs", "3"]
    root = Node({"command": Node([Node(part, at) for part in command], at)}, at)
    assert [fault.key_path for fault in check_secrets(root)] == [("command", "3")]


def test_secret_in_place_of_a_key_is_never_printed(message_for: Callable[[str], str]) -> None:
    secret = "gh" + "p_" + "a1" * 18
    container = "workloads:\n  support-bert:\n    container:\n      "
    for text in (
        f"{container}environment: {{{secret}: x}}\n",
        f"{secret}: x\n",
        f"policy: {{{secret}: {{a: 1}}}}\n",
        f"policy: {{region: &{secret} x, account: *{secret}x}}\n",
        f"policy: {{region: !{secret} x}}\n",
        f"storage: {{checkpoint_expiry_days: null, {secret}: null}}\n",
    ):
        message = message_for(text)
        assert secret not in message
        assert "ghp_…" in message


@pytest.mark.parametrize(
    "plugin",
    [
        "artifactory.ArtifactoryDetector",
        "azure_storage_key.AzureStorageKeyDetector",
        "discord.DiscordBotTokenDetector",
        "github_token.GitHubTokenDetector",
        "gitlab_token.GitLabTokenDetector",
        "mailchimp.MailchimpDetector",
        "npm.NpmDetector",
        "openai.OpenAIDetector",
        "private_key.PrivateKeyDetector",
        "pypi_token.PypiTokenDetector",
        "sendgrid.SendGridDetector",
        "square_oauth.SquareOAuthDetector",
        "stripe.StripeDetector",
        "telegram_token.TelegramBotTokenDetector",
        "twilio.TwilioKeyDetector",
    ],
)
def test_every_token_that_detect_secrets_knows(plugin: str) -> None:
    module, _, name = plugin.partition(".")
    detector = getattr(import_module(f"detect_secrets.plugins.{module}"), name)()
    printable = strategies.characters(min_codepoint=32, max_codepoint=126)
    for pattern in detector.denylist:

        @settings(max_examples=20, derandomize=True, suppress_health_check=list(HealthCheck))
        @given(strategies.from_regex(pattern, fullmatch=True, alphabet=printable))
        def is_found(token: str) -> None:
            assert token_shown(token) is not None

        is_found()


#: By issuer, a token in pieces: what may be shown, and the rest.
OF_ISSUERS = {
    "Anthropic": ("sk-", "ant-api03-" + "aB3_" * 23 + "AA"),
    "Atlassian": ("ATATT3", "xFfGF0" + "aB3_" * 45),
    "Cloudflare": ("cfut_", "aB3d" * 12),
    "Databricks": ("dapi", "0a" * 16),
    "DigitalOcean": ("doo_v1_", "0a" * 32),
    "Doppler": ("dp.pt.", "a" * 43),
    "Google": ("AIza", "aB3_-" * 7),
    "Grafana": ("glc_", "aB3d" * 10),
    "Mailgun": ("key-", "0a" * 16),
    "New Relic": ("NRAK-", "A1B2C3D4E5F6G7H8I9J0K1L2M3N"),
    "Notion": ("ntn_", "1" * 11 + "a" * 35),
    "npm": ("npm_", "aB3d" * 9),
    "Perplexity": ("pplx-", "aB3d" * 12),
    "Pulumi": ("pul-", "0a" * 20),
    "PyPI": ("pypi-", "AgEIcHlwaS5vcmc" + "aB3_" * 20),
    "RubyGems": ("rubygems_", "0a" * 24),
    "Sentry": ("sntryu_", "0a" * 32),
    "Shopify": ("shpss_", "0a" * 16),
    "Stripe": ("rk_live_", "aB3d" * 6),
    "Weights & Biases": ("wandb_v1_", "aB3d_" * 15),
}


@pytest.mark.parametrize("issuer", OF_ISSUERS)
def test_token_of_an_issuer(issuer: str) -> None:
    shown, rest = OF_ISSUERS[issuer]
    assert token_shown(shown + rest) == shown
    assert token_shown(f"--header={shown}{rest} --more") == shown


def test_every_shape_is_compiled_and_says_where_it_is_from() -> None:
    for shape in (*AT_A_WORD, *ANYWHERE):
        assert "shown" in re.compile(shape.pattern).groupindex, shape
        assert shape.issuer, shape
        assert len(shape.source) >= 8, shape


@pytest.mark.parametrize(
    "key", ["HF_TOKEN", "CLIENT_SECRET", "DB_PASSWORD", "WANDB_API_KEY", "password", "AWS_SECRET_ACCESS_KEY"]
)
def test_literal_behind_a_key_of_secrets(key: str) -> None:
    assert shown(key, "abc") == ["…(3 characters)"]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("HF_TOKEN", "arn:aws:secretsmanager:us-east-1:111122223333:secret:hf-AbCdEf"),
        ("DB_PASSWORD", "arn:aws-cn:ssm:cn-north-1:111122223333:parameter/db"),
        ("DB_PASSWORD", "{{resolve:secretsmanager:db:SecretString:password}}"),
        ("HF_TOKEN", ""),
        ("pad_token", "<pad>"),
        ("mask_token", "[MASK]"),
        ("eos_token", "<|end_of_text|>"),
        ("max_token", 512),
        ("max_new_tokens", 512),
        ("use_token", True),
        ("TOKENIZERS_PARALLELISM", "false"),
        ("MODEL", "meta-llama/Llama-3.1-8B-Instruct"),
        ("COMMIT", "0123456789abcdef0123456789abcdef01234567"),
        ("key", "models/support/model.tar.gz"),
        ("HF_HUB_DISABLE_IMPLICIT_TOKEN", "1"),
        ("MAX_TOKEN", "512"),
        ("MAX_TOTAL_TOKENS", "4096"),
        ("USE_AUTH_TOKEN", "True"),
        ("HF_TOKEN_PATH", "/opt/ml/token"),
        ("GOOGLE_APPLICATION_CREDENTIALS", "/opt/ml/input/gcp.json"),
        ("DB_PASSWORD", "${DB_PASSWORD}"),
        ("OPENAI_API_KEY", "EMPTY"),
        ("API_KEY", "none"),
        ("BYPASS", "abc"),
        ("num_pass", 3),
        ("single_pass", "3"),
        ("pad_token", "[PAD]"),
        ("eos_token", "</s>"),
        ("stop_token", "###"),
        ("image_token", "<image>"),
        ("next_token", "word"),
        ("special_token", "<|reserved_special_token_12|>"),
        ("sort_key", "name"),
        ("primary_key", "id"),
        ("S3_KEY", "a/b.tar.gz"),
        ("tokenizer", "fast"),
        ("PASSWORD_FILE", "/run/secrets/db"),
        ("SECRET_NAME", "prod/db"),
        ("SECRET_ARN", "arn:aws:secretsmanager:us-east-1:111122223333:secret:db-AbCdEf"),
        ("API_KEY_HEADER", "X-Api-Key"),
        ("description", "Predicts the next token: fast"),
        ("description", "Resets a password = no"),
        ("ARGUMENTS", "--max-token=512 --use-token=true"),
        ("TAG", "2.6.0-transformers4.49.0-gpu-py312-cu124-ubuntu22.04"),
        ("DIGEST", "sha256:" + "0123456789abcdef" * 4),
        ("MODEL", "TheBloke/Mistral-7B-Instruct-v0.2-GPTQ"),
        ("UUID", "123e4567-e89b-12d3-a456-426614174000"),
        ("PUBLIC_KEY", "/etc/ssl/public.pem"),
        ("KMS_KEY", "alias/data"),
        ("AWS_ACCESS_KEY_ID_PARAMETER", "/prod/key"),
        ("URL", "https://example.com:8080/path@v1"),
        ("description", "Basic authentication of the gateway, with bearer tokens of the company"),
        ("description", "The default login page, and password reset"),
        ("description", "Basic PyTorchInference and Basic DataProcessing"),
        ("HEADERS", "Authorization: Bearer"),
        ("ARGUMENTS", "train.py --token-column text --pad-token [PAD] --max-tokens 512 --auth none"),
        ("ARGUMENTS", "train.py --password-file /run/secrets/db --epochs 3"),
        ("RUN", "docker run --user app:staff image"),
        ("LINK", "https://hooks.slack.com/help"),
        ("LINK", "https://example.com/a?sv=1&sig=none"),
        ("ROLE", "arn:aws:iam::111122223333:role/company/AWSReservedSSO_admin_0a1b2c3d4e5f6a7b"),
        ("KEY", "arn:aws:kms:us-east-1:111122223333:key/mrk-0123456789abcdef0123456789abcdef"),
        ("IMAGE", "763104351884.dkr.ecr.us-east-1.amazonaws.com/vllm@sha256:" + "0123456789abcdef" * 4),
        ("S3", "s3://company-models/skip-connections/sk-learn/model.tar.gz"),
        ("CRON", "cron(0 3 ? * MON-FRI *)"),
        ("MODEL", "sentence-transformers/paraphrase-multilingual-mpnet-base-v2"),
        ("MODEL", "stabilityai/sk-diffusion-xl"),
        ("ENTRY", "djl_python.lmi_vllm.vllm_async_service"),
        ("metric", "val_loss=([0-9.]+)"),
        ("wrap_key", "name"),
    ],
)
def test_what_is_no_secret(key: str, value: Any) -> None:
    assert shown(key, value) == []


def test_secret_in_a_list() -> None:
    at = Position("f.yaml", 1, 1)
    root = Node({"emails": Node([Node("hf" + "_" + "a" * 34, at)], at)}, at)
    assert [fault.key_path for fault in check_secrets(root)] == [("emails", "0")]


@pytest.mark.parametrize("value", ["${Token[TOKEN.1]}", "x-${Token[AWS.Region.4]}-y", "#{Token[TOKEN.2]}"])
def test_cdk_token_is_a_fault(value: str) -> None:
    assert shown("BUCKET", value) == [None]
