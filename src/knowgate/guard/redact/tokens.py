"""Secrets that are known by their form: the token formats that vendors have published."""

from __future__ import annotations

from collections.abc import Callable

from knowgate.guard.redact import values
from knowgate.guard.redact.published import is_sample
from knowgate.guard.redact.rules import Rule

_END = r"(?:[^\w-]|$)"
"""For tokens that may hold a hyphen, where `\\b` would end too early."""


def _token(kind: str, anchor: str, pattern: str, check: Callable[[str], bool] | None = values.varied) -> Rule:
    """A token that stands by itself."""
    return Rule(kind, anchor, rf"\b({pattern}){_END}", check)


def _not_masked(value: str) -> bool:
    return not values.masked(value)


def _mixed(value: str) -> bool:
    cases = (str.isdigit, str.islower, str.isupper)
    return all(any(map(case, value[2:])) for case in cases) and values.varied(value)


def _jfrog(value: str) -> bool:
    """Not an identifier such as `APClientFactory`."""
    return not values.filled_up(value) and (any(map(str.isdigit, value)) or value[3:].islower())


def _google(value: str) -> bool:
    return values.varied(value) and not is_sample(value)


_CLOUDS = (
    _token(
        "AWS_KEY", "AKIA|ASIA|ABIA|ACCA|A3T[0-9A-Z]", r"(?:AKIA|ASIA|ABIA|ACCA|A3T[0-9A-Z])[A-Z0-9]{16}", _not_masked
    ),
    Rule("AWS_KEY", "ABSK", r"\b(ABSK[A-Za-z0-9+/]{109,269}={0,2})(?:[^A-Za-z0-9+/=]|$)", None),
    Rule("AWS_KEY", "bedrock-api-key-Y", r"(bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t[\w+/=-]*)", None),
    Rule("AWS_SIGNATURE", "X-Amz-S", r"X-Amz-Signature=([0-9a-f]{64})\b", None),
    Rule("AWS_SIGNATURE", "X-Amz-S", r"X-Amz-Security-Token=([\w%+/=-]{40,})", None),
    _token("GCP_KEY", "AIzaSy", r"AIzaSy[\w-]{33}", _google),
    _token("GCP_TOKEN", r"ya29\.", r"ya29\.[\w-]{20,}"),
    _token("GCP_TOKEN", "GOCSPX-", r"GOCSPX-[\w-]{28}"),
    Rule("GCP_SIGNATURE", "X-Goog-S", r"X-Goog-Signature=([0-9a-f]{64,})\b", None),
    Rule("AZURE_SECRET", "[0-9]Q~", r"(?:^|[^\w~.-])([\w~.]{3}[0-9]Q~[\w~.-]{31,34})(?:[^\w~.-]|$)"),
    Rule("AZURE_KEY", "AccountKey=", r"AccountKey=([A-Za-z0-9+/]{86}==)", None),
    Rule("AZURE_SIGNATURE", "[?&;]sig=", r"[?&;]sig=([A-Za-z0-9%+/]{40,}={0,2})", None),
    _token("DIGITALOCEAN_TOKEN", "do[opr]_v1_", r"do[opr]_v1_[0-9a-f]{64}"),
    _token("HEROKU_KEY", "HRKU-AA", r"HRKU-AA[\w-]{58}"),
    Rule("SOFTLAYER_KEY", "api.softlayer.com/soap", r"api\.softlayer\.com/soap/v3(?:\.1)?/([a-z0-9]{64})\b", None),
)

