import { toSuggestion } from "../../text/suggest.ts";
import type { Account, LifeState } from "../account/account.ts";
import { lacksWorstMargin } from "../catalog/read-rate-card.ts";
import { recordUsage } from "../lifecycle/record-usage.ts";
import { listRuns } from "../subscription/subscription.ts";
import { requireRunning } from "./require.ts";
import {
  badValue,
  readInstant,
  readQuantity,
  readSum,
  type StepAction,
  StepRefused,
} from "./step.ts";

function stateAt<Row extends { readonly atMs: number; readonly state: string }>(
  rows: readonly Row[],
  atMs: number,
): Row["state"] | undefined {
  return rows.findLast((row) => row.atMs <= atMs)?.state;
}

function assertInForce(account: Account, atMs: number): void {
  const state: LifeState | undefined = stateAt(account.life, atMs);
  if (state === "paused") {
    throw new StepRefused("paused", "The subscription was paused then: resume it first.");
  }
  if (state === undefined || state === "ended" || state === "scheduled") {
    throw new StepRefused(
      "no_subscription",
      "No subscription ran then: subscribe to a plan first.",
    );
  }
}

export const useStep: StepAction = (account, { members, atMs }) => {
  const happenedMs = readInstant(members, "at") ?? atMs;
  assertInForce(account, happenedMs);
  const meterId = String(members["meter"]);
  const { meters } = account.terms.catalog;
  if (!meters.has(meterId)) {
    throw new StepRefused(
      "unknown_meter",
      `There is no meter ${meterId}: name one of the catalogue.${toSuggestion(meterId, [...meters.keys()])}`,
    );
  }
  const quantity = readQuantity(members, "quantity");
  if ((readInstant(members, "recordedAt") ?? atMs) < happenedMs) {
    throw badValue("recordedAt", "usage is recorded when it happens, or later.");
  }
  if (stateAt(account.access, happenedMs) === "blocked") {
    throw new StepRefused("payment_required", "Access is blocked: pay the open invoices first.");
  }
  return recordUsage(account, { meterId, quantity, atMs: happenedMs }, atMs);
};

function assertCapHolds(account: Account): void {
  const { subscription, terms } = account;
  const runs = subscription === undefined ? [] : listRuns(subscription);
  for (const { card } of runs.flatMap(({ stretches }) => stretches)) {
    const meter = card.meterId === undefined ? undefined : terms.catalog.meters.get(card.meterId);
    if (meter !== undefined && lacksWorstMargin(meter)) {
      throw new StepRefused(
        "no_worst_margin",
        `A cap on ${card.key} cannot be kept, since one event may cost any amount: give the meter ${meter.meterId} a valueMax.`,
      );
    }
  }
}

export const capStep: StepAction = (given, { members }) => {
  const account = requireRunning(given);
  if (members["amount"] === null) {
    return { ...account, cap: undefined };
  }
  const { currency } = account.terms;
  const cap = readSum(members, "amount", { currency, allowsZero: true });
  assertCapHolds(account);
  return { ...account, cap };
};
