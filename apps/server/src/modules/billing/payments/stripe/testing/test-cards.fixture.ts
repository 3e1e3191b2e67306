/** What a card or account does when it is charged. */
export type Behaviour =
  | { does: "succeeds" }
  | { does: "declines"; declineCode: string; adviceCode?: string; code?: string }
  /** Wants the customer: off session a refusal, on session 3-D Secure. */
  | { does: "asks" }
  /** Takes days, like a direct debit. */
  | { does: "takesDays" };

const declines = (declineCode: string, more: { adviceCode?: string; code?: string } = {}) =>
  ({ does: "declines", declineCode, ...more }) as const;

/** Numbers and payment methods of docs.stripe.com/testing, and what they do. */
export const TEST_CARDS: ReadonlyMap<string, { behaviour: Behaviour; type: string }> = new Map(
  (
    [
      ["4242424242424242", "pm_card_visa", { does: "succeeds" }],
      ["4000000000000341", "pm_card_chargeCustomerFail", declines("generic_decline")],
      [
        "4000000000009995",
        "pm_card_visa_chargeDeclinedInsufficientFunds",
        declines("insufficient_funds"),
      ],
      ["4000000000009987", "pm_card_visa_chargeDeclinedLostCard", declines("lost_card")],
      ["4000000000009979", "pm_card_visa_chargeDeclinedStolenCard", declines("stolen_card")],
      [
        "4000000000000069",
        "pm_card_chargeDeclinedExpiredCard",
        declines("expired_card", { code: "expired_card" }),
      ],
      [
        "4000000000000002",
        "pm_card_visa_chargeDeclined",
        declines("generic_decline", { adviceCode: "do_not_try_again" }),
      ],
      ["4000002760003184", "pm_card_authenticationRequired", { does: "asks" }],
      ["DE89370400440532013000", "pm_sepa_debit", { does: "takesDays" }],
    ] as const
  ).flatMap(([number, method, behaviour]) => {
    const card = { behaviour, type: method === "pm_sepa_debit" ? "sepa_debit" : "card" };
    return [[number, card] as const, [method, card] as const];
  }),
);
