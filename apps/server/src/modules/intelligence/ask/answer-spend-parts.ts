import type { InvoiceLine, LinePart } from "@turnpike/contract/invoices";
import { ANSWER_ROWS_MAX, type AskedQuery } from "@turnpike/contract/questions";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { fromScaled, toScaled } from "@turnpike/domain/money/decimal";
import { said } from "@turnpike/domain/text/said";
import {
  getInvoice,
  getUpcomingInvoice,
  listInvoices,
  listLineUsage,
} from "#modules/billing/index.ts";
import type { Answered } from "./answer-usage.ts";
import type { AskDeps, Asker } from "./asker.ts";
import { CannotAnswer } from "./cannot-answer.ts";
import { describeMeasure } from "./describe-measure.ts";
import { holds, readThresholds } from "./money-thresholds.ts";
import type { NamedVocabulary } from "./named-vocabulary.ts";
import { rangeOfQuery } from "./range-of-query.ts";
import { toMoneyText } from "./to-money-text.ts";

const PARTS = ["key", "route", "model"] as const;
type PartOf = (typeof PARTS)[number];
type Bill = { id: string; currency: string; lines: readonly InvoiceLine[] };

/** Opening a line reads the ledger. */
const LINES_MAX = 20;
const PAGE = 500;
/** The running invoice in place of an id. */
const UPCOMING = "upcoming";

const isPart = (field: string): field is PartOf => PARTS.some((part) => part === field);

/** True for spend by key, route or model, which the lines of invoices are opened for. */
export function isOfParts({ measures, dimensions, filters }: AskedQuery): boolean {
  const fields = [...dimensions, ...filters.map(({ field }) => field)];
  return measures.length === 1 && measures[0] === "spend" && fields.some(isPart);
}

/** What money is split by. @throws {CannotAnswer} for what lines cannot be opened to. */
function readPart({ dimensions, filters, grain, compare }: AskedQuery): PartOf {
  const fields = [...new Set([...dimensions, ...filters.map(({ field }) => field)])];
  const [field = "key", ...others] = fields.filter((name) => name !== "spend");
  const isPlain = grain === undefined && compare === undefined;
  if (others.length > 0 || !isPlain || !isPart(field)) {
    throw new CannotAnswer(
      "What keys, routes and models cost is known by one of these alone, over whole invoices: not over time, compared or by two at once.",
    );
  }
  return field;
}

function tooMany(): CannotAnswer {
  return new CannotAnswer("There are too many invoices in that range: narrow it.");
}

/**
 * The invoices of a range: those issued in it. Of a range that goes on, the running one, and of those issued what was used in the range:
 * the first of them charges for a period before.
 */
async function listBills(
  deps: AskDeps,
  { context, nowMs }: Asker,
  { tenantId, fromMs, toMs }: { tenantId: TenantId; fromMs: number; toMs: number },
): Promise<Bill[]> {
  const environment = "live" as const;
  const goesOn = toMs > nowMs;
  const bills: Bill[] = [];
  if (goesOn) {
    const { currency, lines } = await getUpcomingInvoice(deps, context, { tenantId, environment });
    bills.push({ id: UPCOMING, currency, lines });
  }
  const { items } = await listInvoices(deps, context, { tenantId, environment, limit: PAGE });
  for (const { invoiceId, issuedAt, state } of items) {
    const atMs = Date.parse(issuedAt);
    if (atMs < fromMs || atMs >= toMs || state === "void") {
      continue;
    }
    if (bills.length > LINES_MAX) {
      throw tooMany();
    }
    const { currency, lines } = await getInvoice(deps, context, { tenantId, invoiceId });
    const used = lines.filter(({ from }) => !goesOn || Date.parse(from ?? issuedAt) >= fromMs);
    bills.push({ id: invoiceId, currency, lines: used });
  }
  return bills;
}

