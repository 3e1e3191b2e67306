import type { Tx } from "@turnpike/db/client";
import type { Role } from "@turnpike/domain/access/scopes";
import { formatMeasured, type MeterWords } from "@turnpike/domain/alerts/describe-alert";
import {
  decideQuotaThreshold,
  type NotifiedThreshold,
  QUOTA_THRESHOLDS_DEFAULT,
} from "@turnpike/domain/alerts/quota-threshold";
import { said } from "@turnpike/domain/text/said";
import { toPlural } from "@turnpike/domain/text/to-plural";
import { findQuotaUse, listQuotaUse, type QuotaUse } from "#modules/metering/index.ts";
import { notify, publishEvent } from "#modules/notifications/index.ts";
import { mailMembers } from "#modules/tenants/index.ts";
import { readMeterWords } from "../alert-words.ts";
import type { NotifyOfAlertDeps } from "../notify-of-alert.ts";
import {
  listQuotaSettings,
  listQuotaStates,
  lockQuotaState,
  type QuotaStateRow,
  updateQuotaState,
} from "./quota-alerts.store.ts";

export type QuotaSettings = { thresholds: readonly number[]; mailRoles: readonly Role[] };

/** The settings of a tenant that has not chosen any. */
export const QUOTA_SETTINGS_DEFAULT: QuotaSettings = {
  thresholds: QUOTA_THRESHOLDS_DEFAULT,
  mailRoles: ["owner", "admin", "billing"],
};

/** Quotas in one page. */
const PAGE = 500;
const QUOTA_LINK = "/billings";
const DAY = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" });

function toNotified(row: QuotaStateRow | undefined): NotifiedThreshold | null {
  return row === undefined
    ? null
    : {
        periodStartMs: row.period_start.getTime(),
        limit: row.quota_limit,
        threshold: row.threshold,
        highest: Math.max(row.highest, row.threshold),
      };
}

function decide(use: QuotaUse, notified: NotifiedThreshold | null, settings: QuotaSettings) {
  return decideQuotaThreshold({
    periodStartMs: use.period_start.getTime(),
    used: Number(use.used) + Number(use.forfeited),
    limit: use.quota_limit,
    thresholds: settings.thresholds,
    notified,
  });
}

function isSame(one: NotifiedThreshold, other: NotifiedThreshold | null): boolean {
  return (
    other !== null &&
    one.periodStartMs === other.periodStartMs &&
    one.limit === other.limit &&
    one.threshold === other.threshold &&
    one.highest === other.highest
  );
}

/** Explains why calls are refused before everything is used. */
function toBlocked(use: QuotaUse): string[] {
  const forfeited = Number(use.forfeited);
  return forfeited === 0
    ? []
    : [
        `${forfeited.toLocaleString("en")} more are blocked until then, because a server that held them crashed. They are not billed.`,
      ];
}

function toConsequence(use: QuotaUse, threshold: number): string[] {
  if (threshold < 100) {
    return [];
  }
  return use.kind === "hard"
    ? ["Calls beyond it are refused until the period ends or the plan is changed."]
    : ["Calls beyond it are let through and counted."];
}

async function notifyOfQuota(
  deps: NotifyOfAlertDeps,
  tx: Tx,
  { use, threshold, settings }: { use: QuotaUse; threshold: number; settings: QuotaSettings },
): Promise<void> {
  const { tenant_id: tenantId, meter_id: meter, environment } = use;
  const words: MeterWords = (await readMeterWords(tx, meter)) ?? { name: meter, unit: meter };
  const units = toPlural(words.unit);
  const name = words.name.toLowerCase() === units.toLowerCase() ? units : words.name;
  const quota = environment === "live" ? name : said(`${name} in test`);
  const isBlocked = Number(use.forfeited) > 0;
  const resetAt = use.period_end.toISOString();
  const ofMeter = (value: number) => formatMeasured(`meter:${meter}`, value, words);
  const message = {
    tenantId,
    kind: "quota.threshold_reached",
    title: isBlocked
      ? `${String(threshold)}% of the quota of ${quota} is used or blocked`
      : `${String(threshold)}% of the quota of ${quota} is used`,
    body: [
      `${Number(use.used).toLocaleString("en")} of ${ofMeter(use.quota_limit)} are used in the period that ends on ${DAY.format(use.period_end)} (UTC).`,
      ...toBlocked(use),
      ...toConsequence(use, threshold),
    ].join("\n"),
    link: QUOTA_LINK,
  };
  await notify(deps, tx, message);
  const subject = isBlocked
    ? `${String(threshold)}% of a quota is used or blocked`
    : `${String(threshold)}% of a quota is used`;
  await mailMembers(deps, tx, { ...message, subject, roles: settings.mailRoles });
  await publishEvent(deps, tx, {
    tenantId,
    type: "quota.threshold_reached",
    data: {
      tenantId,
      meter,
      environment,
      kind: use.kind,
      threshold,
      used: use.used,
      forfeited: use.forfeited,
      limit: use.quota_limit,
      periodStart: use.period_start.toISOString(),
      resetAt,
      text: `${message.title}\n${message.body}`,
    },
  });
}

