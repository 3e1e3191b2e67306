import { said } from "../text/said.ts";
import type { Grain } from "../time/zoned-buckets.ts";
import { move } from "./calendar.ts";
import { correctSpelling } from "./correct-spelling.ts";
import {
  type FoundComparison,
  findComparison,
  findGrowth,
  findSecondRange,
  findStep,
  isLike,
  rewriteComparison,
} from "./find-comparison.ts";
import { type FoundDimension, findDimensions } from "./find-dimensions.ts";
import { findGrain } from "./find-grain.ts";
import { findIntent, type QuestionIntent, takeIntent } from "./find-intent.ts";
import { type FoundMeasures, findMeasures } from "./find-measures.ts";
import {
  allTime,
  type FoundRange,
  findRange,
  type QuestionClock,
  runningRange,
} from "./find-range.ts";
import { type FoundRanking, findRanking } from "./find-ranking.ts";
import { findBounds, findThreshold } from "./find-threshold.ts";
import { findValues, toFilters } from "./find-values.ts";
import { listUnaccounted, type UnknownWord } from "./list-unaccounted.ts";
import { normaliseQuestion } from "./normalise-question.ts";
import { type Phrase, take } from "./phrase.ts";
import type { QuestionFilter } from "./question-reading.ts";
import {
  hasModels,
  MODEL,
  type QuestionMeter,
  type VocabularyIndex,
} from "./question-vocabulary.ts";

export type QuestionParts = {
  readonly intent?: QuestionIntent;
  readonly measures: readonly string[];
  readonly dimensions: readonly FoundDimension[];
  readonly filters: readonly QuestionFilter[];
  readonly range?: FoundRange;
  readonly grain?: Grain | "trend";
  readonly ranking?: FoundRanking;
  readonly compare?: FoundComparison;
  /** “The week before” of a follow-up. */
  readonly shiftsBy?: string;
  /** Filters that the question before named and this one does not. */
  readonly kept: readonly QuestionFilter[];
  readonly assumed: readonly string[];
  /** What was assumed of the measures. */
  readonly measuresAssumed: readonly string[];
  readonly ambiguous: readonly (readonly string[])[];
  readonly unknown: readonly UnknownWord[];
  /** True where the question asks to change something. */
  readonly isAction: boolean;
  /** True where it names other tenants or what only an operator has. */
  readonly text: string;
};

const ACTION =
  /^(?:(?:please|can you|could you|now|i want to|i want you to|let us|go) )*(?:delete|create|make me|revoke|disable|enable|roll|rotate|rename|remove|cancel|refund|invite|send (?:me|an?|the|us)|block|raise|lower|change|set|upgrade|downgrade|buy|email|mail|book|write|translate|add|issue|reset|stop|start|turn|close|void|pay|order|top up|restart|deploy|generate an?|update|edit|grant|give .* access|export|download)\b(?! so far)/;
