import { type Phrase, take } from "../phrase.ts";

export type FoundStatus = { field: string; values: (string | number)[] };

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

/** Takes statuses of calls and of invoices out of a phrase, by number and by name. */
export function takeStatuses(phrase: Phrase): FoundStatus[] {
  const found: FoundStatus[] = [];
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

/** Takes HTTP methods out of a phrase; none where one of them is not known. */
export function takeMethods(phrase: Phrase, methods: readonly string[]): string[] {
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
