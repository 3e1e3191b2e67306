import { t } from "@lingui/core/macro";
import type { PlanDraft } from "./plan-draft.view-model.ts";

/** A mistake in a plan: where it is, as a JSON pointer into its terms, and what to do instead. */
export type PlanFault = { pointer: string; message: string };

/** Finds the mistakes of a field. */
export type FaultFinder = {
  /** What is wrong exactly at one of these places. */
  at: (...pointers: readonly string[]) => string | undefined;
  /** What is wrong at a place or below it, for a field that holds several members. */
  below: (pointer: string) => string | undefined;
  /** How many mistakes are at a place or below it. */
  countBelow: (pointer: string) => number;
};

function isBelow(pointer: string, place: string): boolean {
  return pointer === place || pointer.startsWith(`${place}/`);
}

export function makeFaultFinder(faults: readonly PlanFault[]): FaultFinder {
  return {
    at: (...pointers) => faults.find(({ pointer }) => pointers.includes(pointer))?.message,
    below: (place) => faults.find(({ pointer }) => isBelow(pointer, place))?.message,
    countBelow: (place) => faults.filter(({ pointer }) => isBelow(pointer, place)).length,
  };
}

const DECIMAL_IN_FILES = 'Write it as a decimal in quotes, such as "49.90".';

/** Several checks may find the same mistake: each is kept once, in order. */
export function mergeFaults(...lists: readonly (readonly PlanFault[])[]): readonly PlanFault[] {
  const merged: PlanFault[] = [];
  for (const { pointer, message: said } of lists.flat()) {
    // Quotes belong to files: here a number is typed into a field.
    const message = said === DECIMAL_IN_FILES ? t`Write an amount, such as 49.90.` : said;
    if (!merged.some((known) => known.pointer === pointer && known.message === message)) {
      merged.push({ pointer, message });
    }
  }
  return merged;
}

/**
 * Takes the place of a draft in a request off the pointers of what the API refused.
 *
 * @param prefix - Of the terms in the request, such as "/terms".
 */
export function toTermsFaults(errors: readonly PlanFault[], prefix: string): readonly PlanFault[] {
  return errors.map(({ pointer, message }) => ({
    pointer: isBelow(pointer, prefix) ? pointer.slice(prefix.length) : pointer,
    message,
  }));
}

const FIELD_NAMES: Readonly<Record<string, string>> = {
  name: t`name`,
  description: t`description`,
  currency: t`currency`,
  visibility: t`visibility`,
  isAddOn: t`add-on`,
  isPrepaid: t`prepaid`,
  concurrency: t`calls at once`,
  scopes: t`scopes`,
  duration: t`duration`,
  minimum: t`minimum`,
  maximum: t`maximum`,
  included: t`included units`,
  taxClass: t`tax class`,
  key: t`key`,
  meter: t`meter`,
  interval: t`interval`,
  timing: t`timing`,
  quantity: t`seats`,
  model: t`price model`,
  amount: t`amount`,
  unitAmount: t`unit price`,
  flatAmount: t`flat fee`,
  size: t`package size`,
  rate: t`rate`,
  upTo: t`upper bound`,
  entitlement: t`limit`,
  kind: t`kind of limit`,
  limit: t`limit`,
  refill: t`refill`,
  windowSeconds: t`window`,
};

function placeOf(name: string, index: number): string {
  return `${name} ${String(index + 1)}`;
}

/** The name of a card by its key, its place while it has none. */
function nameCard(draft: PlanDraft, phase: number, card: number): string {
  const key = draft.phases[phase]?.cards[card]?.key.trim() ?? "";
  return key === "" ? placeOf(t`card`, card) : t`card ${key}`;
}

/**
 * Says in words where a pointer leads: "Phase 2, card requests, tier 1, unit price".
 *
 * @returns "Plan" for the plan as a whole.
 */
export function describePlace(pointer: string, draft: PlanDraft): string {
  const parts: string[] = [];
  const steps = pointer.split("/").slice(1);
  let phase = -1;
  for (const [index, step] of steps.entries()) {
    const number = Number(steps[index + 1] ?? "");
    const hasNumber = /^\d+$/.test(steps[index + 1] ?? "");
    if (step === "phases" && hasNumber) {
      phase = number;
      parts.push(placeOf("phase", number));
    } else if (step === "rateCards" && hasNumber) {
      parts.push(nameCard(draft, phase, number));
    } else if (step === "tiers") {
      parts.push(hasNumber ? placeOf("tier", number) : "tiers");
    } else if (step === "rateLimits") {
      parts.push(hasNumber ? placeOf(t`rate limit`, number) : t`rate limits`);
    } else if (FIELD_NAMES[step] !== undefined && index === steps.length - 1) {
      parts.push(FIELD_NAMES[step]);
    }
  }
  const text = parts.join(", ");
  return text === "" ? t`Plan` : `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** The places of a pointer from itself up to the whole, to find the nearest field that is shown. */
export function listAncestors(pointer: string): readonly string[] {
  const steps = pointer.split("/");
  return steps.map((_, index) => steps.slice(0, steps.length - index).join("/"));
}
