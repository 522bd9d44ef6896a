"""Catalogues of systems: Backstage and AsyncAPI."""

from __future__ import annotations

import pytest
from facts import links, names, read

BACKSTAGE = """
apiVersion: backstage.io/v1alpha1
kind: Component
metadata:
  name: order-service
  description: Takes orders
spec:
  type: service
  owner: group:default/falcon
  system: shop
  dependsOn:
    - component:default/mail-api
    - resource:order-store
  consumesApis: [price-api]
  providesApis:
    - orders-rest
---
apiVersion: backstage.io/v1alpha1
kind: Resource
metadata:
  name: order-store
spec:
  type: database
  owner: team-eagle
"""
NEW = """
asyncapi: 3.0.0
info: {title: Order Service, version: 1.0.0}
channels:
  paid: {address: order.paid}
operations:
  onPaid:
    action: receive
    channel: {$ref: '#/channels/paid'}
  tellSent:
    action: send
    channel: {$ref: '#/channels/orderSent'}
"""
OLD = """
asyncapi: 2.6.0
info: {title: Order Service, version: 1.0.0}
channels:
  order.paid:
    publish: {operationId: onPaid}
  orderSent:
    subscribe: {operationId: tellSent}
"""


def test_backstage() -> None:
    found = read(BACKSTAGE, "catalog-info.yaml")
    assert links(found) == {
        ("falcon team", "OWNS", "order-service"),
        ("shop", "OWNS", "order-service"),
        ("order-service", "DEPENDS_ON", "mail-api"),
        ("order-service", "DEPENDS_ON", "order-store"),
        ("order-service", "USES", "price-api"),
        ("order-service", "OWNS", "orders-rest"),
        ("team-eagle", "OWNS", "order-store"),
    }
    assert names(found, "DATABASE") == {"order-store"}
    assert names(found, "TEAM") == {"falcon team", "team-eagle"}
    assert next(each.description for each in found.mentions if each.name == "order-service") == "Takes orders"


@pytest.mark.parametrize("text", [NEW, OLD])
def test_asyncapi(text: str) -> None:
    found = read(text, "events.yaml")
    assert links(found) == {
        ("Order Service", "CONSUMES", "order.paid"),
        ("Order Service", "PRODUCES", "orderSent"),
    }


def test_other_manifests_are_no_catalogue() -> None:
    assert (
        links(read("apiVersion: example.org/v1\nkind: Component\nmetadata:\n  name: x\nspec:\n  owner: y\n", "a.yaml"))
        == set()
    )
