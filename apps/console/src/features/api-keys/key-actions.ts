import type { KeyOffers } from "./key.view-model.ts";

export type KeyActionKind = keyof KeyOffers;

/** What can be done with one key, in the order of its menu. The keys work on a row that has the focus. */
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
