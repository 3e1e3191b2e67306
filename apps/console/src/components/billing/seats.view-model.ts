import type { Subscription } from "#platform/billing-queries.ts";
import type { Plan } from "#platform/shared-queries.ts";
import { toWords } from "./to-words.ts";

export type Seats = Subscription["seats"][number];

/**
 * The fees that are bought in a number: those whose plan gives a number, and those of which there is another number than one. Any
 * other fee is simply charged.
 *
 * @param plan - Of the subscription, in its newest version; undefined while it loads and when it is not listed.
 */
export function listSeats(
  { seats, phase }: Pick<Subscription, "seats" | "phase">,
  plan: Pick<Plan, "phases"> | undefined,
): readonly Seats[] {
  const cards = plan?.phases[phase]?.rateCards ?? [];
  return seats.flatMap((seat) => {
    const card = cards.find(({ key }) => key === seat.card);
    const isCounted = card?.quantity !== undefined || seat.quantity !== "1";
    // Without a name of its own a card is called by its key.
    const name = card?.name ?? (seat.name === seat.card ? toWords(seat.name) : seat.name);
    return isCounted ? [{ ...seat, name }] : [];
  });
}
