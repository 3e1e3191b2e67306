import { said } from "../text/said.ts";
import { type Phrase, take, takeAll } from "./phrase.ts";
import type { VocabularyIndex } from "./question-vocabulary.ts";

type MeasureRule = {
  readonly measures: readonly string[];
  readonly pattern: RegExp;
  readonly assumed?: string;
};

const LATENCY_AT_P95 = said("latency at p95");
const CALLS = "(?:api )?(?:requests?|calls?|hits|queries|responses|answers)";
const OF_CALLS = `(?:${CALLS} (?:that |which )?(?:(?:were|was|got|get|have|been|are|did|we|being) )*)?`;
const LATENCY =
  "(?:(?:response |upstream |requests? )?latenc(?:y|ies)|response times?|response durations?|durations?|processing times?)";
const TENANTS = "(?:tenants?|customers?|clients?|companies)";
const HOW_MANY = "(?:(?:how many|number of|count of) )?";

const words = (pattern: string) => new RegExp(`(?<![\\w#-])(?:${pattern})(?![\\w-])`);

function percentile(measure: string, names: string): MeasureRule {
  return {
    measures: [measure],
    pattern: words(
      `(?:at |in )?(?:the )?(?:${names})(?: of)?(?: ${LATENCY})?|${LATENCY}(?: at| in|,)*(?: the)? (?:${names})`,
    ),
  };
}

