import { said } from "@turnpike/domain/text/said";
import type { MemberNotice } from "#modules/tenants/index.ts";

const DAY = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" });
const LINK = "/billings";

type Payment = {
  invoiceNumber: string;
  /** With its currency. */
  sum: string;
};

/** When it is tried again, and from when calls are refused; undefined where the customer has to pay by hand. */
type Next = { attemptMs: number | undefined; blockedMs: number } | undefined;

function sayNext(next: Next): string {
  if (next === undefined) {
    return "Pay it in the console.";
  }
  const { attemptMs, blockedMs } = next;
  const tries =
    attemptMs === undefined
      ? "It is not tried again by itself: pay in the console, or set up another way to pay."
      : `It is tried again on ${DAY.format(attemptMs)}.`;
  return [
    tries,
    `If it is not paid by then, calls are refused from ${DAY.format(blockedMs)} on.`,
  ].join(" ");
}

/** Words of the notice of a payment that failed. @param next - `none` where nothing follows from it. */
export function toFailureNotice(
  { invoiceNumber, sum }: Payment,
  { failure, next }: { failure: { message: string }; next: Next | "none" },
): MemberNotice {
  return {
    kind: "payment.failed",
    subject: "A payment did not succeed",
    title: `The payment of ${invoiceNumber} did not succeed`,
    body: [
      said(`${sum} could not be collected: ${failure.message}`),
      ...(next === "none" ? [] : [sayNext(next)]),
    ].join(" "),
    link: LINK,
  };
}

/** Words of the notice of a payment that waits for the customer, who has to authenticate it. */
export function toAuthenticationNotice({ invoiceNumber, sum }: Payment): MemberNotice {
  return {
    kind: "payment.action_required",
    subject: "Your bank asks you to confirm a payment",
    title: `The payment of ${invoiceNumber} has to be confirmed`,
    body: `Your bank asks you to confirm ${sum} before it pays. Open the invoice and choose to pay it now.`,
    link: LINK,
  };
}
