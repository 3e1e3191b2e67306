import type { KeyOffers } from "./key.view-model.ts";

export type KeyActionKind = keyof KeyOffers;

/** The actions of a key, in menu order. `keys` are the shortcuts on a focused row. */
export const KEY_ACTIONS = [
  { kind: "edit", verb: "Edit", keys: ["E"] },
  { kind: "roll", verb: "Roll", keys: ["R"] },
  { kind: "disable", verb: "Disable", keys: ["D"] },
  { kind: "enable", verb: "Enable", keys: ["D"] },
  { kind: "revoke", verb: "Revoke", keys: ["Del"] },
] as const satisfies readonly {
  kind: KeyActionKind;
  verb: string;
  keys: readonly string[];
}[];
