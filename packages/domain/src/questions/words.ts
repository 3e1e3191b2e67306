/** Words that carry no meaning of their own once the rest of a question is understood. */
const FILLERS = `
  a about account accounted accounting accumulate accumulated across actual actually add added afaik affected again ah all
  allocate almost along alongside already alright also although altogether always am among amongst amount amounts an and answer
  answered answers any anyone anything anyway anyways api apiece appear appeared appears approx approximately are around as asap
  ask asked asking at ate available away back basically be because been being belong belonging belongs big bit boss both bother
  bothering break breakdown brief briefly bring brings bro broke broken brought btw bunch burn burned burning burnt business but
  by calculate calculated call called calls came can capture captured case cases cause caused chart check checked checking
  cheers claim clear clearly colleague colleagues come comes coming complain compute computed concerning consider considering
  consume consumed consumes consuming consumption could count counted counting counts create created creating culprits curious
  current currently cut cuz data dear definitely deliver delivered depending describe detail detailed details develop developed
  did display distribute distributed distribution divide do does doing dollars done down during each easily eat eats either
  encounter encountered ended enough entire entirely er eur euro euros even ever every everything evolve evolved exact exactly
  excuse exist existing experience experienced face faced fairly far fetch figure figures fill find fine folks following for
  form found frequently from further fyi gateway gave general generally generate generated generating get gets getting gimme
  give given gives giving glad glance go goes going gone good got gotta gotten graph great group grouped guess guys had hammer
  hammered hammering hand handed handle handled handling happen happened happening happens happy hard has have having he hello
  help her here hey hi him his historical history hit hits hitting hiya hmm hola honestly hope hopefully how howmany hows hurt i
  idea ideally if impacted in incl include included includes including incur incurred individually info information inside
  insight instance instead interested interrupt into involved is issue issued it item items its just keep kind kinda kindly
  kinds knocking know known landed lately lemme let lets letting level levels like likes list listed listing lists little look
  looked looking looks lot lots madam made mainly make makes making manage managed many mate matter may maybe me mean means
  mention might mind mine mines moment money more mostly much must my myself name namely need needed needs nice nor notice
  noticed now number numbers numerical observe observed obtain occur occurred occurring occurs of off offenders offhand often oh
  ok okay on once one ones only onto or order ordered originate originated originating our ours out output over overall overview
  owed own part particular parts per perform performed perhaps period person picture ping pinged pinging place plain please plot
  plotted pls plz point poked possible possibly precise precisely prepare present presentation pretty print probably process
  processed processing produce produced provide provided proxy public pull pulled purpose push pushed put quantity question
  quick quickly quite rack racked ran rank ranked ranking rather read real really receive received recently record recorded
  regard regarding regards register registered related remember remind report reported reporting reports respective respectively
  respond responded response responses result results return returned returning returns revoke revoked rough roughly run running
  said same saw say see seeing seem seems seen send sending sends sent separately serve served serves service serving set shall
  share shared she should show showed showing shown shows side simple simply sir situation slice sliced snapshot so some somehow
  someone something sorry sort sorta sorted sorts specifically specified split splits spread stat statistic statistics stats
  still struggle struggling stuff suffer suffered suffering suffers sum summaries summarise summarize summary summed supply sure
  system ta tab table tabular take taken takes taking talk tallied tally tell terms thank thanks that the their them then there
  therefore these they thing things think this those though threw through throughout throw thrown throws thx time times to
  together tonne too took total totals touch toward towards try trying turn typical typically uh um under understand up us usd
  use used uses using usual usually value values various verify very via view visible visualise visualize volume wanna want
  wanted wants was way ways we well went were what when where whether which while who whole whom whose will wise wish with
  within wonder wondered wondering work worked working works would write written wrote yep yes yet yo you your yours yourself`.split(
  /\s+/,
);

/** Words that compare: they have a meaning of their own, which a comparison or a breakdown of the question must have taken up. */
const COMPARING: ReadonlySet<string> = new Set(
  "against better between bigger change changed changes compare compared comparing comparison different difference differences higher larger lower smaller than versus worse".split(
    " ",
  ),
);

/** Everyday words that are near to words of the grammar and no slip of them. */
const NO_SLIPS: ReadonlySet<string> = new Set(
  `taken quote quotes media yeah text texts plane plant plants play mouth weak race rare shape sharp core cores pain pair voice
  goal goals role roles rule rules note notes date dates rated card cards cash cache user users price prices state states later
  early late team teams term terms line lines page pages file files size test tests form forms hand head read real same site
  sites loss lost cover order orders paper party house horse weather person people reason reasons report reports product
  products project projects contract contact contacts account name names game games case cases base phone photo photos video
  videos movie movies store stores story email emails mail mails letter letters driver drivers disk disks memory machine
  machines thread threads queue queues cluster clusters server servers pods node nodes deploy deploys commit commits branch
  build builds bug bugs ticket tickets support satisfaction browser browsers device devices version versions language languages
  city cities street continent continents`.split(/\s+/),
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

const ENDINGS = ["s", "es", "ed", "d", "ing"];

/** What a word may be without its ending: “generate” of “generates”, “eat” of “eating”. */
function listStems(word: string): string[] {
  return ENDINGS.filter((ending) => word.endsWith(ending)).map((ending) =>
    word.slice(0, -ending.length),
  );
}

/** Pronouns for all or for any. */
const PRONOUN = /^(?:some|any|every)body$|^(?:what|which)ever$/;

export const isFiller = (word: string): boolean =>
  FILLER_WORDS.has(word) ||
  PRONOUN.test(word) ||
  listStems(word).some((stem) => FILLER_WORDS.has(stem));
export const isComparing = (word: string): boolean => COMPARING.has(word);
/** True for a word that needs no correction, in the singular or the plural. */
export const isKnownWord = (word: string): boolean =>
  COMPARING.has(word) ||
  NO_SLIPS.has(word) ||
  PRONOUN.test(word) ||
  KNOWN_WORDS.has(word) ||
  KNOWN_WORDS.has(`${word}s`) ||
  listStems(word).some((stem) => KNOWN_WORDS.has(stem));
