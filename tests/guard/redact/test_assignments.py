"""Values in plain text that are secret because of the name before them."""

import pytest

from knowgate.guard.redact import Redactor, RedactRules

REDACTOR = Redactor()


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("password=Tr0ub4dor&3", "password=[REDACTED:PASSWORD]&3"),
        ("DB_PASSWORD: 'hunter2!'", "DB_PASSWORD: '[REDACTED:PASSWORD]'"),
        ('{"password":"letmein"}', '{"password":"[REDACTED:PASSWORD]"}'),
        ('say \\"api_key\\": \\"k8Jd72hsKq01Zx\\"', 'say \\"api_key\\": \\"[REDACTED:KEY]\\"'),
        ("api_key := k8Jd72hsKq01Zx", "api_key := [REDACTED:KEY]"),
        ("--client-secret k8Jd72hsKq01Zx --verbose", "--client-secret [REDACTED:SECRET] --verbose"),
        ("<password>S3cr3t!</password>", "<password>[REDACTED:PASSWORD]</password>"),
        ("Authorization: Bearer k8Jd72hsKq01Zx", "Authorization: Bearer [REDACTED:AUTHORIZATION]"),
        ("authorization: Basic dXNlcjpwYXNz", "authorization: Basic [REDACTED:AUTHORIZATION]"),
        ("https://x.org/a?q=1&access_token=short#top", "https://x.org/a?q=1&access_token=[REDACTED:TOKEN]"),
        ("postgres://app:pa55@db/app", "postgres://app:[REDACTED:PASSWORD]@db/app"),
        ("Server=db;User=sa;Password=P4ss!word;", "Server=db;User=sa;Password=[REDACTED:PASSWORD];"),
        ("curl -u elastic:P4ss!word https://x.org", "curl -u [REDACTED:PASSWORD] https://x.org"),
    ],
)
def test_a_named_value_goes(text: str, clean: str) -> None:
    assert REDACTOR.text(text).value == clean


@pytest.mark.parametrize(
    "text",
    [
        "The password: choose a good one",
        "password = os.environ['DB_PASSWORD']",
        "token_count=1234567890123",
        "max_tokens: 4096",
        "api_key: ${API_KEY}",
        "Authorization: Bearer <token>",
        "next_page_token=CAUQAA1234567890",
        "secret: my-app-secret",
        "api_key=",
        "password=\nuser=root1234",
    ],
)
def test_prose_code_and_placeholders_stay(text: str) -> None:
    assert REDACTOR.text(text).value == text


def test_more_names_work_in_text_too() -> None:
    redactor = Redactor(RedactRules(names=("staff_number",)))
    assert redactor.text("staff-number=A1734-B88251x").value == "staff-number=[REDACTED:STAFFNUMBER]"
