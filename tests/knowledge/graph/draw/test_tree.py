from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from knowgate.knowledge.graph.draw.tree import lines
from knowgate.model import Step

STEPS = st.recursive(
    st.builds(Step, st.just("a"), st.just("T")),
    lambda below: st.builds(
        Step,
        st.just("b"),
        st.just("T"),
        st.just(("USES",)),
        st.lists(below, max_size=4).map(tuple),
        more=st.integers(0, 2),
    ),
    max_leaves=20,
)


def test_branches_relations_and_what_was_left_out():
    database = Step("order-db", "DATABASE", ("USES",))
    topic = Step(
        "order-events",
        "TOPIC",
        ("PRODUCES", "←CONSUMES"),
        (Step("mail", "SERVICE", ("←CONSUMES",), more=3), Step("orders", "SERVICE", ("USES",), seen=True)),
    )
    assert lines(Step("orders", "SERVICE", steps=(database, topic, Step("last", "T", ("OWNS",))))) == [
        "orders [SERVICE]",
        "├─ USES: order-db [DATABASE]",
        "├─ PRODUCES, ←CONSUMES: order-events [TOPIC]",
        "│  ├─ ←CONSUMES: mail [SERVICE]",
        "│  │  └─ … 3 more",
        "│  └─ USES: orders [SERVICE] (continued elsewhere)",
        "└─ OWNS: last [T]",
    ]


def test_a_start_alone():
    assert lines(Step("orders\nand more", "SERVICE")) == ["orders and more [SERVICE]"]


def test_a_very_deep_trace():
    step = Step("end", "T")
    for _ in range(5000):
        step = Step("x", "T", ("USES",), (step,))
    assert len(lines(step)) == 5001


def count(step: Step) -> int:
    return 1 + bool(step.more) + sum(map(count, step.steps))


@given(STEPS)
def test_every_step_is_a_line(step: Step):
    found = lines(step)
    assert len(found) == count(step)
    # Every branch but the last has one below it: the strokes of a column never end in the air.
    for upper, lower in zip(found, [*found[1:], ""], strict=True):
        for column, stroke in enumerate(upper):
            if stroke in "├│":
                assert lower[column : column + 1] in ("├", "│", "└")
