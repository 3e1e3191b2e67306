import { settledMinuteMs } from "@turnpike/domain/alerts/alert-rule";
import type { AppServices } from "#platform/app-services.ts";
import { rewindAlertRows } from "./alerts.store.ts";

/** Clocks of machines that share a database differ by less: what one has looked at is no mistake of the other. */
const CLOCKS_APART_MS_MAX = 5 * 60_000;
/** Those that are left have their turn in the next minute. */
const BATCH = 1_000;

/**
 * Makes alerts due that a clock looked at which was ahead, by a machine that was started with a wrong time: they would be
 * silent until that time has come. Their phase stays, so that nothing is told twice; rows of evaluations begin anew.
 *
 * @returns How many.
 */
export async function rewindAlerts(
  deps: Pick<AppServices, "transact" | "clock" | "logger">,
): Promise<number> {
  const now = deps.clock.now();
  const aheadOf = new Date(settledMinuteMs(now.getTime()) + CLOCKS_APART_MS_MAX);
  const rewound = await deps.transact.asOperator((tx) =>
    rewindAlertRows(tx, { now, aheadOf, limit: BATCH }),
  );
  if (rewound > 0) {
    deps.logger.warn({ alerts: rewound }, "alerts had been looked at by a clock that was ahead");
  }
  return rewound;
}
