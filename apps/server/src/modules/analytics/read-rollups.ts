import type { Tx } from "@turnpike/db/client";
import { databaseErrorCode } from "@turnpike/db/database-errors";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { AppServices } from "#platform/app-services.ts";
import { assertTenantExists } from "#platform/assert-tenant-exists.store.ts";
import { findKeptFrom, type SumRow, sumUsage } from "./analytics.store.ts";
import { type Sources, withoutOldMinutes } from "./plan-sources.ts";

/** The most rollups that one period is summed from: what a database does within a few seconds. */
const ROLLUPS_MAX = 2_000_000;

/** Milliseconds after which a statement is given up. */
const STATEMENT_TIMEOUT_MS = 10_000;
/** SQLSTATE of a statement that was ended by its time limit. */
const QUERY_CANCELED = "57014";

/** A question that may be asked, but not at this size. */
export function tooCostly(message: string, cause?: unknown): AppError {
  return new AppError({ code: "QUERY_TOO_COSTLY", publicMessage: message, cause });
}

/**
 * Reads rollups of one tenant, or with null of all, within the limits of a question.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND` when there is no such tenant; `QUERY_TOO_COSTLY` when a statement takes too long.
 */
export async function readRollups<Result>(
  deps: Pick<AppServices, "transact">,
  tenantId: TenantId | null,
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
    if (databaseErrorCode(error) === QUERY_CANCELED) {
      const seconds = String(STATEMENT_TIMEOUT_MS / 1_000);
      throw tooCostly(
        `Summing this takes longer than ${seconds} seconds: narrow the range, or ask for less detail.`,
        error,
      );
    }
    throw error;
  }
}

/** Where minutes that are not kept any more are read by the hour. */
export async function readableSources(tx: Tx, sources: Sources): Promise<Sources> {
  return sources.minutes.length === 0
    ? sources
    : withoutOldMinutes(sources, (await findKeptFrom(tx, "minutes"))?.getTime() ?? null);
}

/**
 * Sums the rollups of one period.
 *
 * @returns The total, `undefined` when there is nothing, and at most `rowsMax` groups.
 * @throws {AppError} `QUERY_TOO_COSTLY` when there is more to sum than one answer may be made of.
 */
export async function readSums(
  tx: Tx,
  input: Omit<Parameters<typeof sumUsage>[1], "rollupsMax">,
  rollupsMax: number = ROLLUPS_MAX,
): Promise<{ total: SumRow | undefined; rows: readonly SumRow[] }> {
  const sources = await readableSources(tx, input.period.sources);
  const period = { ...input.period, sources };
  const [total, ...rows] = await sumUsage(tx, { ...input, period, rollupsMax });
  if (total !== undefined && total.rollups > rollupsMax) {
    throw tooCostly(
      `There is more usage than one answer is summed from (${rollupsMax.toLocaleString("en")} rollups): narrow the range or the filters.`,
    );
  }
  return { total, rows };
}