_CODE_HOSTS = (
    _token("GITHUB_TOKEN", "gh[opusr]_", r"gh[opusr]_[A-Za-z0-9]{36,251}"),
    _token("GITHUB_TOKEN", "github_pat_", r"github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}"),
    _token("GITLAB_TOKEN", "gl(?:pat|dt|ft|soat|rt|ptt|cbt|imt|agent|oas)-", r"gl(?:pat|dt|ft|soat|rt)-[\w-]{20,50}"),
    _token("GITLAB_TOKEN", "gl(?:pat|rt)-", r"gl(?:pat|rt)-[\w-]{20,300}\.[0-9a-z]{2}\.?[0-9a-z]{7}"),
    _token("GITLAB_TOKEN", "glcbt-", r"glcbt-(?:[0-9a-fA-F]{1,5}_)?[\w-]{20}"),
    _token("GITLAB_TOKEN", "gl(?:imt|ptt)-", r"(?:glimt-[\w-]{25}|glptt-[\w-]{40})"),
    _token("GITLAB_TOKEN", "gl(?:oas|agent)-", r"(?:gloas-[\w-]{64}|glagent-[\w-]{50,1000})"),
    _token("GITLAB_TOKEN", "GR1348941", r"GR1348941[\w-]{20,50}"),
    _token("NPM_TOKEN", "npm_", r"npm_[A-Za-z0-9]{36}"),
    Rule("NPM_TOKEN", "_authToken", r"//[^\s/]+/[^\s=]{0,200}:_authToken\s*=\s*[\"']?([\w.+/=-]{20,})", None),
    _token("PYPI_TOKEN", "pypi-AgE", r"pypi-AgE[\w-]{50,}"),
    _token("RUBYGEMS_TOKEN", "rubygems_", r"rubygems_[0-9a-f]{48}"),
    _token("DOCKER_TOKEN", "dckr_", r"dckr_[op]at_[\w-]{27,32}"),
    Rule("JFROG_TOKEN", "AKC|AP[0-9A-F]", r"(?:^|[\s=:\"'])((?:AKC|AP[0-9A-F])[A-Za-z0-9]{10,})(?:[\"'\s]|$)", _jfrog),
    _token("JFROG_TOKEN", "cmVmd", r"cmVmd[A-Za-z0-9]{59}"),
    _token("SOURCEGRAPH_TOKEN", "sgp_", r"sgp_(?:[0-9a-fA-F]{16}_|local_)?[0-9a-fA-F]{40}"),
    _token("CLOJARS_TOKEN", "CLOJARS_", r"CLOJARS_[a-z0-9]{60}"),
)

_MODELS = (
    _token("KNOWGATE_KEY", "orag_", r"orag_[\w-]{43}"),
    _token("ANTHROPIC_KEY", "sk-ant-", r"sk-ant-[a-z]{2,6}[0-9]{2}-[\w-]{93}AA"),
    _token("OPENAI_KEY", "T3BlbkFJ", r"sk-[\w-]{16,200}?T3BlbkFJ[\w-]{16,200}"),
    _token("OPENROUTER_KEY", "sk-or-v1-", r"sk-or-v1-[0-9a-f]{64}"),
    _token("MODEL_KEY", "sk-[0-9a-f]{6}", r"sk-[0-9a-f]{32}"),
    _token("HUGGINGFACE_TOKEN", "hf_|api_org_", r"(?:hf|api_org)_[A-Za-z0-9]{34}"),
    _token("PERPLEXITY_KEY", "pplx-", r"pplx-[A-Za-z0-9]{48}"),
    _token("GROQ_KEY", "gsk_", r"gsk_[A-Za-z0-9]{52}"),
    _token("XAI_KEY", "xai-", r"xai-[A-Za-z0-9]{70,}"),
    _token("REPLICATE_TOKEN", "r8_", r"r8_[A-Za-z0-9]{37}"),
)

