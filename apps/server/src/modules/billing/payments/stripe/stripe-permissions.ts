/**
 * What a restricted key must be allowed, as Stripe's dashboard calls it, and why. `docs/billing.md` lists the same.
 */
export const STRIPE_PERMISSIONS = [
  {
    resource: "customer",
    label: "Customers: write",
    reason: "a tenant becomes a customer when it adds a payment method",
  },
  {
    resource: "checkout_session",
    label: "Checkout Sessions: write",
    reason: "cards and bank accounts are entered on Stripe's own page",
  },
  {
    resource: "setup_intent",
    label: "SetupIntents: write",
    reason: "that page saves the method, and its result is read",
  },
  {
    resource: "payment_method",
    label: "PaymentMethods: write",
    reason: "brand, last digits and expiry are shown, and a removed method is detached",
  },
  {
    resource: "payment_intent",
    label: "PaymentIntents: write",
    reason: "invoices are collected, and attempts without an answer are looked up",
  },
  {
    resource: "charge",
    label: "Charges and Refunds: write",
    reason: "payments are refunded, and what was refunded elsewhere is seen",
  },
  {
    resource: "refund",
    label: "Charges and Refunds: write",
    reason: "payments are refunded, and what was refunded elsewhere is seen",
  },
  {
    resource: "dispute",
    label: "Disputes: read",
    reason: "an invoice whose payment was taken back is not paid",
  },
  {
    resource: "event",
    label: "Events: read",
    reason: "notices that never arrived are found again",
  },
] as const;

/** `rak_payment_intent_write`, as Stripe's refusals name it. */
const PERMISSION = /\brak_([a-z0-9_]+?)_(read|write)\b/;

/**
 * What the operator has to do when Stripe refuses a key, by the text of the refusal; of the text only the name of the permission
 * is used.
 */
export function describeRefusedPermission(text: string): string {
  const [name, resource] = PERMISSION.exec(text) ?? [];
  const known = STRIPE_PERMISSIONS.find((each) => each.resource === resource);
  if (name === undefined) {
    return "Stripe refuses the key a permission that it does not name. Compare its permissions with the list in the documentation.";
  }
  return known === undefined
    ? `The key lacks the permission ${name}. Allow it in Stripe's dashboard.`
    : `The key lacks the permission ${name}. Allow "${known.label}" in Stripe's dashboard: ${known.reason}.`;
}
