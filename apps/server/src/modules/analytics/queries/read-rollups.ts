import type { Tx } from "@turnpike/db/client";
import { databaseErrorCode } from "@turnpike/db/database-errors";
import type { Actor } from "@turnpike/domain/access/actor";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { AppServices } from "#platform/app-services.ts";
import { assertTenantExists } from "#platform/assert-tenant-exists.store.ts";
import { ALL_ROLLUPS, findKeptFrom, type SumRow, sumUsage } from "./analytics.store.ts";
import { type Sources, withoutOldMinutes } from "./plan-sources.ts";

/** The most rollups that one period is summed from for a program: what a database does within a few seconds. */
const ROLLUPS_MAX = 2_000_000;

/**
 * Milliseconds after which a statement is given up. It ends what hangs: how long an answer takes depends on what else the
 * machine does, so time says little about cost.
 */
const STATEMENT_TIMEOUT_MS = 60_000;
/** SQLSTATE of a statement that was ended by its time limit. */
const QUERY_CANCELED = "57014";

/** A question that may be asked, but not at this size. */
export function tooCostly(message: string, cause?: unknown): AppError {
  return new AppError({ code: "QUERY_TOO_COSTLY", publicMessage: message, cause });
}

function tooSlow(actor: Actor, cause: unknown): AppError {
  const seconds = String(STATEMENT_TIMEOUT_MS / 1_000);
  // People ask by the screens, and cannot ask for less than those do.
  return actor.type === "user"
    ? new AppError({
        code: "OVERLOADED",
        publicMessage: `The database is busy and did not answer within ${seconds} seconds. Try again in a moment.`,
        headers: { "retry-after": "5" },
        cause,
      })
    : tooCostly(
        `Summing this takes longer than ${seconds} seconds: narrow the range, or ask for less detail.`,
        cause,
      );
}

/** How many rollups an asker's question may be summed from. The screens ask what they must show, at any cost. */
export function rollupsMaxOf(actor: Actor): number {
  return actor.type === "user" ? ALL_ROLLUPS : ROLLUPS_MAX;
}

export type RollupScope = {
  /** Null for all tenants. */
  tenantId: TenantId | null;
  actor: Actor;
};

/**
 * Reads rollups within the limits of a question.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND` when there is no such tenant; for a statement that takes too long `OVERLOADED` to a
 *   person and `QUERY_TOO_COSTLY` to a program.
 */
export async function readRollups<Result>(
  deps: Pick<AppServices, "transact">,
  { tenantId, actor }: RollupScope,
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  try {
    return await deps.transact.asAnalyst(
      { tenantId, timeoutMs: STATEMENT_TIMEOUT_MS },
      async (tx) => {
        if (tenantId !== null) {
          await assertTenantExists(tx, tenantId);
        }
        return await work(tx);
      },
    );
  } catch (error) {
    throw databaseErrorCode(error) === QUERY_CANCELED ? tooSlow(actor, error) : error;
  }
}

/** Reads by the hour where minutes are no longer kept. */
export async function readableSources(tx: Tx, sources: Sources): Promise<Sources> {
  return sources.minutes.length === 0
    ? sources
    : withoutOldMinutes(sources, (await findKeptFrom(tx, "minutes"))?.getTime() ?? null);
}

/** The total, `undefined` when there is nothing, and the groups. */
export type Sums = { total: SumRow | undefined; rows: readonly SumRow[] };

/**
 * Sums the rollups of one period.
 *
 * @returns The total, `undefined` when there is nothing, and at most `rowsMax` groups.
 * @throws {AppError} `QUERY_TOO_COSTLY` when there is more to sum than one answer may be made of.
 */
export async function readSums(tx: Tx, input: Parameters<typeof sumUsage>[1]): Promise<Sums> {
  const sources = await readableSources(tx, input.period.sources);
  const period = { ...input.period, sources };
  const { rollupsMax } = input;
  const [total, ...rows] = await sumUsage(tx, { ...input, period });
  if (total !== undefined && total.rollups > rollupsMax) {
    throw tooCostly(
      `There is more usage than one answer is summed from (${rollupsMax.toLocaleString("en")} rollups): narrow the range or the filters.`,
    );
  }
  return { total, rows };
}
