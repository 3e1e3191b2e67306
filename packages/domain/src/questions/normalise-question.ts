import { SHORT_FORMS } from "./words.ts";

/** Verbs that are methods of HTTP only in capitals, or in front of “requests”. */
const METHOD_IN_CAPITALS = /\b(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)s?\b/g;
const METHOD_OF_CALLS =
  /(?<!=)(?<!\b(?:did|do|does|we|i|to|can|you|please|they|me)\s)\b(get|post|put|patch|delete|head|options)s?(?=\s+(?:requests?|calls?|traffic|errors?|hits|latency)\b)/gi;
const UNITS: Readonly<Record<string, string>> = {
  m: "minutes",
  min: "minutes",
  h: "hours",
  hrs: "hours",
  d: "days",
  w: "weeks",
  wk: "weeks",
  mo: "months",
  y: "years",
};

const MONTH_AHEAD = /^(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)/;
const DAY_OR_MONTH =
  "(?:mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*";
/** “Mon-Wed”, “Jan-Mar”. */
const WEEKDAYS_JOINED = new RegExp(`\\b(${DAY_OR_MONTH})-(?=${DAY_OR_MONTH}\\b)`, "g");
/** “tenant=Globex”, “key: ci”. */
const NAMED_FIELD =
  /\b(tenant|customer|key|route|endpoint|region|plan|env|environment|status|model) ?[=:] ?(?=\S)/g;
