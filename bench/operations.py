"""How well everyday requests find their operation among GitHub's, and how fast a large API is ready.

    python -m bench.operations FILE [--json]

FILE is GitHub's whole description: generated/api.github.com.json of the npm package @octokit/openapi. The
weights of the ranking were fitted on every other request, beginning with the first; the others are told apart. How
passages are written, and that the best by meaning comes among the first five, was chosen with all of them in view.
"""

from __future__ import annotations

import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import orjson
import typer
from rich.console import Console
from rich.table import Table

from knowgate import Engine
from knowgate.config.settings import Settings
from knowgate.engine.finding import refresh

REQUESTS = """
open a new issue in a repository | issues_create
list the open issues of a repo | issues_list-for-repo
close an issue | issues_update
comment on an issue | issues_create-comment
show all comments of an issue | issues_list-comments
assign somebody to an issue | issues_add-assignees
put a label on an issue | issues_add-labels
remove a label from an issue | issues_remove-label
create a new label for the repository | issues_create-label
create a milestone | issues_create-milestone
lock an issue so that nobody can comment | issues_lock
what issues are assigned to me | issues_list issues_list-for-authenticated-user
edit a comment on an issue | issues_update-comment
delete an issue comment | issues_delete-comment
add a sub-issue | issues_add-sub-issue
open a pull request | pulls_create
show the pull requests of a repository | pulls_list
merge a pull request | pulls_merge
which files does a pull request change | pulls_list-files
request a review from a colleague | pulls_request-reviewers
approve a pull request | pulls_create-review pulls_submit-review
list the reviews of a pull request | pulls_list-reviews
has this pull request been merged | pulls_check-if-merged
commits of a pull request | pulls_list-commits
comment on a line of code in a pull request | pulls_create-review-comment
change the title of a pull request | pulls_update
update a pull request branch with the latest changes from the base | pulls_update-branch
create a repository for me | repos_create-for-authenticated-user
create a repository in my organization | repos_create-in-org
delete a repository | repos_delete
get information about a repo | repos_get
rename a repository | repos_update
list all my repositories | repos_list-for-authenticated-user
repositories of an organization | repos_list-for-org
fork a repository | repos_create-fork
star a repository | activity_star-repo-for-authenticated-user
remove my star from a repository | activity_unstar-repo-for-authenticated-user
who starred this repo | activity_list-stargazers-for-repo
watch a repository | activity_set-repo-subscription
transfer a repository to a new owner | repos_transfer
read a file from a repository | repos_get-content
change a file in a repository | repos_create-or-update-file-contents
delete a file from a repository | repos_delete-file
show the readme | repos_get-readme
list branches | repos_list-branches
protect a branch | repos_update-branch-protection
create a branch | git_create-ref
delete a branch | git_delete-ref
rename a branch | repos_rename-branch
compare two commits | repos_compare-commits-with-basehead repos_compare-commits
show the latest commits | repos_list-commits
details of one commit | repos_get-commit git_get-commit
list contributors of a project | repos_list-contributors
what programming languages does this repo use | repos_list-languages
list the tags of a repository | repos_list-tags
publish a release | repos_create-release
latest release | repos_get-latest-release
upload a file to a release | repos_upload-release-asset
write release notes automatically | repos_generate-release-notes
delete a release | repos_delete-release
invite a collaborator to my repo | repos_add-collaborator
who has access to this repository | repos_list-collaborators repos_list-teams
remove a collaborator | repos_remove-collaborator
add a webhook to a repository | repos_create-webhook
list the webhooks of a repository | repos_list-webhooks
add a deploy key | repos_create-deploy-key
set the topics of a repository | repos_replace-all-topics
how many people cloned the repository | repos_get-clones
traffic: page views of a repo | repos_get-views
download the source code as zip | repos_download-zipball-archive
run a workflow | actions_create-workflow-dispatch
list the workflow runs of a repository | actions_list-workflow-runs-for-repo actions_list-workflow-runs
cancel a workflow run | actions_cancel-workflow-run actions_force-cancel-workflow-run
rerun the failed jobs | actions_re-run-workflow-failed-jobs
download the logs of a workflow run | actions_download-workflow-run-logs
add a secret for actions to a repo | actions_create-or-update-repo-secret
list the secrets of a repository | actions_list-repo-secrets
set an environment variable for workflows | actions_create-repo-variable actions_create-environment-variable
  actions_update-repo-variable actions_update-environment-variable
list build artifacts | actions_list-artifacts-for-repo actions_list-workflow-run-artifacts
download a build artifact | actions_download-artifact
create a deployment | repos_create-deployment
list environments | repos_get-all-environments
mark a commit as passed by our CI | repos_create-commit-status
what is the build status of this commit | repos_get-combined-status-for-ref repos_list-commit-statuses-for-ref
  checks_list-for-ref
search code for a word | search_code
find repositories about machine learning | search_repos
search for users in Berlin | search_users
search issues that mention a crash | search_issues-and-pull-requests
who am I | users_get-authenticated
show a user's profile | users_get-by-username
follow a user | users_follow
list my followers | users_list-followers-for-authenticated-user
add an ssh key to my account | users_create-public-ssh-key-for-authenticated-user
create a gist | gists_create
list my gists | gists_list
list my notifications | activity_list-notifications-for-authenticated-user
mark all notifications as read | activity_mark-notifications-as-read
members of an organization | orgs_list-members
add a person to a team | teams_add-or-update-membership-for-user-in-org teams_add-member-legacy
  teams_add-or-update-membership-for-user-legacy
react to an issue with a thumbs up | reactions_create-for-issue
"""
"""What people ask for, and the ids of the operations that do it."""
_TOP = 5


