import { FIELD_NOUNS } from "./field-nouns.ts";
import type { FoundValue } from "./find-values.ts";
import type { Phrase } from "./phrase.ts";
import { hasModels, MODEL, type VocabularyIndex } from "./question-vocabulary.ts";

const COMPOUNDS: readonly (readonly [RegExp, string])[] = [
  [/(?<![\w#])(?:invoice (?:status|state)(?:es)?)(?!\w)/g, "#dinvoice_status"],
  [
    /(?<![\w#])(?:status|response|code) (?:class|classes|family|families|group|groups)(?!\w)/g,
    "#dstatus_class",
  ],
  [
    /(?<![\w#])(?:(?:http |response |error |return |result )?(?:status )?codes|(?:http |response |status |return |result )+code|(?<=(?:by|per|each|and|which) )code|http status(?:es)?)(?!\w)/g,
    "#dstatus",
  ],
  [/(?<![\w#])http (?:methods?|verbs?)(?!\w)/g, "#dmethod"],
  [/(?<![\w#])(?:api )keys?(?!\w)/g, "key"],
  [/(?<![\w#])data cent(?:er|re)s?(?!\w)/g, "region"],
];

/** Totals over all values are not a breakdown: “for all tenants”. */
const ALL_OF =
  /\b(?:for|of|from|over|across|in|on|by) (?:all|any)(?: of)?(?: our| the| my)? (\w+)(?![\w#])/g;

const SUBJECT =
  /\b(have|do|did|does|has|had) (?:our |the |all |my )*(tenants|customers|clients|users|people)(?![\w#])/g;

/** “From all customers but Globex”. */
const ALL_BUT =
  /\b(?:for|of|from|over|across|in|on|by) (?:all|any)(?: of)?(?: our| the| my)? \w+ but\b(?= (?:for )?#[vs])/g;

export type FoundDimension = { readonly field: string; readonly isPlural: boolean };

function toField(word: string, index: VocabularyIndex): string | undefined {
  const known = FIELD_NOUNS.get(word);
  if (known !== undefined && (known !== MODEL || hasModels(index.vocabulary))) {
    return known;
  }
  const dimensions = index.vocabulary.meters.flatMap((meter) => meter.dimensions);
  return dimensions.find((dimension) => word === dimension || word === `${dimension}s`);
}

/** The value whose noun this is: of “the Pro plan”, “key mobile-app” and “customers on the Pro plan”. */
function isNounOfValue(
  words: readonly string[],
  at: number,
  field: string,
  values: readonly FoundValue[],
): boolean {
  const fieldAt = (place: number): string | undefined => {
    const mark = /^#v(\d+)$/.exec(words[place] ?? "")?.[1];
    return mark === undefined ? undefined : values[Number(mark)]?.field;
  };
  const isOwn = (found: string | undefined) =>
    found === field ||
    (field === "tenant" && found === "plan") ||
    (field === "key" && found === "environment");
  // “By customer on the Pro plan” is a breakdown.
  const isBreakdown = /^(?:by|per|each)$/.test(words[at - 1] ?? "");
  let next = at + 1;
  while (/^(?:the|called|named|on|in|plan|id|is|=)$/.test(words[next] ?? "") && next < at + 4) {
    next += 1;
  }
  const isList = words[next] !== undefined && /^(?:is|=)$/.test(words[next] ?? "");
  const before = words[at - 1] === "plan" ? at - 2 : at - 1;
  return isOwn(fieldAt(before)) || (isOwn(fieldAt(next)) && !isList && !isBreakdown);
}

/** Replaces the nouns of a phrase by marks such as `#dkey`, and lists the dimensions they stand for. */
export function findDimensions(
  phrase: Phrase,
  index: VocabularyIndex,
  { values, isOfInvoices }: { values: readonly FoundValue[]; isOfInvoices: boolean },
): FoundDimension[] {
  let text = phrase.text;
  const singular = new Set<string>();
  for (const [pattern, mark] of COMPOUNDS) {
    text = text.replace(pattern, (typed) => {
      if (!/(?:[^u]s|es)$/.test(typed)) {
        singular.add(mark.slice(2));
      }
      return mark;
    });
  }
  text = text.replace(ALL_BUT, "all but");
  const isList = /^(?:\w+ ){0,3}list\b/.test(text);
  text = text.replace(ALL_OF, (whole, noun: string) =>
    toField(noun, index) === undefined ? whole : isList ? `by ${noun}` : ",",
  );
  // “How much have customers used” is about all of them.
  text = text.replace(SUBJECT, (whole, verb: string, noun: string) =>
    toField(noun, index) === undefined ? whole : `${verb} ,`,
  );
  const words = text.split(" ");
  const found: FoundDimension[] = [];
  const written = words.map((word, at) => {
    const compound = /^#d(\w+)$/.exec(word)?.[1];
    const isState = isOfInvoices && /^states?$/.test(word);
    const field = compound ?? (isState ? "status" : toField(word, index));
    if (field === undefined) {
      return word;
    }
    if (compound === undefined && isNounOfValue(words, at, field, values)) {
      return ",";
    }
    const named = field === "status" && isOfInvoices ? "invoice_status" : field;
    if (!found.some((one) => one.field === named)) {
      const isPlural =
        compound === undefined ? /s$/.test(word) && word !== "status" : !singular.has(compound);
      found.push({ field: named, isPlural });
    }
    return `#d${named}`;
  });
  phrase.text = written.join(" ");
  return found;
}
