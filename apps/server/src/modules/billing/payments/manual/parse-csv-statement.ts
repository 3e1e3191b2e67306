import { findCurrency } from "@turnpike/domain/money/currency";
import { CsvError, parse } from "csv-parse/sync";
import { parseStatementAmount } from "./parse-statement-amount.ts";
import { findDateOrder, parseStatementDate } from "./parse-statement-date.ts";
import {
  COLUMNS,
  type Column,
  type ReadStatement,
  type StatementHints,
  type StatementLine,
} from "./statement-line.ts";

/** Headings of banks, lower case, by what their columns hold; the first one that a file has is taken. */
const KNOWN: Readonly<Record<Column, readonly string[]>> = {
  date: "buchungstag|buchungsdatum|booking date|booked on|date|datum|buchung|valutadatum|value date|fecha|data|transaction date|completed date".split(
    "|",
  ),
  amount: "betrag|betrag (eur)|amount|umsatz|montant|importe|importo|bedrag|betrag in eur".split(
    "|",
  ),
  currency: "währung|waehrung|currency|devise|moneda|valuta|munt".split("|"),
  payer:
    "beguenstigter/zahlungspflichtiger|name zahlungsbeteiligter|auftraggeber|zahlungspflichtiger|auftraggeber / begünstigter|payer|name|counterparty|payer name|partner name|sender|description of counterparty".split(
      "|",
    ),
  payerAccount:
    "kontonummer/iban|iban zahlungsbeteiligter|iban|account|payer account|counterparty iban|partner iban|konto".split(
      "|",
    ),
  purpose:
    "verwendungszweck|buchungstext|purpose|reference|payment reference|remittance information|description|details|libellé|concepto|causale|omschrijving".split(
      "|",
    ),
  bankReference:
    "bank reference|transaction id|transaktions-id|referenznummer|id|reference id|end-to-end-referenz|kundenreferenz (end-to-end)".split(
      "|",
    ),
};

const SEPARATORS = [";", ",", "\t", "|"] as const;
const NEEDED: readonly Column[] = ["date", "amount"];

type Table = { headings: string[]; rows: string[][]; firstRow: number };

function split(content: string, delimiter: string): string[][] {
  return parse(content, {
    delimiter,
    bom: true,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    trim: true,
  });
}

/** The column that a heading names, or the operator. */
function findColumns(
  headings: readonly string[],
  { columns: named = {} }: StatementHints,
): Record<Column, number> {
  const plain = headings.map((heading) => heading.toLowerCase().trim());
  const findPlace = (column: Column): number => {
    const name = named[column];
    return name === undefined || name === null
      ? (KNOWN[column].map((known) => plain.indexOf(known)).find((place) => place >= 0) ?? -1)
      : plain.indexOf(name.toLowerCase().trim());
  };
  return Object.fromEntries(COLUMNS.map((column) => [column, findPlace(column)])) as Record<
    Column,
    number
  >;
}

/** Finds the row of headings: banks write about the account above it. */
function findTable(content: string, hints: StatementHints): Table | undefined {
  for (const delimiter of SEPARATORS) {
    const rows = split(content, delimiter);
    const at = rows.findIndex((row) => {
      const columns = findColumns(row, hints);
      return NEEDED.every((column) => columns[column] >= 0);
    });
    const headings = rows[at];
    if (headings !== undefined) {
      return { headings, rows: rows.slice(at + 1), firstRow: at + 2 };
    }
  }
  return;
}

/** The first row of a file, for a person to say what its columns hold. */
function guessHeadings(content: string): string[] {
  const rows = SEPARATORS.map((delimiter) => split(content, delimiter)[0] ?? []);
  return rows.reduce((widest, row) => (row.length > widest.length ? row : widest), []);
}

function readRow(
  row: readonly string[],
  {
    columns,
    order,
    currency: standard,
  }: {
    columns: Record<Column, number>;
    order: ReturnType<typeof findDateOrder>;
    currency: string | undefined;
  },
): StatementLine | string {
  const cell = (column: Column) => row[columns[column]]?.trim() ?? "";
  const currency = findCurrency((cell("currency") || (standard ?? "")).toUpperCase());
  const bookedOn = parseStatementDate(cell("date"), order);
  if (currency === undefined) {
    return "It names no currency: give the currency of the account.";
  }
  const amount = parseStatementAmount(cell("amount"), currency);
  if (bookedOn === undefined || amount === undefined) {
    return bookedOn === undefined
      ? `"${cell("date").slice(0, 40)}" is no date.`
      : `"${cell("amount").slice(0, 40)}" is no amount.`;
  }
  return {
    bookedOn,
    amount,
    currency: currency.code,
    payer: cell("payer"),
    payerAccount: cell("payerAccount"),
    purpose: cell("purpose"),
    bankReference: cell("bankReference"),
  };
}

/** Reads a bank's CSV: its separator, headings, dates and decimals are found, or said by the operator. */
export function parseCsvStatement(content: string, hints: StatementHints): ReadStatement {
  let table: Table | undefined;
  try {
    table = findTable(content, hints);
  } catch (error) {
    if (!(error instanceof CsvError)) {
      throw error;
    }
    const problems = [{ line: 1, message: `It is no CSV: ${error.message}` }];
    return { format: "csv", headings: [], columns: {}, lines: [], problems };
  }
  if (table === undefined) {
    const message = "No row has headings for a date and an amount: say which columns hold them.";
    const headings = guessHeadings(content);
    return { format: "csv", headings, columns: {}, lines: [], problems: [{ line: 1, message }] };
  }
  const { headings, rows, firstRow } = table;
  const columns = findColumns(headings, hints);
  const order = findDateOrder(rows.map((row) => row[columns.date] ?? ""));
  const read = rows.map((row) => readRow(row, { columns, order, currency: hints.currency }));
  return {
    format: "csv",
    headings,
    columns: Object.fromEntries(
      COLUMNS.map((column) => [column, headings[columns[column]] ?? null]),
    ),
    lines: read.filter((line) => typeof line !== "string"),
    problems: read.flatMap((message, index) =>
      typeof message === "string" ? [{ line: firstRow + index, message }] : [],
    ),
  };
}
