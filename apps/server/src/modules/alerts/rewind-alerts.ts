import { settledMinuteMs } from "@turnpike/domain/alerts/alert-rule";
import type { AppServices } from "#platform/app-services.ts";
import { rewindAlertRows } from "./alerts.store.ts";

/** The clocks of machines that share a database differ by less than this, so a smaller difference is not a wrong clock. */
const CLOCKS_APART_MS_MAX = 5 * 60_000;
/** Alerts per run. The others are handled in the next minute. */
const BATCH = 1_000;

/**
 * Makes alerts due again that were evaluated by a clock that was ahead, on a machine that started with the wrong time. Otherwise
 * they would be silent until that time. They keep their phase, so no notice repeats, but counting starts over.
 *
 * @returns How many alerts.
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
    deps.logger.warn({ alerts: rewound }, "alerts were evaluated by a clock that was ahead");
  }
  return rewound;
}
