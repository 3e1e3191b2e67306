import type { TenantId } from "@turnpike/domain/ids/ids";
import type { AppServices } from "#platform/app-services.ts";
import { refreshFigureRows } from "./figures.store.ts";

/** Tenants in one transaction. */
const BATCH = 1_000;

/**
 * Works out what tenants are sorted by: usage, quota, last call and revenue. A stop is heeded between batches.
 *
 * @returns How many tenants have other figures than before.
 */
export async function refreshFigures(
  { transact, clock }: Pick<AppServices, "transact" | "clock">,
  { signal }: { signal: AbortSignal },
): Promise<number> {
  let after: TenantId | undefined;
  let written = 0;
  while (!signal.aborted) {
    const batch = await transact.asOperator((tx) =>
      refreshFigureRows(tx, { after, limit: BATCH, now: clock.now() }),
    );
    if (batch === undefined) {
      break;
    }
    after = batch.last;
    written += batch.written;
  }
  return written;
}
