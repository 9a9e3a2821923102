"""What ccweb must do: each rule in one sentence, held by the tests that carry its id."""

from collections.abc import Mapping
from types import MappingProxyType

CONTRACT = {
    "R-C1": "One YAML file is the only place where tools, enums, errors and prompts are written.",
    "R-C2": "A bad contract is refused by file, line and rule before anything is written.",
    "R-C3": "One run renders the typed package, the snapshots and the README's marked blocks.",
    "R-C4": "The same contract gives the same bytes everywhere, and any drift is refused.",
    "R-C5": "The product takes contract values from the generated package and writes none by hand.",
    "R-C6": "A tool has a strict published schema and an accepted one that adds declared aliases.",
    "R-C7": "A change that would break a thread with an older definition is refused, and told how.",
    "R-C8": "Lint names what of the contract clients refuse or agents misread, by line and rule.",
}
DISPATCH = {
    "R-D1": "Five doors lead to one dispatcher and give the same answers.",
    "R-D2": "A call passes alias, legacy default, validation, handler and envelope, in this order.",
    "R-D3": "The old request tool works through every door, always returns, and is listed nowhere.",
    "R-D4": "A missing mode is served to old threads with a notice and refused to current ones.",
    "R-D5": "A refusal is a result that a model can read; an unexpected error leaks nothing.",
    "R-D6": "The credential alone decides who calls, and ends with its lease.",
    "R-D7": "The contract that each conversation loaded is recorded for each door.",
    "R-D7, conformance suite": "The official MCP suite passes for all that ccweb serves.",
}
MESSAGES = {
    "R-M1": "A send is one durable transaction that holds the very prompt of the target's turn.",
    "R-M2": "Each refusal of a send has its own code, its remedy, and changes nothing.",
    "R-M3": "A pending row holds all its fields; one without its original text says so.",
    "R-M4": "However a target's turn ends, its request gets an outcome; nothing waits for ever.",
    "R-M5": "A reply is held until what its turns had opened is answered; no circle can lock.",
    "R-M6": "Replies reach an idle source at once and a busy one in order, each its requester.",
    "R-M7": "A reply is delivered exactly once, whichever process is killed at whatever moment.",
    "R-M8": "A returned reply creates no new obligation and is merged with no manual message.",
    "R-M9": "Final output is kept whole; a continuation's prompt is cut to size and says where.",
    "R-M10": "A request can be cancelled or lose an end, and is settled with a reason each time.",
    "R-M11": "A person's message is never refused and comes first; Stop holds what is automatic.",
    "R-M12": "Several processes on one database claim each turn once, on its own host.",
    "R-M13": "A lost lease writes nothing; output that comes too late is kept and marked.",
}
PROMPTS = {
    "R-T1": "A one-way prompt names its source and says that its output is not returned.",
    "R-T2": "A return prompt says that the final output goes back by itself, once, in full.",
    "R-T3": "A continuation shows request, outcome and reply, and asks for a judgement first.",
    "R-T4": "The server tells each client which tool to use when, and to end its turn.",
    "R-T5": "Foreign text is fenced, attributed, and can neither close its fence nor be evaluated.",
}
AGENTS = {
    "R-A1": "A turn is claimed by lease in one statement, and its events are seen at once.",
    "R-A2": "Claude Code, codex exec and Codex App run with what they have; theirs stays as it is.",
    "R-A3": "The demo agent obeys its directives as a real client of the hub.",
    "R-A4": "Agents outlive the hub, a dead host's turns are found, and Stop ends the whole tree.",
    "R-A5": "A missing command-line agent and a foreign entry are named, never worked around.",
    "R-A6": "Prompts go in by standard input and output is decoded without loss.",
}
PAGE = {
    "R-U1": "The page lists, finds and keeps conversations live, with chat, composer and stop.",
    "R-U2": "A delegation shows the same timed card in both conversations.",
    "R-U3": "Whatever waits for a person stands in one list.",
    "R-U4": "Board, forms and images can be used on the page.",
    "R-U4, planning": "Blueprints are read, compared, answered and decided on the page.",
    "R-U5": "The page works on a phone, by keyboard, in each language and look, and calls nobody.",
}
SAFETY = {
    "R-S1": "Loopback needs a single-use ticket; every route checks Host, Origin and credential.",
    "R-S2": "No agent skips permissions unless a person chose it for that conversation.",
    "R-S3": "The database is one SQLite file with nothing to install.",
    "R-S4": "Bad input gets a clear error and changes nothing.",
    "R-S5": "People and tokens have scopes, and only the page gives the one that decides.",
}
ACCEPTANCE = {
    "AC1": "One public send tool requires its mode; no public request tool exists.",
    "AC2": "Both lists of tool definitions come from the same contract entry.",
    "AC3": "Both modes work from end to end and replies return as they did before.",
    "AC4": "The hidden alias works through every old way of calling and is listed nowhere.",
    "AC5": "Target and continuation prompts carry the mode and the context.",
    "AC6": "The README says what the implementation does.",
    "AC7": "The whole regression passes and git finds no whitespace error.",
    "AC8": "Board, image and form tools never appear among dynamic tools.",
    "AC9": "A busy source queues replies and takes them in order when it is idle.",
    "AC10": "State from before original requests were kept can be read.",
}
FIELD_CASES = {
    "FC-1": "Every completed request reaches its source without being asked for again.",
    "FC-2": "A turn that ends with no final text comes back as an outcome of its own.",
    "FC-3": "A source can tell that nothing was returned from a reply that says so.",
    "FC-4": "Replies are delivered with no browser open.",
    "FC-6": "The event that tells of an end carries its text.",
    "FC-7": "A message shown in the target is also in what its model gets.",
    "FC-8": "A delivery interrupts no turn, and its message stays in the history.",
    "FC-9": "The source goes on by itself when its target has finished.",
    "FC-10": "A reply goes to the requester, not to whoever created the target.",
    "FC-11": "A process that ends with no final output gives a failed reply with its reason.",
    "FC-13": "The whole text is stored before anything is torn down.",
    "FC-14": "A source that is idle already gets its reply without a change of its state.",
    "FC-15": "No request stays pending for ever; what cannot be delivered says why.",
    "FC-16": "Nothing is called accepted before it is durable.",
    "FC-18": "The final text is taken from the turn; the model need not call a tool to answer.",
    "FC-19": "The return address is never in a model's hands, and nobody sends to itself.",
    "FC-20": "Failures come back like successes.",
    "FC-21": "The link to the requester is kept from the start, and a busy source is served later.",
    "FC-23": "Two triggers at once deliver a reply once.",
    "FC-24": "Two idle events in a row give one message.",
    "FC-25": "A request has at most one returned message in the history.",
    "FC-27": "No event is repeated while the state does not change.",
    "FC-28": "A restart does not run a turn again that is still running.",
    "FC-29": "Every message has an id, whatever path it came by.",
    "FC-30": "Whether a reply was consumed is ccweb's knowledge, not a model's memory.",
    "FC-31": "A delivery neither interrupts a running source nor claims that a person did.",
    "FC-32": "A continuation is claimed only after the turn before it has ended.",
    "FC-33": "A message to a running conversation replaces no turn.",
    "FC-35": "Queued replies are delivered as soon as the source is idle.",
    "FC-37": "The result of a send to a busy target says what the target does.",
    "FC-38": "The result of a send says accepted, never delivered.",
    "FC-40": "A person's queued message is shown and can be removed.",
    "FC-41": "One tool with a required choice leaves no wrong tool to pick.",
    "FC-42": "A thread with an old list is served and told that its list is old.",
    "FC-43": "Nothing relies on a client that reloads its tool list.",
    "FC-46": "A client that meets an old server says so and falls back to nothing else.",
    "FC-47": "An optional field can be added without breaking an old thread.",
    "FC-48": "The tool's text says to end the turn because it will be continued.",
    "FC-50": "Tools that show pending replies say that they are not for waiting.",
    "FC-44": "A thread with old tools goes on with them and gets the new ones beside.",
    "FC-52": "A send answers at once, however long the target takes.",
    "FC-53": "Two conversations that answer each other for ever are stopped.",
    "FC-54": "A circle over three conversations is stopped by its depth.",
    "FC-56": "A text that ccweb wrote back is marked as a reply to its request.",
    "FC-58": "The status shown comes from turns and leases, so none stays running for ever.",
    "FC-59": "A dead host is noticed within seconds.",
    "FC-61": "Turns left running by a dead process are reclaimed.",
    "FC-62": "A restart keeps what was pending and gives an aborted turn a reply.",
    "FC-63": "A reply that was ready at a crash is delivered without another restart.",
    "FC-64": "A dead request never keeps its target blocked.",
    "FC-65": "A reply says how its turn ended, and its reader is asked whether it is complete.",
    "FC-67": "A stop for lack of budget comes back with its stop reason.",
    "FC-68": "An agent's error result is a failed turn.",
    "FC-72": "What a delegated agent asks is shown at its source too, and no ask hides another.",
    "FC-73": "Each route checks host, origin and credential, and reads no body of another type.",
    "FC-74": "No token stands in a URL or a log.",
    "FC-75": "Each conversation has its own credential, bound on the server.",
    "FC-77": "A character split between two reads survives, and cuts fall between characters.",
}
PLANNING = {
    "R-P1": "A workflow's first call opens a run, and every call of it is listed.",
    "R-P2": "A work item has one context, and its space never passes for a project.",
    "R-P3": "A blueprint's texts are numbered, hashed and only ever added.",
    "R-P4": "Only a person decides, about the very text that was shown.",
    "R-P5": "Nothing is decided about repositories before each direct one has whole evidence.",
    "R-P6": "No old tool goes round a blueprint, neither beside one nor on a server without it.",
    "R-P7": "A cancelled work item makes it and its blueprint read-only, in every state.",
    "R-P7, task": "A cancelled task is final for everybody, in every disguise.",
    "R-P8": "A feature list becomes a plan by three tools, with files that show each judgement.",
    "R-P9": "Research is a request of planning, and its evidence names files that exist.",
    "R-P10": "One client calls over MCP first and plain HTTP where MCP is not served.",
}
REQUIREMENTS: Mapping[str, str] = MappingProxyType(
    CONTRACT
    | DISPATCH
    | MESSAGES
    | PROMPTS
    | AGENTS
    | PAGE
    | PLANNING
    | SAFETY
    | ACCEPTANCE
    | FIELD_CASES
)
"""Every rule that holds today; each is carried by at least one test."""

_PLANNING = "planning is not built yet"
LATER: Mapping[str, str] = MappingProxyType(
    {
        "R-S3, PostgreSQL": "one machine and one SQLite file come first",
        "R-S4, backup, restore and import": "these commands are not built yet",
        "R-U1, image attach": "images go from agents to people; the other way is not built yet",
        "R-U3, side by side and the map": "the first page holds what a delegation needs",
        "FC-39": "the same case as FC-31",
        "FC-49": "it measures real models, which no test reaches",
        "FC-69": "background work of Claude Code is off; agents that Codex starts have no test yet",
    }
)
"""Rules that hold later, each with the reason."""
