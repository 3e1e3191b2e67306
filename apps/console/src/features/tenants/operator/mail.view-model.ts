import type { Tone } from "@turnpike/ui/badge";
import type { Mail } from "../tenants.queries.ts";

const STATES: Readonly<Record<Mail["state"], { tone: Tone; label: string }>> = {
  queued: { tone: "info", label: "Queued" },
  sent: { tone: "ok", label: "Sent" },
  failed: { tone: "danger", label: "Failed" },
};

/**
 * The state of an e-mail, in words. A finished mail that still has its text was accepted by no mail server: it waits here
 * for the operator to pass it on.
 */
export function toMailState({ state, text }: Pick<Mail, "state" | "text">): {
  tone: Tone;
  label: string;
} {
  return state === "sent" && text !== null ? { tone: "info", label: "Kept here" } : STATES[state];
}

/** A link ends at a space, or before the punctuation that closes the sentence or bracket around it. */
const LINK = /https?:\/\/[^\s<>"]+?(?=[.,;:!?)\]}]*(?:[\s<>"]|$))/g;

/** Lists the links of a mail, each once, in order. They are text to copy: following one would use it up. */
export function listLinks(text: string): readonly string[] {
  return [...new Set(text.match(LINK))];
}
