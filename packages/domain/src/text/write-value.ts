/** A number as the server writes it in a sentence: thousands set apart by commas, or decimals. */
const NUMBER = /^-?(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+\.\d+)$/;
const AMOUNT = /^(?<amount>-?\d[\d,]*(?:\.\d+)?) (?<currency>[A-Z]{3})$/;
const COUNTED = /^(?<count>-?\d[\d,]*(?:\.\d+)?)(?<space> ?)(?<rest>[\p{L}%].*)$/u;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const WRITTEN_DAY = /^(?:\d{1,2} [A-Z][a-z]+|[A-Z][a-z]+ \d{1,2},) \d{4}$/;
const WRITTEN_TIME = /^(?<day>\d{1,2} [A-Z][a-z]+)(?: at|,) (?<time>\d{2}:\d{2})$/;
const INSTANT =
  /^(?<day>\d{4}-\d{2}-\d{2})[ T](?<time>\d{2}:\d{2})(?::\d{2}(?:\.\d+)?)?(?<zone>Z| UTC)?$/;
const LIST = /^(?:\S+, )*\S+ and (?:\S+|\d+ more)$/;

/** A day without a year may be the one that few years have. */
const LEAP_YEAR = "2000";

/** Writes the values of a sentence of the server: numbers, amounts, days and lists. Anything else stays as it is. */
export type WriteValue = (value: string) => string;

/** How days and amounts are written. */
export type ValueStyle = {
  /** In German, `long` is "29. November 2026" and `medium` "29.11.2026". */
  dateStyle: "long" | "medium";
  /** In German, `code` is "1.234,50 EUR" and `symbol` "1.234,50 €". */
  currency: "code" | "symbol";
};

/** As pages have them, which show amounts with the codes of their currencies. */
const OF_PAGES: ValueStyle = { dateStyle: "long", currency: "code" };

/**
 * @param language - A tag such as "de".
 * @param translate - Gives a noun after a number in the language; undefined for one that it does not know.
 */
export function createWriteValue(
  language: string,
  translate: (text: string) => string | undefined,
  { dateStyle, currency: display }: ValueStyle = OF_PAGES,
): WriteValue {
  const day = new Intl.DateTimeFormat(language, { dateStyle, timeZone: "UTC" });
  const dayOfYear = new Intl.DateTimeFormat(language, {
    day: "numeric",
    month: "long",
    timeZone: "UTC",
  });
  const list = new Intl.ListFormat(language, { type: "conjunction" });

  function writeNumber(text: string): string {
    const plain = text.replaceAll(",", "");
    const digits = plain.split(".")[1]?.length ?? 0;
    return new Intl.NumberFormat(language, {
      useGrouping: text.includes(","),
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    }).format(plain as `${number}`);
  }

  function writeAmount(text: string, currency: string): string {
    if (display === "code") {
      return `${writeNumber(text)} ${currency}`;
    }
    const plain = text.replaceAll(",", "");
    const digits = plain.split(".")[1]?.length ?? 0;
    return new Intl.NumberFormat(language, {
      style: "currency",
      currency,
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    }).format(plain as `${number}`);
  }

  return (value) => {
    if (NUMBER.test(value)) {
      return writeNumber(value);
    }
    if (DAY.test(value)) {
      return day.format(new Date(`${value}T00:00:00Z`));
    }
    if (WRITTEN_DAY.test(value)) {
      const at = new Date(`${value} UTC`);
      return Number.isNaN(at.getTime()) ? value : day.format(at);
    }
    const instant = INSTANT.exec(value)?.groups;
    if (instant !== undefined) {
      const { day: of = "", time = "", zone } = instant;
      return `${day.format(new Date(`${of}T00:00:00Z`))}, ${time}${zone === undefined ? "" : " UTC"}`;
    }
    const written = WRITTEN_TIME.exec(value)?.groups;
    if (written !== undefined) {
      const { day: of = "", time = "" } = written;
      const at = new Date(`${of} ${LEAP_YEAR} UTC`);
      return Number.isNaN(at.getTime()) ? value : `${dayOfYear.format(at)}, ${time}`;
    }
    const amount = AMOUNT.exec(value)?.groups;
    if (amount !== undefined) {
      return writeAmount(amount["amount"] ?? "", amount["currency"] ?? "");
    }
    if (LIST.test(value)) {
      return list.format(value.split(/, | and /));
    }
    const counted = COUNTED.exec(value)?.groups;
    if (counted === undefined) {
      return value;
    }
    const { count = "", space = "", rest = "" } = counted;
    return rest === "%"
      ? `${writeNumber(count)} %`
      : `${writeNumber(count)}${space}${translate(rest) ?? rest}`;
  };
}
