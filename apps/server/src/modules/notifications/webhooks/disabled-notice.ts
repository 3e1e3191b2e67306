import { said } from "@turnpike/domain/text/said";

/** Words of the notice that an endpoint was disabled by itself. */
export function toDisabledNotice(name: string, reason: string): { title: string; body: string } {
  return {
    title: "A webhook was disabled",
    body: [
      name,
      `${reason} ${said("Nothing more is sent to it. Fix the receiver, enable the webhook, and replay the failed deliveries; they are kept for 30 days.")}`,
    ].join("\n"),
  };
}
