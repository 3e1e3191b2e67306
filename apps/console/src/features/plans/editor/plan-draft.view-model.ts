import { phasesOf } from "@turnpike/domain/catalog/phases-of";
import type { PlanTerms } from "@turnpike/domain/catalog/plan";
import type { DurationTerms, PlanPhaseTerms } from "@turnpike/domain/catalog/plan-phase";
import type { RateLimit } from "@turnpike/domain/limits/rate-limit";
import {
  type CardDraft,
  type LengthDraft,
  makeCard,
  TAX_CLASS_DEFAULT,
  toCardDraft,
  toCardTerms,
  toDurationTerms,
  toLength,
} from "./card-draft.view-model.ts";
import { addRow, type Row, toRows } from "./rows.view-model.ts";

export const DURATION_UNITS = ["days", "weeks", "months", "years"] as const;
export type DurationUnit = (typeof DURATION_UNITS)[number] & keyof DurationTerms;

export type PhaseDraft = Row & {
  /** Kept as it was: programs know the phase by it. */
  key: string | undefined;
  name: string;
  /** Not read of the last phase, which has no end. */
  duration: LengthDraft<DurationUnit>;
  minimum: string;
  taxClass: string;
  cards: readonly CardDraft[];
};

export type RateLimitDraft = Row & { name: string; limit: string; windowSeconds: string };

/** The text typed into the form of a plan. */
export type PlanDraft = {
  name: string;
  description: string;
  currency: string;
  visibility: PlanTerms["visibility"];
  isAddOn: boolean;
  isPrepaid: boolean;
  phases: readonly PhaseDraft[];
  rateLimits: readonly RateLimitDraft[];
  concurrency: string;
  /** Separated by blanks or new lines. */
  scopes: string;
};

/** A plan as the editor reads and sends it: always with phases, never with what is derived from them. */
export type EditedTerms = Pick<PlanTerms, "name" | "description" | "currency" | "visibility"> & {
  isAddOn: boolean;
  /** Left out for no. */
  isPrepaid?: boolean | undefined;
  phases: PlanPhaseTerms[];
  rateLimits: RateLimit[];
  concurrency?: number | undefined;
  scopes?: string[] | undefined;
};

/** A plan as the API gives it: published, or as a draft. */
type GivenTerms = Omit<PlanTerms, "pricePerMonth" | "quotas"> &
  Partial<Pick<PlanTerms, "pricePerMonth" | "quotas">>;

/** Takes what can be edited of a plan. A plan without phases is edited as the phase that it is. */
export function toEditedTerms(plan: GivenTerms): EditedTerms {
  const { name, description, currency, visibility, isAddOn, concurrency, scopes = [] } = plan;
  return {
    ...{ name, description, currency, visibility },
    isAddOn: isAddOn === true,
    ...(plan.isPrepaid === true && { isPrepaid: true }),
    phases: phasesOf({
      ...plan,
      pricePerMonth: plan.pricePerMonth ?? "0",
      quotas: plan.quotas ?? [],
    }),
    rateLimits: [...plan.rateLimits],
    ...(concurrency === undefined || concurrency === null ? {} : { concurrency }),
    ...(scopes.length === 0 ? {} : { scopes: [...scopes] }),
  };
}

/** The same for the domain, which knows what is derived as well. */
export function toFullTerms(terms: EditedTerms): PlanTerms {
  return { ...terms, pricePerMonth: "0", quotas: [] };
}

const TWO_WEEKS: LengthDraft<DurationUnit> = { count: "14", unit: "days" };

function makePhase(cards: readonly Omit<CardDraft, "rowId">[]): Omit<PhaseDraft, "rowId"> {
  return {
    key: undefined,
    name: "",
    duration: TWO_WEEKS,
    minimum: "",
    taxClass: TAX_CLASS_DEFAULT,
    cards: toRows(cards),
  };
}

