"""What kind of thing a name stands for, by what it is called, and which of a schema's types that is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from knowgate.knowledge.extract.names import key, parts
from knowgate.model import Schema

Kind = Literal["service", "database", "queue", "protocol", "operation", "team", "concept"]
Verb = Literal["uses", "produces", "consumes", "owns", "depends"]
COMPONENTS = frozenset[Kind]({"service", "database", "queue"})

_HEADS: dict[Kind, str] = {
    "service": "service microservice webservice server gateway api app application frontend backend worker daemon"
    " proxy dashboard portal registry provider scheduler agent webapp website component module subsystem"
    " balancer generator ui client adapter controller monitor",
    "database": "database db datastore cache storage warehouse bucket lake",
    "queue": "queue topic broker bus stream exchange",
    "protocol": "protocol",
    "team": "team squad guild crew department",
}
_KNOWN: dict[Kind, str] = {
    "database": "postgres postgresql mysql mariadb mongodb mongo redis cassandra dynamodb sqlite oracle memcached"
    " neo4j influxdb couchdb couchbase elasticsearch opensearch solr hbase hive snowflake bigquery"
    " redshift clickhouse spanner firestore cockroachdb timescaledb mssql h2 hazelcast minio s3 etcd"
    " hsqldb valkey alloydb memorystore db2",
    "queue": "kafka rabbitmq activemq nats pulsar sqs sns kinesis eventbridge zeromq mosquitto eventhub pubsub artemis",
    "service": "nginx apache httpd haproxy envoy traefik kong zuul eureka consul zookeeper vault keycloak prometheus"
    " grafana kibana logstash fluentd zipkin jaeger turbine",
    "protocol": "http https http2 grpc rest soap graphql amqp mqtt stomp websocket websockets tcp udp tls ssl mtls"
    " smtp imap pop3 ftp sftp ssh ldap oauth oauth2 oidc saml jdbc odbc rpc jsonrpc dns dhcp xmpp thrift"
    " webrtc rtmp sip jwt",
    "concept": "docker kubernetes k8s java javascript typescript python golang rust kotlin scala ruby php maven"
    " gradle npm spring springboot springcloud hibernate jpa json xml yaml html css git linux windows"
    " macos aws azure gcp terraform helm react angular vue nodejs junit intellij eclipse ribbon feign"
    " hystrix android ios",
}
_ELSE = "concept entity other thing term misc technology"
_TYPES: dict[Kind, str] = {
    "service": "service component system application app module microservice software server product tool",
    "database": "database datastore store storage db resource component",
    "queue": "queue topic broker channel stream messagequeue event database datastore store component",
    "protocol": "protocol interface api standard technology",
    "operation": "operation endpoint route interface api protocol",
    "team": "team group organization organisation org department actor person",
    "concept": f"{_ELSE} topic",
}
_RELATIONS: dict[Verb, str] = {
    "uses": "uses calls invokes accesses connectsto communicateswith dependson",
    "produces": "produces publishes writes sends emits writesto publishesto sendsto",
    "consumes": "consumes reads subscribes receives readsfrom consumesfrom subscribesto listensto",
    "owns": "owns manages maintains contains has partof",
    "depends": "dependson requires needs uses",
}
_GENERAL = "relatesto relatedto related associatedwith linksto uses dependson connectsto"


_BY_HEAD: dict[str, Kind] = {word: kind for kind, said in _HEADS.items() for word in said.split()}
_BY_NAME: dict[str, Kind] = {key(word): kind for kind, said in _KNOWN.items() for word in said.split()}
_ENDINGS: dict[str, Kind] = {
    "service": "service",
    "server": "service",
    "gateway": "service",
    "database": "database",
    "mongodb": "database",
    "mysql": "database",
    "postgres": "database",
    "redis": "database",
}
"""By which a name written as one word tells what it is."""
_INSTANCE = frozenset("primary master main secondary replica leader cluster node instance prod staging dev".split())
_TEAM = re.compile(r"(?:team|squad)[ _-]", re.I)


@lru_cache(maxsize=1 << 14)
def kind_of(name: str) -> Kind:
    """By a well-known name, else by the last word, as in "order service", `orders-db` or cartservice."""
    if known := _BY_NAME.get(key(name)):
        return known
    words = parts(name)
    if not words:
        return "concept"
    last = words[-1]
    if kind := _BY_HEAD.get(last):
        return kind
    if len(words) > 1:
        if _TEAM.match(name):
            return "team"
        if name.islower() and (product := _instance(words)):
            return product
    ending = next((each for each in _ENDINGS if last.endswith(each) and len(last) > len(each) + 1), "")
    return _ENDINGS.get(ending, "concept")


def _instance(words: Sequence[str]) -> Kind | None:
    """What a name says that ends or begins with a product's: `orders-redis` and `redis-primary`, but no `redis-lag`."""
    first, last = words[0], words[-1]
    whose = "" if first.isdigit() else last
    which = first if last in _INSTANCE or last.endswith("s") else ""
    for word in (whose, which):
        product = _BY_NAME.get(word)
        if product in ("database", "queue"):
            return product
    return None


