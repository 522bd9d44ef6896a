"""Words that say the opposite, or that something is not so. English; other languages simply have no hits here."""

from __future__ import annotations

from collections.abc import Set
from functools import lru_cache
from itertools import combinations

from knowgate.store.words import text_terms

NEGATIONS = frozenset("not no never none nothing nobody neither nor except cannot nicht kein keine keinen nie".split())
DENIALS = NEGATIONS | frozenset(
    (
        "without excluding unlike lack lacks lacked lacking fail fails failed failing failure refuse refuses refused"
        " refusal unable impossible rather instead exempt exception exceptions ban banned forbidden prohibited"
        " ohne außer"
    ).split()
)
"""What may stand in a sentence for a negation in the question."""
_PREFIXES = ("un", "in", "im", "ir", "il", "dis", "non", "mis", "anti", "de", "counter")
_SHORTEST_ROOT = 4
_OPPOSITES = """
above below / abundance scarcity / accelerate slow / accept refuse reject decline / acquire lose sell / active
inactive passive dormant / add remove subtract / adult child / advance retreat withdraw / after before prior /
against for / aggressive peaceful defensive / agree disagree / all some none few / allow forbid prohibit prevent ban
/ ally enemy opponent / always never rarely sometimes / amateur professional / analog digital / ancestor descendant
/ ancient modern / appear disappear / appoint dismiss / arrest release / arrive leave depart / artificial natural /
ascend descend / asleep awake / assemble dismantle / asset liability / attach detach / attack defend protect /
attract repel / automatic manual / avoid seek / back front / bad good / beautiful ugly / begin end finish stop cease
/ benefit harm damage / best worst / better worse / big small little / bigger smaller / biggest smallest / birth
death / born died / borrow lend / bottom top / bought sold / brave cowardly / broad narrow / brother sister / build
destroy demolish / buy sell / buyer seller / calm violent / captive free / capture release / careful careless /
cause prevent / central peripheral / centralized decentralized / certain doubtful uncertain / cheap expensive /
civilian military / clean dirty / clear unclear ambiguous / client server / clockwise counterclockwise / close open
far / closest farthest furthest / coastal inland / cold hot warm / collective individual / combine separate / common
rare / compress expand / compulsory optional voluntary / concave convex / condemn praise / confirm deny / connect
disconnect / conquer surrender / conscious unconscious / constant variable / consumer producer / convict acquit /
create destroy delete / credit debit / cruel kind / curved straight / danger safety / dangerous safe / dark light
bright / daughter son / day night / dead alive / debtor creditor / decline increase grow rise / decrease increase
grow rise / deep shallow / defeat victory win / defensive offensive / deflation inflation / demand supply / dense
sparse / deny admit affirm confirm / deposit withdraw / despise admire / difficult easy / direct indirect / divide
unite multiply / domestic foreign international / downstream upstream / dry wet / dynamic static / earlier later /
earliest latest / early late / easier harder / easy hard / elect appoint / emigrate immigrate / employee employer /
empty full / enable disable / encourage discourage / enemy friend / enter leave exit / entrance exit / equal unequal
/ establish abolish / even odd / everyone nobody / everything nothing / evolve stagnate / excess shortage / expand
shrink contract / explicit implicit / export import / exporter importer / exterior interior / external internal /
fail succeed / failure success / false true / famous unknown obscure / far near / fast slow / faster slower /
fastest slowest / father mother / female male / few many / fewer more / fewest most / fiction fact / final initial
first / first last / fixed variable / flexible rigid / float sink / formal informal / forward backward / free paid
expensive / frequent rare / fresh stale / front rear / future past / gain lose loss / general specific / give take
receive / grow shrink / guarantee risk / guilty innocent / hard soft / harmful harmless beneficial / healthy sick /
heavy light / help hinder / hidden visible / high low / higher lower / highest lowest / hire fire / homogeneous
diverse / horizontal vertical / host guest parasite / hostile friendly / husband wife / ignore consider / import
export / improve worsen / include exclude omit / increase reduce / independence dependence / inferior superior /
inner outer / input output / inside outside / intact broken / invade defend / join leave / junior senior / justified
unjustified / king queen / landlord tenant / large small / larger smaller / largest smallest / launch cancel land /
lay clergy / lead follow / least most / left right / lender borrower / less more greater / liberal conservative /
lift lower / linear nonlinear / literal figurative / local global national federal / long short brief / longer
shorter / longest shortest / lose win find / lost won / loud quiet / love hate / lower upper raise / maintain
abandon / major minor / majority minority / man woman / mandatory optional / married single divorced / maximum
minimum / men women / merge split / mild severe / misuse use / mobile stationary / monarchy republic / moving
stationary / multiply divide / narrow wide broad / national international regional / natural artificial / nearest
farthest furthest / negative positive / net gross / new old / newer older / newest oldest / nominal real / normal
abnormal / objective subjective / occupied vacant / offer demand / official unofficial / offline online / often
rarely seldom / old young / older younger / oldest youngest / only many several / oppose support favor / optimistic
pessimistic / oral written / ordinary extraordinary / original copy / over under / partial complete / partially
completely fully / pass fail / past future / peace war / peak bottom / permanent temporary / personal impersonal /
physical mental virtual / polite rude / poor rich wealthy / popular unpopular / possible impossible / precede
succeed follow / predecessor successor / presence absence / present absent / preserve destroy / primary secondary /
private public / profit loss / promote demote hinder / pull push / pure mixed / qualitative quantitative / quantity
quality / quick slow / quickly slowly / random ordered / rapid slow / rapidly slowly gradually / raw cooked
processed / read write / recede advance / receive send / recover lose / reduce expand / refuse agree / regress
progress / relative absolute / release retain / religious secular / remember forget / repair damage break / restrict
expand / retreat attack / reveal conceal hide / reward punish / rise fall / rival ally / rough smooth / ruler
subject / rural urban / sacred secular / same different / satisfy disappoint / save spend waste / sharp dull / short
tall / shortage surplus / silent noisy / similar different / simple complex complicated / single multiple several /
sit stand / slavery freedom / smooth rough / solid hollow / spend earn / stable unstable / start stop end finish /
stop continue / strength weakness / strengthen weaken / strict lenient / strong weak / stronger weaker / strongest
weakest / student teacher / success defeat / sudden gradual / superior inferior / survive die perish / symmetric
asymmetric / synthetic natural / tall short / theoretical practical / theory practice / thick thin / tie untie /
tighten loosen / together apart / toxic harmless / tragedy comedy / trust suspect / unity division / universal
particular / up down / upward downward / usually rarely / valid void / victim attacker / violate obey comply /
virtue vice / vulnerable immune / weaken strengthen / win lose / winner loser / worse better
"""
"""Each word against the first of its group."""
_EXCLUSIVE = """
air sea land / army navy / aunt uncle cousin nephew niece / breakfast lunch dinner / bus train car plane ship /
century decade year month / christian muslim jewish hindu buddhist / europe asia africa australia antarctica / eye
ear nose mouth / first second third fourth fifth / gold silver bronze copper iron steel tin lead / gram kilogram ton
pound ounce / grandfather father son grandson / grandmother mother daughter granddaughter / half third quarter /
head hand foot leg arm / hour day week month year decade century / hourly daily weekly monthly yearly / hundred
thousand million billion trillion / january february march april june july august september october november
december / left right centre / millimetre centimetre metre kilometre mile foot inch yard / monday tuesday wednesday
thursday friday saturday sunday / morning noon afternoon evening night / north south east west / northern southern
eastern western / one two three four five six seven eight nine ten / painter poet composer architect sculptor / past
present future / physics chemistry biology mathematics / primary secondary tertiary / protestant catholic orthodox /
red blue green yellow orange purple pink brown black white grey / second minute hour day / solid liquid gas / spring
summer autumn winter / water oil coal wind solar nuclear / wood stone brick plastic glass metal paper
"""
"""Each word against every other of its group."""