/** The form of a plan that does not exist yet: one phase with a monthly fee. */
export function makePlanDraft(currency: string): PlanDraft {
  return {
    name: "",
    description: "",
    currency,
    visibility: "public",
    isAddOn: false,
    isPrepaid: false,
    phases: toRows([makePhase([{ ...makeCard("fee"), key: "base" }])]),
    rateLimits: [],
    concurrency: "",
    scopes: "",
  };
}

/** A plan as text. */
export function toPlanDraft(terms: EditedTerms): PlanDraft {
  return {
    name: terms.name,
    description: terms.description,
    currency: terms.currency,
    visibility: terms.visibility,
    isAddOn: terms.isAddOn,
    isPrepaid: terms.isPrepaid === true,
    phases: toRows(
      terms.phases.map((phase) => ({
        key: phase.key,
        name: phase.name ?? "",
        duration: toLength(phase.duration, DURATION_UNITS, TWO_WEEKS),
        minimum: phase.minimum ?? "",
        taxClass: phase.taxClass ?? TAX_CLASS_DEFAULT,
        cards: toRows(phase.rateCards.map(toCardDraft)),
      })),
    ),
    rateLimits: toRows(
      terms.rateLimits.map(({ name, limit, windowSeconds }) => ({
        name,
        limit: String(limit),
        windowSeconds: String(windowSeconds),
      })),
    ),
    concurrency: String(terms.concurrency ?? ""),
    scopes: (terms.scopes ?? []).join("\n"),
  };
}

function toPhaseTerms(phase: PhaseDraft, isLast: boolean): PlanPhaseTerms {
  const name = phase.name.trim();
  const minimum = phase.minimum.trim();
  const taxClass = phase.taxClass.trim();
  return {
    ...(phase.key !== undefined && { key: phase.key }),
    ...(name !== "" && { name }),
    ...(!isLast && { duration: toDurationTerms(phase.duration) }),
    ...(minimum !== "" && { minimum }),
    ...(taxClass !== "" && taxClass !== TAX_CLASS_DEFAULT && { taxClass }),
    rateCards: phase.cards.map(toCardTerms),
  };
}

/** Whole numbers alone; what is none becomes 0, which the API refuses at this place. */
function toWhole(text: string): number {
  return /^\s*\d{1,9}\s*$/.test(text) ? Number(text) : 0;
}

/** A draft as the API takes it: each list in the order of the form, so that a pointer to a fault finds its field. */
export function toPlanTerms(draft: PlanDraft): EditedTerms {
  const scopes = draft.scopes.split(/[\s,]+/).filter((scope) => scope !== "");
  return {
    name: draft.name.trim(),
    description: draft.description.trim(),
    currency: draft.currency.trim().toUpperCase(),
    visibility: draft.visibility,
    isAddOn: draft.isAddOn,
    ...(draft.isPrepaid && { isPrepaid: true }),
    phases: draft.phases.map((phase, index) =>
      toPhaseTerms(phase, index === draft.phases.length - 1),
    ),
    rateLimits: draft.rateLimits.map(({ name, limit, windowSeconds }) => ({
      name: name.trim(),
      limit: toWhole(limit),
      windowSeconds: toWhole(windowSeconds),
    })),
    ...(draft.concurrency.trim() !== "" && { concurrency: toWhole(draft.concurrency) }),
    ...(scopes.length > 0 && { scopes }),
  };
}

/** Puts a phase before all others, such as a trial: the last one, without an end, stays last. */
export function addPhase(phases: readonly PhaseDraft[]): PhaseDraft[] {
  return addRow(phases, makePhase([]), phases[0]?.rowId);
}

/** A copy of a phase behind it, for a ramp that changes little from step to step. */
export function copyPhase(phases: readonly PhaseDraft[], rowId: number): PhaseDraft[] {
  const place = phases.findIndex((phase) => phase.rowId === rowId);
  const phase = phases[place];
  return phase === undefined
    ? [...phases]
    : addRow(phases, { ...phase, key: undefined, name: "" }, phases[place + 1]?.rowId);
}
