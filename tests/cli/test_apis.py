"""`knowgate apis`, with a made-up API behind it."""

from __future__ import annotations

import re
import socket
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest
from tests.cli.conftest import Process, Ran

from knowgate.apis.operation import Quarantined
from knowgate.apis.spec.load import load
from knowgate.cli.apis_doctor import overlay_without
from knowgate.cli.apis_run import exit_code, read_body, read_params
from knowgate.config.trust import trust
from knowgate.errors import InputError

SPEC = """\
openapi: 3.1.0
info: {title: Pets, version: "2"}
paths:
  /pets:
    get:
      operationId: listPets
      summary: List the pets
      tags: [pets]
      parameters:
        - {name: limit, in: query, description: How many, schema: {type: integer}}
        - {name: kind, in: query, schema: {type: array, items: {type: string}}}
      responses:
        "200":
          description: Pets
          content:
            application/json:
              schema: {type: array, items: {$ref: "#/components/schemas/Pet"}}
    post:
      operationId: addPet
      summary: Add a pet
      requestBody:
        required: true
        content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}
      responses: {"201": {description: The pet}}
  /pets/{id}:
    get:
      operationId: getPet
      summary: Show a pet
      parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
      responses:
        "200":
          description: The pet
          content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}
  /odd:
    get:
      operationId: odd
      parameters: [{name: x, in: nowhere, schema: {type: string}}]
      responses: {"200": {description: fine}}
components:
  schemas:
    Pet:
      type: object
      required: [name]
      properties: {id: {type: integer, examples: [1]}, name: {type: string, examples: [Rex]}}
"""
Cli = Callable[..., Ran]


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    (tmp_path / "pets.yaml").write_text(SPEC, encoding="utf-8")
    return tmp_path / "pets.yaml"


@pytest.fixture
def mock(start: Callable[..., Process], spec: Path) -> str:
    found = re.search(r"http://\S+", start("apis", "mock", spec, "--port", "0").err.until("operations at"))
    assert found
    return found[0]


@pytest.fixture
def pets(cli: Cli, spec: Path, mock: str) -> Cli:
    """The command line in a folder where the API is configured."""
    Path("knowgate.toml").write_text('data = "data" # mine\n', encoding="utf-8")
    added = cli("apis", "add", "pets", spec, "--base-url", mock, "--allow-private")
    assert added.code == 0, added.err
    assert added.out.startswith("pets: Pets 2, 3 operations")
    assert "nowhere" in added.err
    return cli


def test_adding_says_when_calls_would_be_refused(cli: Cli, spec: Path, mock: str):
    added = cli("apis", "add", "pets", spec, "--base-url", mock, "--data", "d", "--json").json["api"]
    assert "add it with --allow-private" in added["warnings"][-1]
    allowed = cli("apis", "add", "beasts", spec, "--base-url", mock, "--data", "d", "--allow-private", "--json").json
    assert not any("--allow-private" in each for each in allowed["api"]["warnings"])


def test_a_description_on_this_machine_is_fetched_when_the_person_says_so(cli: Cli, mock: str):
    refused = cli("apis", "add", "pets", f"{mock}/openapi.json", "--data", "d")
    assert refused.code == 3
    assert "--allow-private" in refused.err
    assert not Path("knowgate.toml").exists()


def test_adding_keeps_the_file_as_it_was(pets: Cli, spec: Path):
    text = Path("knowgate.toml").read_text(encoding="utf-8")
    assert text.startswith('data = "data" # mine\n')
    assert "[apis.pets]" in text
    again = pets("apis", "add", "pets", spec)
    assert again.code == 8
    assert Path("knowgate.toml").read_text(encoding="utf-8") == text


def test_adding_begins_a_file(cli: Cli, spec: Path):
    assert cli("apis", "add", "pets", spec, "--data", "d", "--json").json["file"] == str(Path.cwd() / "knowgate.toml")
    assert cli("apis", "list", "--data", "d", "--json").json["apis"][0]["operations"] == 3


def test_what_is_not_there_is_told_as_such(cli: Cli, tmp_path: Path):
    ran = cli("apis", "add", "pets", tmp_path / "nowhere.yaml", "--data", "d", "--json")
    assert orjson.loads(ran.err)["code"] == "spec_unreadable"
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{silent.getsockname()[1]}/openapi.json"
        ran = cli("apis", "add", "pets", address, "--allow-private", "--data", "d")
    assert ran.code == 4
    assert ran.err.count(address) == 1


