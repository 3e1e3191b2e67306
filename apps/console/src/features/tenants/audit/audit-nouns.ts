import { t } from "@lingui/core/macro";

/** Nouns of a tenant's actions, with what they are called in a choice. */
export const TENANT_NOUNS = [
  { value: "key", label: t`API keys` },
  { value: "keys", label: t`Imports of keys` },
  { value: "member", label: t`Members` },
  { value: "invitation", label: t`Invitations` },
  { value: "role", label: t`Roles` },
  { value: "tenant", label: t`The tenant` },
  { value: "acting", label: t`Operators who act` },
  { value: "agent_grant", label: t`Agents` },
  { value: "proposal", label: t`Proposals` },
  { value: "webhook", label: t`Webhooks` },
  { value: "alert", label: t`Alerts` },
  { value: "spend_cap", label: t`Spend cap` },
  { value: "subscription", label: t`Plan changes` },
  { value: "payment_method", label: t`Payment methods` },
  { value: "invoice", label: t`Invoices` },
  { value: "credit", label: t`Credit` },
  { value: "billing_details", label: t`Billing details` },
  { value: "sso", label: t`Single sign-on` },
  { value: "sso_domain", label: t`Proven domains` },
  { value: "file", label: t`Files` },
  { value: "export", label: t`Exports of usage` },
  { value: "audit", label: t`Exports of this log` },
] as const;

/** Nouns of the installation's actions. */
export const INSTALLATION_NOUNS = [
  { value: "operator", label: t`Operators` },
  { value: "user", label: t`People` },
  { value: "account", label: t`Accounts` },
  { value: "sign_in", label: t`Sign-ins` },
  { value: "factors", label: t`Second factors` },
  { value: "person_token", label: t`Command lines` },
  { value: "service_key", label: t`Service keys` },
  { value: "plan", label: t`Plans` },
  { value: "coupon", label: t`Coupons` },
  { value: "meter", label: t`Meters` },
  { value: "mail", label: t`Mails` },
  { value: "webhook", label: t`Webhooks` },
  { value: "audit", label: t`Exports of a log` },
] as const;
