import { findCurrency } from "@turnpike/domain/money/currency";
import { XMLParser } from "fast-xml-parser";
import { parsePlainAmount } from "./parse-statement-amount.ts";
import type { ReadStatement, StatementLine, StatementProblem } from "./statement-line.ts";

/** What may be there several times: it is always a list. */
const LISTS = new Set(["Stmt", "Ntry", "NtryDtls", "TxDtls", "Ustrd", "Strd"]);

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: "@",
  removeNSPrefix: true,
  parseTagValue: false,
  parseAttributeValue: false,
  isArray: (name) => LISTS.has(name),
});

type Node = { readonly [name: string]: unknown };

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value at a path of names; `undefined` where a part is missing. */
function at(node: unknown, ...names: readonly string[]): unknown {
  return names.reduce<unknown>((value, name) => (isNode(value) ? value[name] : undefined), node);
}

function listAt(node: unknown, ...names: readonly string[]): unknown[] {
  const value = at(node, ...names);
  return Array.isArray(value) ? value : value === undefined ? [] : [value];
}

function textOf(value: unknown): string {
  const text = isNode(value) ? value["#text"] : value;
  return typeof text === "string" ? text.trim() : "";
}

function firstText(...values: readonly unknown[]): string {
  return values.map(textOf).find((text) => text !== "") ?? "";
}

/** The other side: who paid, of money that came; who was paid, of money that left. Older versions name it without `Pty`. */
function partyOf(details: unknown, isCredit: boolean): { payer: string; payerAccount: string } {
  const role = isCredit ? "Dbtr" : "Cdtr";
  const parties = at(details, "RltdPties");
  return {
    payer: firstText(at(parties, role, "Pty", "Nm"), at(parties, role, "Nm")),
    payerAccount: firstText(
      at(parties, `${role}Acct`, "Id", "IBAN"),
      at(parties, `${role}Acct`, "Id", "Othr", "Id"),
    ),
  };
}

function purposeOf(details: unknown): string {
  const written = listAt(details, "RmtInf", "Ustrd").map(textOf);
  const references = listAt(details, "RmtInf", "Strd").map((each) =>
    textOf(at(each, "CdtrRefInf", "Ref")),
  );
  const said = [...references, ...written].filter((text) => text !== "");
  return said.length === 0 ? firstText(at(details, "AddtlTxInf")) : said.join(" ");
}

function amountOf(details: unknown): unknown {
  return at(details, "Amt") ?? at(details, "AmtDtls", "TxAmt", "Amt");
}

/**
 * An entry of several payments has the details of each; one without details is a line of its own, and so is one of whose payments some
 * name no amount: only their sum is known.
 */
function readEntry(entry: unknown): (StatementLine | string)[] {
  const status = firstText(at(entry, "Sts", "Cd"), at(entry, "Sts"));
  if (status !== "" && status !== "BOOK") {
    return ["It is not booked yet."];
  }
  const named = listAt(entry, "NtryDtls").flatMap((each) => listAt(each, "TxDtls"));
  const isSplit = named.length > 1 && named.every((details) => amountOf(details) !== undefined);
  const all = named.length === 1 || isSplit ? named : [];
  return (all.length === 0 ? [undefined] : all).map((details) => {
    const own = all.length > 1 ? details : undefined;
    const amountNode = amountOf(own) ?? at(entry, "Amt");
    const currency = findCurrency(textOf(at(amountNode, "@Ccy")));
    const bookedOn = firstText(
      at(entry, "BookgDt", "Dt"),
      at(entry, "BookgDt", "DtTm"),
      at(entry, "ValDt", "Dt"),
    ).slice(0, 10);
    if (currency === undefined || !/^\d{4}-\d\d-\d\d$/.test(bookedOn)) {
      return "It has no currency, or no day on which it was booked.";
    }
    const indicator = firstText(at(own, "CdtDbtInd"), at(entry, "CdtDbtInd"));
    const isReversal = textOf(at(entry, "RvslInd")) === "true";
    // By the standard the indicator is that of the entry, and a reversed transfer is a debit. Some banks leave the indicator of what is
    // reversed: in neither case is it a payment of a customer.
    const isCredit = indicator === "CRDT" && !isReversal;
    const minor = parsePlainAmount(textOf(amountNode), currency);
    if (minor === undefined) {
      return `"${textOf(amountNode).slice(0, 40)}" is no amount.`;
    }
    return {
      bookedOn,
      amount: isCredit ? minor : -minor,
      currency: currency.code,
      ...partyOf(details, isCredit),
      purpose: purposeOf(details) || firstText(at(entry, "AddtlNtryInf")),
      bankReference: firstText(
        at(own, "Refs", "AcctSvcrRef"),
        at(entry, "AcctSvcrRef"),
        at(details, "Refs", "AcctSvcrRef"),
      ),
    };
  });
}

/** Reads a statement as banks in Europe send it: ISO 20022 camt.053, in any of its versions. */
export function parseCamt(content: string): ReadStatement {
  const read: ReadStatement = {
    format: "camt053",
    headings: [],
    columns: {},
    lines: [],
    problems: [],
  };
  const refuse = (message: string): ReadStatement => ({
    ...read,
    problems: [{ line: 1, message }],
  });
  if (content.includes("<!DOCTYPE")) {
    return refuse("A statement has no document type: it is refused.");
  }
  let document: unknown;
  try {
    document = parser.parse(content, true);
  } catch (error) {
    return refuse(`It is no XML: ${error instanceof Error ? error.message : String(error)}`);
  }
  const statements = listAt(document, "Document", "BkToCstmrStmt", "Stmt");
  if (statements.length === 0) {
    return refuse("It has no statement of camt.053.");
  }
  const problems: StatementProblem[] = [];
  const lines = statements
    .flatMap((statement) => listAt(statement, "Ntry"))
    .flatMap((entry, index) =>
      readEntry(entry).flatMap((line) => {
        if (typeof line === "string") {
          problems.push({ line: index + 1, message: line });
          return [];
        }
        return [line];
      }),
    );
  return { ...read, lines, problems };
}
