import type { Tx } from "@turnpike/db/client";
import { MailDeliveryError } from "./mail-transport.ts";
import { putRefusedAddress } from "./refused-addresses.store.ts";

/** What is kept of a failed attempt. */
export function toFailure(error: unknown): { error: string; explanation: string } {
  return {
    error: error instanceof Error ? error.message : String(error),
    explanation:
      error instanceof MailDeliveryError
        ? error.failure.text
        : "The mail could not be handed to the mail server.",
  };
}

/** Remembers the address when no mail can arrive there any more, and does nothing for any other failure. */
export async function noteRefusal(
  tx: Tx,
  { to, error, now }: { to: string; error: unknown; now: Date },
): Promise<void> {
  if (error instanceof MailDeliveryError && error.failure.isAddress) {
    const { error: answer, explanation } = toFailure(error);
    await putRefusedAddress(tx, { address: to, explanation, answer, refused_at: now });
  }
}