def head_kind(word: str) -> Kind | None:
    """What a common noun says of the name before it: the cart *service*."""
    return _BY_HEAD.get(word)


def team_name(name: str) -> str:
    """Where a team is meant, Falcon is the Falcon team: a service may have the same name."""
    return name if " " in name or kind_of(name) == "team" else f"{name} team"


def tells_kind(word: str) -> bool:
    return word in _BY_HEAD or word in _BY_NAME


def is_technology(name: str) -> bool:
    """A product that many systems run: its name alone does not tell which instance of it is meant."""
    return key(name) in _BY_NAME


def only_serves(kind: Kind, name: str) -> bool:
    """Protocols, languages and frameworks: they are used and do nothing themselves."""
    return kind == "protocol" or (kind == "concept" and is_technology(name))


def technology_in(name: str) -> str:
    """The key of the product that a longer name tells of, as in `orders-redis`; empty when there is none."""
    words = parts(name)
    return next((key(word) for word in words if key(word) in _BY_NAME), "") if len(words) > 1 else ""


@dataclass(frozen=True, slots=True)
class Types:
    """A schema's words for our kinds."""

    entities: dict[Kind, str]
    relations: dict[Verb, str]
    related: str
    """For things merely named together."""
    own_entities: dict[str, str]
    own_relations: dict[str, str]
    fitting: frozenset[Kind]
    """Kinds that the schema has a type for; all of them when one of its types is for everything else."""

    def entity(self, kind: Kind, name: str) -> str:
        """A name that ends with a type's own word is of that type: "Billing Library" where LIBRARY is one."""
        if self.own_entities and (words := parts(name)) and len(words) > 1 and words[-1] in self.own_entities:
            return self.own_entities[words[-1]]
        return self.entities[kind]

    def fits(self, kind: Kind, name: str) -> bool:
        return kind in self.fitting or self.entity(kind, name) != self.entities[kind]

    def relation(self, verb: Verb, lemma: str) -> str:
        return self.own_relations.get(lemma) or self.relations[verb]


def types_of(schema: Schema) -> Types:
    return _types(schema.entity_types, schema.relation_types)


@lru_cache(maxsize=16)
def _types(entity_types: tuple[str, ...], relation_types: tuple[str, ...]) -> Types:
    names = {key(each): each for each in reversed(entity_types)}
    verbs = {key(each): each for each in reversed(relation_types)}
    found: dict[Kind, str] = {kind: _first(said.split(), names) for kind, said in _TYPES.items()}
    # Beside services a topic is a queue's.
    rest = _first(_ELSE.split() if found["service"] else _TYPES["concept"].split(), names)
    found["concept"] = rest
    usual = rest or found["service"] or (entity_types[-1] if entity_types else "CONCEPT")
    fitting = frozenset[Kind](kind for kind, type_ in found.items() if type_)
    related = _first(_GENERAL.split(), verbs) or (relation_types[0] if relation_types else "RELATED_TO")
    known = {word for said in (*_TYPES.values(), *_HEADS.values()) for word in map(key, said.split())}
    return Types(
        {kind: type_ or usual for kind, type_ in found.items()},
        {verb: _first(said.split(), verbs) or related for verb, said in _RELATIONS.items()},
        related,
        {word: name for word, name in names.items() if word not in known},
        {_lemma(name): each for name, each in verbs.items() if each not in ("USES", "DEPENDS_ON")},
        frozenset[Kind](found) if rest or not fitting else fitting,
    )


def _first(wanted: Iterable[str], there: dict[str, str]) -> str:
    return next((there[key(word)] for word in wanted if key(word) in there), "")


def _lemma(name: str) -> str:
    return key(name.removesuffix("to").removesuffix("from").removesuffix("with"))