def test_a_search_goes_on(pets: Cli):
    first = pets("apis", "search", "pet", "--limit", "1", "--json").json
    second = pets("apis", "search", "pet", "--limit", "1", "--cursor", first["cursor"], "--json").json
    assert first["operations"][0]["operation_id"] != second["operations"][0]["operation_id"]


@pytest.mark.parametrize("content", ["a: 1", "openapi: 3.1.0\ninfo: {title: a, version: b}\npaths: {}", None])
def test_what_cannot_be_used_is_not_added(cli: Cli, tmp_path: Path, content: str | None):
    if content:
        (tmp_path / "bad.yaml").write_text(content, encoding="utf-8")
    assert cli("apis", "add", "bad", tmp_path / "bad.yaml", "--data", "d").code == 7
    assert not Path("knowgate.toml").exists()


def test_looking_around(pets: Cli):
    assert "pets  Pets" in pets("apis").out
    listed = pets("apis", "list", "pets")
    assert [line.split()[0] for line in listed.out.splitlines()[1:]] == ["listPets", "addPet", "getPet"]
    assert "addPet" not in pets("apis", "list", "--method", "GET").out
    found = pets("apis", "search", "show one pet", "--json").json
    assert "getPet" in [each["operation_id"] for each in found["operations"]]


def test_calling(pets: Cli):
    answer = pets("apis", "run", "getPet", "--param", "id=7")
    assert answer.code == 0
    assert answer.json == {"id": 7, "name": "Rex"}
    assert "200 GET" in answer.err
    whole = pets("apis", "run", "listPets", "--param", "kind=a", "--param", "kind=b", "--field", "name", "--json").json
    assert whole["status"] == 200
    assert whole["data"] == [{"name": "Rex"}]
    assert whole["url"].endswith("kind=a&kind=b")


def test_without_sending(pets: Cli):
    dry = pets("apis", "run", "addPet", "--body", '{"name": "Bo"}', "--dry-run", "--json").json
    assert dry["dry_run"] is True
    curl = pets("apis", "run", "listPets", "--as-curl").out
    assert curl.startswith("curl ")


def test_exit_codes(pets: Cli, mock: str):
    assert pets("apis", "run", "getPet", "--param", "id=x").code == 2
    assert pets("apis", "run", "getPet", "--param", "id").code == 2
    assert pets("apis", "run", "addPet", "--body", '{"name": "Bo"}').code == 3
    text = Path("knowgate.toml").read_text(encoding="utf-8")
    Path("knowgate.toml").write_text(text.replace(mock, "http://127.0.0.1:9"), encoding="utf-8")
    trust(Path("knowgate.toml"))
    assert pets("apis", "run", "listPets").code == 4


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (0, 0),
        (200, 0),
        (302, 7),
        (303, 0),
        (304, 0),
        (308, 7),
        (400, 7),
        (401, 3),
        (403, 3),
        (404, 7),
        (422, 7),
        (429, 5),
        (500, 6),
        (503, 6),
    ],
)
def test_exit_codes_of_answers(status: int, code: int):
    assert exit_code(status) == code


def test_doctor(pets: Cli, mock: str, spec: Path):
    well = pets("apis", "doctor", "--json")
    checks = well.json["checks"]
    assert {check["name"]: check["status"] for check in checks}["pets server"] == "ok"
    # The odd operation is a finding, and nothing else is.
    assert (well.code, [check["status"] for check in checks].count("warning")) == (7, 1)
    # What it proposes takes the odd operation out.
    api = load(spec.read_bytes(), name="a", source="a", overlays=[well.json["overlay"].encode()])
    assert not api.quarantined
    good = spec.with_name("good.yaml")
    good.write_bytes(spec.read_bytes().replace(b"in: nowhere", b"in: query"))
    pets("apis", "remove", "pets", "--yes")
    pets("apis", "add", "pets", good, "--base-url", mock, "--allow-private")
    assert pets("apis", "doctor").code == 0
    assert len(api.operations) == 3
    text = Path("knowgate.toml").read_text(encoding="utf-8")
    changed = text.replace(mock, "http://127.0.0.1:9") + '\nauth = ["gone"]\n'
    Path("knowgate.toml").write_text(changed, encoding="utf-8")
    trust(Path("knowgate.toml"))
    ill = pets("apis", "doctor")
    assert ill.code == 7
    assert "There is no profile gone." in ill.out
    assert "pets server" in ill.out


