"""The native tools' own decisions: what is cut, what is told, and that both forms hold the same."""

from __future__ import annotations

from knowgate.errors import InputError, NotFoundError
from knowgate.tools.native import chat, documents, ingest, search
from knowgate.tools.native.failures import in_words
from knowgate.tools.text import LONGEST_TEXT
from knowgate.wire import ChatReply, DocumentsAnswer, FileAnswer, Listed, Result, SearchAnswer, TaskAnswer


def _found(count: int, length: int, cursor: str = "next") -> SearchAnswer:
    results = [Result(f"{number}.md", "x" * length, 0.5, page=number) for number in range(1, count + 1)]
    return SearchAnswer(results, "hybrid", cursor, ("Vectors are missing.",))


def test_long_results_are_cut_and_say_how_to_get_the_rest():
    shown = search.shape(_found(100, 2000), "detailed")
    told = search.render(shown)
    assert len(told) < LONGEST_TEXT + 500
    assert shown.left_out == 100 - len(shown.results)
    assert shown.cursor is None
    assert f"{shown.left_out} more passages had no room: call again with limit {len(shown.results)}" in told


def test_a_concise_passage_is_a_part_and_a_detailed_one_the_whole():
    found = _found(1, 2000)
    assert len(search.shape(found, "concise").results[0].text) == 503
    assert search.shape(found, "detailed").results[0].text == "x" * 2000
    told = search.render(search.shape(found, "concise"))
    assert "1. 1.md, page 1 (score 0.50)" in told
    assert "Note: Vectors are missing." in told
    assert told.endswith('More: call again with cursor "next".')


def test_a_reply_that_does_not_answer_says_so():
    reply = ChatReply("I find nothing.", "c1", [Result("a.md", "x", 0.1)], answered=False, warnings=("Slow.",))
    told = chat.render(chat.shape(reply))
    assert told == (
        "I find nothing.\n\n(The documents do not answer this.)\n\nSources:\n[1] a.md (score 0.10)\n\n"
        "Note: Slow.\n\nchat_id: c1"
    )


def test_a_task_with_many_files_shows_the_failed_ones():
    files = {f"{number}.md": FileAnswer(f"{number}.md", "completed", 2) for number in range(50)}
    files["broken.pdf"] = FileAnswer("broken.pdf", "failed", error="It is damaged.", fix="Repair it.")
    files["thin.pdf"] = FileAnswer("thin.pdf", "completed", 1, warnings=("Page 2 is a picture.",))
    task = TaskAnswer("t1", "ingest", "completed", "done", 52, 52, 51, 1, 0, 0, 0, "", "", 0.0, files, files_left_out=3)
    shown = ingest.shape(task)
    told = ingest.render(shown).splitlines()
    assert told[0] == "Task t1 is done: completed. 52 files: 51 succeeded, 1 failed."
    assert told[1] == "- broken.pdf: failed: It is damaged. Repair it."
    assert told[2] == "- 0.md: completed, 2 passages"
    assert told[-1] == "... and 35 more files; knowgate_documents lists what is there."
    assert shown.files_left_out == 35
    assert "thin" in ingest._line(ingest.File("thin.pdf", "completed", 1, warnings=["Page 2 is a picture."]))


def test_a_cancelled_task_says_why():
    task = TaskAnswer(
        "t1", "ingest", "failed", "done", 0, 0, 0, 0, 0, 0, 0, "", "", 0.0, {}, error="It was cancelled.", fix="Again."
    )
    assert "It was cancelled. Again." in ingest.render(ingest.shape(task))
    assert ingest.answer(task, failing=True).failed
    assert not ingest.answer(task, failing=False).failed


def test_many_documents_are_cut():
    listed = [
        Listed(f"{'n' * 150}{number}.md", "d", "", "markdown", "text/markdown", 1, 1, "", "", "", None)
        for number in range(200)
    ]
    shown = documents.shape(DocumentsAnswer(listed, "next"))
    told = documents.render(shown)
    assert len(told) < LONGEST_TEXT + 500
    assert shown.left_out
    assert f"{shown.left_out} more had no room" in told


def test_errors_are_told_in_what_an_assistant_can_do():
    assert in_words(InputError("bad", "It is bad.", "Make it good.")) == "It is bad. Make it good."
    lost = NotFoundError("task_not_found", "There is no task t.", "List them with `knowgate tasks`.")
    assert in_words(lost) == "There is no task t. Use the task_id that knowgate_ingest returned."
