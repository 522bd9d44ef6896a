"""`knowgate policy`, `knowgate approvals` and `knowgate audit`, as people meet them."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest

from knowgate import Engine
from knowgate.config.settings import Settings
from knowgate.guard.approvals import ApprovalNeeded

ASKING = 'version: "1.0"\nrules:\n  - {name: careful, tools: [knowgate_delete_document], ask: true}\n'


@pytest.fixture
def data(tmp_path: Path) -> Path:
    with Engine(Settings(data=tmp_path / "data")) as engine:
        engine.ingest(text="# Parcels\n\nThey leave at noon.", filename="parcels.md")
    return tmp_path / "data"


@pytest.fixture
def asked(data: Path, tmp_path: Path) -> str:
    """An assistant has asked for a deletion."""
    policy = tmp_path / "policy.yaml"
    policy.write_text(ASKING, encoding="utf-8")
    with (
        Engine(Settings.model_validate({"data": data, "policy": {"file": policy}})) as engine,
        pytest.raises(ApprovalNeeded) as needed,
    ):
        engine.delete("parcels.md")
    return needed.value.approval.id


def test_a_policy_to_begin_with_is_sound(cli, data):
    written = cli("policy", "init", "rules.yaml")
    assert (written.code, "rules.yaml" in written.out) == (0, True)
    assert cli("policy", "init", "rules.yaml").code == 8
    checked = cli("--data", data, "policy", "check", "rules.yaml", "--json")
    assert (checked.code, checked.json["findings"]) == (0, [])


def test_a_guard_against_what_is_not_there_is_no_mistake(cli, data, examples):
    """An API without anything to administrate: the starter's rule against that is told, and fine."""
    assert cli("--data", data, "apis", "add", "shop", examples / "orders-api.yaml").code == 0
    assert cli("policy", "init", "rules.yaml").code == 0
    checked = cli("--data", data, "policy", "check", "rules.yaml")
    assert (checked.code, checked.out) == (
        0,
        "no-admin: The pattern */admin/* matches no operation. (good to know)\n",
    )
    Path("typo.yaml").write_text(
        'version: "1.0"\nrules:\n  - {name: vain, pattern: "api.exmaple.com/*", deny: true}\n', encoding="utf-8"
    )
    assert cli("--data", data, "policy", "check", "typo.yaml").code == 7


def test_rules_that_have_no_effect_are_told(cli, data):
    Path("rules.yaml").write_text(
        'version: "1.0"\nrules:\n  - {name: vain, tools: [knowgate_serch], deny: true}\n', encoding="utf-8"
    )
    checked = cli("--data", data, "policy", "check", "rules.yaml")
    assert (checked.code, checked.out) == (7, "vain: There is no tool knowgate_serch.\n")


def test_tests_of_a_policy(cli, data):
    Path("rules.yaml").write_text(ASKING, encoding="utf-8")
    case = "- {{name: n, request: {{tool: knowgate_delete_document}}, expected: {{decision: {}}}}}\n"
    Path("good.yaml").write_text(case.format("ask"), encoding="utf-8")
    Path("bad.yaml").write_text(case.format("allow"), encoding="utf-8")
    assert cli("--data", data, "policy", "test", "good.yaml", "--policy", "rules.yaml").out == "1 of 1 as expected.\n"
    failed = cli("--data", data, "policy", "test", "bad.yaml", "--policy", "rules.yaml")
    assert (failed.code, "decided ask by careful, expected allow" in failed.out) == (7, True)


def test_the_documented_test_file_works(cli, data):
    page = (Path(__file__).parents[2] / "docs" / "govern.md").read_text(encoding="utf-8")
    section = page.partition("## Test a policy")[2]
    Path("policy-tests.yaml").write_text(section.split("```yaml\n")[1].split("```")[0], encoding="utf-8")
    cli("policy", "init")
    command = section.split("```text\n$ ")[1].splitlines()
    ran = cli("--data", data, *command[0].split()[1:])
    assert (ran.code, ran.out) == (0, f"{command[1]}\n")


def test_the_example_in_the_help_works(cli, data):
    told = cli("policy", "test", "--help").out.partition("Example of a test file:\n")[2]
    Path("cases.yaml").write_text(told, encoding="utf-8")
    cli("policy", "init")
    assert cli("--data", data, "policy", "test", "cases.yaml", "--policy", "policy.yaml").code == 0


def test_what_was_not_done_is_not_suggested(cli, data, examples):
    api = ("apis", "add", "shop", examples / "orders-api.yaml", "--allow-private")
    assert cli("--data", data, *api, "--base-url", "http://127.0.0.1:9").code == 0
    cancel = ("apis", "run", "cancelOrder", "--param", "order_id=ord_1", "--body", '{"reason": "fraud_suspected"}')
    assert cli("--data", data, *cancel).code == 3
    assert cli("--data", data, "apis", "run", "listOrders", "--dry-run").code == 0
    assert cli("--data", data, "apis", "run", "listOrders").code == 4
    assert "rules: []" in cli("--data", data, "policy", "suggest").out


