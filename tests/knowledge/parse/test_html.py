from knowgate.knowledge.parse.html import html_text, read
from knowgate.knowledge.parse.reader import ParseOptions


def shown(html: str) -> list[tuple[str, int, str]]:
    parsed = read(html.encode(), "a.html", ParseOptions())
    return [(each.kind, each.level, parsed.text[each.start : each.end]) for each in parsed.blocks]


def test_headings_paragraphs_and_inline_text():
    assert shown("<h1>A <em>b</em></h1><p>One <b>two</b>,\n three<br>four</p>tail") == [
        ("heading", 1, "A b"),
        ("text", 0, "One two, three\nfour"),
        ("text", 0, "tail"),
    ]


def test_a_list_is_one_block_of_lines():
    assert shown("<ul><li>a<ul><li>b</li></ul></li><li><p>c</p></li></ul><ol><li>x<li>y</ol>") == [
        ("text", 0, "- a\n  - b\n- c"),
        ("text", 0, "1. x\n2. y"),
    ]


def test_code_keeps_its_shape():
    assert shown("<pre><code>if x:\n    y<br>z</code></pre>") == [("code", 0, "if x:\n    y\nz")]


def test_tables_have_their_header_and_spans_are_filled_in():
    html = (
        "<table><thead><tr><th>Year</th><th>Month</th></tr></thead>"
        "<tr><td rowspan=2>2025</td><td>May</td></tr><tr><td>June | July</td></tr></table>"
    )
    assert shown(html) == [
        ("table", 0, "| Year | Month |\n| --- | --- |\n| 2025 | May |\n| 2025 | June \\| July |"),
    ]


def test_long_tables_repeat_their_header():
    rows = "".join(f"<tr><td>{number}</td><td>{'word ' * 20}</td></tr>" for number in range(50))
    tables = shown(f"<table><tr><th>No</th><th>Text</th></tr>{rows}</table>")
    assert len(tables) > 1
    assert all(text.startswith("| No | Text |\n") for _, _, text in tables)


def test_tables_for_layout_are_text():
    html = "<table><tr><td><table><tr><td>inner</td></tr></table></td><td>outer</td></tr></table>"
    assert shown(html) == [("text", 0, "inner"), ("text", 0, "outer")]


def test_what_surrounds_the_content_is_left_out():
    html = """<body><header><a href=/>Logo</a></header><nav>Menu</nav>
    <div id="cookie-banner">We use cookies</div><div hidden>a</div><div style="display: none">b</div>
    <script>c</script><style>d</style>
    <main><header><h1>Title</h1><ul><li><a>de</a></li></ul></header><p>Content that matters here.</p>
    <aside>A remark.</aside><aside><a>Link</a></aside></main>
    <footer>Imprint</footer></body>"""
    assert [text for _, _, text in shown(html)] == ["Title", "Content that matters here.", "A remark."]


def test_a_page_that_is_all_navigation_is_still_read():
    assert [text for _, _, text in shown("<body><nav>All there is</nav></body>")] == ["All there is"]


def test_the_main_part_wins_only_if_it_holds_most():
    html = f"<body><article>Short.</article><div>{'Long text. ' * 20}</div></body>"
    assert len(shown(html)) == 2


def test_self_closed_elements_do_not_swallow_the_page():
    html = '<?xml version="1.0"?><html xmlns="x"><head><title/></head><body><p>Here</p></body></html>'
    assert shown(html) == [("text", 0, "Here")]


def test_what_the_page_says_of_itself():
    html = (
        "<html lang=en><head><title> My\n page </title><meta name=author content='Ann'>"
        "<meta property='article:published_time' content='2024-05-01'><meta name=description content='About it'>"
        "</head><body>x</body></html>"
    )
    parsed = read(html.encode(), "a.html", ParseOptions())
    assert parsed.title == "My page"
    assert parsed.fields == {"author": "Ann", "date": "2024-05-01", "description": "About it", "language": "en"}


def test_the_charset_of_the_page_is_followed():
    html = '<html><head><meta charset="windows-1250"></head><body>Łódź</body></html>'.encode("cp1250")
    assert read(html, "a.html", ParseOptions()).text == "Łódź"


def test_a_page_nested_too_deep_keeps_its_words():
    assert shown("<html>" + "<div>" * 5_000 + "deep &amp; down") == [("text", 0, "deep & down")]


def test_pieces_of_html():
    assert html_text("<p>a</p><p>b&nbsp;c</p>") == "a\n\nb c"
