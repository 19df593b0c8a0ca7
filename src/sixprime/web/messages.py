"""What goes over the wire, as frozen values: what is asked and what is answered.

These classes are the description: requests are read by them, answers made of them, and the OpenAPI document says what
they say. Players are 0 and 1; points are those of the player whose board it is, 25 the bar, 0 off.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

Player = Annotated[int, Meta(ge=0, le=1)]
Die = Annotated[int, Meta(ge=1, le=6)]
Point = Annotated[int, Meta(ge=0, le=25)]
Text = Annotated[str, Meta(max_length=200)]
Long = Annotated[str, Meta(max_length=100_000)]
Count = Annotated[int, Meta(ge=0, le=1 << 31)]
BUG = "Something went wrong in Sixprime itself."
"""Said of what nobody else can mend."""
Counts = Annotated[tuple[Annotated[int, Meta(ge=0, le=15)], ...], Meta(min_length=26, max_length=26)]


# Boards


class Board(Struct, frozen=True):
    """A position with all that stands beside it.

    counts: of both players by their own points, [0] unused, [25] the bar. mover: who is on roll. owner: of the cube,
    None while it is centred. cube: its value, what is offered if `doubled`; 0 where there is none. chequers: of each
    side.
    """

    counts: tuple[Counts, Counts]
    mover: Player
    cube: Count = 1
    owner: Player | None = None
    dice: tuple[Die, Die] | None = None
    doubled: bool = False
    score: tuple[Count, Count] = (0, 0)
    length: Count = 0
    crawford: bool = False
    jacoby: bool = True
    beavers: Annotated[int, Meta(ge=0, le=15)] = 3
    cube_limit: Annotated[int, Meta(ge=1, le=1 << 15)] = 1024
    chequers: Annotated[int, Meta(ge=1, le=15)] = 15


class Stepped(Struct, frozen=True):
    """A chequer that has been moved. first: the die that was to be used first then."""

    start: Point
    end: Point
    first: Die


class Source(Struct, frozen=True):
    """A point from which a chequer can go, and where to; quick: where it goes by the next die, None if it cannot."""

    point: Point
    ends: tuple[int, ...]
    quick: int | None
    other: int | None


class Entered(Struct, frozen=True):
    """A play that is being made. dice: the next first. counts: of both players, the mover first, as they stand now.

    left: dice that are left. play: what has been made, in words. used: whether each die has been used; four of doubles.
    illegal: why no rule allows the play, which was asked for as it was made; "" for all others.
    """

    dice: tuple[Die, Die]
    moves: tuple[Stepped, ...]
    counts: tuple[Counts, Counts]
    sources: tuple[Source, ...]
    left: tuple[int, ...]
    done: bool
    play: str
    used: tuple[bool, ...]
    illegal: str = ""


class EntryAsked(Struct, frozen=True):
    """What is to be done to a play that is being made, of a sitting or of a board.

    do: move a chequer (start, end; end None: by the next die), read a text, swap the dice, take back the last chequer,
    or nothing. anyway: a text may be a play that the rules do not allow; of a board alone.
    """

    dice: tuple[Die, Die]
    moves: Annotated[tuple[Stepped, ...], Meta(max_length=4)] = ()
    do: Literal["move", "text", "swap", "back", "show"] = "show"
    start: Point | None = None
    end: Point | None = None
    text: Text = ""
    board: Board | None = None
    anyway: bool = False


# Sittings


class SittingAsked(Struct, frozen=True):
    """A new sitting. opponent: a level, "person" (at this screen) or "invited" (by a link). position: any ID to begin
    with, whose state counts where it has one of its own. minutes: on the clock, 0: no clock. loses: whether who has
    used them up loses the match, or is only told so; None: as is set. by_hand: the dice are thrown elsewhere and told
    with every roll. player: a level that plays the user's own side, too, so that he watches two programs. guest: what
    to call the person on the other side. unnamed: whether `name` is none of his, but how the page calls him.
    cube_limit: the largest cube, where there is one. hints: whether there are hints, a tutor and reports while the
    match goes on; where nothing is said, unless somebody is invited. Empty texts and None stand for what the settings
    say."""

    opponent: Text = ""
    length: Annotated[int, Meta(ge=0, le=999)] | None = None
    variant: Text = ""
    name: Annotated[str, Meta(max_length=40)] = ""
    position: Annotated[str, Meta(max_length=2000)] = ""
    crawford: bool | None = None
    jacoby: bool | None = None
    beavers: Annotated[int, Meta(ge=0, le=15)] | None = None
    cube: bool | None = None
    tutor: bool | None = None
    minutes: Annotated[float, Meta(ge=0, le=1000)] | None = None
    delay: Annotated[float, Meta(ge=0, le=3600)] | None = None
    loses: bool | None = None
    seed: Annotated[int, Meta(ge=0, le=1 << 53)] | None = None
    by_hand: bool | None = None
    unnamed: bool = False
    guest: Annotated[str, Meta(max_length=40)] = ""
    hints: bool | None = None
    cube_limit: Annotated[int, Meta(ge=2, le=1 << 15)] | None = None
    player: Text = ""


class Compiled(Struct, frozen=True):
    """How much of the kernels is compiled; None where none are."""

    percent: int | None


class LatestAsked(Struct, frozen=True):
    """How many of the sittings of this user are wanted."""

    count: Annotated[int, Meta(ge=1, le=10_000)] = 20


class Opened(Struct, frozen=True):
    """Where a sitting is: its key, which opens it to whoever knows it. invitation: the key of the other side."""

    key: str
    invitation: str | None = None


class Kept(Struct, frozen=True):
    """A sitting to go on with. unnamed: as in `Told`."""

    key: str
    names: tuple[str, str]
    score: tuple[int, int]
    length: int
    over: bool
    played: str
    unnamed: int | None


class GameAsked(Struct, frozen=True):
    """A game that is to be kept no longer. key: of whoever began it."""

    key: Annotated[str, Meta(max_length=80)]


class Sittings(Struct, frozen=True):
    """Those of this user, the latest first."""

    sittings: tuple[Kept, ...]


class Moved(Struct, frozen=True):
    """A row of the list of moves. number: of its turn, as reports number them; 0 for what is no turn."""

    number: int
    player: int
    dice: str
    text: str


class Past(Struct, frozen=True):
    """Boards of the game as they were before each row of its list of moves, with the dice of that row. number: of acts
    by then, so that they fit what was told. xgids: of the same positions, "" for one that has none."""

    number: int
    boards: tuple[Board, ...]
    xgids: tuple[str, ...]


class Clock(Struct, frozen=True):
    """Seconds that each player has used, and has left; running: whose time runs. loses: whether who has none left loses
    the match."""

    used: tuple[float, float]
    left: tuple[float, float] | None
    running: int | None
    loses: bool


class Told(Struct, frozen=True):
    """A sitting as whoever has the key sees it.

    version: goes up with every change. mine: the players he acts for. acts: what he may do now. offers: what he may
    resign. throws: dice that he has to tell, where they are thrown by hand: "open", one die of each player for the
    opening roll, or "roll", those of the player on roll. board: None before the opening roll of the first game, the
    start then. beavered: how often the offered cube was turned back. last: the play before, by points of the player
    who made it. thinking: whether a program does. problem: what stopped the session, if anything did. game: its number;
    points: what it was worth, once it is over. late: who has lost the match by time, which is over then.
    unnamed: the player who told no name. undo, redo: whether he may take back, and do again what he took back. hints:
    whether there are hints, a tutor and reports by now. watch: whether two programs play, and whether they do so by
    themselves by now.
    """

    version: int
    number: int
    phase: str
    turn: int | None
    mine: tuple[int, ...]
    names: tuple[str, str]
    unnamed: int | None
    programs: tuple[bool, bool]
    headline: str
    prompt: str
    board: Board
    start: bool
    entry: Entered | None
    acts: tuple[str, ...]
    offers: tuple[int, ...]
    throws: Literal["", "open", "roll"]
    offered: int
    beavered: int
    resigned: int
    undo: bool
    redo: bool
    thinking: bool
    tutor: bool
    lines: tuple[str, ...]
    moves: tuple[Moved, ...]
    last: tuple[tuple[int, int], ...]
    last_player: int | None
    clock: Clock | None
    over: bool
    winner: int | None
    problem: str
    invitation: str | None
    waiting_for_guest: bool
    xgid: str
    report: str
    game: int
    variant: str
    points: int
    late: int | None
    hints: bool
    watch: Literal["", "runs", "paused"]


class ActAsked(Struct, frozen=True):
    """What a player does. number: of acts that he has seen; with another the act is refused, so that nothing is done to
    a table that has changed. play: of do "play", in words. value: of do "resign". dice: of do "open" and "roll", where
    they are thrown by hand; of "open" the die of player 0 comes first. anyway: unheard by the tutor."""

    do: Literal[
        "open",
        "roll",
        "play",
        "double",
        "take",
        "drop",
        "beaver",
        "resign",
        "accept",
        "decline",
        "next",
        "undo",
        "redo",
    ]
    number: Count
    play: Text = ""
    value: Annotated[int, Meta(ge=1, le=3)] = 1
    player: Player | None = None
    dice: tuple[Die, Die] | None = None
    anyway: bool = False


class Warned(Struct, frozen=True):
    """What the tutor says of an act, which was not done."""

    words: str
    better: str
    loss: float
    skill: str


class Acted(Struct, frozen=True):
    """What became of an act: the sitting then, or a warning."""

    told: Told
    warned: Warned | None = None


class Advice(Struct, frozen=True):
    """One thing that can be done. chances: win, gammon, backgammon, lose, lose gammon, lose backgammon."""

    words: str
    equity: float
    loss: float
    chances: tuple[float, ...] | None
    plies: int | None


class Hinted(Struct, frozen=True):
    """All that can be done, best first. choice: what is to be decided. number: of acts, so that it fits its table."""

    choice: str
    number: int
    options: tuple[Advice, ...]


class TutorAsked(Struct, frozen=True):
    """Whether errors are to be warned of before they count."""

    on: bool


class WatchAsked(Struct, frozen=True):
    """What two programs that are watched shall do; step: one act, then they wait."""

    do: Literal["pause", "go_on", "step"]


class FormAsked(Struct, frozen=True):
    """What has been played as a file. form: one of the formats that can be written."""

    form: Text


class Reported(Struct, frozen=True):
    """How far a report is. state: "stopped" while nobody asks for it, which begins it again. key: of the report. xgid:
    of a file that was no more than a position, which has no report (key is ""); every: of all its positions, if it has
    several; chequers: of each side in them. place: of the turn that was asked for. reports: keys of all that are begun
    of a file of several matches; matches: how many it has."""

    state: Literal["working", "stopped", "ready", "failed"]
    key: str
    done: int
    total: int | None
    what: str
    problem: str = ""
    xgid: str = ""
    every: tuple[str, ...] = ()
    place: str = ""
    chequers: int = 15
    reports: tuple[str, ...] = ()
    matches: int = 1


class Listed(Struct, frozen=True):
    """A report that is kept. unnamed: as in `Told`; state: as in `Reported`; when: it changed last, by the clock of the
    server."""

    key: str
    names: tuple[str, str]
    length: int
    games: int
    state: str
    when: str
    unnamed: int | None


class Reports(Struct, frozen=True):
    """The reports of this user, the latest first."""

    reports: tuple[Listed, ...]


class RolledOut(Struct, frozen=True):
    """A rollout that is kept. kind: "plays", "cube" or "position"; dice: of plays; best: the name of the best
    alternative, "" of a position, and equity: what it is worth."""

    key: str
    xgid: str
    kind: str
    dice: str
    trials: int
    best: str
    equity: float
    when: str


class Results(Struct, frozen=True):
    """All that is kept of analyses: reports, rollouts and trees of variations, the latest first, answers of the quiz,
    attempts of drills."""

    reports: tuple[Listed, ...]
    rollouts: tuple[RolledOut, ...]
    variations: tuple[Tried, ...]
    answers: int
    attempts: int


class RemoveAsked(Struct, frozen=True):
    """What is to be kept no longer. key: of a report, rollout or tree; of the quiz all questions and answers go."""

    kind: Literal["report", "rollout", "variations", "quiz", "drills"]
    key: Annotated[str, Meta(max_length=80)] = ""


class Judged(Struct, frozen=True):
    """A decision of a report. id: of its turn on the page. action: of its game; kind: "play", "double" or "take"; what:
    play or cube. chequers: of each side. looks: whether there is something to be looked at closer."""

    id: str
    game: int
    action: int
    kind: str
    what: Literal["play", "cube"]
    xgid: str
    chequers: int
    comment: str
    looks: bool


class Form(Struct, frozen=True):
    """A form in which a match can be saved, by its name and for people."""

    name: str
    title: str


class Reviewed(Struct, frozen=True):
    """What is known of a report beyond its page."""

    names: tuple[str, str]
    decisions: tuple[Judged, ...]
    forms: tuple[Form, ...]


class CommentAsked(Struct, frozen=True):
    """What to say of an action of a report, in the place of what was said."""

    game: Annotated[int, Meta(ge=0, le=9999)]
    action: Annotated[int, Meta(ge=0, le=99999)]
    text: Annotated[str, Meta(max_length=10_000)]


# Positions


class PositionAsked(Struct, frozen=True):
    """A position by a text (any ID, or text that shows one), by a board, or the start of the game with so many chequers
    a side, where 31 is rolled."""

    text: Long = ""
    board: Board | None = None
    chequers: Annotated[int, Meta(ge=1, le=15)] = 15
    start: bool = False


class Read(Struct, frozen=True):
    """A position and its IDs, "" for those that cannot hold it. problems: why it cannot be judged. every: XGIDs of all
    positions of a text that shows several, none of others."""

    board: Board
    xgid: str
    gnubg_id: str
    ogid: str
    pips: tuple[int, int]
    problems: tuple[str, ...]
    plays: int
    words: str
    every: tuple[str, ...] = ()


class AfterAsked(Struct, frozen=True):
    """What comes of a position: after a play, in words, or after the cube was offered or taken."""

    board: Board
    do: Literal["play", "double", "take"]
    play: Text = ""


class TextAsked(Struct, frozen=True):
    """A position, judged, as a text for forums."""

    board: Board
    form: Literal["xg", "markdown", "bgonline", "text"] = "xg"


class Written(Struct, frozen=True):
    """A position or a match as a text to be pasted elsewhere."""

    text: str


# Variations

TreeKey = Annotated[str, Meta(pattern=r"^[\w-]{20,60}$")]


class Node(Struct, frozen=True):
    """A position that was tried. parent: the number of the one before, -1 of the root; label: what led here."""

    parent: Annotated[int, Meta(ge=-1, le=400)]
    label: Text
    xgid: Text
    board: Board
    comment: Annotated[str, Meta(max_length=10_000)] = ""


class Variations(Struct, frozen=True):
    """Positions that were tried as a tree, the root first. key: chosen by whoever begins it; version: how often it was
    kept, as far as the page knows; here: the node that is looked at."""

    key: TreeKey
    nodes: Annotated[tuple[Node, ...], Meta(min_length=1, max_length=400)]
    version: Count = 0
    here: Count = 0


class VersionTold(Struct, frozen=True):
    """What a tree is called now that it is kept."""

    key: str
    version: int


class Tried(Struct, frozen=True):
    """A tree of variations that is kept. xgid: of its root; chequers: of each side; number: of variations."""

    key: str
    xgid: str
    chequers: int
    title: str
    number: int
    when: str


class AllTried(Struct, frozen=True):
    """The trees of variations that are kept, the latest first."""

    trees: tuple[Tried, ...]


# Transcripts


class Line(Struct, frozen=True):
    """What was done at a turn of a match that is written down.

    player: who; of the first roll of a game the one who begins, of a resignation the one who resigns, else whoever's
    turn it is. dice, play: of "play"; a play is "" where no chequer can move. value: of "resign", 1 to 3. anyway: the
    play is kept as it was made though the rules do not allow it; then "" leaves the roll unplayed.
    """

    do: Literal["play", "double", "beaver", "take", "drop", "resign"]
    player: Player | None = None
    dice: tuple[Die, Die] | None = None
    play: Text = ""
    value: Annotated[int, Meta(ge=1, le=3)] = 1
    anyway: bool = False


class Transcript(Struct, frozen=True):
    """A match that is written down. length: 0 for money."""

    names: tuple[Annotated[str, Meta(max_length=60)], Annotated[str, Meta(max_length=60)]]
    length: Annotated[int, Meta(ge=0, le=999)] = 0
    variant: Text = "standard"
    crawford: bool = True
    jacoby: bool = True
    beavers: Annotated[int, Meta(ge=0, le=15)] = 3
    event: Text = ""
    date: Annotated[str, Meta(max_length=10)] = ""
    lines: Annotated[tuple[Line, ...], Meta(max_length=5000)] = ()


class TranscriptAsked(Struct, frozen=True):
    """A transcript, looked at before the line `at`, None for the end. dice: thrown there, by whoever is on roll or, at
    the beginning of a game, by the player who begins."""

    transcript: Transcript
    at: Annotated[int, Meta(ge=0, le=5000)] | None = None
    dice: tuple[Die, Die] | None = None
    player: Player = 0


class Transcribed(Struct, frozen=True):
    """One line as it was understood. won: points that the player has won by it, or lost where he resigned. illegal:
    whether it is a play against the rules, kept as it was made."""

    game: int
    number: int
    player: Player
    dice: str
    text: str
    winner: Player | None
    won: int
    illegal: bool = False


class TranscriptTold(Struct, frozen=True):
    """What the rules say of a transcript.

    lines: as far as they are sound; bad: the first that is not, and why (problem). board: before the line that is
    looked at; entry: the play to be made there. dos: what can be done there, "play" with or without dice, "resign"
    included; begins: whether that is the first roll of a game. turn: whose it is; None then, and after the match.
    """

    lines: tuple[Transcribed, ...]
    bad: int | None
    problem: str
    board: Board
    entry: Entered | None
    dos: tuple[str, ...]
    begins: bool
    turn: int | None
    game: int
    over: bool
    xgid: str


class FileAsked(Struct, frozen=True):
    """A transcript as a file. form: one of the formats that can be written."""

    transcript: Transcript
    form: Text


class FileTold(Struct, frozen=True):
    """A file: its name, what is in it as base64, and what its format cannot hold of the match."""

    name: str
    content: bytes
    lost: tuple[str, ...] = ()


# Library

Checksum = Annotated[str, Meta(pattern="^[0-9a-f]{32}$")]
Key = Annotated[str, Meta(max_length=60)]


class KeepAsked(Struct, frozen=True):
    """The report whose match goes into the library."""

    report: Key


class Shelved(Struct, frozen=True):
    """A match of the library. number: by which `sixprime library` names it. result: 1 or -1 where the first or second
    player won, 0 while it goes on, for money the points of the first. pr: of both players, None where it is not
    analysed. whole: whether its analysis is here to be opened."""

    number: int
    checksum: str
    names: tuple[str, str]
    length: int
    result: int
    date: str
    event: str
    pr: tuple[float | None, float | None]
    whole: bool


class Standing(Struct, frozen=True):
    """A player of the library. won, lost: matches that are over. luck: equity in all; trend: PR of each match that is
    analysed and the mean so far, recent decisions counting more, in order of time."""

    name: str
    matches: int
    won: int
    lost: int
    decisions: int
    pr: float | None
    luck: float
    trend: tuple[tuple[float, float], ...]


class Shelf(Struct, frozen=True):
    """All of the library, the latest matches first."""

    matches: tuple[Shelved, ...]
    players: tuple[Standing, ...]


class MatchAsked(Struct, frozen=True):
    """A match of the library. turn: the index of a game, and of an action in it, whose place is asked for."""

    checksum: Checksum
    turn: tuple[Annotated[int, Meta(ge=0)], Annotated[int, Meta(ge=0)]] | None = None


class SearchAsked(Struct, frozen=True):
    """Positions of the library that have at least these chequers, or exactly these, seen by who decides; or all,
    those most like this one first.

    counts: of the player who decides and of the other, as in `Board`. least: what the decision lost, at least. kind,
    phase, plan: "" for all; player: who decided, "" for anybody.
    """

    counts: tuple[Counts, Counts]
    exact: bool = False
    like: bool = False
    dice: tuple[Die, Die] | None = None
    kind: Literal["", "play", "double", "take"] = ""
    phase: Literal["", "opening", "contact", "back game", "race", "bear-off"] = ""
    plan: Literal["", "race", "back game", "attack", "prime", "holding", "mixed"] = ""
    least: Annotated[float, Meta(ge=0, le=10)] = 0.0
    player: Text = ""
    count: Annotated[int, Meta(ge=1, le=10_000)] = 50


class Found(Struct, frozen=True):
    """A decision that fits, and where it was. match: its number. index, action: its turn, as `MatchAsked` takes it.
    distance: pips that its chequers are away from those asked for, None where nothing alike was."""

    match: int
    checksum: str
    index: int
    action: int
    names: tuple[str, str]
    player: Player
    game: int
    move: int
    dice: str
    chosen: str
    best: str
    error: float
    xgid: str
    distance: int | None = None


class FoundAll(Struct, frozen=True):
    """What was found, the most costly or the most alike first; all: how many there are; searched: positions that were
    looked at."""

    found: tuple[Found, ...]
    all: int
    searched: int


class SumsAsked(Struct, frozen=True):
    """What decisions of the library lost, by groups. player: "" for everybody."""

    player: Text = ""
    by: Literal["phase", "plan", "kind", "opponent", "score", "month"] = "phase"


class Sum(Struct, frozen=True):
    """A group: decisions that count, how many of them are errors, equity lost in all, performance rating."""

    name: str
    decisions: int
    errors: int
    error: float
    pr: float


class Sums(Struct, frozen=True):
    """The most costly group first, and all together."""

    groups: tuple[Sum, ...]
    all: Sum


# Learning


class CardsAsked(Struct, frozen=True):
    """Questions for the quiz: the errors in a report, of one player or ("") both, or the openings and replies."""

    report: Key = ""
    player: Text = ""
    book: Literal["", "opening", "reply"] = ""


class QuizTold(Struct, frozen=True):
    """How the quiz stands. next: when the next question is due, as a date; "" without one."""

    cards: int
    new: int
    due: int
    learnt: int
    answers: int
    found: int
    next: str
    added: int = 0


class QuizAsked(Struct, frozen=True):
    """topics: which questions, () for all; new: how many new ones may still be asked."""

    topics: Annotated[tuple[Literal["error", "opening", "reply"], ...], Meta(max_length=3)] = ()
    new: Annotated[int, Meta(ge=0, le=1000)] = 10


class Card(Struct, frozen=True):
    """A question. kind: "play", "double" or "take"; choices: what can be answered where it is no play."""

    id: str
    kind: str
    board: Board
    topic: str
    source: str
    choices: tuple[str, ...]
    fresh: bool


class QuizNext(Struct, frozen=True):
    """The next question, None when there is nothing left to ask now."""

    card: Card | None
    standing: QuizTold


class AnswerAsked(Struct, frozen=True):
    """An answer to a question: a play in words, a choice, or "" to be told."""

    id: Annotated[str, Meta(pattern="^[0-9a-f]{16}$")]
    text: Text
    seconds: Annotated[float, Meta(ge=0, le=86_400)] = 0.0


class Choice(Struct, frozen=True):
    """What could have been answered, and what it loses."""

    text: str
    loss: float


class Marked(Struct, frozen=True):
    """What became of an answer. due: when it is asked again, as a date."""

    given: str
    right: bool
    loss: float
    skill: str
    best: str
    choices: tuple[Choice, ...]
    due: str
    standing: QuizTold


class DrillAsked(Struct, frozen=True):
    """An exercise; the same numbers give the same one."""

    kind: Literal["pips", "epc", "race", "cube", "shots"]
    seed: Annotated[int, Meta(ge=0, le=1 << 31)]
    number: Annotated[int, Meta(ge=0, le=1 << 20)]


class Drilled(Struct, frozen=True):
    """An exercise. names: of the numbers that are asked for; choices: what can be answered instead. pips: whether pip
    counts may be shown."""

    board: Board
    names: tuple[str, ...]
    choices: tuple[str, ...]
    pips: bool


class DrillAnswered(DrillAsked, frozen=True):
    """An answer to an exercise: numbers, or a choice."""

    text: Text
    seconds: Annotated[float, Meta(ge=0, le=86_400)] = 0.0


class DrillRecord(Struct, frozen=True):
    """How attempts of a kind went: of the latest the share that was right, the mean error and the median seconds."""

    kind: str
    attempts: int
    right: float
    error: float
    seconds: float


class DrillMarked(Struct, frozen=True):
    """What became of it. error: in the unit of the kind. numbers: the right ones; choices: instead, with what each
    loses."""

    right: bool
    error: float
    numbers: tuple[float, ...]
    choices: tuple[Choice, ...]
    records: tuple[DrillRecord, ...]


class DrillLog(Struct, frozen=True):
    """How all kinds of drills went."""

    records: tuple[DrillRecord, ...]


# Settings


class Setting(Struct, frozen=True):
    """One thing that can be set. value: None where what is built in holds. here: whether it can be set by a page, as
    it names no program, file or other machine."""

    name: str
    text: str
    built_in: str
    value: bool | int | float | str | None
    kind: Literal["flag", "number", "text"]
    here: bool


class SettingsTold(Struct, frozen=True):
    """All of them. writable: whether they can be changed from here."""

    settings: tuple[Setting, ...]
    writable: bool


class SettingAsked(Struct, frozen=True):
    """A value for one key, as text; None for what is built in."""

    name: Text
    value: Annotated[str, Meta(max_length=2000)] | None


class About(Struct, frozen=True):
    """What this is, and what it knows. address: by which others reach it, "" where they do not."""

    version: str
    opponents: tuple[str, ...]
    variants: tuple[str, ...]
    themes: tuple[str, ...]
    shared: bool
    pictures: bool
    formats: tuple[Form, ...]
    address: str = ""


class Problem(Struct, frozen=True):
    """Why something could not be done. code: one word that stays the same; message: a sentence for people."""

    code: Literal[
        "unreadable",  # what was asked is no JSON of its kind, no ID, no file
        "out_of_range",  # or a value in it cannot be
        "no_json",
        "too_large",
        "token",  # it is missing
        "host",  # the server does not go by this name
        "origin",  # a page of somebody else asks
        "not_there",
        "not_allowed",  # by the rules or the state of the game
        "stopped",
        "busy",  # try again in a moment
        "failed",  # an engine or a file
        "bug",
    ]
    message: str


class Refused(Struct, frozen=True):
    """The answer to what could not be done."""

    error: Problem