async function listParts(
  deps: AskDeps,
  { context }: Asker,
  input: { tenantId: TenantId; invoiceId: string; line: number; by: PartOf },
): Promise<LinePart[]> {
  const parts: LinePart[] = [];
  let cursor: string | undefined;
  do {
    const page = await listLineUsage(deps, context, {
      ...input,
      environment: "live",
      cursor,
      limit: PAGE,
    });
    parts.push(...page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return parts;
}

/** The path of “GET /v1/search”. */
const toPath = (route: string) => route.slice(route.indexOf(" ") + 1);

function isWanted(
  part: string,
  by: PartOf,
  { query, vocabulary }: { query: AskedQuery; vocabulary: NamedVocabulary },
): boolean {
  return query.filters.every(({ field, op, value }) => {
    if (field !== by) {
      return true;
    }
    const wanted = [value].flat().map(String);
    const names =
      by === "key" ? wanted.flatMap((name) => vocabulary.ids.key.get(name) ?? []) : wanted;
    return (op === "eq" || op === "in") === names.includes(part);
  });
}

/**
 * Answers what keys, routes or models cost: the lines of usage of invoices, opened to their parts, which sum to them to the cent.
 *
 * @throws {CannotAnswer} for what lines cannot be opened to, and for too many of them.
 */
export async function answerSpendParts(
  deps: AskDeps,
  asker: Asker,
  {
    vocabulary,
    query,
    tenantId,
  }: { vocabulary: NamedVocabulary; query: AskedQuery; tenantId: TenantId },
): Promise<Answered> {
  const by = readPart(query);
  const range = rangeOfQuery(query, asker.timeZone);
  const bills = await listBills(deps, asker, { tenantId, ...range });
  const used = bills.flatMap(({ id, lines }) =>
    lines.filter(({ hasUsage }) => hasUsage).map(({ number }) => ({ invoiceId: id, line: number })),
  );
  const currencies = [...new Set(bills.map(({ currency }) => currency))];
  if (used.length > LINES_MAX || currencies.length > 1) {
    throw tooMany();
  }
  const sums = new Map<string, bigint>();
  const names = new Map<string, string>();
  for (const line of used) {
    for (const { keyId, keyName, route, model, amount } of await listParts(deps, asker, {
      tenantId,
      by,
      ...line,
    })) {
      const parts = { key: keyId, route: route === null ? null : toPath(route), model };
      const part = parts[by] ?? "";
      if (isWanted(part, by, { query, vocabulary })) {
        sums.set(part, (sums.get(part) ?? 0n) + toScaled(amount));
        names.set(part, keyName ?? part);
      }
    }
  }
  const isBroken = query.dimensions.length > 0;
  const thresholds = readThresholds(query);
  for (const [part, amount] of sums) {
    if (!holds({ values: { spend: fromScaled(amount) } }, thresholds)) {
      sums.delete(part);
    }
  }
  const direction = query.order === "asc" ? -1 : 1;
  const sorted = [...sums].toSorted(
    ([, one], [, other]) => direction * Number(other > one ? 1 : other < one ? -1 : 0),
  );
  const total = sorted.reduce((sum, [, amount]) => sum + amount, 0n);
  const shown = sorted.slice(0, Math.min(query.limit ?? ANSWER_ROWS_MAX, ANSWER_ROWS_MAX));
  const rows = isBroken
    ? shown.map(([part, amount]) => ({ group: { [by]: part }, spend: amount }))
    : [{ group: {}, spend: total }];
  return {
    assumed: [
      bills[0]?.id === UPCOMING
        ? bills.length > 1
          ? said(
              "spend: charges for usage on the running invoice and, in the range, on those before it, before discounts and tax",
            )
          : said("spend: charges for usage on the running invoice, before discounts and tax")
        : said(
            "spend: charges for usage on invoices issued in the range, before discounts and tax",
          ),
    ],
    answer: {
      measures: [{ ...describeMeasure(vocabulary, "spend"), unitName: currencies[0] ?? null }],
      dimensions: isBroken ? [by] : [],
      from: new Date(range.fromMs).toISOString(),
      to: new Date(range.toMs).toISOString(),
      grain: null,
      rows: rows.map(({ group, spend }) => ({
        time: null,
        group,
        values: { spend: toMoneyText(spend, currencies[0]) },
        before: null,
      })),
      totals: { spend: toMoneyText(total, currencies[0]) },
      totalsBefore: null,
      names: by === "key" && isBroken ? Object.fromEntries(names) : {},
      truncated: shown.length < sorted.length,
      usage: null,
    },
  };
}
