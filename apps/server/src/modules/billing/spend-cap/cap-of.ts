import { smaller } from "@turnpike/domain/money/bounds";
import type { SpendCapRow } from "./spend-caps.store.ts";

/** The cap that counts: the smaller one of the tenant's own and the operator's. */
export function capOf(
  row: Pick<SpendCapRow, "tenantCap" | "operatorCap"> | undefined,
): bigint | undefined {
  const caps = [row?.tenantCap, row?.operatorCap].filter(
    (cap): cap is bigint => cap !== undefined && cap !== null,
  );
  return caps.length === 0 ? undefined : caps.reduce(smaller);
}
