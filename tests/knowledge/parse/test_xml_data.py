from knowgate.knowledge.parse.reader import ParseOptions
from knowgate.knowledge.parse.xml_data import read


def shown(xml: str) -> list[tuple[str, int, str]]:
    parsed = read(xml.encode(), "a.xml", ParseOptions())
    return [(each.kind, each.level, parsed.text[each.start : each.end]) for each in parsed.blocks]


def test_data_is_values_with_paths():
    assert shown('<beans><bean id="a"><name>x</name></bean><bean id="b">y</bean></beans>') == [
        ("heading", 1, "beans"),
        ("text", 0, "beans.bean[1].id: a\nbeans.bean[1].name: x\nbeans.bean[2].id: b\nbeans.bean[2].text: y"),
    ]


def test_documents_are_headings_and_paragraphs():
    xml = "<book><title>B</title><chapter><title>One</title><para>Some <em>marked</em> words.</para></chapter></book>"
    assert shown(xml) == [("heading", 1, "B"), ("heading", 1, "One"), ("text", 0, "Some marked words.")]


def test_html_in_a_feed_is_unwrapped():
    said = "&lt;p&gt;Hello &lt;b&gt;you&lt;/b&gt;&lt;/p&gt;"
    xml = f"<rss><item><title>T</title><description>{said}</description></item></rss>"
    assert shown(xml)[-1][2] == "rss.item.title: T\nrss.item.description: Hello you"


def test_the_declared_encoding_is_followed():
    data = '<?xml version="1.0" encoding="koi8-r"?><a><title>Привет</title></a>'.encode("koi8-r")
    assert read(data, "a.xml", ParseOptions()).title == "Привет"


def test_half_characters_named_by_number_are_replaced():
    assert shown("<a><b>x&#xD800;y&#55357;</b></a>")[-1][2] == "a.b: x\ufffdy\ufffd"


def test_an_element_with_endless_attributes_loses_them():
    attributes = " ".join(f'a{number}="x"' for number in range(5_000))
    assert shown(f"<r {attributes}><b>y</b></r>")[-1][2] == "r.b: y"


def test_broken_markup_still_has_words():
    parsed = read(b"<a" * 1_000 + b"> words", "a.xml", ParseOptions())
    assert "words" in parsed.text
    assert parsed.warnings