/** “Tuesday the 7th” is the 7th. */
const WEEKDAY_OF_DATE = new RegExp(
  `\\b(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?,? (?=(?:the )?\\d{1,2}(?:st|nd|rd|th)\\b|\\d{1,2} ${DAY_OR_MONTH}|${DAY_OR_MONTH} \\d)`,
  "g",
);
/** What the figures are for says nothing about them. */
const PURPOSE =
  /\bfor (?:the|my|our|a|an|this|that|tomorrow's|today's|next week's) (?:[a-z]+ ){0,2}(?:reports?|meeting|review|deck|slides?|presentation|board|boss|manager|run|records|audit|auditors?|accountants?|bookkeeping|standup|newsletter|postmortem|dashboard)\b/g;
/** “Bytes came in last month”, before “in” is read as that of the month. */
const BYTES_MOVED =
  /\b(bytes|data|(?:giga|mega|tera|kilo)bytes|[gmtk]b) (?:(?:that|has|have|had|was|were|is|are|did|do) )*(?:came|come|comes|coming|went|go|goes|gone|going) (in|out)\b/g;
/** “Routes that no one called”. Keys that no one uses are at risk, which is another question. */
const UNUSED =
  /\b(routes|endpoints|paths|methods|regions|models|tenants|customers|clients) (?:that |which |who |have |has |were |are )*(?:(?:no(?:body| one|-one)|no customer|no client) (?:has |have |had |ever )*(?:called|used|hit|touched|requested|calls|uses)|(?:not |never )+(?:been )?(?:called|used|hit|requested))\b/g;
/** “From 15 May until the end of June” ends with June. */
const UNTIL_END_OF = new RegExp(
  `\\b(through|until|till|to) (?:the )?end of (?=${DAY_OR_MONTH})`,
  "g",
);
/** “How much is overdue”, “what do customers owe us”, “who owes us money”: amounts of open invoices. */
const OWED =
  /\b(how much |what |who |which (?:tenants|customers|clients) )(?:money )?(?:(?:is|are) (?:still )?(?:overdue|owed|outstanding|unpaid)(?: to us)?|(?:do|does) (?:all |our )?(?:tenants|customers|clients|they) (?:still )?owe(?: us)?|owes?(?: us)?(?: (?:any |the most )?money)?)\b(?! (?:invoices?|bills?))/g;
/** “Run out of my free requests”: what a plan includes, rather than the plan called Free. */
const INCLUDED =
  /\b(?:free|included|complimentary) (?=(?:api |monthly )?(?:requests?|calls?|hits|quotas?|allowances?|units?|tokens?|credits?|usage|tier|plan)\b)/gi;
const IS_USED_UP =
  /\b(?:r[au]n(?:s|ning)? out|us(?:e|es|ed|ing) up|exhaust\w*|deplet\w*|left|remain\w*|gone|exceed\w*|enough|still (?:have|got|make)|until|(?:will|would|do|does) .*\blast(?! (?:week|month|quarter|year|day|hour|\d)))\b/;
/** “1-7 July”, “July 1-7”. */
const DAYS_JOINED = new RegExp(
  `(?<=${DAY_OR_MONTH} )(\\d{1,2})-(\\d{1,2})\\b|\\b(\\d{1,2})-(?=\\d{1,2}(?: of)? ${DAY_OR_MONTH})`,
  "g",
);

/**
 * Writes a question in lower case with single spaces, short forms spelt out and separators as commas. Marks of the grammar start with
 * `#`, which no question can write.
 */
export function normaliseQuestion(question: string): string {
  const isShouted = question === question.toUpperCase();
  const text = IS_USED_UP.test(question.toLowerCase())
    ? question.replace(INCLUDED, "quota ")
    : question;
  return (isShouted ? text : text.replace(METHOD_IN_CAPITALS, " method=$1 "))
    .replace(METHOD_OF_CALLS, " method=$1 ")
    .replace(/\b(?:US|USA|U\.S\.(?:A\.)?)(?=\W|$)(?!-)/g, isShouted ? "us" : "america")
    .normalize("NFKC")
    .toLowerCase()
    .replace(
      /\b(eu|europe|asia) (versus|vs\.?|and|or|against) (?:the )?us\b(?!-)/g,
      "$1 $2 america",
    )
    .replace(/\bus (versus|vs\.?|and|or|against) (?=(?:the )?(?:eu|europe|asia)\b)/g, "america $1 ")
    .replace(/\bin (?:the )?us\b(?!-)/g, "in america")
    .replace(/[‘’ʼ`´]/g, "'")
    .replace(/[–—]/g, " - ")
    .replace(/^\s*(?:good )?(?:morning|afternoon|evening|day)\b(?=\s*[,!.:;-])/, "")
    .replace(/#/g, " ")
    .replace(/(\d),(?=\d{3}\b)/g, "$1")
    .replace(/\b(what|how|where|who|that|it|there|here|when)'s\b/g, "$1 is")
    .replace(/\b(what|that|it|there|who|when|where|how)'ll\b/g, "$1 will")
    .replace(/\b(\w+)n't\b/g, "$1 not")
    .replace(/\b(i|we|you|they)'(?:ve|re|ll|d|m)\b/g, "$1")
    .replace(/(\w)'s?(?=\s|$|[?,.])/g, "$1")
    .replace(
      /\b(requests|calls|errors|tokens|hits)\/(minute|min|hour|h|day|d|week|month|s)\b/g,
      "$1 per $2",
    )
    .replace(/\b(?:half an|half|a half) hour\b/g, "30 minutes")
    .replace(/\b(per|by)-(?=[a-z])/g, "$1 ")
    .replace(/\b(yesterday|today|tomorrow|tonight)s\b/g, "$1")
    .replace(/\bno\.? of (?=(?:the |all |our |my )?[a-z])/g, "number of ")
    .replace(/\b(top|bottom|first|last|best|worst)-(?=\d)/g, "$1 ")
    .replace(NAMED_FIELD, "$1 ")
    .replace(/\b(?:plus|as well as|along with|together with)\b|(?<=\w) ?\+ ?(?=[a-z])/g, " and ")
    .replace(WEEKDAY_OF_DATE, "")
    .replace(PURPOSE, " ")
    .replace(
      BYTES_MOVED,
      (_, data: string, way: string) => `${data} ${way === "in" ? "received" : "sent"} `,
    )
    .replace(OWED, (text, start: string) =>
      /overdue|late/.test(text)
        ? `${start}spend of overdue invoices owed `
        : `${start}spend of unpaid invoices owed `,
    )
    .replace(UNUSED, "$1 with no requests ")
    .replace(UNTIL_END_OF, "$1 ")
    .replace(/\bcalendar (?=(?:day|week|month|quarter|year)s?\b)/g, "")
    .replace(DAYS_JOINED, (_, first?: string, last?: string, ahead?: string) =>
      ahead === undefined ? `${first ?? ""} - ${last ?? ""}` : `${ahead} - `,
    )
    .replace(/\b(?:order|sort)(?:ed|ing)?(?: (?:it|them|that|this))? by\b/g, "sorted by")
    .replace(
      /\bwhere (?:do|does|did|are|is|was|were) (.*?)(?:come|comes|coming|originate|originates|originating)(?: from)?\b/g,
      "$1 by region ",
    )
    .replace(WEEKDAYS_JOINED, "$1 - ")
    .replace(/\b(?<!\d )first of (?=[a-z])/g, (text, at: number, whole: string) =>
      MONTH_AHEAD.test(whole.slice(at + text.length)) ? "1 of " : text,
    )
    .replace(/\b(since|from) the first\b(?! (?:of|half|quarter|week|day|month))/g, "$1 the 1st")
    .replace(/\bw\/o\b/g, "without")
    .replace(/\bv(?:s|\.)\.?(?=\s)/g, "versus")
    .replace(/[?!;"()[\]“”…:](?=\s|$)|(?<=\s|^)["'(“[]+|[,;?!"()“”]|\.(?=\s|$)/g, " , ")
    .replace(/(?<=\s)&(?=\s)/g, "and")
    .replace(
      /\b(\d+)(m|min|h|hrs|d|w|wk|mo|y)\b/g,
      (_, count: string, unit: string) => `${count} ${UNITS[unit] ?? unit}`,
    )
    .replace(/(\d)(ms|secs?|s|kb|mb|gb|tb)\b(?<!\b[1-5]\d\ds)/g, "$1 $2")
    .split(/\s+/)
    .filter(Boolean)
    .map((word) => SHORT_FORMS.get(word) ?? word)
    .join(" ");
}