const EXCLUDED =
  /(?:(?:everything|anything|everyone|everybody|anyone|all)? ?(?:except(?:ing)?(?: for)?|(?:everyone|everybody|everything|all) but|(?<=\b(?:all|every|any) (?:\S+ ){1,3})but|(?<=#m\d )but|excluding|exclude|without|not from|not (?:on|in|for|by|with|including|counting)|not|other than|ignoring|ignore|leaving out|leave out|drop|omit|skip|hide|filter out|take out|minus|apart from|aside from|no|non-?|but not|neither|outside(?: of)?)) (?:(?:the|for|from|in|on|of|any|key|route|tenant|region|plan|method|calls|requests|to) )*(#[vs]\d+(?:(?: (?:and|or|nor|,|the|#dkey|key|keys))+ #[vs]\d+)*)/;
const VALUE_MARK = /#([vs])(\d+)/g;
const STATUS =
  /(?<![\w#.$€-])(?<!\b(?:top|bottom|first|last|best|worst|highest|lowest|biggest|largest|smallest|most|least|the|paid|spent|over|under|of) (?=[1-5]00\b))(?:(?:http )?(?:status|code)(?: (?:code|is|=|of))* )?([1-5]\d\d)s?(?![\w.%-])(?! (?:ms|milliseconds?|s|sec|seconds|kb|mb|gb|days|hours|minutes|weeks|months|requests or more|dollars|euros|usd|eur|tokens|keys|tenants|customers|clients|routes|endpoints|regions|plans|invoices))/;
const STATUS_CLASS = /(?<![\w#-])([1-5])xxs?(?![\w-])/;
const NAMED_STATUS: readonly (readonly [RegExp, string, string | number])[] = [
  [/(?<![\w#-])server(?:[- ]side)?(?= (?:errors?|failures?))/, "status_class", "5xx"],
  [/(?<![\w#-])client(?:[- ]side)?(?= (?:errors?|failures?))/, "status_class", "4xx"],
  [/(?<![\w#-])(?:successful|succeeded|successes)(?![\w-])/, "status_class", "2xx"],
  [/(?<![\w#-])redirects?(?![\w-])/, "status_class", "3xx"],
  [/(?<![\w#-])not[- ]founds?(?: errors?)?(?![\w-])/, "status", 404],
  [/(?<![\w#-])(?:unpaid|outstanding)(?= (?:invoices?|bills?))/, "invoice_status", "open"],
  [
    /(?<=(?<![\w-])(?:invoices?|bills?) )(?:(?:that|which) )?(?:(?:are|is|were|was) )?(?:still )?(?:unpaid|outstanding)(?![\w-])/,
    "invoice_status",
    "open",
  ],
  [/(?<![\w#-])unauthori[sz]ed(?![\w-])/, "status", 401],
  [
    /(?<![\w#-])(?:voided|cancell?ed)(?![\w-])(?=.*\b(?:invoices?|bills?)\b)|(?<=\b(?:invoices?|bills?)\b.*)\b(?:voided|cancell?ed)(?![\w-])/,
    "invoice_status",
    "void",
  ],
  [
    /(?<![\w#-])(?:past due|late)(?![\w-])(?=.*\b(?:invoices?|bills?)\b)|(?<=\b(?:invoices?|bills?)\b.*)\b(?:past due|late|past their due date)(?![\w-])/,
    "invoice_status",
    "overdue",
  ],
  [
    /(?<![\w#-])(?:settled)(?![\w-])(?=.*\b(?:invoices?|bills?)\b)|(?<=\b(?:invoices?|bills?)\b.*)\bsettled(?![\w-])/,
    "invoice_status",
    "paid",
  ],
];
const SHIFT =
  /(?:the )?(day|week|month|quarter|year|period|one) (?:before(?: (?:that|it))?|earlier|prior)(?![\w-])/;
const CONTRAST =
  /(#[vs]\d+)(?: (?:,|and|or|versus|against|the|against|or the|with|to))+ (#[vs]\d+)/;
/** “A or B” is a contrast where one of them is asked for. */
const CONTRASTS =
  /versus|against|compar|difference|\bthan\b|\b(?:separately|individually|respectively|side by side|each|apart)\b|\b(?:which|who|what|is|are|more|most|fewer|less|least|(?:fast|slow|busi|quiet|bigg|small|high|low|larg|bett|cheap)er|worse)\b.* or /;
/** “Do POSTs fail more often than GETs”. */
const CONTRAST_THAN = /(#v\d+)(?: (?!#v)\S+){0,4} than (?:(?:the|for|on|of|with|in|from) )*(#v\d+)/;
/** “Which keys made no calls”. */
const NONE =
  /(?<![\w#])(?:(?:have|has|had|did|do|does|with|that|who) )*(?:not|no|never|zero|without)(?: (?:made|make|had|have|a|an|any|sent|seen|single|got|get|gotten|received|returned|produced|caused|hit|been|used))* #m\d/;

const LAST_ONE = /\b(?:last|previous|prior)\b/;
const BEYOND_LAST =
  /\b(?:exceed|beat|surpass|top|(?:be )?(?:more|higher|larger|lower|less|fewer) than|stay (?:above|below)) (?:the |that of )*(?:last|previous) (week|month|quarter|year)\b/;

/** “Which of our customers uses the most” is one. */
const ONE_OF_MANY =
  /\b(?:which|who|what)(?: single)?(?: one)? of (?:our |the |my |all |these )*\w+ (?:is|was|has|does|uses|makes|pays|gets|\w+s)\b/;

/** “Users” are customers, unless they are a route: “requests to users”. */
const USERS =
  /\b(top|biggest|largest|heaviest|smallest|our|which|many|active|new|most|paying|\d+|two|three|four|five|ten) users\b/g;

const PAY_US = /\b((?:customers|tenants|clients|they|people) (?:have )?)(?:pay|paid) us\b/;
/** What the operator bills without a customer's name is what all of them pay. */
const WE_BILL =
  /\b((?:have |did |do |had )?we(?: have)?) (?:bill(?:ed)?|charged?|invoiced?)(?! (?:#|our|the|each|every|per|customers|tenants))\b/;

/** “Spend on the busiest day” picks a day by another measure. */
const ON_PEAK =
  /\b(?:in|on|during|of|for) (?:the|our) (?:busiest|peak|heaviest|quietest|slowest|fastest|worst|best) (?:minute|hour|day|week|month)\b/;

type Mention = { field: string; values: readonly (string | number)[]; isExcluded: boolean };

function takeStatuses(phrase: Phrase): { field: string; values: (string | number)[] }[] {
  const found: { field: string; values: (string | number)[] }[] = [];
  const mark = () => `#s${String(found.length)}`;
  for (const [pattern, field, value] of NAMED_STATUS) {
    if (take(phrase, pattern, mark()) !== undefined) {
      found.push({ field, values: [value] });
    }
  }
  for (let times = 0; times < 5; times += 1) {
    const family = take(phrase, STATUS_CLASS, mark());
    const status = family === undefined ? take(phrase, STATUS, mark()) : undefined;
    if (family !== undefined) {
      found.push({ field: "status_class", values: [`${family[1] ?? ""}xx`] });
    } else if (status !== undefined) {
      found.push({ field: "status", values: [Number(status[1])] });
    } else {
      break;
    }
  }
  return found;
}

function takeMethods(phrase: Phrase, methods: readonly string[]): string[] {
  const found: string[] = [];
  for (let times = 0; times < 5; times += 1) {
    const match = take(phrase, /method=(\w+)(?: method(?!=))?/, `#h${String(found.length)}`);
    if (match === undefined) {
      break;
    }
    found.push((match[1] ?? "").toUpperCase());
  }
  return found.filter((method) => methods.includes(method)).length === found.length ? found : [];
}

/** Every mention of a value, with those after “except” marked as excluded. */
function takeMentions(
  phrase: Phrase,
  marked: ReadonlyMap<string, { field: string; values: readonly (string | number)[] }>,
): Mention[] {
  const excluded = new Set<string>();
  for (let times = 0; times < 3; times += 1) {
    const match = EXCLUDED.exec(phrase.text);
    if (match === null) {
      break;
    }
    const marks = [...(match[1] ?? "").matchAll(VALUE_MARK)].map(([mark]) => mark);
    for (const mark of marks) {
      excluded.add(mark);
    }
    phrase.text = phrase.text.replace(match[0], ` , ${match[1]?.replace(/#/g, "#x") ?? ""}`);
  }
  phrase.text = phrase.text.replace(/#x/g, "#").replace(/\s+/g, " ").trim();
  const inOrder = [...phrase.text.matchAll(VALUE_MARK)].map(([mark]) => mark);
  const places = [...marked].sort(
    ([one], [other]) => inOrder.indexOf(one) - inOrder.indexOf(other),
  );
  return places.map(([mark, value]) => ({ ...value, isExcluded: excluded.has(mark) }));
}

/** The measure that a threshold is about: the one beside it, or else the only one. */
function findThresholdMeasure(
  text: string,
  { marked }: FoundMeasures,
): readonly string[] | undefined {
  const beside =
    /#t(?: (?:at|of|in|the|on|,))* #m(\d)/.exec(text) ??
    /#m(\d)(?: (?:is|was|of|were|,|are|at))* #t/.exec(text);
  return beside === null ? marked[0] : marked[Number(beside[1])];
}

const BESIDE = /#m(\d)(?: (?:of|on|for|the))* #m(\d)/;

/** “The cost of tokens” may be the spend or the tokens, “slow requests” their latency or their number. */
function listAmbiguousMeasures(
  text: string,
  { marked }: FoundMeasures,
  { vocabulary }: VocabularyIndex,
): string[][] {
  const [beside = "", one = "", other = ""] = BESIDE.exec(text) ?? [];
  const measures = [...(marked[Number(one)] ?? []), ...(marked[Number(other)] ?? [])];
  const hasMeter = vocabulary.meters.some(({ slug }) => measures.includes(slug));
  const isCost = hasMeter && measures.includes("spend");
  const isSlow =
    !beside.includes(" of ") && measures.includes("requests") && measures.includes("latency_p95");
  if (beside !== "" && (isCost || isSlow)) {
    return [measures];
  }
  // “Costs us the most tokens”: two measures that nothing joins may be one or the other.
  for (const [, first = "", between = "", second = ""] of text.matchAll(NEIGHBOURS)) {
    const pair = new Set([...(marked[Number(first)] ?? []), ...(marked[Number(second)] ?? [])]);
    const hasMoney = [...pair].some((name) => MONEY.test(name));
    if (pair.size > 1 && hasMoney && between !== "" && !JOINED.test(between)) {
      return [[...pair]];
    }
  }
  return [];
}

const NEIGHBOURS = /#m(\d)((?: (?!#m)\S+)*?)(?= #m(\d))/g;
const JOINED =
  /(?:^| )(?:and|or|,|-|versus|against|than|plus|to|with|by|in|of|for|on|per|also|\/)(?: |$)/;
const MONEY = /^(?:spend|revenue|mrr)$/;

/** “Globex or anyone on the Pro plan”: filters of different fields apply together, so one or the other has no answer. */
function isAcrossFields(
  text: string,
  marked: ReadonlyMap<string, { readonly field: string }>,
): boolean {
  return [...text.matchAll(/(#[vs]\d+) or (?:(?!#)\S+ ){0,4}(#[vs]\d+)/g)].some(
    ([, one = "", other = ""]) => marked.get(one)?.field !== marked.get(other)?.field,
  );
}

/** The meter whose dimension one of the fields is, and which is no dimension of every call. */
export function findMeter(
  { vocabulary }: VocabularyIndex,
  fields: readonly { readonly field: string }[],
): QuestionMeter | undefined {
  const own = fields.filter(({ field }) => field !== MODEL || !hasModels(vocabulary));
  return vocabulary.meters.find(({ dimensions }) =>
    dimensions.some((dimension) => own.some(({ field }) => field === dimension)),
  );
}

/** Medians and percentiles are those of latency: “median requests per key” has no answer. */
function isMedianOfCalls(text: string, { marked }: FoundMeasures): boolean {
  return [...text.matchAll(/#m(\d) #m(\d)/g)].some(([, one = "", other = ""]) => {
    const [first = ""] = marked[Number(one)] ?? [];
    const [second = ""] = marked[Number(other)] ?? [];
    return /^latency/.test(first) && second !== "" && !/^latency/.test(second);
  });
}

const OUTCOMES = [
  ...["errors", "error_rate", "denied", "rate_limited"],
  ...["latency_avg", "latency_p50", "latency_p95", "latency_p99"],
];

/** “Requests to /v1/chat that failed” are errors, not requests and errors. */
function dropCounted(text: string, marked: FoundMeasures["marked"]): string[] {
  const measures = [...new Set(marked.flat())];
  const isBoth = /#m\d[^#]*(?:\band\b|,|\bversus\b|\bplus\b|\bto\b|\bwith\b|\bby\b)[^#]*#m\d/.test(
    text,
  );
  const isCounted = measures.length === 2 && measures.some((name) => OUTCOMES.includes(name));
  const counted = measures.includes("error_rate") ? ["requests", "errors"] : ["requests"];
  return isCounted && !isBoth ? measures.filter((name) => !counted.includes(name)) : measures;
}

const PEAK_MEASURES: Readonly<Record<string, string>> = {
  slowest: "p95 latency",
  fastest: "p95 latency",
  worst: "errors",
};

/** Writes words that rank by what they mean: the tenant that spends, the hour that is busiest. */
function rewriteRankings(phrase: Phrase): void {
  phrase.text = phrase.text
    .replace(/\b(?:spend|pay)er(s?)\b/g, "tenant$1 spend")
    .replace(/\b(\w+) consumer(s?)\b/g, "tenant$2 $1")
    .replace(
      /\b(?:makes?|made|making|brings?|brought|earns?|earned)(?: us)?(?: in)? (?:the )?(most|least) money\b/g,
      "$1 revenue",
    )
    .replace(
      /\b(busiest|peak|heaviest|quietest|slowest|fastest|worst) (minute|hour|day|week|month)s?\b/g,
      (_, word: string, unit: string) => `${PEAK_MEASURES[word] ?? "requests"} per ${unit}`,
    );
}

/** Reads what one question says by itself. */
export function readParts(
  index: VocabularyIndex,
  question: string,
  time: Omit<QuestionClock, "isFuture" | "isSeries">,
): QuestionParts {
  const normal = normaliseQuestion(question);
  const dimensions = [
    ...(hasModels(index.vocabulary) ? [MODEL] : []),
    ...index.vocabulary.meters.flatMap((meter) => meter.dimensions),
  ].flatMap((name) => [name, `${name}s`]);
  const isName = (word: string) =>
    index.names.has(word) ||
    index.parts.has(word) ||
    index.meterWords.has(word) ||
    dimensions.includes(word);
  const names = [...index.meterWords.keys(), ...dimensions];
  const spelt = correctSpelling(normal, isName, names);
  const values = findValues(
    index,
    index.vocabulary.actor === "operator" ? spelt.replace(USERS, "$1 customers") : spelt,
  );
  const phrase: Phrase = { text: values.text };
  const intent = findIntent(
    phrase.text.replace(/#v(\d+)/g, (mark, at: string) =>
      values.found[Number(at)]?.field === "plan" ? "#pplan" : mark,
    ),
  );
  const isAction = ACTION.test(phrase.text);
  if (intent === "forecast") {
    // “Will it exceed last month” is about this one.
    phrase.text = phrase.text.replace(BEYOND_LAST, "this $1");
  }
  rewriteComparison(phrase);
  const isOnPeak = ON_PEAK.test(phrase.text);
  rewriteRankings(phrase);
  if (
    index.vocabulary.actor === "operator" &&
    !values.found.some(({ field }) => field === "tenant")
  ) {
    phrase.text = phrase.text.replace(WE_BILL, "$1 revenue").replace(PAY_US, "$1 revenue");
  }
  const one = index.vocabulary.actor === "operator" ? "which tenant" : "which key";
  phrase.text = phrase.text
    .replace(/\bwho (?=are (?:our|the|my) )/, `${one}s `)
    .replace(
      /(?<!\b(?:customers|tenants|clients|users|people|those|companies|anyone|everyone) )\bwho\b(?! is the\b)/,
      one,
    );
  // Monthly recurring revenue is not a series.
  phrase.text = phrase.text.replace(/\bmonthly recurring\b/, "recurring");
  const step = findStep(phrase.text);
  let compared = findComparison(phrase);
  let grain = findGrain(phrase);
  const clock: QuestionClock = {
    ...time,
    isFuture: intent === "forecast",
    isSeries: grain === "week" || grain === "month",
  };
  const named =
    findRange(phrase, clock) ??
    (compared?.unit !== undefined && LAST_ONE.test(compared.text)
      ? runningRange(clock, compared.unit)
      : undefined) ??
    // What is owed is owed now, however long ago it was invoiced.
    (take(phrase, /\bowed\b/) === undefined ? undefined : allTime(clock));
  if (step !== undefined && named !== undefined && named.toMs > move(step, named.fromMs, 2)) {
    compared = undefined;
    grain = step;
  }
  const isUnlike =
    compared !== undefined && named !== undefined && !isLike(compared, named, time.nowMs);
  const second =
    compared === undefined && named !== undefined
      ? findSecondRange(phrase, clock, named)
      : undefined;
  const range = second?.range ?? named;
  const compare = compared?.compare ?? second?.compare;
  const shiftsBy = range === undefined ? take(phrase, SHIFT)?.[1] : undefined;
  const bounds = findBounds(phrase);
  const single = bounds === undefined ? findThreshold(phrase) : undefined;
  const limits = bounds ?? (single === undefined ? [] : [single]);
  const statuses = takeStatuses(phrase);
  const methods = takeMethods(phrase, index.vocabulary.methods);
  const isGrowth = intent === undefined && findGrowth(phrase);
  const found = findMeasures(phrase, index);
  const isOneOfMany = ONE_OF_MANY.test(phrase.text);
  if (intent !== undefined) {
    takeIntent(phrase, intent);
  }
  const broken = findDimensions(phrase, index, {
    values: values.found,
    isOfInvoices: found.marked.some(([measure]) => measure === "invoices"),
  });
  if (isOneOfMany && broken[0] !== undefined) {
    broken[0] = { ...broken[0], isPlural: false };
  }
  const isNone = broken.length > 0 && take(phrase, NONE, "#m0") !== undefined;
  const ranking = findRanking(phrase);
  const marked = new Map<string, { field: string; values: readonly (string | number)[] }>();
  for (const [at, value] of values.found.entries()) {
    marked.set(`#v${String(at)}`, value);
  }
  for (const [at, status] of statuses.entries()) {
    marked.set(`#s${String(at)}`, status);
  }
  phrase.text = phrase.text.replace(
    /#h(\d)/g,
    (_, at: string) => `#v${String(values.found.length + Number(at))}`,
  );
  for (const [at, method] of methods.entries()) {
    marked.set(`#v${String(values.found.length + at)}`, { field: "method", values: [method] });
  }
  const filters = toFilters(takeMentions(phrase, marked));
  if (statuses.some(({ field, values: [one] }) => field === "invoice_status" && one === "open")) {
    values.assumed.push(said("unpaid: open"));
  }
  const contrast = CONTRAST_THAN.exec(phrase.text) ?? CONTRAST.exec(phrase.text);
  const isContrast = contrast !== null && CONTRASTS.test(`${phrase.text} ${spelt}`);
  const contrasted = isContrast ? marked.get(contrast[1] ?? "") : undefined;
  if (contrasted !== undefined && contrasted.field === marked.get(contrast?.[2] ?? "")?.field) {
    broken.push({ field: contrasted.field, isPlural: true });
  }
  let measures = dropCounted(phrase.text, found.marked);
  const { assumed } = values;
  const measuresAssumed = [...found.assumed];
  const meter = findMeter(index, [...filters, ...broken]);
  if (found.isUsage && meter !== undefined) {
    measures = [meter.slug];
    measuresAssumed.splice(measuresAssumed.indexOf("usage: requests"), 1);
  }
  const thresholds: QuestionFilter[] = [];
  const misfits: UnknownWord[] = [];
  if (isNone && (measures[0] === "spend" || measures[0] === "revenue")) {
    // An unpaid customer is known by invoices, not by what was spent.
    misfits.push({ word: "not paid", place: "conflict" });
  } else if (isNone && measures[0] !== undefined) {
    thresholds.push({ field: measures[0], op: "eq", value: 0 });
  }
  const [low, high] = bounds ?? [];
  if (low !== undefined && high !== undefined && low.value > high.value) {
    misfits.push({ word: "between", place: "conflict" });
  }
  const [, ofTenants = ""] = /(#v\d+) #dtenant/.exec(phrase.text) ?? [];
  if (marked.get(ofTenants)?.field === "region") {
    // “EU customers” are where they are; calls are known by where they arrive.
    misfits.push({ word: "region", place: "conflict" });
  }
  if (isOnPeak) {
    misfits.push({ word: "busiest", place: "conflict" });
  }
  if (isAcrossFields(phrase.text, marked)) {
    misfits.push({ word: "or", place: "conflict" });
  }
  // A forecast is one figure: “more than a million” is what it is compared with.
  if (limits.length > 0 && intent === "forecast") {
    assumed.push(said("the forecast itself, to compare with the number"));
  }
  for (const limit of intent === "forecast" ? [] : limits) {
    const [beside] = findThresholdMeasure(phrase.text, found) ?? [];
    // A percentage of errors is their rate.
    const named = beside === "errors" && limit.isPercent ? "error_rate" : beside;
    const field = named ?? (limit.isLatency ? "latency_p95" : undefined);
    // “Requests that took longer than 2 seconds” counts calls by what no measure holds.
    if (field !== undefined && limit.isTime && !field.startsWith("latency")) {
      misfits.push({ word: "than", place: "conflict" });
    } else if (field !== undefined) {
      const isShare = field === "error_rate" && (limit.isPercent || limit.value > 1);
      const value = isShare ? limit.value / 100 : limit.value;
      thresholds.push({ field, op: limit.op, value });
      measures =
        measures.length > 0 ? measures.map((one) => (one === beside ? field : one)) : [field];
    }
  }
  const badRoute = /(?:\b(?:by|per)) (#v\d+)/.exec(phrase.text);
  // What is compared is a period, two values, the values of a dimension, or several measures.
  const compares =
    compare !== undefined ||
    isGrowth ||
    isContrast ||
    broken.length > 0 ||
    measures.length > 1 ||
    intent !== undefined;
  const unknown = listUnaccounted({
    text: phrase.text,
    intent,
    measures,
    dimensions: broken.map(({ field }) => field),
    filters,
    compares,
    isRanked: ranking !== undefined,
    hasThreshold: limits.length > 0 && intent !== "forecast",
    isSeries: grain !== undefined,
  });
  unknown.push(...misfits);
  // “Requests of the large model”: calls have no model.
  if (meter !== undefined && measures.length > 0 && !measures.includes(meter.slug)) {
    unknown.push({ word: meter.slug, place: "conflict" });
  }
  if (isMedianOfCalls(phrase.text, found)) {
    unknown.push({ word: "median", place: "conflict" });
  }
  if (badRoute !== null && marked.get(badRoute[1] ?? "")?.field === "route") {
    unknown.push({
      word: values.found[Number(badRoute[1]?.slice(2))]?.typed ?? "",
      place: "dimension",
    });
  }
  return {
    ...(intent === undefined ? {} : { intent }),
    measures,
    dimensions: broken,
    filters: [...filters, ...thresholds],
    ...(range === undefined ? {} : { range }),
    // “How will traffic develop” is no series.
    ...(grain === undefined || (grain === "trend" && intent === "forecast") ? {} : { grain }),
    ...(ranking === undefined ? {} : { ranking }),
    ...(compare === undefined
      ? isGrowth
        ? { compare: "previous_period" as const }
        : {}
      : { compare }),
    ...(shiftsBy === undefined ? {} : { shiftsBy }),
    kept: [],
    assumed,
    measuresAssumed,
    ambiguous: [...values.ambiguous, ...listAmbiguousMeasures(phrase.text, found, index)],
    unknown: isUnlike
      ? [...unknown, { word: compared?.text ?? "", place: "comparison" as const }]
      : unknown,
    isAction,
    text: phrase.text,
  };
}
