import type { Account } from "@turnpike/domain/billing/account/account";
import type { Line } from "@turnpike/domain/billing/rating/line";
import type { ClosedStretch } from "@turnpike/domain/billing/rating/stretch";
import type { BeforeAndAfter } from "./name-of-plan.ts";

/** The charged stretch that a line of usage is of. */
export function stretchOf(
  { owner, span }: Line,
  { closed }: Pick<Account, "closed">,
): ClosedStretch | undefined {
  return closed.find(
    (stretch) =>
      stretch.owner.runOrder === owner?.runOrder &&
      stretch.card.key === owner.card &&
      span !== undefined &&
      stretch.fromMs <= span.fromMs &&
      span.fromMs < stretch.toMs,
  );
}

/** Of what range of the ledger a usage line is: what was recorded before its period closed, or since; null for other lines. */
export function recordedOf(
  line: Line,
  { loaded, after }: BeforeAndAfter,
): { recordedAfter: Date | null; recordedTo: Date | null } {
  const { recordedTo } = loaded;
  if (line.kind !== "late") {
    const isUsage = line.kind === "usage" || line.kind === "beyondCap";
    return { recordedAfter: null, recordedTo: isUsage ? recordedTo : null };
  }
  const stretch = stretchOf(line, after);
  const place = stretch === undefined ? -1 : after.closed.indexOf(stretch);
  return { recordedAfter: loaded.billedTo[place] ?? null, recordedTo };
}
