"""Diagrams written as text."""

from __future__ import annotations

import pytest
from facts import links, names, read
from hypothesis import given
from hypothesis import strategies as st

from knowgate.knowledge.extract.diagrams import is_diagram, read_diagram
from knowgate.knowledge.extract.draft import Draft

FLOWCHART = """
flowchart LR
  web[Web Shop] -->|asks| cart(Cart Service)
  cart --> db[(Cart DB)]
  cart & web -.-> log{{Logger}} --> es
  A["Old (v1)"] -- calls --> B
  style A fill:#f9f
"""
SEQUENCE = """
sequenceDiagram
  participant W as Web Shop
  actor U
  U->>W: opens
  W->>+Cart: adds an item
  Cart-->>-W: done
  Note over W: all fine
"""
PLANTUML = """
@startuml
actor Customer
component "Order Service" as OS
database "Order DB" as ODB
queue Kafka
[Billing] --> OS : reads from
OS --> ODB
OS -> Kafka : publishes
Kafka <-- [Shipping]
@enduml
"""
C4 = """
C4Context
  Person(u, "User")
  System(s, "Shop", "sells")
  SystemDb_Ext(d, "Store DB")
  Rel(u, s, "Uses")
  Rel(s, d, "reads", "JDBC")
"""


def pairs(source: str) -> set[tuple[str, str]]:
    return {(one, two) for one, _, two in links(read(f"# Picture\n\n```mermaid\n{source.strip()}\n```\n"))}


def test_a_flowchart() -> None:
    assert pairs(FLOWCHART) == {
        ("Web Shop", "Cart Service"),
        ("Cart Service", "Cart DB"),
        ("Cart Service", "Logger"),
        ("Web Shop", "Logger"),
        ("Logger", "es"),
        ("Old v1", "B"),
    }


def test_a_sequence_leaves_answers_out() -> None:
    assert pairs(SEQUENCE) == {("U", "Web Shop"), ("Web Shop", "Cart")}


def test_plantuml_in_a_file_of_its_own() -> None:
    found = read(PLANTUML.strip(), "system.puml")
    assert links(found) == {
        ("Billing", "CONSUMES", "Order Service"),
        ("Order Service", "USES", "Order DB"),
        ("Order Service", "PRODUCES", "Kafka"),
        ("Shipping", "PRODUCES", "Kafka"),
    }
    assert names(found, "DATABASE") == {"Order DB", "Kafka"}
    assert names(found, "CONCEPT") == {"Customer"}


def test_c4() -> None:
    assert pairs(C4) == {("User", "Shop"), ("Shop", "Store DB")}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("erDiagram\n  CUSTOMER ||--o{ ORDER : places", {("CUSTOMER", "ORDER")}),
        ("classDiagram\n  Animal <|-- Duck\n  Duck --> Pond : swims in", {("Duck", "Animal"), ("Duck", "Pond")}),
        ('digraph G {\n  web -> cart [label="x"];\n  cart -> "cart db";\n}', {("web", "cart"), ("cart", "cart db")}),
        ("graph TD;\n  A-->B;", {("A", "B")}),
    ],
)
def test_other_kinds(source: str, expected: set[tuple[str, str]]) -> None:
    assert pairs(source) == expected


def test_classes_are_no_services() -> None:
    found = read("```mermaid\nclassDiagram\n  Animal <|-- Duck\n```\n")
    assert names(found, "CONCEPT") == {"Animal", "Duck"}


@given(
    st.sampled_from(["flowchart LR", "sequenceDiagram", "@startuml", "erDiagram", "digraph {", "C4Context"]),
    st.lists(st.text(alphabet="ab [](){}|-.=<>:&\"'o*x/\\%#\n", max_size=40), max_size=6),
)
def test_no_diagram_is_too_strange(kind: str, lines: list[str]) -> None:
    source = "\n".join([kind, *lines])
    assert is_diagram(source)
    read_diagram(Draft(), source, 0, len(source))


def test_an_arrow_from_a_queue_shows_who_reads_it() -> None:
    text = "```mermaid\nflowchart LR\n  orders[Order API] --> kafka{{Kafka}}\n  kafka --> mailer[Mailer]\n```\n"
    assert links(read(text)) == {("Order API", "PRODUCES", "Kafka"), ("Mailer", "CONSUMES", "Kafka")}
