import { t } from "@lingui/core/macro";
import { inSentence } from "@turnpike/ui/language";

/** What answers are broken down by, and the columns of those that list something. */
const LABELS: Readonly<Record<string, string>> = {
  tenant: t`Tenant`,
  key: t`Key`,
  plan: t`Plan`,
  route: t`Route`,
  model: t`Model`,
  method: t`Method`,
  status: t`Status`,
  status_class: t`Status class`,
  outcome: t`Outcome`,
  region: t`Region`,
  environment: t`Environment`,
  invoice_status: t`Invoice status`,
  currency: t`Currency`,
  credit: t`Credit`,
  "usable from": t`Usable from`,
  expires: t`Expires`,
  "limit of": t`Limit of`,
  "runs out": t`Runs out`,
  line: t`Line`,
  finding: t`Finding`,
};

/** Names a dimension of an answer: "Status class". What meters record has the name that the operator gave it. */
export function toDimensionLabel(dimension: string): string {
  const text = dimension.replaceAll("_", " ");
  return LABELS[dimension] ?? `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** The same within a sentence: "status class". */
export function toDimensionNoun(dimension: string): string {
  const label = LABELS[dimension];
  return label === undefined ? dimension.replaceAll("_", " ") : inSentence(label);
}
