from knowgate.knowledge.parse.reader import ParseOptions
from knowgate.knowledge.parse.subtitles import read


def test_webvtt_speakers_and_lines():
    vtt = (
        b"WEBVTT - The talk\n\nNOTE a remark\n\nSTYLE\n::cue {}\n\nintro\n00:01.000 --> 00:02.000 align:start\n"
        b"<v Ann>Hello <i>you</i>\n\n00:02.000 --> 00:03.000\n<v Ann>and you\n\n"
        b"00:03.000 --> 00:04.000\n<v.loud Bob>Me &amp; her\n"
    )
    parsed = read(vtt, "a.vtt", ParseOptions())
    assert parsed.text == "Ann: Hello you\nand you\n\nBob: Me & her"
    assert parsed.title == "The talk"


def test_srt_without_numbers_times_and_repeats():
    cues = ("One", "One", "{\\an8}<b>Two</b>")
    srt = "".join(f"{n}\r\n00:00:01,000 --> 00:00:02,000\r\n{cue}\r\n\r\n" for n, cue in enumerate(cues)).encode()
    parsed = read(srt, "a.srt", ParseOptions())
    assert parsed.text == "One\nTwo"
    assert parsed.type == "srt"


def test_long_talk_is_cut_into_paragraphs():
    srt = "".join(f"{n}\n00:00:01,000 --> 00:00:02,000\nSentence number {n} of many.\n\n" for n in range(200))
    assert len(read(srt.encode(), "a.srt", ParseOptions()).blocks) > 5
