import type { InvoiceSummary } from "@turnpike/contract/invoices";
import { ANSWER_ROWS_MAX, type AnswerRow, type AskedQuery } from "@turnpike/contract/questions";
import { assertMay, assertMayInTenant } from "@turnpike/domain/access/actor";
import { fromScaled, toScaled } from "@turnpike/domain/money/decimal";
import { said } from "@turnpike/domain/text/said";
import { listBucketStarts } from "@turnpike/domain/time/zoned-buckets";
import { getRevenue, listAllInvoices, listInvoices } from "#modules/billing/index.ts";
import { answerSpendParts, isOfParts } from "./answer-spend-parts.ts";
import type { Answered } from "./answer-usage.ts";
import type { AskDeps, Asker } from "./asker.ts";
import { CannotAnswer } from "./cannot-answer.ts";
import { describeMeasure } from "./describe-measure.ts";
import { holds, MONEY, readThresholds } from "./money-thresholds.ts";
import type { NamedVocabulary } from "./named-vocabulary.ts";
import { type InstantRange, rangeOfQuery, yearBefore } from "./range-of-query.ts";

const PAGE = 500;
const INVOICES_MAX = 20_000;
const MONTHS_MAX = 36;
const DIMENSIONS = ["tenant", "invoice_status"];

const iso = (ms: number) => new Date(ms).toISOString();

/** Reads the invoices issued in a range, by the door that the caller may use. */
async function listIssued(
  deps: AskDeps,
  { context, tenantId }: Asker,
  { fromMs, toMs }: InstantRange,
): Promise<InvoiceSummary[]> {
  const all: InvoiceSummary[] = [];
  let cursor: string | undefined;
  do {
    const page = { environment: "live" as const, cursor, limit: PAGE };
    const { items, nextCursor } =
      tenantId === null
        ? await listAllInvoices(deps, context, { ...page, from: iso(fromMs), to: iso(toMs) })
        : await listInvoices(deps, context, { ...page, tenantId });
    all.push(...items);
    const oldestMs = Date.parse(items.at(-1)?.issuedAt ?? "");
    // Newest first: older ones are of no interest.
    cursor = tenantId !== null && oldestMs < fromMs ? undefined : (nextCursor ?? undefined);
    if (all.length > INVOICES_MAX) {
      throw new CannotAnswer("There are too many invoices in that range: narrow it.");
    }
  } while (cursor !== undefined);
  return all.filter(({ issuedAt }) => {
    const atMs = Date.parse(issuedAt);
    return atMs >= fromMs && atMs < toMs;
  });
}

/** The states of an invoice that a question may name. */
function statesOf({ state, dueAt }: InvoiceSummary, nowMs: number): string[] {
  return state === "open" && Date.parse(dueAt) < nowMs ? ["open", "overdue"] : [state];
}

function isIncluded(
  invoice: InvoiceSummary,
  { query, vocabulary, nowMs }: { query: AskedQuery; vocabulary: NamedVocabulary; nowMs: number },
): boolean {
  return query.filters.every(({ field, op, value }) => {
    const wanted = [value].flat().map(String);
    const isIn = op === "eq" || op === "in";
    if (field === "invoice_status") {
      return isIn === statesOf(invoice, nowMs).some((state) => wanted.includes(state));
    }
    if (field === "tenant") {
      return (
        isIn ===
        wanted.flatMap((name) => vocabulary.ids.tenant.get(name) ?? []).includes(invoice.tenantId)
      );
    }
    if (MONEY.includes(field)) {
      return true;
    }
    throw new CannotAnswer(
      vocabulary.index.vocabulary.actor === "operator"
        ? "Money is known by invoice: by month, status and tenant, not by {0}."
        : "Money is known by invoice: by month, status, not by {0}.",
      field.replaceAll("_", " "),
    );
  });
}

const add = (sum: string | number | null | undefined, amount: string) =>
  fromScaled(toScaled(String(sum ?? "0")) + toScaled(amount));

type Group = Pick<AnswerRow, "time" | "group"> & { amount: string; count: number };

