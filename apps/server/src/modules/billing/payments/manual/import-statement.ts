import { createHash } from "node:crypto";
import type { StatementPreview } from "@turnpike/contract/bank-statements";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import { AppError } from "@turnpike/domain/errors/app-error";
import { formatMinor } from "@turnpike/domain/money/currency";
import { writeAudit } from "#modules/audit/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { currencyOf } from "../../invoices/to-invoice.ts";
import { parseCamt } from "./parse-camt.ts";
import { parseCsvStatement } from "./parse-csv-statement.ts";
import { proposePayments } from "./propose-payments.ts";
import type {
  ReadStatement,
  StatementHints,
  StatementLine,
  StatementProblem,
} from "./statement-line.ts";
import {
  insertLines,
  insertStatement,
  listKnownHashes,
  listLinesById,
} from "./statement-lines.store.ts";

export type StatementInput = StatementHints & { name: string; content: string };

const PREVIEWED = 20;
const PROBLEMS_MAX = 50;
const TEXT_MAX = 1_000;

function readStatement({ content, ...hints }: StatementInput): ReadStatement {
  return content.trimStart().startsWith("<")
    ? parseCamt(content)
    : parseCsvStatement(content, hints);
}

/** Text of a bank as the database can hold it. */
function toStorable(text: string): string {
  return text.replaceAll("\0", "").toWellFormed().slice(0, TEXT_MAX);
}

/**
 * Tells lines apart: by the bank's own id where it gives one, else by everything that it says. Lines that are alike in one file are so
 * many payments, so the count of those before is part of it.
 */
function hashLines(lines: readonly StatementLine[]): (StatementLine & { hash: string })[] {
  const seen = new Map<string, number>();
  return lines.map((line) => {
    const { bookedOn, amount, currency, bankReference, payer, payerAccount, purpose } = line;
    const said =
      bankReference === "" ? [payer, payerAccount, purpose] : ["bank reference", bankReference];
    const text = JSON.stringify([bookedOn, amount.toString(), currency, ...said]);
    const count = seen.get(text) ?? 0;
    seen.set(text, count + 1);
    return {
      ...line,
      hash: createHash("sha256")
        .update(`${text} ${String(count)}`)
        .digest("hex"),
    };
  });
}

function hashesOf(lines: readonly { hash: string }[]): string[] {
  return lines.map(({ hash }) => hash);
}

/** Reads a statement without keeping it. @throws {AppError} `INSUFFICIENT_SCOPE`. */
export async function previewStatement(
  deps: Pick<AppServices, "transact">,
  context: CallContext,
  input: StatementInput,
): Promise<StatementPreview> {
  assertMay(context.actor, "invoices:write");
  const read = readStatement(input);
  const lines = hashLines(read.lines);
  const known = await deps.transact.asOperator((tx) => listKnownHashes(tx, hashesOf(lines)));
  return {
    format: read.format,
    headings: read.headings,
    columns: read.columns,
    count: lines.length,
    fresh: lines.filter(({ hash }) => !known.has(hash)).length,
    lines: lines.slice(0, PREVIEWED).map(({ bookedOn, amount, currency, payer, purpose }) => ({
      bookedOn,
      amount: formatMinor(amount, currencyOf(currency)),
      currency,
      payer,
      purpose,
    })),
    problems: read.problems.slice(0, PROBLEMS_MAX),
  };
}

export type ImportedStatement = {
  /** Null when every line was there before. */
  statementId: string | null;
  count: number;
  fresh: number;
  certain: number;
  problems: StatementProblem[];
};

/**
 * Keeps the lines of a statement, each once, however often they are imported. They wait until they are matched.
 *
 * @throws {AppError} `INVALID_REQUEST` for a file of which no line can be read, `INSUFFICIENT_SCOPE`.
 */
export async function importStatement(
  deps: Pick<AppServices, "transact" | "clock" | "newId" | "logger" | "randomBytes">,
  context: CallContext,
  input: StatementInput,
): Promise<ImportedStatement> {
  assertMay(context.actor, "invoices:write");
  const read = readStatement(input);
  const [problem] = read.problems;
  if (read.lines.length === 0) {
    const message = problem?.message ?? "It has no lines.";
    throw new AppError({
      code: "INVALID_REQUEST",
      publicMessage: message,
      errors: [{ pointer: "/content", message }],
    });
  }
  const lines = hashLines(read.lines);
  return await deps.transact.asOperator(async (tx) => {
    const known = await listKnownHashes(tx, hashesOf(lines));
    const fresh = lines.filter(({ hash }) => !known.has(hash));
    const result = { count: lines.length, problems: read.problems.slice(0, PROBLEMS_MAX) };
    if (fresh.length === 0) {
      return { ...result, statementId: null, fresh: 0, certain: 0 };
    }
    const statementId = deps.newId("statement");
    const { actor } = context;
    await insertStatement(tx, {
      statementId,
      name: input.name,
      format: read.format,
      now: deps.clock.now(),
      importedBy: `${actor.type}:${actor.id}`,
    });
    const ids = await insertLines(
      tx,
      statementId,
      fresh.map((line) => ({
        ...line,
        lineId: deps.newId("statementLine"),
        amount: line.amount.toString(),
        payer: toStorable(line.payer),
        payerAccount: toStorable(line.payerAccount),
        purpose: toStorable(line.purpose),
        bankReference: toStorable(line.bankReference),
      })),
    );
    const proposals = await proposePayments(tx, await listLinesById(tx, ids));
    await writeAudit(deps, tx, context, {
      tenantId: null,
      action: "bank_statement.imported",
      entityType: "bank_statement",
      entityId: statementId,
      details: { name: input.name, lines: ids.length },
    });
    return {
      ...result,
      statementId,
      fresh: ids.length,
      certain: [...proposals.values()].filter(([first]) => first?.isCertain === true).length,
    };
  });
}