_SERVICES = (
    _token("SLACK_TOKEN", "xox[a-z]-", r"xox[abeoprs]-(?:[0-9]-)?(?:[0-9]{6,}-)+[A-Za-z0-9]{14,}"),
    _token("SLACK_TOKEN", "xoxe", r"xoxe(?:\.xox[bp])?-[0-9]-[A-Za-z0-9]{140,170}"),
    _token("SLACK_TOKEN", "xapp-", r"xapp-[0-9]-[A-Z0-9]+-[0-9]+-[A-Za-z0-9]{30,}"),
    Rule(
        "SLACK_WEBHOOK", "hooks.slack.com", r"hooks\.slack\.com/(?:services|workflows|triggers)/([\w+/]{36,70})", None
    ),
    Rule("DISCORD_WEBHOOK", "/api/webhooks/", r"discord(?:app)?\.com/api/webhooks/([0-9]{17,20}/[\w-]{60,80})", None),
    Rule("TEAMS_WEBHOOK", "webhook.office.com", r"webhook\.office\.com/webhookb2/([\w@/-]{60,})", None),
    _token("STRIPE_KEY", "[rs]k_(?:live|test|prod)_", r"[rs]k_(?:live|test|prod)_[A-Za-z0-9]{10,250}"),
    _token("STRIPE_KEY", "whsec_", r"whsec_[A-Za-z0-9+/]{32,}"),
    _token("SENDGRID_KEY", r"SG\.", r"SG\.[\w-]{22}\.[\w-]{43}"),
    _token("TWILIO_KEY", "SK[0-9a-f]{6}", r"SK[0-9a-f]{32}"),
    _token("MAILCHIMP_KEY", "-us[0-9]", r"[0-9a-f]{32}-us[0-9]{1,2}"),
    _token("MAILGUN_KEY", "key-[0-9a-f]", r"key-[0-9a-f]{32}"),
    _token("BREVO_KEY", "xkeysib-", r"xkeysib-[0-9a-f]{64}-[A-Za-z0-9]{16}"),
    Rule("TELEGRAM_TOKEN", ":AA", rf"(?:^|[^\w:]|/bot)([0-9]{{8,10}}:AA[\w-]{{33}}){_END}"),
    Rule(
        "DISCORD_TOKEN",
        r"[\w-]{8}\.[\w-]{6}\.[\w-]{12}",
        r"([MNO][A-Za-z0-9_-]{23,25}\.[\w-]{6}\.[\w-]{27,38})",
        _mixed,
    ),
    Rule("FACEBOOK_TOKEN", r"[0-9]\|", rf"\b([0-9]{{15,16}}\|[\w-]{{27,40}}){_END}"),
    _token("FACEBOOK_TOKEN", "EAA[A-Z]", r"EAA[A-Z][A-Za-z0-9]{80,}"),
    _token("SHOPIFY_TOKEN", "shp(?:at|ca|pa|ss)_", r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"),
    _token("SQUARE_TOKEN", "sq0|EAAA", r"(?:sq0(?:atp|csp|idp)-[\w-]{22,43}|EAAA[\w-]{60})"),
    _token("NOTION_TOKEN", "ntn_", r"ntn_[0-9]{11}[A-Za-z0-9]{35}"),
    _token("NOTION_TOKEN", "secret_", r"secret_[A-Za-z0-9]{43}"),
    _token("LINEAR_KEY", "lin_", r"lin_(?:api|oauth)_[A-Za-z0-9]{40,64}"),
    _token("ATLASSIAN_TOKEN", "AT[AC]TT3", r"AT[AC]TT3[\w=-]{60,}"),
    _token("AIRTABLE_TOKEN", "pat[A-Za-z0-9]{14}[.]", r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
    _token("FIGMA_TOKEN", "figd_", r"figd_[\w-]{40,}"),
    _token("POSTMAN_KEY", "PMAK-", r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}"),
    _token("README_KEY", "rdme_", r"rdme_[a-z0-9]{70}"),
    _token("SENTRY_TOKEN", "sntry[su]_", r"(?:sntryu_[0-9a-f]{64}|sntrys_eyJ[\w+/=-]{60,})"),
    _token("NEWRELIC_KEY", "NRAK-|NRII-|NRJS-", r"(?:NRAK-[A-Z0-9]{27}|NRII-[\w-]{32}|NRJS-[0-9a-f]{19})"),
    _token("GRAFANA_TOKEN", "glsa_", r"glsa_[A-Za-z0-9]{32}_[0-9A-Fa-f]{8}"),
    Rule("GRAFANA_TOKEN", "glc_", r"\b(glc_[A-Za-z0-9+/]{32,400}={0,3})(?:[^A-Za-z0-9+/=]|$)"),
    _token("DYNATRACE_TOKEN", "dt0c01", r"dt0c01\.[A-Z0-9]{24}\.[A-Z0-9]{64}"),
    _token("LAUNCHDARKLY_KEY", "(?:sdk|api)-[0-9a-f]{8}-", r"(?:sdk|api)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
    _token("EASYPOST_KEY", "EZ[AT]K", r"EZ[AT]K[A-Za-z0-9]{54}"),
    _token("SHIPPO_TOKEN", "shippo_", r"shippo_(?:live|test)_[0-9a-f]{40}"),
    _token("MAPBOX_TOKEN", "sk.eyJ", r"sk\.eyJ[\w-]{60,}\.[\w-]{20,}"),
    _token("RESEND_KEY", "re_[A-Za-z0-9]{8}_", r"re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}"),
    _token("INTRA42_SECRET", "s-s4t2", r"s-s4t2(?:ud|af)-[0-9a-f]{64}"),
)

_OPERATIONS = (
    _token("VAULT_TOKEN", r"hv[bsr]\.", r"hv[bsr]\.[\w-]{24,}"),
    _token("VAULT_TOKEN", r"\bs\.[A-Za-z0-9]{8}", r"s\.[A-Za-z0-9]{24}", _mixed),
    _token("TERRAFORM_TOKEN", r"atlasv1", r"[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,70}"),
    _token("DATABRICKS_TOKEN", "dapi[0-9a-f]", r"dapi[0-9a-f]{32}(?:-[0-9])?"),
    _token("DOPPLER_TOKEN", r"dp\.", r"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[\w-]{2,35}\.)?[A-Za-z0-9]{40,44}"),
    _token("PULUMI_TOKEN", "pul-", r"pul-[0-9a-f]{40}"),
    _token("PREFECT_KEY", "pn[ub]_", r"pn[ub]_[A-Za-z0-9]{36}"),
    _token("FLYIO_TOKEN", "fo1_|fm[12]", r"(?:fo1_[\w-]{43}|fm[12][ar]?_[A-Za-z0-9+/]{100,}={0,3})"),
    _token("OPENSHIFT_TOKEN", "sha256~", r"sha256~[\w-]{43}"),
    _token("OCTOPUS_KEY", "API-[A-Z0-9]{8}", r"API-[A-Z0-9]{26}", lambda value: values.opaque(value[4:], 26)),
    _token("PLANETSCALE_TOKEN", "pscale_", r"pscale_(?:tkn|pw|oauth)_[\w.-]{32,64}"),
    _token("SUPABASE_KEY", "sbp_|sb_secret_", r"(?:sbp_[0-9a-f]{40}|sb_secret_[\w-]{20,})"),
    Rule("INFRACOST_KEY", "ico-", rf"(?:^|[^\w.-])(ico-[A-Za-z0-9]{{32}}){_END}"),
    _token("TAILSCALE_KEY", "tskey-", r"tskey-[a-z]+-[\w-]{20,}"),
    _token("ONEPASSWORD_TOKEN", "ops_eyJ", r"ops_eyJ[A-Za-z0-9+/]{200,}={0,3}"),
    _token("ONEPASSWORD_KEY", "A3-", r"A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}"),
    _token("AGE_KEY", "AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[0-9A-Z]{58}"),
)

TOKENS = (*_CLOUDS, *_CODE_HOSTS, *_MODELS, *_SERVICES, *_OPERATIONS)
