import { t } from "@lingui/core/macro";
import type { CalendarUnit } from "@turnpike/domain/time/period";
import { inSentence } from "@turnpike/ui/language";
import { toRecurrence } from "#components/time-words.ts";
import { findMeterName } from "#platform/name-meter.ts";
import type { Meter } from "#platform/shared-queries.ts";
import {
  type CardDraft,
  type CardKind,
  type EntitlementChoice,
  isQuota,
  type LengthDraft,
  type ModelChoice,
} from "./card-draft.view-model.ts";

type Words = { label: string; note?: string };

const MODELS = {
  none: { label: t`Not charged`, note: t`Counted and limited, but free.` },
  flat: { label: t`Flat fee`, note: t`The same every period, for each seat.` },
  per_unit: { label: t`Per unit`, note: t`Every unit at one price.` },
  graduated: { label: t`Graduated tiers`, note: t`Each tier’s units at the tier’s own price.` },
  volume: { label: t`Volume tiers`, note: t`All units at the price of the tier they reach.` },
  package: { label: t`Packages`, note: t`Every package that is started is charged as a whole.` },
  percentage: { label: t`Percentage`, note: t`Of the money that a meter sums.` },
} as const satisfies Record<ModelChoice, Words>;

const KIND_MODELS: Readonly<Record<CardKind, readonly ModelChoice[]>> = {
  fee: ["flat", "graduated", "volume", "package"],
  usage: ["none", "per_unit", "graduated", "volume", "package", "percentage"],
  feature: ["none"],
};

/** The models a card of a kind can have; one that it has already stays among them. */
export function listModels(kind: CardKind, current: ModelChoice) {
  const models = KIND_MODELS[kind];
  return [...models, ...(models.includes(current) ? [] : [current])].map((value) => ({
    value,
    ...MODELS[value],
  }));
}

const ENTITLEMENTS = {
  none: { label: t`No limit`, note: t`Any quantity may be used.` },
  hard: { label: t`Hard limit`, note: t`Calls beyond it are denied.` },
  soft: { label: t`Soft limit`, note: t`Calls beyond it pass and are charged.` },
  static: { label: t`Value`, note: t`A value that your programs read, such as eu-west.` },
  boolean: { label: t`Feature`, note: t`It is there or it is not.` },
} as const satisfies Record<EntitlementChoice, Words>;

const KIND_ENTITLEMENTS: Readonly<Record<CardKind, readonly EntitlementChoice[]>> = {
  fee: ["none", "static", "boolean"],
  usage: ["none", "hard", "soft"],
  feature: ["boolean", "static"],
};

/** What a card of a kind can entitle to; what it has already stays among them. */
export function listEntitlements(kind: CardKind, current: EntitlementChoice) {
  const choices = KIND_ENTITLEMENTS[kind];
  return [...choices, ...(choices.includes(current) ? [] : [current])].map((value) => ({
    value,
    ...ENTITLEMENTS[value],
  }));
}

export const KIND_LABELS: Readonly<Record<CardKind, string>> = {
  fee: t`Fee`,
  usage: t`Usage`,
  feature: t`Feature`,
};

/** "every month", "every 3 months"; "…" while no number is typed. */
export function describeInterval({ count, unit }: LengthDraft<CalendarUnit>): string {
  const number = Number(count);
  return Number.isInteger(number) && number > 0 ? toRecurrence(number, unit) : "…";
}

/** What customers read of a card: its name, else the meter's, else its key. */
export function titleOf(
  card: CardDraft,
  meters: readonly Pick<Meter, "meterId" | "name">[],
): string {
  const named = [
    card.name.trim(),
    card.kind === "usage" ? findMeterName(meters, card.meter) : undefined,
    card.key.trim(),
  ];
  return named.find((name) => name !== undefined && name !== "") ?? t`New ${card.kind}`;
}

const TIMINGS: Readonly<Record<CardDraft["timing"], string>> = {
  advance: t`in advance`,
  arrears: t`in arrears`,
};

/** One line about a card: "Graduated tiers, every month, hard limit of 50000". */
export function summarizeCard(card: CardDraft): string {
  const limit = card.limit.trim();
  const parts = [
    card.kind === "feature" ? undefined : MODELS[card.model].label,
    card.kind === "feature" || (card.kind === "fee" && card.model === "none")
      ? undefined
      : describeInterval(card.interval),
    card.kind === "fee" ? TIMINGS[card.timing] : undefined,
    card.entitlement === "none"
      ? undefined
      : isQuota(card.entitlement) && limit !== ""
        ? t`${inSentence(ENTITLEMENTS[card.entitlement].label)} of ${limit}`
        : inSentence(ENTITLEMENTS[card.entitlement].label),
  ];
  const text = parts.filter((part) => part !== undefined).join(", ");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** A text as a key: "Input tokens" is `input-tokens`. Undefined when nothing of it can be in a key. */
export function toCardKey(text: string): string | undefined {
  const key = text
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replace(/^-+/, "")
    .slice(0, 40)
    .replace(/-+$/, "");
  return key === "" ? undefined : key;
}

/** Changes a card, and its key with its name or meter until one is typed. */
export function changeCard(card: CardDraft, part: Partial<CardDraft>): CardDraft {
  const changed = { ...card, ...part };
  if (changed.isKeyTyped || part.key !== undefined) {
    return changed;
  }
  const source = changed.kind === "usage" ? changed.meter : changed.name;
  return part.name === undefined && part.meter === undefined
    ? changed
    : { ...changed, key: toCardKey(source) ?? "" };
}
