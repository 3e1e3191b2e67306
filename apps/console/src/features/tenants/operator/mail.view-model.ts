import type { Tone } from "@turnpike/ui/badge";
import type { Mail } from "../tenants.queries.ts";

/** The state of a mail, in words. */
export const MAIL_STATES: Readonly<Record<Mail["state"], { tone: Tone; label: string }>> = {
  queued: { tone: "info", label: "Queued" },
  sent: { tone: "ok", label: "Sent" },
  failed: { tone: "danger", label: "Failed" },
};

/** A link ends at a space, or before the marks that close the sentence or bracket around it. */
const LINK = /https?:\/\/[^\s<>"]+?(?=[.,;:!?)\]}]*(?:[\s<>"]|$))/g;

/** Finds the links of a mail, each once, in their order. They are text to copy: following one would spend it. */
export function listLinks(text: string): readonly string[] {
  return [...new Set(text.match(LINK))];
}