function sumUp(
  invoices: readonly InvoiceSummary[],
  {
    query,
    range,
    asker,
    isOneCurrency,
  }: { query: AskedQuery; range: InstantRange; asker: Asker; isOneCurrency: boolean },
): Map<string, Group> {
  const starts =
    query.grain === undefined ? [] : listBucketStarts(query.grain, asker.timeZone, range);
  const groups = new Map<string, Group>();
  for (const invoice of invoices) {
    const start = starts.findLastIndex((ms) => ms <= Date.parse(invoice.issuedAt));
    const own: Record<string, string> = { tenant: invoice.tenantId, invoice_status: invoice.state };
    const group = {
      ...Object.fromEntries(query.dimensions.map((name) => [name, own[name] ?? ""])),
      ...(isOneCurrency ? {} : { currency: invoice.currency }),
    };
    const name = JSON.stringify([start, group]);
    const known = groups.get(name) ?? {
      time: start < 0 ? null : iso(starts[start] ?? 0),
      group,
      amount: "0",
      count: 0,
    };
    groups.set(name, {
      ...known,
      amount: add(known.amount, invoice.total),
      count: known.count + 1,
    });
  }
  return groups;
}

const cellsOf = (query: AskedQuery, group: Group | undefined) =>
  Object.fromEntries(
    query.measures.map((name) => [
      name,
      name === "invoices" ? (group?.count ?? 0) : (group?.amount ?? "0"),
    ]),
  );

async function answerInvoices(
  deps: AskDeps,
  asker: Asker,
  { vocabulary, query }: { vocabulary: NamedVocabulary; query: AskedQuery },
): Promise<Answered> {
  const unknown = query.dimensions.find((name) => !DIMENSIONS.includes(name));
  if (unknown !== undefined) {
    throw new CannotAnswer(
      asker.tenantId === null
        ? "Money is known by invoice, not by {0}: ask per month or by tenant."
        : "Money is known by invoice, not by {0}: ask per month.",
      unknown.replaceAll("_", " "),
    );
  }
  const range = rangeOfQuery(query, asker.timeZone);
  const thresholds = readThresholds(query);
  const namesState = query.filters.some(({ field }) => field === "invoice_status");
  const isMoney = query.measures.some((name) => name !== "invoices");
  const read = async (of: InstantRange) =>
    (await listIssued(deps, asker, of)).filter(
      (invoice) =>
        (invoice.state !== "void" || namesState || !isMoney) &&
        isIncluded(invoice, { query, vocabulary, nowMs: asker.nowMs }),
    );
  const invoices = await read(range);
  const lengthMs = range.toMs - range.fromMs;
  const beforeRange =
    query.compare === "previous_year"
      ? yearBefore(range, asker.timeZone)
      : { fromMs: Math.max(0, range.fromMs - lengthMs), toMs: range.fromMs };
  const earlier = query.compare === undefined ? null : await read(beforeRange);
  const currencies = new Set([...invoices, ...(earlier ?? [])].map(({ currency }) => currency));
  const isOneCurrency = currencies.size <= 1;
  const groups = sumUp(invoices, { query, range, asker, isOneCurrency });
  const then = sumUp(earlier ?? [], { query, range: beforeRange, asker, isOneCurrency });
  const direction = query.order === "asc" ? -1n : 1n;
  const [first = ""] = query.measures;
  const rows = [...groups]
    .map(([name, group]) => ({
      time: group.time,
      group: group.group,
      values: cellsOf(query, group),
      before: earlier === null ? null : cellsOf(query, then.get(name)),
    }))
    .filter((row) => holds(row, thresholds))
    .toSorted((one, other) => {
      const difference =
        toScaled(String(other.values[first])) - toScaled(String(one.values[first]));
      return (one.time ?? "").localeCompare(other.time ?? "") || Number(direction * difference);
    });
  const shown = rows.slice(0, Math.min(query.limit ?? ANSWER_ROWS_MAX, ANSWER_ROWS_MAX));
  const total = (of: readonly InvoiceSummary[]) =>
    isOneCurrency || !isMoney
      ? cellsOf(query, {
          time: null,
          group: {},
          count: of.length,
          amount: of.reduce((sum, { total: each }) => add(sum, each), "0"),
        })
      : null;
  const [currency] = currencies;
  const named = new Map(
    invoices.map((invoice) => [invoice.tenantId as string, invoice.tenantName]),
  );
  return {
    assumed: isMoney
      ? [said(`${first}: invoices issued in the range, tax included, void ones left out`)]
      : [],
    answer: {
      measures: query.measures.map((name) => ({
        ...describeMeasure(vocabulary, name),
        ...(name === "invoices" ? {} : { unitName: isOneCurrency ? (currency ?? null) : null }),
      })),
      dimensions: [...query.dimensions, ...(isOneCurrency ? [] : ["currency"])],
      from: iso(range.fromMs),
      to: iso(range.toMs),
      grain: query.grain ?? null,
      rows: shown,
      totals: total(invoices),
      totalsBefore: earlier === null ? null : total(earlier),
      names: query.dimensions.includes("tenant") ? Object.fromEntries(named) : {},
      truncated: shown.length < rows.length,
      usage: null,
    },
  };
}