@dataclass(frozen=True, slots=True)
class Found:
    mode: str
    first: int
    top: int
    top_of_fitted: int
    top_of_others: int
    milliseconds: float
    missed: list[str]


@dataclass(frozen=True, slots=True)
class Ready:
    operations: int
    cold_seconds: float
    warm_seconds: float
    """From nothing to a list, with a policy that is asked about each operation."""
    indexing_seconds: float


def requests() -> list[tuple[str, set[str]]]:
    lines = [line.partition(" | ") for line in REQUESTS.strip().replace("\n  ", " ").splitlines()]
    return [(asked, set(ids.split())) for asked, _, ids in lines]


def measure_finding(engine: Engine, mode: str) -> Found:
    asked = requests()
    ranks: list[int] = []
    start = time.process_time()
    for request, wanted in asked:
        found = engine.operations(request, limit=20).operations
        ranks.append(next((place for place, each in enumerate(found, 1) if each.operation_id in wanted), 999))
    took = time.process_time() - start
    top = [rank <= _TOP for rank in ranks]
    return Found(
        mode,
        sum(rank == 1 for rank in ranks),
        sum(top),
        sum(top[::2]),
        sum(top[1::2]),
        1000 * took / len(asked),
        [request for (request, _), good in zip(asked, top, strict=True) if not good],
    )


def measure_readiness(settings: Settings) -> Ready:
    seconds: list[float] = []
    indexing = total = 0.0
    for _ in range(2):
        with Engine(settings) as engine:
            start = time.perf_counter()
            total = engine.operations().total
            seconds.append(time.perf_counter() - start)
            start = time.perf_counter()
            if refresh(engine.rooms):
                indexing = time.perf_counter() - start
    return Ready(int(total), seconds[0], seconds[1], indexing)


def main(
    file: Annotated[Path, typer.Argument(help="generated/api.github.com.json")],
    json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    with tempfile.TemporaryDirectory() as data:
        settings = Settings.model_validate({"data": data, "apis": {"github": {"spec": str(file)}}})
        ready = measure_readiness(settings)
        with Engine(settings) as engine:
            found = [measure_finding(engine, "keyword")]
            engine.embed_pending()
            found.append(measure_finding(engine, "hybrid"))
    if json:
        sys.stdout.buffer.write(orjson.dumps({"ready": asdict(ready), "found": [asdict(each) for each in found]}))
        return
    table = Table("index", "first", f"top {_TOP}", "of the fitted 50", "of the others", "ms CPU")
    for each in found:
        row = (each.first, each.top, each.top_of_fitted, each.top_of_others)
        table.add_row(each.mode, *map(str, row), f"{each.milliseconds:.0f}")
    console = Console()
    console.print(table)
    console.print(
        f"{ready.operations} operations: cold {ready.cold_seconds:.2f} s, warm {ready.warm_seconds:.2f} s, "
        f"written into the index in {ready.indexing_seconds:.1f} s"
    )
    console.print("Missed:", *found[-1].missed, sep="\n  ")


if __name__ == "__main__":
    typer.run(main)
