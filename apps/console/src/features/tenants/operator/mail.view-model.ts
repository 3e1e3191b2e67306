import { t } from "@lingui/core/macro";
import type { Tone } from "@turnpike/ui/badge";
import type { Mail } from "../tenants.queries.ts";

const STATES: Readonly<Record<Mail["state"], { tone: Tone; label: string }>> = {
  queued: { tone: "info", label: t`Queued` },
  sent: { tone: "ok", label: t`Sent` },
  failed: { tone: "danger", label: t`Failed` },
  held: { tone: "warning", label: t`Held` },
  bounced: { tone: "danger", label: t`Came back` },
};

/** Kinds of mails by what people call them; the API knows others, too. */
export const MAIL_KINDS: readonly { value: string; label: string }[] = [
  { value: "invitation", label: t`Invitations` },
  { value: "confirm-email", label: t`Confirmations of addresses` },
  { value: "reset-password", label: t`Resets of passwords` },
  { value: "password-changed", label: t`Changed passwords` },
  { value: "address-taken", label: t`Addresses that are taken` },
  { value: "invoice.issued", label: t`Invoices` },
  { value: "credit_note.issued", label: t`Credit notes` },
  { value: "insight.digest", label: t`Digests of insights` },
  { value: "test", label: t`Test mails` },
];

/** True for a mail that can be sent again as it is. */
export function isResendable({ state, text }: Pick<Mail, "state" | "text">): boolean {
  return (state === "failed" || state === "held") && text !== null;
}

/**
 * The state of an e-mail, in words. A finished mail that still has its text was accepted by no mail server: it waits here
 * for the operator to pass it on.
 */
export function toMailState({ state, text }: Pick<Mail, "state" | "text">): {
  tone: Tone;
  label: string;
} {
  return state === "sent" && text !== null ? { tone: "info", label: t`Kept here` } : STATES[state];
}

/** A link ends at a space, or before the punctuation that closes the sentence or bracket around it. */
const LINK = /https?:\/\/[^\s<>"]+?(?=[.,;:!?)\]}]*(?:[\s<>"]|$))/g;

/** Lists the links of a mail, each once, in order. They are text to copy: following one would use it up. */
export function listLinks(text: string): readonly string[] {
  return [...new Set(text.match(LINK))];
}
