import { t } from "@lingui/core/macro";
import type { Tone } from "@turnpike/ui/badge";
import type { Plan } from "#platform/shared-queries.ts";
import { toOffer } from "../offers/offer.view-model.ts";
import type { DraftSummary } from "./editor.queries.ts";

/** A plan of the catalogue, published or only a draft yet. */
export type CatalogueRow = {
  planId: string;
  name: string;
  /** The newest published one; undefined for a plan that is only a draft. */
  version: number | undefined;
  price: string | undefined;
  states: readonly { label: string; tone: Tone }[];
  /** "Default", "Private", "Add-on". */
  marks: readonly string[];
  isArchived: boolean;
  isDefault: boolean;
  hasDraft: boolean;
};

/** Lists published plans in their order, then plans that are only drafts, then archived ones. */
export function toCatalogueRows(
  plans: readonly Plan[],
  drafts: readonly DraftSummary[],
): readonly CatalogueRow[] {
  const published = plans.map((plan) => toPublishedRow(plan, drafts));
  const fresh = drafts
    .filter(({ planId }) => plans.every((plan) => plan.planId !== planId))
    .map(toFreshRow);
  const isOffered = ({ isArchived }: CatalogueRow) => !isArchived;
  return [
    ...published.filter(isOffered),
    ...fresh,
    ...published.filter(({ isArchived }) => isArchived),
  ];
}

function toPublishedRow(plan: Plan, drafts: readonly DraftSummary[]): CatalogueRow {
  const hasDraft = drafts.some(({ planId }) => planId === plan.planId);
  const isArchived = plan.archivedAt !== null;
  const { price, per } = toOffer(plan, []);
  return {
    planId: plan.planId,
    name: plan.name,
    version: plan.version,
    price: `${price} ${per}`,
    states: [
      isArchived
        ? { label: t`Archived`, tone: "neutral" as const }
        : { label: t`Published`, tone: "ok" as const },
      ...(hasDraft ? [{ label: t`Draft`, tone: "warning" as const }] : []),
    ],
    marks: [
      ...(plan.isDefault ? [t`Default`] : []),
      ...(plan.visibility === "private" ? [t`Private`] : []),
      ...(plan.isAddOn ? [t`Add-on`] : []),
      ...(plan.isPrepaid === true ? [t`Prepaid`] : []),
    ],
    isArchived,
    isDefault: plan.isDefault,
    hasDraft,
  };
}

function toFreshRow({ planId, name }: DraftSummary): CatalogueRow {
  return {
    planId,
    name: name === "" ? planId : name,
    version: undefined,
    price: undefined,
    states: [{ label: t`Draft`, tone: "warning" }],
    marks: [],
    isArchived: false,
    isDefault: false,
    hasDraft: true,
  };
}
