import type { Tx } from "@turnpike/db/client";
import type { AlertNotice, AlertReading } from "@turnpike/domain/alerts/advance-alert";
import { changePercent } from "@turnpike/domain/alerts/advance-alert";
import {
  describeAlert,
  formatMeasured,
  type MeterWords,
} from "@turnpike/domain/alerts/describe-alert";
import { said } from "@turnpike/domain/text/said";
import { notify, publishEvent } from "#modules/notifications/index.ts";
import { mailMembers, type NotifyDeps } from "#modules/tenants/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { readQuestionWords } from "./alert-words.ts";
import type { AlertRow } from "./alerts.store.ts";
import { toAlertReply } from "./to-alert-reply.ts";

export type NotifyOfAlertDeps = AppServices & NotifyDeps;

/** The console page of an alert. */
function toLink(row: AlertRow): string {
  return `/analytics?tab=alerts&alert=${row.alert_id}`;
}

const TITLES: Readonly<Record<AlertNotice | "test", (name: string) => string>> = {
  firing: (name) => said(`Alert: ${name}`),
  reminder: (name) => said(`Still firing: ${name}`),
  recovered: (name) => said(`Recovered: ${name}`),
  test: (name) => said(`Test of the alert ${name}`),
};

const SUBJECTS: Readonly<Record<AlertNotice | "test", string>> = {
  firing: said("An alert is firing"),
  reminder: said("An alert is still firing"),
  recovered: said("An alert has recovered"),
  test: said("Test of an alert"),
};

const DAY = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" });
const TIME = new Intl.DateTimeFormat("en-GB", { timeStyle: "short", timeZone: "UTC" });

/** A window in words: "11:55 to 12:00 (UTC) on 20 November 2026". It names both days if they differ. */
function toWindowText(fromMs: number, toMs: number): string {
  const [from, to] = [DAY.format(fromMs), DAY.format(toMs)];
  return from === to
    ? said(`${TIME.format(fromMs)} to ${TIME.format(toMs)} (UTC) on ${to}`)
    : said(`${from}, ${TIME.format(fromMs)} to ${to}, ${TIME.format(toMs)} (UTC)`);
}

function toMeasuredText(
  row: AlertRow,
  reading: AlertReading,
  meter: MeterWords | undefined,
): string {
  const { measure } = row.query;
  const write = (value: number | null) => formatMeasured(measure, value, meter);
  const percent = row.condition.kind === "change" ? changePercent(reading) : null;
  if (percent === null) {
    return `Measured: ${write(reading.value)}.`;
  }
  const change = `${percent > 0 ? "+" : ""}${percent.toFixed(1)}%`;
  return `Measured: ${write(reading.value)}, against ${write(reading.previous)} before (${change}).`;
}

async function toBody(
  tx: Tx,
  row: AlertRow,
  reading: AlertReading & { fromMs: number },
): Promise<string> {
  const { measure } = row.query;
  const { window_minutes: windowMinutes, condition } = row;
  const { meter, filters } = await readQuestionWords(tx, row);
  return [
    `${describeAlert({ measure, meter, windowMinutes, condition })}.`,
    toMeasuredText(row, reading, meter),
    `Window: ${toWindowText(reading.fromMs, reading.atMs)}.`,
    ...(filters.length === 0 ? [] : [`Only ${filters.join("; ")}.`]),
  ].join("\n");
}

/**
 * Notifies of an alert in the console, by mail to the chosen roles, and through webhooks, if and only if the caller's transaction
 * commits. Needs the operator role.
 *
 * @param input.notice - `test` is marked as a test wherever it is shown.
 */
export async function notifyOfAlert(
  deps: NotifyOfAlertDeps,
  tx: Tx,
  input: {
    row: AlertRow;
    notice: AlertNotice | "test";
    reading: AlertReading & { fromMs: number };
  },
): Promise<void> {
  const { row, notice, reading } = input;
  const { tenant_id: tenantId } = row;
  const kind = `alert.${notice}`;
  const message = {
    tenantId,
    kind,
    title: TITLES[notice](row.name),
    body: await toBody(tx, row, reading),
    link: toLink(row),
  };
  await notify(deps, tx, message);
  const mail = { ...message, subject: SUBJECTS[notice], roles: row.mail_roles };
  await mailMembers(deps, tx, mail);
  const data = {
    alert: toAlertReply(row, deps.clock.now()),
    text: `${message.title}\n${message.body}`,
    value: reading.value,
    previous: reading.previous,
    windowFrom: new Date(reading.fromMs).toISOString(),
    windowTo: new Date(reading.atMs).toISOString(),
  };
  if (notice === "recovered") {
    await publishEvent(deps, tx, { tenantId, type: "alert.recovered", data });
  } else {
    const isReminder = notice === "reminder";
    await publishEvent(deps, tx, {
      tenantId,
      type: "alert.firing",
      data: { ...data, isReminder, isTest: notice === "test" },
    });
  }
}

/** Notifies the members in the console that an alert cannot be evaluated, and why, in the caller's transaction. */
export async function notifyOfFailedAlert(
  deps: NotifyOfAlertDeps,
  tx: Tx,
  { row, reason }: { row: AlertRow; reason: string },
): Promise<void> {
  await notify(deps, tx, {
    tenantId: row.tenant_id,
    kind: "alert.failed",
    title: `Cannot be evaluated: ${row.name}`,
    body: [reason, "The alert is retried every quarter of an hour."].join("\n"),
    link: toLink(row),
  });
}
