"""Names that mean the same have the same key."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowgate.knowledge.extract import key
from knowgate.knowledge.extract.names import parts


@pytest.mark.parametrize(
    "variants",
    [
        (
            "order service",
            "OrderService",
            "order-service",
            "order_service",
            "Orders",
            "ORDER SVC",
            "order microservice",
        ),
        ("API Gateway", "apiGateway", "api-gateway", "api_gateways"),
        ("Categories", "category"),
        ("Team Falcon", "falcon team", "Falcon squad", "team-falcon", "FALCON_TEAM"),
        ("Straße", "STRASSE"),
        ("ﬁle store", "file-store"),
    ],
)
def test_variants_of_a_name_share_a_key(variants: tuple[str, ...]) -> None:
    assert len({key(each) for each in variants}) == 1


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("C", "C++"),
        ("C++", "C#"),
        ("auth", "authz"),
        ("Redis", "Red"),
        ("config", "config server"),
        ("Falcon", "Falcon team"),
    ],
)
def test_different_names_have_different_keys(one: str, two: str) -> None:
    assert key(one) != key(two)


@pytest.mark.parametrize("name", ["service", "Services", "svc", "the", "…", "订单服务", "bus", "status", "process"])
def test_a_name_always_has_a_key(name: str) -> None:
    assert key(name)


@given(st.text(max_size=40))
def test_a_key_is_its_own_key(name: str) -> None:
    assert key(key(name)) == key(name)


@given(st.from_regex(r"[A-Za-z]{2,10}([ _-][A-Za-z]{2,10}){0,2}", fullmatch=True))
def test_case_and_separators_do_not_matter(name: str) -> None:
    assert key(name) == key(name.upper()) == key(name.replace(" ", "_")) == key(name.replace("_", "-"))


def test_parts_of_a_name() -> None:
    assert parts("PaymentGateway") == parts("payment-gateway") == parts("Payment Gateway") == ["payment", "gateway"]
    assert parts("HTTPServer2") == ["http", "server", "2"]
