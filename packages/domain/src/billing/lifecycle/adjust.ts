import { SCALE } from "../../money/decimal.ts";
import type { Account } from "../account/account.ts";
import { createLine } from "../rating/line.ts";
import { settle } from "./settle.ts";

/** A charge that no plan has. */
export type Adjustment = {
  /** Minor units, above 0: what is to be given back is a credit note. */
  readonly amount: bigint;
  readonly label: string;
  readonly taxClass: string;
};

/** Charges a one-off line, at once or on the next invoice. */
export function adjust(
  account: Account,
  { amount, label, taxClass }: Adjustment,
  { atMs, waits }: { atMs: number; waits: boolean },
): Account {
  const line = createLine({
    kind: "adjustment",
    owner: undefined,
    span: { fromMs: atMs, toMs: atMs },
    quantity: SCALE,
    amount,
    taxClass,
    label,
  });
  return settle(account, [line], { atMs, waits });
}