def opposes(word: str, terms: frozenset[int], sentence: frozenset[int], words: Set[str]) -> bool:
    """Whether a sentence, given by its terms and its words in small letters, holds an opposite of the word."""
    table = _opposites()
    if any(not table[term].isdisjoint(sentence) for term in terms if term in table):
        return True
    return len(word) >= _SHORTEST_ROOT and any(_differs_by(prefix, word, words) for prefix in _PREFIXES)


def _differs_by(prefix: str, word: str, words: Set[str]) -> bool:
    root = word.removeprefix(prefix)
    return prefix + word in words or (_SHORTEST_ROOT <= len(root) < len(word) and root in words)


@lru_cache(maxsize=1)
def _opposites() -> dict[int, frozenset[int]]:
    """By stems, both ways."""
    table: dict[int, set[int]] = {}

    def contrast(one: int, other: int) -> None:
        if one != other:
            table.setdefault(one, set()).add(other)
            table.setdefault(other, set()).add(one)

    for first, *others in _groups(_OPPOSITES):
        for other in others:
            contrast(first, other)
    for group in _groups(_EXCLUSIVE):
        for one, other in combinations(group, 2):
            contrast(one, other)
    return {term: frozenset(others) for term, others in table.items()}


def _groups(listed: str) -> list[list[int]]:
    return [text_terms(group) for group in listed.split("/")]
