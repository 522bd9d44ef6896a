"""The file that `policy init` writes."""

STARTER = """\
# What assistants may do. Any rule that says deny wins, whatever the order; then ask, then dry_run, then allow.
# What no rule speaks of is decided by the defaults. Check it with `knowgate policy check`.
version: "1.0"

defaults:
  allow_methods: [GET, HEAD, OPTIONS]    # reading is allowed
  ask_methods: [POST, PUT, PATCH, DELETE]  # a person approves whatever writes
  require_auth: false                    # true: no call without an auth profile
  audit_level: basic                     # none, basic or detailed

rules:
  # A pattern is looked for in the operation's id, its path, host and path, and the whole address.
  - name: no-admin
    pattern: "*/admin/*"
    deny:
      reason: Administration is left to people.

  # `when` is CEL over args, principal, time, address, env and risk. What cannot be told is not allowed.
  - name: too-risky
    when: risk > 70
    deny:
      reason: The call looks dangerous.

  # Without a pattern, a rule speaks of Knowgate's own tools, too, whatever an assistant calls them.
  - name: deletions
    tools: ["knowgate_delete_*"]
    ask: true

  # A limit, a stricter redaction or a fuller audit can be added to whatever else is decided.
  - name: gently
    pattern: "*"
    limit: {per_minute: 60}

# More that a rule can hold:
#  - name: everything
#    principals: ["ci-*"]        # who calls, by id or name
#    documents: ["hr/*"]         # which documents it concerns
#    fields: [salary]            # which fields it reads or writes
#    conditions:                 # all of them must hold
#      - environment: production
#      - source_ip: 10.0.0.0/8
#      - auth_profile: readonly
#      - type: time_window
#        start: "09:00"
#        end: "17:00"
#        days: [mon, tue, wed, thu, fri]
#        timezone: Europe/Berlin
#    allow:                      # all that is said must fit
#      operations: ["list*", "get*"]
#      methods: [GET]
#      tags: [public]
#    dry_run: {methods: [POST]}  # say what would be sent, send nothing
#    redact: {keys: ["*email*"], personal: true}
#    audit: {level: detailed, include_body: true}
"""