/** In order: a rule comes before those whose words it contains. */
const RULES: readonly MeasureRule[] = [
  {
    measures: ["error_rate"],
    pattern: words(
      `(?<=#s\\d )(?:error )?(?:rate|share|percentage)|(?:rate|share|percentage|percent|fraction|proportion|ratio|%) of (?:the |all |our |my )?(?=#s\\d)|(?:errors?|failures?) as (?:a |an )?(?:share|percentage|percent|fraction|proportion|%) of (?:all |the |our )?(?:requests|calls|traffic|total)|(?:errors?|failure|fault)[ -](?:rates?|ratios?|percentages?|shares?)|(?:rate|share|percentage|percent|fraction|proportion|ratio|%) of (?:the |all |our |my )?(?:errors|failures|failed ${CALLS}|${OF_CALLS}(?:fail(?:ed|s|ing)?|errors?|errored|failures))|(?:rate|share|percentage|percent|fraction|proportion|ratio|%) of (?:the |all |our |my )?${CALLS}(?=.* (?:fail(?:ed|s|ing)?|errored))`,
    ),
  },
  percentile("latency_p50", "p50|median|50th percentile|50th"),
  percentile("latency_p95", "p95|95th percentile|95th"),
  percentile("latency_p99", "p99|99th percentile|99th"),
  {
    measures: ["latency_avg"],
    pattern: words(`(?:average|mean) ${LATENCY}|${LATENCY} (?:on )?(?:average|mean)`),
  },
  {
    measures: ["rate_limited"],
    pattern: words(
      `(?:${OF_CALLS}(?:rate[- ]limit(?:ed|ing)|throttl(?:ed|e|ing|es))(?: ${CALLS})?|rate[- ]limits?(?: hits?| hit| violations?)?)`,
    ),
  },
  {
    measures: ["denied"],
    pattern: words(
      `${OF_CALLS}(?:denied|rejected|refused|blocked|turned away)(?: ${CALLS})?|denials|rejections|refusals`,
    ),
  },
  { measures: ["mrr"], pattern: words("mrr|(?:monthly )?recurring (?:revenue|income)") },
  {
    measures: ["revenue"],
    pattern: words(
      "revenues?|income|turnover|sales|takings|earnings|earn(?:s|ed|ing)?(?: us)?|(?:did|do|does|have|has|are) (?:we|i) (?:make|made|making|take|taken|taking|collect|collected|collecting)(?: in)? (?:the )?(?:most )?money|money (?:did|do|does|have|has|are)(?: (?:#v\\d|we|i|each|the|and|#d\\w+))* (?:make|made|making|take|taken|collect|collected|bring|brought|bringing|generate|generated)(?: us| in)*|money(?: came| coming| comes| we made| we make| we took)? in|(?:make|makes|made|bring|brings|brought|generate|generates|generated)(?: us)?(?: in)? (?:the )?(?:most )?money|did we (?:make|take|collect)(?: in)?(?= (?:#|,)|$)|(?:bring|brings|brought)(?: us)? in(?= (?:#|,|the most|most)|$)",
    ),
  },
  {
    measures: ["spend"],
    pattern: words(
      "spend(?:s|ing)?|spent|bill(?:ing)?(?= (?:to )?#v)|costs?|expenses|expenditures?|charges|charged|billed|bill|pa(?:y|ys|id|ying)|money",
    ),
  },
  {
    measures: ["new_tenants"],
    pattern: words(
      `${HOW_MANY}(?:new ${TENANTS}|(?:new )?sign[- ]?ups?|${TENANTS} (?:that |who |have )*(?:joined|signed up|registered|onboarded|(?:were |got )?added)|new registrations)`,
    ),
  },
  {
    measures: ["active_tenants"],
    pattern: words(
      `${HOW_MANY}(?:(?<!(?:most|least) )active ${TENANTS}|${TENANTS} (?:(?:that|who|were|was|are) )+active)`,
    ),
  },
  {
    measures: ["tenants"],
    pattern: words(
      `(?:how many|number of|count of|total) (?:paying |our )?${TENANTS}|(?:tenants|customers|clients|companies)(?= (?:by|per) plan)`,
    ),
  },
  {
    measures: ["keys_created", "keys_revoked"],
    pattern: words(
      `${HOW_MANY}(?:(?:api )?keys (?:(?:were|was|got|have|been|that) )*(?:created|added|issued) and revoked|(?:created|new) and revoked (?:api )?keys)`,
    ),
  },
  {
    measures: ["keys_created"],
    pattern: words(
      `${HOW_MANY}(?:(?:new |newly created |created )(?:api )?keys|(?:api )?keys (?:(?:were|was|got|have|been|that) )*(?:created|added|issued|made(?! (?:no|any|the|more|fewer|less|zero|over|under|at|a) )|handed out|given out)|(?:api )?keys(?= (?:did|have|has) (?:\\S+ )?(?:create|issue|add|hand out|give out))|key creations?)`,
    ),
  },
  {
    measures: ["keys_revoked"],
    pattern: words(
      `${HOW_MANY}(?:revoked (?:api )?keys|(?:api )?keys (?:(?:were|was|got|have|been|that) )*revoked|(?:api )?keys(?= (?:did|have|has) (?:\\S+ )?revoke)|key revocations?|revocations?)`,
    ),
  },
  {
    measures: ["active_keys"],
    pattern: words(
      `${HOW_MANY}(?:(?<!(?:most|least) )active (?:api )?keys|(?<!(?:which|what|the|list) )(?:api )?keys (?:that |which )?(?:(?:were|was|are|is|have|has|been) )+(?:active|in use|used))|(?:how many|number of|count of) (?:unique |distinct |different )?(?:api )?keys`,
    ),
  },
  {
    measures: ["errors"],
    pattern: words(
      `${OF_CALLS}(?:failed|failing|unsuccessful|errored|broken)(?: ${CALLS})?|errors?|failures?|fail(?:s|ed|ing)?|faults`,
    ),
  },
  {
    measures: ["bytes_in"],
    pattern: words(
      "bytes[_ ]in|(?:bytes|data|(?:giga|mega|tera|kilo)bytes|[gmtk]b) (?:(?:was|were|did|do|we|i|have|has|#v\\d) )*(?:received|receive|uploaded|upload|in|(?:came|comes|come|coming|went|going|transferred) in)|(?:received|incoming|inbound|uploaded) (?:bytes|data)|ingress|uploads|upload (?:volume|size)",
    ),
  },
  {
    measures: ["bytes_out"],
    pattern: words(
      "bytes[_ ]out|(?:bytes|data|(?:giga|mega|tera|kilo)bytes|[gmtk]b) (?:(?:was|were|did|do|we|i|have|has|#v\\d) )*(?:sent|send|served|serve|returned|return|downloaded|download|out|(?:went|goes|go|gone|going|transferred|transfer) out)(?: out)?|(?:sent|outgoing|outbound|downloaded) (?:bytes|data)|egress|downloads|download (?:volume|size)",
    ),
  },
  {
    measures: ["bytes_in", "bytes_out"],
    pattern: words("bandwidth|data transfer(?:red)?|data volume|bytes"),
    assumed: said("bytes in and out"),
  },
  { measures: ["invoices"], pattern: words(`${HOW_MANY}(?:invoices?|bills)`) },
  {
    measures: ["latency_p95"],
    pattern: words(
      `${LATENCY}|slow(?:er|ness)?|faster|quicker|how (?:fast|quick)|speed|how long (?:do|did|does)`,
    ),
    assumed: LATENCY_AT_P95,
  },
  {
    measures: ["requests"],
    pattern: words(
      `(?:api |call |request |traffic )?(?:requests?|(?<!on )calls?|hits|traffic|throughput|queries|invocations|call volume|request volume)(?: volume| count)?|busy`,
    ),
  },
];
/** Words that count calls where nothing else is measured. */
const ANYTHING_WORDS = "everything|activity|activities|volumes?|load";
const ANYTHING = words(ANYTHING_WORDS);
/** What else they are is taken out, but for “everything but …”. */
const ANYTHING_MORE = words(`(?:${ANYTHING_WORDS})(?! (?:but|except))`);