async function answerRecurring(
  deps: AskDeps,
  asker: Asker,
  { vocabulary, query }: { vocabulary: NamedVocabulary; query: AskedQuery },
): Promise<Answered> {
  if (
    query.dimensions.length > 0 ||
    query.filters.length > 0 ||
    (query.grain ?? "month") !== "month"
  ) {
    throw new CannotAnswer("Monthly recurring revenue is known by month, over all tenants.");
  }
  const range = rangeOfQuery(query, "UTC");
  const months = 1 + Math.ceil((asker.nowMs - range.fromMs) / (28 * 24 * 60 * 60_000));
  if (months > MONTHS_MAX) {
    throw new CannotAnswer("At most {0} months back.", String(MONTHS_MAX));
  }
  const { currencies } = await getRevenue(deps, asker.context, { months: Math.max(1, months) });
  const isOneCurrency = currencies.length <= 1;
  const rows = currencies.flatMap(({ currency, months: all }) => {
    const within = all.filter(({ month }) => {
      const startMs = Date.parse(`${month}-01`);
      return startMs < range.toMs && startMs >= Date.parse(`${iso(range.fromMs).slice(0, 7)}-01`);
    });
    const shown = query.grain === undefined ? within.slice(-1) : within;
    return shown.map(
      ({ month, opening, closing }): AnswerRow => ({
        time: query.grain === undefined ? null : `${month}-01T00:00:00.000Z`,
        group: isOneCurrency ? {} : { currency },
        values: { mrr: closing },
        before: query.compare === undefined ? null : { mrr: opening },
      }),
    );
  });
  const last = rows.at(-1);
  return {
    assumed: [said("recurring revenue as the month ended, or now")],
    answer: {
      measures: [
        {
          ...describeMeasure(vocabulary, "mrr"),
          unitName: isOneCurrency ? (currencies[0]?.currency ?? null) : null,
        },
      ],
      dimensions: isOneCurrency ? [] : ["currency"],
      from: iso(range.fromMs),
      to: iso(range.toMs),
      grain: query.grain ?? null,
      rows: rows.slice(0, ANSWER_ROWS_MAX),
      totals: isOneCurrency && last !== undefined ? last.values : null,
      totalsBefore: isOneCurrency && last !== undefined ? last.before : null,
      names: {},
      truncated: rows.length > ANSWER_ROWS_MAX,
      usage: null,
    },
  };
}

/** Answers questions about money by the doors of billing. @throws {CannotAnswer} when invoices cannot say it. */
export async function answerMoney(
  deps: AskDeps,
  asker: Asker,
  input: { vocabulary: NamedVocabulary; query: AskedQuery },
): Promise<Answered> {
  const { measures } = input.query;
  const { actor } = asker.context;
  if (measures.some((name) => !MONEY.includes(name))) {
    throw new CannotAnswer("Money and usage are asked for separately.");
  }
  if (asker.tenantId === null || measures.includes("revenue") || measures.includes("mrr")) {
    assertMay(actor, "invoices:read");
  } else {
    assertMayInTenant(actor, "billing:read", asker.tenantId);
  }
  const { tenantId } = asker;
  if (tenantId !== null && isOfParts(input.query)) {
    return await answerSpendParts(deps, asker, { ...input, tenantId });
  }
  if (!measures.includes("mrr")) {
    return await answerInvoices(deps, asker, input);
  }
  if (measures.length > 1) {
    throw new CannotAnswer("Monthly recurring revenue is asked for by itself.");
  }
  return await answerRecurring(deps, asker, input);
}
