import { t } from "@lingui/core/macro";
import type { KeyOffers } from "./key.view-model.ts";

export type KeyActionKind = keyof KeyOffers;

/** The actions of a key, in menu order. `keys` are the shortcuts on a focused row. */
export const KEY_ACTIONS = [
  { kind: "edit", verb: t`Edit`, keys: ["E"] },
  { kind: "roll", verb: t`Roll`, keys: ["R"] },
  { kind: "disable", verb: t`Disable`, keys: ["D"] },
  { kind: "enable", verb: t`Enable`, keys: ["D"] },
  { kind: "revoke", verb: t`Revoke`, keys: [t`Del`] },
] as const satisfies readonly {
  kind: KeyActionKind;
  verb: string;
  keys: readonly string[];
}[];
