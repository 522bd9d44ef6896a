"""Words that are no names."""

from __future__ import annotations

COMMON = frozenset(
    """
a about above across actually add additional additionally after again against all allow allows almost elsewhere
grant along already also although always am among an and another any anyone anything are around as ask at available
away back based basic be because become been before begin behind being below best better between both bring build
but by call can cannot change check choose clone click close code come configure consider contact contains
contribute copy could create currently data day deploy description did do docs documentation does don done down
download due during each easy edit either else enable end enjoy ensure enter especially etc even eventually every
everyone everything example examples execute explore feel few file final finally find first follow following for
from fully further furthermore general get getting give given go good great had half has have having he hello help
hence her here his how however i if image important in include includes including indeed info initially inside
install instead into is it its itself just keep key know last lastly late later latest learn least less let like
likely list local look made main make makes many may maybe me mean meanwhile might more moreover most move much must
my name near need never nevertheless new next no none nor not note notes nothing now of off often ok okay old on
once one only open optionally or order other others otherwise our out over overview own particularly people perhaps
please point possible previously print provide put quick rather read really recently refer remember remove replace
requirements result return right run running same save say search second see seems select send set several shall she
should show similarly simple simply since so some someone something sometimes soon start step steps still stop such
sure table take tell test than thank thanks that the their them themselves then there thereby therefore these they
thing things think this those three through throughout thus title to today together tomorrow too total toward try
turn two type under unlike unless until up update upon us usage use used user users using usually various very via
view visit want warning was way we welcome well were what whatever when where whereas whether which while who whole
whose why will with within without work would write yes yesterday yet you your yours could've couldn't didn't
doesn't don't hasn't haven't he's i'd i'll i'm i've isn't it'd it'll it's let's shouldn't that's there's they'll
they're they've wasn't we'd we'll we're we've weren't what's won't wouldn't you'd you'll you're you've der die das
den dem des ein eine einer einem einen eines und oder aber nicht auch mit von zu zum zur im ist sind war wird werden
kann können für auf aus bei nach wie wenn dann als es sie wir ihr man nur noch dass diese dieser dieses le la les un
une et est dans pour que qui sur avec par il elle nous vous ce cette el los las y en del con una
""".split()
)
GENERIC = frozenset(
    """
another any available back backend backing base bug business central certain cloud core correct current custom
dedicated default different downstream each entire existing external first following full fully generic given global
good human individual internal large last local main managed many micro more multiple my named native new next old
one only other our own particular physical primary production public real relational remote respective running same
second separate several shared similar simple single small some specific standalone standard such target their third
this those three two typical underlying upstream various virtual web whole working your per every client-side
server-side software data in-memory in-cluster embedded corresponding dependent protected appropriate registered
desired sample demo
""".split()
)
NOUNS = frozenset(
    """
code data day docs documentation description example examples file image info key list name order people point
requirements result search step steps table test thing things title total type update usage user users view way work
local main general final basic simple call request report load change account item product
""".split()
)
"""Common words that also begin names, as in Order Service or Image Provider."""
ROLES = frozenset(
    """
model view logic storage persistence gui cli ui frontend backend core kernel parser scheduler engine preferences
renderer compiler interpreter loader dispatcher facade
""".split()
)
"""What parts of a program are called in small letters."""
DETERMINERS = frozenset("the a an this that these those his her its our your their each every".split())
DATES = frozenset(
    """
monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september
october november december jan feb mar apr jun jul aug sep sept oct nov dec gmt utc
""".split()
)
TRADES = frozenset(
    """
accounting advertising banking billing booking cataloguing catering clearing crawling forecasting gaming geocoding
hosting invoicing learning lending licensing logging mailing manufacturing marketing matching messaging metering
monitoring onboarding parking planning pricing provisioning purchasing ranking rating reporting routing scheduling
settling shipping streaming ticketing tracking trading training underwriting voting warehousing
""".split()
)
"""What a service may be there for, though it looks like something that is just being done."""
INSTITUTIONS = frozenset(
    """
university institute academy college school faculty department ministry minister secretary bank church museum
library house council court board union kingdom republic bureau office federation league association society battle
city county state states province district diocese bishop archbishop duke king queen prince order chamber center
centre hall palace festival treaty declaration congress commission committee company corporation government army
""".split()
)
"""What is "of" something by its very name."""
HOLLOW = frozenset(
    """
service server api app application component module database db client website webservice system cluster
""".split()
)
"""Alone they say what something is, not which."""
INSTRUCTIONS = frozenset(
    """
accessing adding building calling changing checking choosing cloning compiling configuring connecting creating
debugging deleting deploying developing disabling editing enabling exposing extending finding fixing generating
getting handling implementing importing including installing integrating making managing migrating modifying
monitoring publishing pulling pushing putting reading releasing removing running sending setting sharing starting
stopping testing understanding uninstalling updating upgrading using verifying viewing working writing
""".split()
)
"""What a heading or a sentence begins with that tells how to do something."""
LABELS = frozenset(
    """
accept accepted alert alternatives approved author authors background charge charges compute considered consequences
contact context date deciders decision decisions dependencies deprecated fixme glossary goals handle handles kind
lead maintainer on-call oncall options owner owners price prices process proposed purpose rationale rate rejected
responsibilities reviewed runbook scope serve serves stakeholders status summary superseded tags tbd team teams todo
track validate validates verify verifies version written
""".split()
)
"""What a heading, a line or an item begins with that is no name, though it is large."""
