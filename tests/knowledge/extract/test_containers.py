"""Parts of a system, declared for those who run it."""

from __future__ import annotations

from facts import aliases, links, names, read

COMPOSE = """
version: "3"
services:
  web:
    build: ./web-portal
    ports: ["8080:80"]
    depends_on: [orders]
  orders:
    image: acme/sales:1.2
    depends_on:
      store:
        condition: service_healthy
    environment:
      BROKER_URL: amqp://user:secret@rabbit:5672
      OTHER_URL: http://example.org/api
  billing-service:
    image: acme/billing
    links: ["orders:o"]
  billing-db:
    image: mysql:8
  rabbit:
    image: rabbitmq:3-management
    healthcheck:
      test: ["CMD", "curl", "http://localhost:8080"]
  store:
    image: postgres:16
"""
MANIFEST = """
apiVersion: apps/v1
kind: Deployment
metadata:
  name: checkout
spec:
  template:
    spec:
      containers:
        - name: server
          env:
            - name: CART_ADDR
              value: "cart.shop.svc.cluster.local:7070"
            - name: MODE
              value: fast
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: not-a-part
"""


def test_compose() -> None:
    found = read(COMPOSE, "docker-compose.yml")
    assert names(found, "SERVICE") == {"web", "orders", "billing-service"}
    assert names(found, "DATABASE") == {"billing-db", "rabbit", "store"}
    assert links(found) == {
        ("web", "DEPENDS_ON", "orders"),
        ("orders", "DEPENDS_ON", "store"),
        ("orders", "USES", "rabbit"),
        ("billing-service", "DEPENDS_ON", "orders"),
        ("billing-service", "USES", "billing-db"),
    }
    assert {("web", "web-portal"), ("web", "localhost:8080"), ("orders", "sales")} <= aliases(found)


def test_the_first_form_of_compose() -> None:
    found = read("web:\n  image: acme/web\n  links:\n    - db\ndb:\n  image: mysql\n", "docker-compose.yml")
    assert links(found) == {("web", "DEPENDS_ON", "db")}


def test_a_manifest() -> None:
    found = read(MANIFEST, "deploy.yaml")
    assert names(found, "SERVICE") == {"checkout", "cart"}
    assert links(found) == {("checkout", "USES", "cart")}


def test_running_pods_are_parts() -> None:
    text = "```\nNAME                       READY\ncart-66d497c6b7-dp5jr      1/1\nredis-5f59546cdd-5jnqf  1/1\n```\n"
    assert names(read(text), sure=0.7) == {"cart", "redis"}