def test_operations_that_share_a_name_are_told(cli: Cli, spec: Path):
    spec.write_text(SPEC.replace("operationId: getPet", "operationId: listPets"), encoding="utf-8")
    added = cli("apis", "add", "pets", spec, "--data", "d")
    ids = [line.split()[0] for line in cli("apis", "list", "pets", "--method", "GET", "--data", "d").out.splitlines()]
    assert added.code == 0
    for id in ids[1:]:
        assert f"several operations have the operationId listPets; this one is called {id} here" in added.err
        assert f"this one is called {id} here" in cli("apis", "doctor", "--data", "d").out


def test_removed_from_the_file_the_index_and_the_graph(pets: Cli):
    before = 'data = "data" # mine\n'
    assert pets("documents", "--json").json["documents"]
    assert pets("apis", "remove", "pets").code == 3
    assert pets("apis", "remove", "pest", "--yes").code == 9
    assert pets("apis", "list", "--json").json["apis"]
    removed = pets("apis", "remove", "pets", "--yes", "--json")
    assert (removed.code, removed.json["removed"]) == (0, "pets")
    assert Path("knowgate.toml").read_text(encoding="utf-8") == before
    assert pets("apis", "list", "--json").json == {"apis": []}
    assert pets("documents", "--json").json["documents"] == []
    assert pets("graph", "stats", "--json").json["entities"] == 0
    record, declined = pets("audit", "list", "--tool", "knowgate_remove_api", "--json").json["records"]
    assert declined["response"]["error"] == "no_person"
    assert record["response"]["status"] == "success"
    assert record["operation"]["parameters"] == {"api": "pets"}


def test_removing_an_api_says_which_operations_of_others_get_other_names(cli: Cli, spec: Path):
    for name in ("pets", "zoo"):
        assert cli("apis", "add", name, spec, "--base-url", "https://zoo.example", "--data", "d").code == 0
    declined = cli("apis", "remove", "pets", "--data", "d")
    assert "zoo_listPets becomes listPets" in " ".join(declined.err.split())
    removed = cli("apis", "remove", "pets", "--yes", "--data", "d", "--json")
    assert removed.json["renamed"]["zoo_listPets"] == "listPets"
    assert "listPets (renamed)" in cli("apis", "list", "--data", "d", "--json").json["apis"][0]["warnings"][0]


def test_an_overlay_for_nothing():
    assert overlay_without([]) == ""
    made = overlay_without([Quarantined("GET", '/a/{"b"}', "/x", "bad\nline")])
    assert "# bad line" in made


def test_diff(cli: Cli, spec: Path, tmp_path: Path):
    assert cli("apis", "diff", spec, spec).code == 0
    new = tmp_path / "new.yaml"
    new.write_text(SPEC.replace("operationId: getPet", "operationId: showPet"), encoding="utf-8")
    broken = cli("apis", "diff", spec, new)
    assert broken.code == 8
    assert "removed   getPet" in broken.out
    assert "added     showPet" in broken.out
    new.write_text(SPEC.replace("summary: Show a pet", "summary: Show it"), encoding="utf-8")
    assert cli("apis", "diff", spec, new, "--json").json["changed"] == [{"id": "getPet", "reasons": ["summary"]}]
    assert cli("apis", "diff", spec, tmp_path / "none.yaml").code == 2


def test_params_and_bodies(tmp_path: Path):
    assert read_params(["a=1", "b=x=y", "a=2", "a=3"]) == {"a": ["1", "2", "3"], "b": "x=y"}
    (tmp_path / "body.json").write_text('{"a": 1}', encoding="utf-8")
    assert read_body(f"@{tmp_path / 'body.json'}") == {"a": 1}
    assert read_body("[1]") == [1]
    assert read_body(None) is None
    for wrong in ("{", "@nowhere.json"):
        with pytest.raises(InputError):
            read_body(wrong)
