import type { CallToDecide } from "../decide/call-to-decide.ts";
import type { Admission, DecideCall } from "../decide/decide-call.ts";
import type { Denial } from "../decide/denial.ts";
import type { CallRecorder } from "../record-call.ts";
import type { MeterUnits } from "./token-rules.ts";

/** Units of one meter that are held for a call, and whose it is. */
export type Reservation = { meterId: string; units: number; admission: Admission };

/**
 * Takes the most that a call can cost from every meter that has a limit, or nothing of any.
 *
 * @throws {AppError} As a decision does.
 */
export async function reserveTokens(
  deps: { decideCall: DecideCall; callRecorder: Pick<CallRecorder, "abandon"> },
  call: Omit<CallToDecide, "meterId" | "cost" | "isFurtherMeter">,
  units: MeterUnits,
): Promise<{ reservations: Reservation[] } | { denial: Denial }> {
  const reservations: Reservation[] = [];
  let isTaken = false;
  try {
    for (const [meterId, cost] of units) {
      const decision = await deps.decideCall({ ...call, meterId, cost, isFurtherMeter: true });
      if (!decision.allowed) {
        return { denial: decision };
      }
      reservations.push({ meterId, units: cost, admission: decision });
    }
    isTaken = true;
    return { reservations };
  } finally {
    if (!isTaken) {
      for (const reservation of reservations) {
        deps.callRecorder.abandon(reservation.admission);
      }
    }
  }
}