const MEASURES_MAX = 8;
/** “How often was the API called”. */
const HOW_USED =
  /\bhow (?:hard|much|often|heavily|frequently|many times)\b.*?(?<![\w#-])(hit|called|call|used|use|queried|requested|invoked|accessed)(?![\w-])/;
/** “Token usage” is tokens; “usage” by itself is requests. */
const USAGE = words("(?:api )?(?:usage|consumption)");

function takeMeters(phrase: Phrase, index: VocabularyIndex, found: (readonly string[])[]): void {
  const text = phrase.text.split(" ");
  for (let at = 0; at < text.length; at += 1) {
    for (const length of [3, 2, 1]) {
      const meters = index.meterWords.get(text.slice(at, at + length).join(" "));
      if (meters !== undefined) {
        text.splice(at, length, `#m${String(found.length)}`);
        found.push(meters.map(({ slug }) => slug));
        break;
      }
    }
  }
  phrase.text = text
    .join(" ")
    .replace(/(#m\d) (?:usage|consumption|volume|calls?)(?= |$)/g, "$1")
    .replace(/(?:usage|consumption|volume) of (#m\d)/g, "$1")
    // “Tokens were spent” says no more than that they were used.
    .replace(
      /(#m\d(?: (?:were|was|are|is|have|has|had|been|being|we|i|they|did|do|does|got|get|that|which|#v\d))+) (?:spent|spend|spends)\b/g,
      "$1",
    );
}

export type FoundMeasures = {
  /** In the order of the marks `#m0`, `#m1`, …; a mark may stand for several. */
  readonly marked: readonly (readonly string[])[];
  readonly assumed: readonly string[];
  /** True for “usage”, which is that of a meter where one is named by its dimensions. */
  readonly isUsage: boolean;
};

/** Takes all measures out of a phrase. */
export function findMeasures(phrase: Phrase, index: VocabularyIndex): FoundMeasures {
  const marked: (readonly string[])[] = [];
  takeMeters(phrase, index, marked);
  const assumed: string[] = [];
  for (const rule of RULES) {
    while (marked.length < MEASURES_MAX) {
      const before = phrase.text;
      if (take(phrase, rule.pattern, `#m${String(marked.length)}`) === undefined) {
        break;
      }
      const isGeneric = rule.assumed === LATENCY_AT_P95;
      if (isGeneric && marked.some(([measure]) => measure?.startsWith("latency"))) {
        phrase.text = before.replace(rule.pattern, " ").replace(/\s+/g, " ").trim();
        continue;
      }
      marked.push(rule.measures);
      if (rule.assumed !== undefined) {
        assumed.push(rule.assumed);
      }
    }
  }
  if (marked.length === 0 && take(phrase, ANYTHING, "#m0") !== undefined) {
    marked.push(["requests"]);
  }
  takeAll(phrase, ANYTHING_MORE, "");
  if (marked.length === 0 && HOW_USED.test(phrase.text)) {
    phrase.text = phrase.text.replace(
      HOW_USED,
      (text, verb: string) => `${text.slice(0, -verb.length)}#m0`,
    );
    marked.push(["requests"]);
  }
  const isUsage = marked.length === 0 && take(phrase, USAGE, "#m0") !== undefined;
  if (isUsage) {
    marked.push(["requests"]);
    assumed.push(said("usage: requests"));
  }
  return { marked, assumed, isUsage };
}