def test_the_example_in_the_docs_is_without_mistakes(cli, data, examples):
    text = (examples.parents[1] / "docs" / "govern.md").read_text(encoding="utf-8")
    policy = next(each for each in re.findall(r"```yaml\n(.*?)```", text, re.DOTALL) if "rules:" in each)
    Path("rules.yaml").write_text(policy, encoding="utf-8")
    assert cli("--data", data, "policy", "check", "rules.yaml").code == 0
    assert cli("--data", data, "apis", "add", "shop", examples / "orders-api.yaml").code == 0
    checked = cli("--data", data, "policy", "check", "rules.yaml", "--json")
    assert (checked.code, checked.json["findings"]) == (0, [])


def test_explained_and_compared(cli, data):
    Path("rules.yaml").write_text(ASKING, encoding="utf-8")
    told = cli("--data", data, "policy", "explain", "delete_document", "--policy", "rules.yaml").out
    assert told.startswith("ask: The rule 'careful' says ask.")
    assert "deny" in cli("--data", data, "policy", "explain", "knowgate_nonsense").out
    changes = cli("--data", data, "policy", "diff", "rules.yaml", "--json").json["changes"]
    expected = {"what": "knowgate_delete_document", "before": "allow", "after": "ask", "rule": "careful"}
    assert changes == [expected]
    assert "rules: []" in cli("--data", data, "policy", "suggest").out


def test_stopped_and_resumed(cli, data):
    assert cli("--data", data, "policy", "stop", "--reason", "fire").code == 0
    stopped = cli("--data", data, "search", "noon")
    assert (stopped.code, "fire" in stopped.err) == (3, True)
    # Whoever was stopped could otherwise let himself go on.
    assert "no_person" in cli("--data", data, "policy", "resume").err
    with Engine(Settings(data=data)) as engine:
        engine.resume_calls()
    assert cli("--data", data, "search", "noon").code == 0


def test_what_was_done_is_listed_shown_and_exported(cli, data):
    cli("--data", data, "search", "noon")
    listed = cli("--data", data, "audit", "list", "--tool", "knowgate_search", "--json").json["records"]
    assert [record["tool"] for record in listed] == ["knowgate_search"]
    shown = cli("--data", data, "audit", "show", listed[0]["id"])
    assert '"knowgate_search"' in shown.out
    assert "noon" not in shown.out
    assert cli("--data", data, "audit", "show", listed[0]["id"], "--curl").out.startswith(
        "# knowgate_search is no call"
    )
    assert cli("--data", data, "audit", "show", "nothing").code == 9
    assert cli("--data", data, "audit", "list", "--since", "yesterday").code == 2
    assert cli("--data", data, "audit", "list", "--decision", "banana").code == 2
    assert "knowgate_ingest" in cli("--data", data, "audit").out


def test_a_long_list_goes_on_as_it_began(cli, data):
    for _ in range(2):
        cli("documents", "--data", data)
    listed = cli("audit", "list", "--status", "success", "--limit", "1", "--data", data)
    assert " audit list --status success --limit 1 --cursor " in listed.err


def test_a_trail_that_was_changed(cli, data):
    assert cli("--data", data, "audit", "verify").code == 0
    log = data / "audit" / "mcp-audit-current.log"
    log.write_text(log.read_text(encoding="utf-8").replace('"allow"', '"deny "', 1), encoding="utf-8")
    found = cli("--data", data, "audit", "verify")
    assert (found.code, found.out.startswith("mcp-audit-current.log:1: ")) == (8, True)


def test_an_assistant_cannot_say_yes_to_itself(cli, data, asked):
    refused = cli("--data", data, "approvals", "give", asked)
    assert (refused.code, "no_person" in refused.err) == (3, True)
    assert "asked" in cli("--data", data, "approvals").out


def test_refused_with_a_reason(cli, data, asked):
    assert cli("--data", data, "approvals", "refuse", asked[:8], "--reason", "we need it").code == 0
    assert cli("--data", data, "approvals", "list", "--json").json == {"approvals": []}
    kept = cli("--data", data, "approvals", "list", "--all", "--json").json["approvals"][0]
    assert (kept["state"], kept["reason"]) == ("refused", "we need it")
    assert cli("--data", data, "approvals", "refuse", "nothing").code == 9


@pytest.mark.skipif(sys.platform == "win32", reason="needs a terminal that can be played")
@pytest.mark.parametrize(("typed", "state"), [(b"y\n", "given"), (b"n\n", "asked")])
def test_a_person_at_a_terminal_says_yes_or_no(cli, data, asked, typed, state):
    import pty
    import subprocess

    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "knowgate", "--data", str(data), "approvals", "give", asked]
    with subprocess.Popen(command, stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        os.write(ours, typed)
        process.communicate(timeout=60)
    os.close(ours)
    os.close(theirs)
    assert cli("--data", data, "approvals", "list", "--all", "--json").json["approvals"][0]["state"] == state
