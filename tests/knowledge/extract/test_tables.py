"""Tables: a row is about the name it begins with."""

from __future__ import annotations

from facts import links, names, read

PARTS = """
| Service | Language | Description |
|---|---|---|
| [cartservice](/src/cartservice) | C# | Stores the items of the cart in Redis. |
| `paymentservice` | Go | Charges cards. |
| **mailer** | Go | Writes mails. |
| checkout | Go | Retrieves user cart, prepares it and orchestrates the payment and the mailer. |
"""


def test_the_first_column_names_the_parts() -> None:
    found = read(PARTS)
    assert names(found, "SERVICE", sure=0.8) == {"cartservice", "paymentservice", "mailer", "checkout"}


def test_a_description_says_what_a_part_is_and_uses() -> None:
    found = read(PARTS)
    told = {each.name: each.description for each in found.mentions}
    assert told["paymentservice"] == "Charges cards."
    assert links(found) == {
        ("cartservice", "PRODUCES", "Redis"),
        ("checkout", "CONSUMES", "cartservice"),
        ("checkout", "USES", "paymentservice"),
        ("checkout", "USES", "mailer"),
    }


def test_a_column_may_say_how_things_relate() -> None:
    text = """
| Component | Depends on | Publishes | Owner |
|---|---|---|---|
| Order Service | Billing Service, Redis | Kafka | Falcon Team |
"""
    assert links(read(text)) == {
        ("Order Service", "DEPENDS_ON", "Billing Service"),
        ("Order Service", "DEPENDS_ON", "Redis"),
        ("Order Service", "PRODUCES", "Kafka"),
        ("Falcon Team", "OWNS", "Order Service"),
    }


def test_a_table_of_something_else_names_no_parts() -> None:
    text = "| Method | Path |\n|---|---|\n| GET | /orders |\n| PUT | /orders/1 |\n"
    found = read(text)
    assert names(found, "SERVICE", "DATABASE") == set()
    assert links(found) == set()


def test_a_team_owns_what_its_row_lists() -> None:
    text = "| Team | Lead | Owns |\n|---|---|---|\n| Falcon | Ada Lovelace | Order Service, Billing Service |\n"
    found = read(text)
    assert links(found) == {("Falcon team", "OWNS", "Order Service"), ("Falcon team", "OWNS", "Billing Service")}
    assert names(found, "TEAM") == {"Falcon team"}


def test_those_in_a_column_may_be_the_ones_who_act() -> None:
    text = "| Topic | Producer | Consumers |\n|---|---|---|\n| order.paid | Order API | Mail API, Bill API |\n"
    assert links(read(text)) == {
        ("Order API", "PRODUCES", "order.paid"),
        ("Mail API", "CONSUMES", "order.paid"),
        ("Bill API", "CONSUMES", "order.paid"),
    }


def test_below_dependencies_a_table_lists_what_its_part_needs() -> None:
    rows = "| Stripe | HTTPS | payments |\n| order-db | PostgreSQL | orders |\n"
    found = read(f"# Order Service\n\n## Dependencies\n\n| Dependency | Kind | Why |\n|---|---|---|\n{rows}")
    assert links(found) == {
        ("Order Service", "DEPENDS_ON", "Stripe"),
        ("Order Service", "DEPENDS_ON", "order-db"),
    }
    assert "Kind" not in names(found)
