import { correctSpelling } from "../correct-spelling.ts";
import { rewriteComparison } from "../find-comparison.ts";
import { findIntent, type QuestionIntent } from "../find-intent.ts";
import { type FoundValues, findValues } from "../find-values.ts";
import { normaliseQuestion } from "../normalise-question.ts";
import type { Phrase } from "../phrase.ts";
import { hasModels, MODEL, type VocabularyIndex } from "../question-vocabulary.ts";

export type PreparedQuestion = {
  readonly phrase: Phrase;
  /** With the names of the tenant spelt right. */
  readonly spelt: string;
  readonly values: FoundValues;
  readonly intent: QuestionIntent | undefined;
  readonly isAction: boolean;
  /** True where it picks a day by another measure. */
  readonly isOnPeak: boolean;
};

const ACTION =
  /^(?:(?:please|can you|could you|now|i want to|i want you to|let us|go) )*(?:delete|create|make me|revoke|disable|enable|roll|rotate|rename|remove|cancel|refund|invite|send (?:me|an?|the|us)|block|raise|lower|change|set|upgrade|downgrade|buy|email|mail|book|write|translate|add|issue|reset|stop|start|turn|close|void|pay|order|top up|restart|deploy|generate an?|update|edit|grant|give .* access|export|download)\b(?! so far)/;
const BEYOND_LAST =
  /\b(?:exceed|beat|surpass|top|(?:be )?(?:more|higher|larger|lower|less|fewer) than|stay (?:above|below)) (?:the |that of )*(?:last|previous) (week|month|quarter|year)\b/;

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

function spell(index: VocabularyIndex, question: string): string {
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
  return correctSpelling(normal, isName, names);
}

/** Writes the operator's words for customers and for what they pay. */
function rewriteAsOperator(phrase: Phrase, values: FoundValues): void {
  if (!values.found.some(({ field }) => field === "tenant")) {
    phrase.text = phrase.text.replace(WE_BILL, "$1 revenue").replace(PAY_US, "$1 revenue");
  }
}

/** Writes a question in the words of the grammar, with marks for the values that it names. */
export function prepareQuestion(index: VocabularyIndex, question: string): PreparedQuestion {
  const isOperator = index.vocabulary.actor === "operator";
  const spelt = spell(index, question);
  const values = findValues(index, isOperator ? spelt.replace(USERS, "$1 customers") : spelt);
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
  if (isOperator) {
    rewriteAsOperator(phrase, values);
  }
  const one = isOperator ? "which tenant" : "which key";
  phrase.text = phrase.text
    .replace(/\bwho (?=are (?:our|the|my) )/, `${one}s `)
    .replace(
      /(?<!\b(?:customers|tenants|clients|users|people|those|companies|anyone|everyone) )\bwho\b(?! is the\b)/,
      one,
    );
  // Monthly recurring revenue is not a series.
  phrase.text = phrase.text.replace(/\bmonthly recurring\b/, "recurring");
  return { phrase, spelt, values, intent, isAction, isOnPeak };
}
