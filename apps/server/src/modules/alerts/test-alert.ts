import type { Alert } from "@turnpike/contract/alerts";
import type { Tx } from "@turnpike/db/client";
import type { CallContext } from "@turnpike/domain/access/actor";
import { settledMinuteMs } from "@turnpike/domain/alerts/alert-rule";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { AppServices } from "#platform/app-services.ts";
import { findTestedAt } from "./alert-events.store.ts";
import {
  auditAlert,
  getAlertRow,
  type NamedAlert,
  orNotFound,
  recordAlertEvent,
} from "./alert-rows.ts";
import { lockAlertRow } from "./alerts.store.ts";
import { assertMayAsk } from "./assert-answerable.ts";
import { measureWindow } from "./measure-window.ts";
import { type NotifyOfAlertDeps, notifyOfAlert } from "./notify-of-alert.ts";
import { toAlertReply } from "./to-alert-reply.ts";

/** A test reaches everyone whom the alert notifies, so tests of one alert are at least this far apart. */
const TEST_WAIT_MS = 60_000;

async function assertNotJustTested(deps: AppServices, tx: Tx, one: NamedAlert): Promise<void> {
  const nowMs = deps.clock.now().getTime();
  const testedAt = await findTestedAt(tx, { ...one, after: new Date(nowMs - TEST_WAIT_MS) });
  if (testedAt !== undefined) {
    const waitMs = Math.min(TEST_WAIT_MS, testedAt.getTime() + TEST_WAIT_MS - nowMs);
    throw new AppError({
      code: "TOO_MANY_ATTEMPTS",
      publicMessage: "An alert can be tested once a minute. Wait a while, then try again.",
      headers: { "retry-after": String(Math.max(1, Math.ceil(waitMs / 1_000))) },
    });
  }
}

/**
 * Sends the notice that the alert would send now, with the current measurement, marked as a test. The alert's state stays.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND`, `INSUFFICIENT_SCOPE`; `TOO_MANY_ATTEMPTS` within a minute of the last test.
 */
export async function testAlert(
  deps: NotifyOfAlertDeps,
  context: CallContext,
  { tenantId, alertId }: NamedAlert,
): Promise<Alert> {
  assertMayAsk(context, "write", tenantId);
  const row = await getAlertRow(deps, { tenantId, alertId });
  await deps.transact.asTenant(tenantId, (tx) =>
    assertNotJustTested(deps, tx, { tenantId, alertId }),
  );
  const reading = await measureWindow(
    deps,
    {
      tenantId,
      query: row.query,
      windowMinutes: row.window_minutes,
      kind: row.condition.kind,
    },
    settledMinuteMs(deps.clock.now().getTime()),
  );
  // Mails belong to no tenant, so only the operator role may write them.
  await deps.transact.asOperator(
    async (tx) => {
      orNotFound(await lockAlertRow(tx, tenantId, alertId));
      // Checked again under the lock: of several concurrent tests only the first is sent.
      await assertNotJustTested(deps, tx, { tenantId, alertId });
      await recordAlertEvent(deps, tx, row, { what: "tested" });
      await notifyOfAlert(deps, tx, { row, notice: "test", reading });
      await auditAlert(deps, tx, context, { row, verb: "tested" });
    },
    { holder: tenantId },
  );
  return toAlertReply(row, deps.clock.now());
}
