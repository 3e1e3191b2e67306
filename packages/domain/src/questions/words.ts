/** Words that carry no meaning of their own once the rest of a question is understood. */
const FILLERS =
  `a about often frequently current create created revoke revoked issue issued table hitting burn burning experience experienced seeing looking doing exactly roughly approximately across actually again all along also altogether am among amount an and any anything api are around as at be
  been being between both bring brings brought but by call came can cause caused chart check come comes coming compare compared
  consume consumed consumes could count currently data did display do does doing done each end ended ends ever every everything
  far figure figures find first for from gave generate generated get gets getting give given go goes going got graph grouped had
  handle handled happen happened has have having hey hi hit hits how i if in into is it its just kind know last let like list look
  looks lot made make makes making many me mean more much my need needs now number numbers of off on one only onto or our
  out over overall part per period please plot plotted point print process processed produce produced pull put quantity quickly
  ran receive received recorded report respond responded result results return returned returns run running same saw see seen
  send sent serve served serves service shall should show showing shows so some someone something split statistics stats
  still sum tell than thanks that the their them then there these they this those through time times to together total totals
  under up us use used uses using value values via view want wanted was we went were what when where which while who whose will
  with within would yet you your counted figure ours mine across whole entire level levels respectively ok okay well
  hard hit threw throw throws thrown things everything often hand handed out give given gave lately recently difference differences count counts burn burned burnt consume consumed consumes consuming consumption eat eats ate
  process processed processing serving getting taking making sending going push pushed went gone much overall
  during volume wise versus against come coming account accounted accounting generating happening side system use broken down
  break breakdown grouped group per sorted ordered ranked rank ranking order sort answered answer answers responses response
  currently quick summary summarise summarize overview work working works made did having had
  business ours say interested question wondering wonder curious kindly also instead next
  too then cut slice sliced separately individually distribution distributed share history historical develop developed evolve
  evolved changed change look like across dollars usd eur euros money terms high low big`.split(
    /\s+/,
  );

/** Words that the rules of the grammar look for, which a misspelt word may be meant to be. */
const GRAMMAR =
  `start starts beginning began half second third fourth midnight morning afternoon evening tonight noon not no never zero percentage percent rate share fraction proportion ratio growing keep rising request requests errors error latency traffic throughput spend spent revenue invoices invoice tenants tenant
  customers customer clients keys plan plans route routes endpoint endpoints method methods status region regions environment
  environments tokens denied rejected refused blocked throttled limited median average percentile bytes bandwidth received
  recurring active created revoked overdue unpaid paid yesterday today tomorrow weekend fortnight minute minutes hour hours day
  days week weeks month months quarter quarters year years hourly daily weekly monthly yearly last past previous current since
  until before after monday tuesday wednesday thursday friday saturday sunday january february march april june july august
  september october november december highest lowest busiest quietest slowest fastest slower faster biggest largest smallest
  bottom most least fewest worst best between excluding except without exclude versus compared forecast predict projected
  expected estimate quota allowance limit upgrade downgrade cheaper cheapest upcoming unused stale dormant suspicious leaked
  risky expire failed failures failing failure successful calls usage response duration trend growth income turnover earnings
  signups responses different country weather explain increase decrease dropped spike`.split(/\s+/);

const FILLER_WORDS: ReadonlySet<string> = new Set(FILLERS);
const KNOWN_WORDS: ReadonlySet<string> = new Set([...FILLERS, ...GRAMMAR]);
export const GRAMMAR_WORDS: readonly string[] = [...new Set(GRAMMAR)];

/** What people shorten. */
export const SHORT_FORMS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    lst: "last",
    wek: "week",
    dya: "day",
    hte: "the",
    fro: "for",
    teh: "the",
    wk: "week",
    wks: "weeks",
    yest: "yesterday",
    yday: "yesterday",
    mth: "month",
    mths: "months",
    qtr: "quarter",
    yr: "year",
    yrs: "years",
    hr: "hour",
    hrs: "hours",
    min: "minute",
    mins: "minutes",
    req: "requests",
    reqs: "requests",
    err: "errors",
    errs: "errors",
    avg: "average",
    rev: "revenue",
    env: "environment",
    envs: "environments",
    cust: "customers",
    custs: "customers",
    lat: "latency",
    resp: "response",
    prev: "previous",
    plz: "please",
    pls: "please",
    thx: "thanks",
    u: "you",
    r: "are",
    nr: "number",
    pct: "percent",
    whats: "what is",
    rn: "right now",
    hows: "how is",
    wheres: "where is",
    im: "i am",
    ive: "i have",
    havent: "have not",
    hasnt: "has not",
    arent: "are not",
    isnt: "is not",
    dont: "do not",
    didnt: "did not",
    wont: "will not",
    gonna: "going to",
    vs: "versus",
    "v.": "versus",
    mnay: "many",
    hwo: "how",
  }),
);

export const isFiller = (word: string): boolean => FILLER_WORDS.has(word);
/** True for a word that needs no correction, in the singular or the plural. */
export const isKnownWord = (word: string): boolean =>
  KNOWN_WORDS.has(word) ||
  KNOWN_WORDS.has(`${word}s`) ||
  (word.endsWith("s") && KNOWN_WORDS.has(word.slice(0, -1)));
