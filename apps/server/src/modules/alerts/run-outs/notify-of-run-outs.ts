import type { Exhaustion } from "@turnpike/contract/forecasts";
import type { Tx } from "@turnpike/db/client";
import type { Role } from "@turnpike/domain/access/scopes";
import { decideRunOut, RUN_OUT_DAYS_DEFAULT } from "@turnpike/domain/alerts/run-out-notice";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { said } from "@turnpike/domain/text/said";
import { notify, publishEvent } from "#modules/notifications/index.ts";
import { mailMembers } from "#modules/tenants/index.ts";
import type { NotifyOfAlertDeps } from "../notify-of-alert.ts";
import {
  deleteRunOutState,
  findRunOutSettings,
  insertRunOutState,
  lockRunOutStates,
} from "./run-out-alerts.store.ts";

export type RunOutSettings = { days: number | null; mailRoles: readonly Role[] };

/** The settings of a tenant that has not chosen any. */
export const RUN_OUT_SETTINGS_DEFAULT: RunOutSettings = {
  days: RUN_OUT_DAYS_DEFAULT,
  mailRoles: ["owner", "admin", "billing"],
};

const LINK = "/ai-intelligence";
const DAY_MS = 24 * 60 * 60_000;
const DAY = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" });

export async function readRunOutSettings(tx: Tx, tenantId: TenantId): Promise<RunOutSettings> {
  const row = await findRunOutSettings(tx, tenantId);
  return row === undefined
    ? RUN_OUT_SETTINGS_DEFAULT
    : { days: row.days, mailRoles: row.mail_roles };
}

function whatOf({ kind, meter }: Exhaustion): string {
  return kind === "quota" ? `quota ${meter ?? ""}` : kind;
}

function toInstantMs(instant: string | null): number | null {
  return instant === null ? null : Date.parse(instant);
}

function nameOf({ kind, name }: Exhaustion): string {
  const names = {
    quota: said(`The quota of ${name.toLowerCase()}`),
    spend_cap: said("The spend cap"),
    credit: said("Your credit"),
  };
  return names[kind];
}

function toConsequence({ kind, isHard }: Exhaustion): string {
  if (kind === "quota") {
    return isHard
      ? "Calls beyond it are refused until the period ends or the plan is changed."
      : "Calls beyond it are let through and counted.";
  }
  return kind === "spend_cap"
    ? "Calls that do not fit are refused until the period ends or the cap is raised."
    : "Top up, or what is used after that is due on the next invoice or refused, as your plan says.";
}

function toMessage(item: Exhaustion, { atMs, nowMs }: { atMs: number; nowMs: number }) {
  const { left, limit, unit, earliest80, latest80, kind } = item;
  const days = Math.max(0, Math.round((atMs - nowMs) / DAY_MS));
  const when =
    days === 0 ? said("today") : days === 1 ? said("in 1 day") : said(`in ${String(days)} days`);
  const name = nameOf(item);
  const amount = (value: string) =>
    kind === "quota" ? Number(value).toLocaleString("en") : `${value} ${unit}`;
  const day = (instant: string) => DAY.format(Date.parse(instant));
  const now = amount(left);
  const whole = amount(limit);
  const on = DAY.format(atMs);
  return {
    subject: `Forecast to run out ${when}`,
    title: `${name} is forecast to run out ${when}`,
    body: [
      earliest80 === null
        ? `${now} of ${whole} are left. If usage goes on as forecast, it runs out on ${on} (UTC).`
        : latest80 === null
          ? `${now} of ${whole} are left. If usage goes on as forecast, it runs out on ${on} (UTC), with 80% probability on ${day(earliest80)} or later.`
          : `${now} of ${whole} are left. If usage goes on as forecast, it runs out on ${on} (UTC), with 80% probability between ${day(earliest80)} and ${day(latest80)}.`,
      toConsequence(item),
    ].join("\n"),
  };
}

async function tell(
  deps: NotifyOfAlertDeps,
  tx: Tx,
  {
    tenantId,
    item,
    at,
    mailRoles,
  }: { tenantId: TenantId; item: Exhaustion; at: string; mailRoles: readonly Role[] },
): Promise<void> {
  const nowMs = deps.clock.now().getTime();
  const { subject, title, body } = toMessage(item, { atMs: Date.parse(at), nowMs });
  const notice = { tenantId, kind: "forecast.runs_out", title, body, link: LINK };
  await notify(deps, tx, notice);
  await mailMembers(deps, tx, { ...notice, subject, roles: mailRoles });
  const { kind, meter, unit, limit, used, left, earliest80, latest80, resetsAt } = item;
  await publishEvent(deps, tx, {
    tenantId,
    type: "forecast.runs_out",
    data: {
      tenantId,
      kind,
      meter,
      unit,
      limit,
      used,
      left,
      at,
      earliest80,
      latest80,
      resetsAt,
      text: `${title}\n${body}`,
    },
  });
}

/**
 * Notifies the members of a tenant of what is forecast to run out within the days that they have chosen, each once. What is stored and the
 * notice are one transaction, so a killed process loses no notice and sends none twice.
 *
 * @param items - All that may run out, as forecast now.
 * @returns How many notices were sent.
 */
export async function notifyOfRunOuts(
  deps: NotifyOfAlertDeps,
  tenantId: TenantId,
  items: readonly Exhaustion[],
): Promise<number> {
  const now = deps.clock.now();
  return await deps.transact.asOperator(
    async (tx) => {
      const { days, mailRoles } = await readRunOutSettings(tx, tenantId);
      const states = await lockRunOutStates(tx, tenantId);
      let notified = 0;
      for (const item of items) {
        const what = whatOf(item);
        const state = states.get(what);
        const resetsAtMs = toInstantMs(item.resetsAt);
        const step = decideRunOut({
          atMs: toInstantMs(item.at),
          resetsAtMs,
          nowMs: now.getTime(),
          days,
          told: state === undefined ? null : { resetsAtMs: state.resets_at?.getTime() ?? null },
        });
        if (state !== undefined && (step.told === null || step.tell)) {
          await deleteRunOutState(tx, tenantId, what);
        }
        const row = {
          what,
          resets_at: resetsAtMs === null ? null : new Date(resetsAtMs),
          told_at: now,
        };
        if (step.tell && item.at !== null && (await insertRunOutState(tx, tenantId, row))) {
          await tell(deps, tx, { tenantId, item, at: item.at, mailRoles });
          notified += 1;
        }
      }
      return notified;
    },
    { holder: tenantId },
  );
}
