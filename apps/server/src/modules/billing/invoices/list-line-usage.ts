import type { LinePart } from "@turnpike/contract/invoices";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import { createRunningTotal } from "@turnpike/domain/billing/rating/running-total";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import { formatMinor } from "@turnpike/domain/money/currency";
import { fromScaled } from "@turnpike/domain/money/decimal";
import { readRollups } from "#modules/analytics/index.ts";
import { parseCursor } from "#platform/parse-cursor.ts";
import { shareOf } from "#platform/transact.ts";
import type { AccountKey } from "../accounts/accounts.store.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { findIssuedLine, findRunningLine, type UsedLine } from "./find-used-line.ts";
import { listKeyNames, streamUnits, type UnitsQuestion } from "./line-usage.store.ts";
import { type Part, type PartBy, sumParts } from "./sum-parts.ts";

/** `upcoming` in place of an id is the running invoice. */
const UPCOMING = "upcoming";

export type LineUsageInput = AccountKey & {
  invoiceId: string;
  /** From 1. */
  line: number;
  by: PartBy;
  key?: string | undefined;
  day?: string | undefined;
  cursor?: string | undefined;
  limit: number;
};

/** A place in the list: how many parts are before it. Parts of an issued line do not change. */
function parsePlace(text: string): number | undefined {
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}

const SPLITS = { day: "days", key: "keys", route: "routes", model: "models" } as const;

/** One key is not found among the days without a split by keys. */
function splitOf({ by, key }: LineUsageInput): UnitsQuestion["split"] {
  return by === "day" && key !== undefined ? "keys" : SPLITS[by];
}

function toLinePart(
  { name, quantity, amount }: Part,
  { input, line, names }: { input: LineUsageInput; line: UsedLine; names: Map<string, string> },
): LinePart {
  const { by } = input;
  const keyId = by === "key" ? name : (input.key ?? null);
  return {
    keyId,
    keyName: keyId === null ? null : (names.get(keyId) ?? null),
    route: by === "route" ? name : null,
    model: by === "model" ? name : null,
    day: by === "day" ? name : (input.day ?? null),
    quantity: fromScaled(quantity),
    amount: formatMinor(amount, line.currency),
  };
}

async function findUsedLine(
  deps: BillingDeps,
  context: CallContext,
  input: LineUsageInput,
): Promise<UsedLine> {
  const line =
    input.invoiceId === UPCOMING
      ? await deps.transact.asOperator(
          (tx) => findRunningLine(deps, tx, input),
          shareOf(context.actor),
        )
      : await deps.transact.asTenant(input.tenantId, (tx) => findIssuedLine(tx, input));
  if (line === undefined) {
    throw resourceNotFound("line of usage");
  }
  return line;
}

/**
 * Opens a line of usage: to keys, routes, models or days, from the ledger. All parts sum to the line, to the unit and to the cent. What
 * routes or models are not known of is a part without one, and so is usage that is no longer kept.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND` (tenant, line of usage), `INSUFFICIENT_SCOPE`; `QUERY_TOO_COSTLY` or `OVERLOADED` when it takes
 *   too long.
 */
export async function listLineUsage(
  deps: BillingDeps,
  context: CallContext,
  input: LineUsageInput,
): Promise<{ items: LinePart[]; nextCursor: string | null }> {
  const { tenantId, cursor, limit, by, key, day } = input;
  assertMayInTenant(context.actor, "billing:read", tenantId);
  const first = parseCursor(cursor, parsePlace) ?? 0;
  const line = await findUsedLine(deps, context, input);
  const isWhole = key === undefined && day === undefined;
  return await readRollups(deps, { tenantId, actor: context.actor }, async (tx) => {
    const parts = await sumParts(
      streamUnits(tx, line.window, { split: splitOf(input), key, day }),
      {
        by,
        total: createRunningTotal(line.line, line.currency),
        all: isWhole ? line.line.quantity : undefined,
      },
    );
    const page = parts.slice(first, first + limit);
    const asked = key === undefined ? [] : [key];
    const keyIds = by === "key" ? page.flatMap(({ name }) => name ?? []) : asked;
    const names = await listKeyNames(tx, tenantId, keyIds);
    const isLast = first + limit >= parts.length;
    return {
      items: page.map((part) => toLinePart(part, { input, line, names })),
      nextCursor: isLast ? null : String(first + limit),
    };
  });
}
