import type { TenantId } from "@turnpike/domain/ids/ids";
import type { AppServices } from "#platform/app-services.ts";
import { deletePause, putPause } from "./closing-pauses.store.ts";

/** A process that ends without a word keeps a tenant's periods open for so long. */
const PAUSE_MS = 10 * 60_000;

/**
 * Does something with a tenant while its periods are not closed by the jobs, such as writing what happened to it in the past. The pause
 * is renewed by `renew` and lasts ten minutes after the last time: call it between the steps of long work.
 */
export async function withClosingPaused<Result>(
  { transact, clock }: Pick<AppServices, "transact" | "clock">,
  tenantId: TenantId,
  work: (renew: () => Promise<void>) => Promise<Result>,
): Promise<Result> {
  let pausedAtMs = Number.NEGATIVE_INFINITY;
  const renew = async () => {
    const nowMs = clock.now().getTime();
    if (nowMs - pausedAtMs >= PAUSE_MS / 10) {
      await transact.asOperator((tx) =>
        putPause(tx, { tenantId, until: new Date(nowMs + PAUSE_MS) }),
      );
      pausedAtMs = nowMs;
    }
  };
  await renew();
  try {
    return await work(renew);
  } finally {
    await transact.asOperator((tx) => deletePause(tx, tenantId));
  }
}
