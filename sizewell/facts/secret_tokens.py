"""What the credentials of each issuer look like: a prefix, an alphabet and a length.

Sources: pages of the issuers on the format of their tokens, RFCs, and the rules of two scanners, read as facts on 2026-11-24:
gitleaks (https://github.com/gitleaks/gitleaks/blob/master/config/gitleaks.toml, by the id of its rule) and detect-secrets
(https://github.com/Yelp/detect-secrets/tree/master/detect_secrets/plugins, by its plugin).
"""

from typing import NamedTuple


class TokenShape(NamedTuple):
    """A form of credentials; what is in the group ``shown`` says which kind it is, and may be shown."""

    issuer: str
    pattern: str
    source: str


_GITHUB = "GitHub, About authentication to GitHub: GitHub's token formats"
_GITLAB = "GitLab, Token overview: Token prefixes"
#: Tokens that begin where a word begins.
AT_A_WORD = (
    TokenShape(
        "AWS", r"(?P<shown>AKIA|ASIA|A3T[A-Z0-9]|ABIA|ACCA)[A-Z0-9]{16}\b", "AWS IAM guide, IAM identifiers"
    ),
    TokenShape("GitHub", r"(?P<shown>gh[pousr]_)[A-Za-z0-9_]{36,}", _GITHUB),
    TokenShape("GitHub", r"(?P<shown>github_pat_)[A-Za-z0-9_]{22,}", _GITHUB),
    TokenShape(
        "GitLab",
        r"(?P<shown>gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat|ffct)-)[A-Za-z0-9_-]{20,}",
        _GITLAB,
    ),
    TokenShape("GitLab", r"(?P<shown>GR1348941)[A-Za-z0-9_-]{20,}", _GITLAB),
    TokenShape(
        "Hugging Face", r"(?P<shown>hf_|api_org_)[A-Za-z0-9]{30,}", "Hugging Face, User access tokens"
    ),
    TokenShape("Slack", r"(?P<shown>xox[a-z]-|xapp-)[A-Za-z0-9-]{10,}", "Slack, Token types"),
    TokenShape(
        "Stripe",
        r"(?P<shown>[sr]k_(?:live|test|prod)_|whsec_)[A-Za-z0-9]{10,}",
        "Stripe, API keys; gitleaks: stripe-access-token",
    ),
    TokenShape(
        "OpenAI, Anthropic",
        r"(?P<shown>sk-)[A-Za-z0-9_-]{20,}",
        "gitleaks: openai-api-key, anthropic-api-key, anthropic-admin-api-key",
    ),
    TokenShape("Perplexity", r"(?P<shown>pplx-)[A-Za-z0-9]{40,}", "gitleaks: perplexity-api-key"),
    TokenShape("NVIDIA", r"(?P<shown>nvapi-)[A-Za-z0-9_-]{20,}", "NVIDIA NGC, API keys"),
    TokenShape(
        "Weights & Biases",
        r"(?P<shown>wandb_v1_)[A-Za-z0-9_]{40,}",
        "unproven: no page of the issuer; seen in public scripts",
    ),
    TokenShape("Google", r"(?P<shown>AIza)[A-Za-z0-9_-]{35}", "gitleaks: gcp-api-key"),
    TokenShape("Google", r"(?P<shown>GOCSPX-|ya29\.)[A-Za-z0-9_-]{20,}", "Google Cloud, OAuth"),
    TokenShape("npm", r"(?P<shown>npm_)[A-Za-z0-9]{36}", "gitleaks: npm-access-token"),
    TokenShape(
        "PyPI", r"(?P<shown>pypi-)[A-Za-z0-9_-]{50,}", "PyPI, API tokens; gitleaks: pypi-upload-token"
    ),
    TokenShape("RubyGems", r"(?P<shown>rubygems_)[0-9a-f]{48}", "gitleaks: rubygems-api-token"),
    TokenShape("Docker", r"(?P<shown>dckr_[po]at_)[A-Za-z0-9_-]{20,}", "Docker, Access tokens"),
    TokenShape("Databricks", r"(?P<shown>dapi)[0-9a-f]{32}", "gitleaks: databricks-api-token"),
    TokenShape(
        "DigitalOcean",
        r"(?P<shown>do[opr]_v1_)[0-9a-f]{64}",
        "gitleaks: digitalocean-pat, digitalocean-access-token, digitalocean-refresh-token",
    ),
    TokenShape(
        "Shopify",
        r"(?P<shown>shp(?:at|ca|pa|ss)_)[0-9A-Fa-f]{32}",
        "gitleaks: shopify-access-token, shopify-custom-access-token, shopify-private-app-access-token, shopify-shared-secret",
    ),
    TokenShape(
        "Cloudflare",
        r"(?P<shown>cf(?:k|ut|at)_)[A-Za-z0-9]{40,}",
        "https://developers.cloudflare.com/fundamentals/api/get-started/token-formats",
    ),
    TokenShape(
        "Cloudflare", r"(?P<shown>v1\.0-)[0-9a-f]{24}-[0-9a-f]{146}", "gitleaks: cloudflare-origin-ca-key"
    ),
    TokenShape(
        "New Relic",
        r"(?P<shown>NR(?:AK|II|JS)-)[A-Za-z0-9-]{19,}",
        "gitleaks: new-relic-user-api-key, new-relic-insert-key, new-relic-browser-api-token",
    ),
    TokenShape("Atlassian", r"(?P<shown>ATATT3)[A-Za-z0-9_=-]{60,}", "gitleaks: atlassian-api-token"),
    TokenShape("Notion", r"(?P<shown>ntn_)[0-9]{11}[A-Za-z0-9]{35}", "gitleaks: notion-api-token"),
    TokenShape("Linear", r"(?P<shown>lin_api_)[A-Za-z0-9]{40}", "gitleaks: linear-api-key"),
    TokenShape("Postman", r"(?P<shown>PMAK-)[0-9a-f]{24}-[0-9a-f]{34}", "gitleaks: postman-api-token"),
    TokenShape("Prefect", r"(?P<shown>pnu_)[A-Za-z0-9]{36}", "gitleaks: prefect-api-token"),
    TokenShape("Pulumi", r"(?P<shown>pul-)[0-9a-f]{40}", "gitleaks: pulumi-api-token"),
    TokenShape("Doppler", r"(?P<shown>dp\.pt\.)[A-Za-z0-9]{43}", "gitleaks: doppler-api-token"),
    TokenShape(
        "Dynatrace", r"(?P<shown>dt0c01\.)[A-Za-z0-9]{24}\.[A-Za-z0-9]{64}", "gitleaks: dynatrace-api-token"
    ),
    TokenShape(
        "PlanetScale",
        r"(?P<shown>pscale_(?:tkn|oauth|pw)_)[A-Za-z0-9_=.-]{32,}",
        "gitleaks: planetscale-api-token",
    ),
    TokenShape("Sentry", r"(?P<shown>sntryu_)[0-9a-f]{64}", "gitleaks: sentry-user-token"),
    TokenShape("Sentry", r"(?P<shown>sntrys_)eyJ[A-Za-z0-9+/=_-]{40,}", "gitleaks: sentry-org-token"),
    TokenShape("Sourcegraph", r"(?P<shown>sgp_)[A-Za-z0-9_]{40,}", "gitleaks: sourcegraph-access-token"),
    TokenShape(
        "1Password", r"(?P<shown>ops_)eyJ[A-Za-z0-9+/=]{60,}", "gitleaks: 1password-service-account-token"
    ),
    TokenShape("age", r"(?P<shown>AGE-SECRET-KEY-1)[A-Z0-9]{58}", "gitleaks: age-secret-key"),
    TokenShape("Alibaba Cloud", r"(?P<shown>LTAI)[A-Za-z0-9]{20}\b", "gitleaks: alibaba-access-key-id"),
    TokenShape("Brevo", r"(?P<shown>xkeysib-)[0-9a-f]{64}-[A-Za-z0-9]{16}", "gitleaks: sendinblue-api-token"),
    TokenShape(
        "Replicate, Groq, HashiCorp Vault, Grafana, LangSmith, Pinecone",
        r"(?P<shown>r8_|gsk_|hvs\.|gl(?:sa|c)_|lsv2_[a-z]+_|pcsk_)[A-Za-z0-9_-]{30,}",
        "pages of each issuer on its tokens",
    ),
    TokenShape(
        "SendGrid", r"(?P<shown>SG\.)[A-Za-z0-9_-]{20,24}\.[A-Za-z0-9_-]{39,50}", "detect-secrets: sendgrid"
    ),
    TokenShape("Twilio", r"(?P<shown>SK|AC)[0-9a-z]{32}\b", "detect-secrets: twilio"),
    TokenShape("Mailchimp", r"(?P<shown>)[0-9a-z]{32}-us[0-9]{1,2}\b", "detect-secrets: mailchimp"),
    TokenShape(
        "Mailgun", r"(?P<shown>(?<![\w-])(?:pub)?key-)[0-9a-f]{32}\b", "gitleaks: mailgun-private-api-token"
    ),
    TokenShape(
        "Square", r"(?P<shown>sq0csp-|sq0atp-|EAAA)[A-Za-z0-9_\\-]{43,60}", "detect-secrets: square_oauth"
    ),
    TokenShape("Telegram", r"(?P<shown>)[0-9]{8,10}:[A-Za-z0-9_-]{35}", "detect-secrets: telegram_token"),
    TokenShape(
        "Discord",
        r"(?P<shown>)[MNO][A-Za-z0-9_-]{23,25}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,38}",
        "detect-secrets: discord",
    ),
    TokenShape(
        "an HTTP header",
        r"(?P<shown>(?i:bearer)\s+)(?=[A-Za-z._~+/=-]*[0-9])[A-Za-z0-9._~+/=-]{16,}",
        "https://www.rfc-editor.org/rfc/rfc6750#section-2.1",
    ),
    TokenShape(
        "an HTTP header",
        # Base64 of ASCII: the first bit of each byte is 0, and with it one bit of each of the first three characters of four.
        r"(?P<shown>(?i:basic)\s+)"
        r"(?:[A-Za-f][A-HQ-Xg-nw-z0-3][ABEFIJMNQRUVYZcdghklopstwx014589][A-Za-z0-9+/]){2,}[A-Za-z0-9+/]{0,3}={0,2}(?=\W|$)",
        "https://www.rfc-editor.org/rfc/rfc7617#section-2",
    ),
    TokenShape(
        ".netrc",
        r"(?P<shown>machine|default)(?:\s+\S+)?\s+login\s+\S+\s+password\s+\S+",
        "netrc(5)",
    ),
    TokenShape(
        "Azure",
        r"(?P<shown>AccountKey=|SharedAccessKey=)[A-Za-z0-9+/=]{20,}",
        "Azure Storage and Service Bus, connection strings; detect-secrets: azure_storage_key",
    ),
)
#: Tokens that begin anywhere.
ANYWHERE = (
    TokenShape(
        "curl",
        r"\bcurl\b[^\n]*?\s(?P<shown>-u|--user)[\s=]+[\"']?[^\s:\"'$]+:[^\s:\"'$]+",
        "gitleaks: curl-auth-user",
    ),
    TokenShape(
        "Slack",
        r"(?P<shown>hooks\.slack\.com/(?:services|workflows|triggers)/)\w+/\w+/\w+",
        "gitleaks: slack-webhook-url",
    ),
    TokenShape(
        "Discord",
        r"(?P<shown>discord(?:app)?\.com/api/webhooks/)[0-9]+/[A-Za-z0-9_-]{20,}",
        "Discord, Webhook resource: a webhook is called by its id and its token",
    ),
    TokenShape(
        "Microsoft Teams",
        r"(?P<shown>\.webhook\.office\.com/webhookb2/)[0-9a-f-]{36}@\S+",
        "gitleaks: microsoft-teams-webhook",
    ),
    TokenShape(
        "Azure",
        r"(?P<shown>[?&;]sig=)(?:[A-Za-z0-9/+]|%[0-9A-Fa-f]{2}){40,}",
        "https://learn.microsoft.com/azure/storage/common/storage-sas-overview",
    ),
    TokenShape(
        "Microsoft Entra",
        r"(?:^|(?<=[\s=:\"']))(?P<shown>)[A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}(?=[\s\"',]|$)",
        "gitleaks: azure-ad-client-secret",
    ),
    TokenShape(
        "AWS, Google",
        r"(?P<shown>X-(?:Amz|Goog)-Signature=)[0-9a-f]{64,}",
        "Amazon S3 API reference, Authenticating requests: using query parameters",
    ),
    TokenShape("npm", r"(?P<shown>_authToken=\s*)\S+", "npm, About access tokens"),
    TokenShape(
        "JFrog",
        r"(?:^|[\s=:\"'])(?P<shown>AKC[a-zA-Z0-9]|AP[0-9A-F])[a-zA-Z0-9]{8,}(?=[\s\"]|$)",
        "detect-secrets: artifactory",
    ),
    TokenShape(
        "a JSON Web Token",
        r"(?<![A-Za-z0-9_-])(?P<shown>eyJ)[A-Za-z0-9_-]++\.eyJ[A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]*)?",
        "https://www.rfc-editor.org/rfc/rfc7519",
    ),
    TokenShape(
        "a private key",
        r"(?P<shown>(?:-----)?BEGIN) (?:[A-Z0-9]+ )*PRIVATE KEY|PuTTY-User-Key-File",
        "https://www.rfc-editor.org/rfc/rfc7468",
    ),
    TokenShape(
        "a URL",
        r"(?P<shown>(?:\b[A-Za-z][A-Za-z0-9+.-]{0,30})?://)[^/\s:@]*+:[^/\s@]+@",
        "https://www.rfc-editor.org/rfc/rfc3986#section-3.2.1",
    ),
    # A secret access key has no prefix: 40 characters of base64, of all three kinds.
    TokenShape(
        "AWS",
        r"^\s*+(?P<shown>)(?=\S*[a-z])(?=\S*[A-Z])(?=\S*[0-9])[A-Za-z0-9/+]{40}\s*$",
        "detect-secrets: aws",
    ),
)
