import type { FoundDimension } from "../find-dimensions.ts";
import { type FoundValues, toFilters } from "../find-values.ts";
import type { Phrase } from "../phrase.ts";
import type { QuestionFilter } from "../question-reading.ts";
import type { FoundStatus } from "./find-statuses.ts";

/** The values that a phrase names, by their marks. */
export type MarkedValues = ReadonlyMap<
  string,
  { field: string; values: readonly (string | number)[] }
>;

const EXCLUDED =
  /(?:(?:everything|anything|everyone|everybody|anyone|all)? ?(?:except(?:ing)?(?: for)?|(?:everyone|everybody|everything|all) but|(?<=\b(?:all|every|any) (?:\S+ ){1,3})but|(?<=#m\d )but|excluding|exclude|without|not from|not (?:on|in|for|by|with|including|counting)|not|other than|ignoring|ignore|leaving out|leave out|drop|omit|skip|hide|filter out|take out|minus|apart from|aside from|no|non-?|but not|neither|outside(?: of)?)) (?:(?:the|for|from|in|on|of|any|key|route|tenant|region|plan|method|calls|requests|to) )*(#[vs]\d+(?:(?: (?:and|or|nor|,|the|#dkey|key|keys))+ #[vs]\d+)*)/;
const VALUE_MARK = /#([vs])(\d+)/g;
const CONTRAST =
  /(#[vs]\d+)(?: (?:,|and|or|versus|against|the|against|or the|with|to))+ (#[vs]\d+)/;
/** “A or B” is a contrast where one of them is asked for. */
const CONTRASTS =
  /versus|against|compar|difference|\bthan\b|\b(?:separately|individually|respectively|side by side|each|apart)\b|\b(?:which|who|what|is|are|more|most|fewer|less|least|(?:fast|slow|busi|quiet|bigg|small|high|low|larg|bett|cheap)er|worse)\b.* or /;
/** “Do POSTs fail more often than GETs”. */
const CONTRAST_THAN = /(#v\d+)(?: (?!#v)\S+){0,4} than (?:(?:the|for|on|of|with|in|from) )*(#v\d+)/;

type Mention = { field: string; values: readonly (string | number)[]; isExcluded: boolean };

/** Gives values, statuses and methods their marks, and methods those of values. */
export function markValues(
  phrase: Phrase,
  found: {
    values: FoundValues["found"];
    statuses: readonly FoundStatus[];
    methods: readonly string[];
  },
): MarkedValues {
  const { values, statuses, methods } = found;
  const marked = new Map<string, { field: string; values: readonly (string | number)[] }>();
  for (const [at, value] of values.entries()) {
    marked.set(`#v${String(at)}`, value);
  }
  for (const [at, status] of statuses.entries()) {
    marked.set(`#s${String(at)}`, status);
  }
  phrase.text = phrase.text.replace(
    /#h(\d)/g,
    (_, at: string) => `#v${String(values.length + Number(at))}`,
  );
  for (const [at, method] of methods.entries()) {
    marked.set(`#v${String(values.length + at)}`, { field: "method", values: [method] });
  }
  return marked;
}

/** Every mention of a value, with those after “except” marked as excluded. */
function takeMentions(phrase: Phrase, marked: MarkedValues): Mention[] {
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

/** Filters by what a phrase mentions. */
export function findFilters(phrase: Phrase, marked: MarkedValues): QuestionFilter[] {
  return toFilters(takeMentions(phrase, marked));
}

/** Two values of one field that a question sets against each other. */
type FoundContrast = { readonly dimension?: FoundDimension };

/** @param spelt - The question with its names. @returns Undefined where no values are compared. */
export function findContrast(
  { text }: Phrase,
  { spelt, marked }: { spelt: string; marked: MarkedValues },
): FoundContrast | undefined {
  const contrast = CONTRAST_THAN.exec(text) ?? CONTRAST.exec(text);
  if (contrast === null || !CONTRASTS.test(`${text} ${spelt}`)) {
    return;
  }
  const contrasted = marked.get(contrast[1] ?? "");
  return contrasted !== undefined && contrasted.field === marked.get(contrast[2] ?? "")?.field
    ? { dimension: { field: contrasted.field, isPlural: true } }
    : {};
}

/** “Globex or anyone on the Pro plan”: filters of different fields apply together, so one or the other has no answer. */
export function isAcrossFields(text: string, marked: MarkedValues): boolean {
  return [...text.matchAll(/(#[vs]\d+) or (?:(?!#)\S+ ){0,4}(#[vs]\d+)/g)].some(
    ([, one = "", other = ""]) => marked.get(one)?.field !== marked.get(other)?.field,
  );
}
