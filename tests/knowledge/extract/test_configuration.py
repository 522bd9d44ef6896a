"""Addresses in settings say who talks to whom."""

from __future__ import annotations

import pytest
from facts import aliases, links, names, read
from hypothesis import given
from hypothesis import strategies as st

from knowgate.knowledge.extract.entries import Entry, plain
from knowgate.knowledge.extract.settings import hosts

SETTINGS = """
spring:
  application:
    name: order-service
  cloud:
    config:
      uri: http://${CONFIG_HOST:config}:8888
  datasource:
    url: jdbc:postgresql://localhost:5432/orders
  rabbitmq:
    host: broker
server:
  port: 8081
logging:
  level:
    org.example: INFO
"""


def test_a_service_names_itself_and_those_it_addresses() -> None:
    found = read(SETTINGS, "sales/src/main/resources/application.yml")
    assert links(found) == {
        ("order-service", "USES", "config"),
        ("order-service", "USES", "postgresql"),
        ("order-service", "USES", "broker"),
    }
    assert aliases(found) == {("order-service", "sales"), ("order-service", "localhost:8081")}
    assert names(found, "DATABASE") == {"postgresql", "broker"}


def test_properties() -> None:
    text = "spring.application.name=mailer\nspring.kafka.bootstrap-servers=kafka1:9092,kafka2:9092\n"
    assert links(read(text, "mailer/application.properties")) == {
        ("mailer", "USES", "kafka1"),
        ("mailer", "USES", "kafka2"),
    }


@pytest.mark.parametrize(
    ("name", "owner"),
    [
        ("stock/src/main/resources/application.yml", "stock"),
        ("stock__src__main__resources__application.yml", "stock"),
        ("src/stock/config.yml", "stock"),
        ("config-repo/stock-service.yml", "stock-service"),
    ],
)
def test_settings_without_a_name_belong_to_the_folder_or_to_the_file(name: str, owner: str) -> None:
    assert links(read("registry:\n  url: http://registry:8761/\n", name)) == {(owner, "USES", "registry")}


def test_settings_that_are_handed_out_are_inherited() -> None:
    found = read("registry:\n  url: http://registry:8761/\n", "config/src/main/resources/shared/application.yml")
    assert links(found) == set()
    assert [(each.source, each.target) for each in found.inherited] == [("config", "registry")]


def test_an_example_in_a_text_is_of_the_part_spoken_of() -> None:
    text = "# Guide\n\n## Edge Gateway\n\n```yaml\nroutes:\n  - id: a\n    uri: lb://customers\n```\n"
    assert ("Edge Gateway", "USES", "customers") in links(read(text))


def test_plain_data_is_no_configuration() -> None:
    found = read('{"people": [{"name": "Ada Lovelace", "age": 36}]}', "data/people.json")
    assert names(found) == {"Ada Lovelace"}
    assert links(found) == set()


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("url", "http://user:pw@cart:80/x", ["cart"]),
        ("url", "mongodb://one:27017,two:27017/db", ["one", "two"]),
        ("url", "http://localhost:8888", ["localhost:8888"]),
        ("spring.redis.host", "127.0.0.1", ["redis"]),
        ("git.uri", "https://github.com/acme/settings", ["github repository"]),
        ("url", "https://api.example.org/v1", []),
        ("zuul.routes.users.path", "/users/**", ["users"]),
        ("routes[1].serviceId", "users-service", ["users-service"]),
        ("healthcheck.test", "curl http://cart:80", []),
        ("image", "nginx:1.27", []),
        ("title", "Hello there", []),
        ("zone", "${a.${B:}c:http://u:p@registry:8761}/x", ["registry"]),
    ],
)
def test_addresses(path: str, value: str, expected: list[str]) -> None:
    assert list(hosts(Entry(path, value, 0, 0))) == expected


@given(st.text(max_size=60), st.text(alphabet="ab.:/@${}-,0 ", max_size=60))
def test_no_setting_is_too_strange(path: str, value: str) -> None:
    assert all(hosts(Entry(path, value, 0, 0)))


def test_variables_stand_for_their_defaults() -> None:
    assert plain("${A:x}-${B:-y}-${C}") == "x-y-"