type QuotaKey = Pick<QuotaUse, "tenant_id" | "meter_id" | "environment">;

/** Decides on one quota by its current state, under its lock. @returns True if a notice was sent. */
async function settle(
  deps: NotifyOfAlertDeps,
  of: QuotaKey & Pick<QuotaUse, "period_start">,
  settings: QuotaSettings,
): Promise<boolean> {
  const at = deps.clock.now();
  return await deps.transact.asOperator(async (tx) => {
    const row = await lockQuotaState(tx, { ...of, at });
    // Another process may have decided while this one waited, and the plan may have changed.
    const use = await findQuotaUse(tx, { ...of, now: at });
    if (use === undefined) {
      return false;
    }
    const { notified, notify: threshold } = decide(use, toNotified(row), settings);
    await updateQuotaState(tx, {
      ...use,
      period_start: new Date(notified.periodStartMs),
      quota_limit: notified.limit,
      threshold: notified.threshold,
      highest: notified.highest,
      at,
    });
    if (threshold !== null) {
      await notifyOfQuota(deps, tx, { use, threshold, settings });
    }
    return threshold !== null;
  });
}

/** A unique key of a quota. */
function keyOf(of: Pick<QuotaStateRow, "tenant_id" | "meter_id" | "environment">): string {
  return JSON.stringify([of.tenant_id, of.meter_id, of.environment]);
}

/**
 * Compares the usage of each quota with its thresholds, and notifies of each threshold once in a period. A decision and its
 * notice are one transaction, so a killed process loses no notice and sends none twice. A quota whose decision fails is retried
 * in the next run and does not hold up the others.
 *
 * @returns How many notices were sent.
 */
export async function watchQuotas(deps: NotifyOfAlertDeps, signal: AbortSignal): Promise<number> {
  let notified = 0;
  let after: QuotaUse | undefined;
  const now = deps.clock.now();
  while (!signal.aborted) {
    const { uses, settings, states } = await deps.transact.asOperator(async (tx) => {
      const page = await listQuotaUse(tx, { now, after, limit: PAGE });
      const tenantIds = [...new Set(page.map((use) => use.tenant_id))];
      return {
        uses: page,
        settings: await listQuotaSettings(tx, tenantIds),
        states: await listQuotaStates(tx, tenantIds),
      };
    });
    const chosen = new Map(
      settings.map((row) => [
        row.tenant_id,
        { thresholds: row.thresholds, mailRoles: row.mail_roles },
      ]),
    );
    const stateOf = new Map(states.map((state) => [keyOf(state), state]));
    for (const use of uses) {
      const own = chosen.get(use.tenant_id) ?? QUOTA_SETTINGS_DEFAULT;
      const before = toNotified(stateOf.get(keyOf(use)));
      const step = decide(use, before, own);
      // Most do not change. A change is decided again under a lock.
      const isNothing = before === null && step.notified.threshold === 0;
      if (!isNothing && !isSame(step.notified, before)) {
        try {
          notified += (await settle(deps, use, own)) ? 1 : 0;
        } catch (error) {
          const { tenant_id: tenantId, meter_id: meterId } = use;
          deps.logger.warn({ err: error, tenantId, meterId }, "a quota was not evaluated");
        }
      }
    }
    after = uses.at(-1);
    if (uses.length < PAGE) {
      break;
    }
  }
  return notified;
}
