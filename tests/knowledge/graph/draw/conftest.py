"""A small graph with everything in it that a form could stumble over."""

from __future__ import annotations

import pytest

from knowgate.model import Entity, Passage, Relation

NASTY = "Quote \" < > & ' \\ ; | ] } # %% `x` ${y} =1+1 \x1b[31m \x00 \u2028 </script><script>alert(1)</script> 数据"

PASSAGE = Passage("c1", "d1", "guides/orders.md", ("Orders", "Flow"), 3)


@pytest.fixture
def entities() -> list[Entity]:
    return [
        Entity("orders", "SERVICE", "Takes orders.", ("order-service",), 2, 5, 0.9),
        Entity("order-db", "DATABASE", "Keeps them.", documents=1, mentions=2),
        Entity(NASTY, 'TO"PIC<b>', NASTY, (NASTY,)),
        Entity("=HYPERLINK(0)", "SERVICE", "+1"),
    ]


@pytest.fixture
def relations() -> list[Relation]:
    return [
        Relation("orders", "order-db", "USES", "reads and writes", 0.8, (PASSAGE,)),
        Relation("orders", NASTY, 'PUB"LISHES|', NASTY, 0.5, (PASSAGE,)),
        Relation("orders", "not among the entities", "USES"),
    ]
