import { said } from "@turnpike/domain/text/said";

const WHAT_GOES_ON = said(
  "Usage goes on, and nothing of it is lost. The accounts are tried again every five minutes.",
);

/** Words of the notice to operators that accounts cannot be closed. */
export function toHeldNotice(held: readonly { reason: string }[]) {
  const reasons = [...new Set(held.map(({ reason }) => reason))];
  return {
    kind: "billing.held",
    subject: said("invoices cannot be issued"),
    title:
      held.length === 1
        ? said("1 account waits for you before invoices can be issued.")
        : `${String(held.length)} accounts wait for you before invoices can be issued.`,
    body: [...reasons, "", WHAT_GOES_ON].join("\n"),
  };
}
