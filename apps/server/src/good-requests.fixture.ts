import { contract } from "@turnpike/contract/contract";
import type { OperationMeta } from "@turnpike/contract/operation";
import { SAMPLE_CATALOG } from "@turnpike/domain/catalog/plan";
import type { z } from "zod";
import { SAML_METADATA } from "#modules/sso/testing/saml-metadata.fixture.ts";

/** The ids that paths name. */
export type Ids = Record<
  | "tenantId"
  | "keyId"
  | "userId"
  | "fileId"
  | "documentId"
  | "notificationId"
  | "invitationId"
  | "roleId"
  | "scimTokenId"
  | "serviceKeyId"
  | "lockId"
  | "meterId"
  | "planId"
  | "version"
  | "couponId"
  | "migrationId"
  | "webhookId"
  | "alertId"
  | "insightId"
  | "proposalId"
  | "agentGrantId"
  | "domain"
  | "mailId"
  | "exportId"
  | "messageId"
  | "requestId"
  | "invoiceId"
  | "line"
  | "paymentId"
  | "refundId"
  | "grantId"
  | "lineId"
  | "collection",
  string
>;

/** Well-formed ids of nothing, or of nothing yet. */
export const MISSING_IDS: Ids = {
  tenantId: `ten_${"e".repeat(32)}`,
  keyId: `key_${"e".repeat(32)}`,
  userId: `usr_${"e".repeat(32)}`,
  fileId: `file_${"e".repeat(32)}`,
  documentId: "no-such-document",
  domain: "no-such-domain.example",
  mailId: `mail_${"e".repeat(32)}`,
  notificationId: `ntf_${"e".repeat(32)}`,
  invitationId: `ivt_${"e".repeat(32)}`,
  roleId: `rol_${"e".repeat(32)}`,
  scimTokenId: `sct_${"e".repeat(32)}`,
  serviceKeyId: `svc_${"e".repeat(32)}`,
  lockId: `lck_${"e".repeat(32)}`,
  meterId: "no-such-meter",
  planId: "no-such-plan",
  version: "999",
  couponId: "no-such-coupon",
  migrationId: `mig_${"e".repeat(32)}`,
  webhookId: `whk_${"e".repeat(32)}`,
  alertId: `alt_${"e".repeat(32)}`,
  insightId: `ins_${"e".repeat(32)}`,
  proposalId: `prp_${"e".repeat(32)}`,
  agentGrantId: `agr_${"e".repeat(32)}`,
  exportId: `exp_${"e".repeat(32)}`,
  messageId: `msg_${"e".repeat(32)}`,
  requestId: `req_${"e".repeat(32)}`,
  invoiceId: `inv_${"e".repeat(32)}`,
  line: "1",
  paymentId: `pay_${"e".repeat(32)}`,
  refundId: `rfd_${"e".repeat(32)}`,
  grantId: `cgr_${"e".repeat(32)}`,
  lineId: `bsl_${"e".repeat(32)}`,
  collection: "no-such-collection",
};

export type Operation = {
  id: string;
  method: string;
  /** Below `/v1`, with the names of ids in braces. */
  path: string;
  scope: OperationMeta["scope"];
  isOpenToPeople: boolean;
  takesBody: boolean;
  /** Whether its body may have many values. */
  takesMuch: boolean;
  input: z.ZodType;
};

/** Every operation of the contract. */
export const OPERATIONS: readonly Operation[] = Object.entries(contract).flatMap(
  ([module, routes]) =>
    Object.entries(routes).map(([name, procedure]): Operation => {
      const { route, meta, inputSchema } = procedure["~orpc"];
      return {
        id: `${module}.${name}`,
        method: route.method ?? "",
        path: route.path ?? "",
        scope: (meta as OperationMeta).scope,
        isOpenToPeople: (meta as OperationMeta).openToPeople === true,
        takesMuch: (meta as OperationMeta).largeBody === true,
        takesBody: ["POST", "PUT", "PATCH"].includes(route.method ?? ""),
        input: inputSchema as z.ZodType,
      };
    }),
);

/** Of events, which have usage of their own. */
export const METER = {
  meterId: "events",
  name: "Events",
  unit: "event",
  aggregation: "count",
  eventType: "test.done",
};

export const EXPORT = { name: "Created", format: "csv", question: { measures: "requests" } };

export const ALERT = {
  name: "Created",
  query: { measure: "requests" },
  windowMinutes: 5,
  condition: { kind: "above", threshold: 100 },
};

export const PROPOSAL = {
  change: { do: "create_key", key: { name: "Proposed", environment: "test" } },
  reason: "For a test.",
};

export const BILLING_DETAILS = {
  companyName: "Created",
  addressLines: ["1 Rue Haute"],
  postalCode: "75001",
  city: "Paris",
  region: null,
  country: "FR",
  email: "bills@example.com",
  taxId: "FR40303265045",
};

/** One transfer. @param purpose - What the payer wrote. */
export function statementOf(purpose: string) {
  return {
    name: "statement.csv",
    content: `Date;Amount;Currency;Payer;Purpose\n2026-01-20;1.00;USD;Example;${purpose}\n`,
  };
}

let invited = 0;
let rolesMade = 0;
let metersMade = 0;
let couponsMade = 0;

/** Terms of a plan that can be published. */
const DRAFT = { name: "Created" };

/** A good body of every operation that takes one. A new operation that changes something gets its own here. */
const BODIES: Record<string, (ids: Ids) => object> = {
  "tenants.create": () => ({ name: "Created" }),
  "tenants.update": () => ({ name: "Updated" }),
  // Not its name, so nothing is deleted.
  "tenants.delete": () => ({ name: "Not its name" }),
  "tenants.restore": () => ({}),
  "tenants.putMember": () => ({ role: "viewer" }),
  "tenants.ensureUser": () => ({ issuer: "https://id.example.com", subject: "matrix" }),
  "invitations.create": () => {
    invited += 1;
    return { email: `guest-${String(invited)}@example.com`, role: "viewer" };
  },
  // Not an address, so that no mail is sent.
  "invitations.createMany": () => ({ emails: ["nothing"], role: "viewer" }),
  "invitations.resend": () => ({}),
  // Not its name, so nothing changes.
  "ownership.transfer": ({ userId }) => ({ userId, name: "Not its name" }),
  "roles.create": () => {
    rolesMade += 1;
    return { name: `Role ${String(rolesMade)}`, scopes: [] };
  },
  "roles.delete": () => ({}),
  "roles.update": () => ({ description: "Changed." }),
  "invitations.preview": () => ({ token: "unknown" }),
  "invitations.accept": () => ({ token: "unknown" }),
  "setup.check": () => ({ code: "unknown" }),
  "setup.claim": () => ({ code: "unknown" }),
  "billing.quoteAction": () => ({ action: { do: "subscribe", planId: "pro" } }),
  "invoicing.voidInvoice": () => ({ reason: "Agreed." }),
  "invoicing.markUncollectible": () => ({ reason: "Agreed." }),
  "invoicing.recordPayment": () => ({ amount: "1.00", reference: "wire 1" }),
  "invoicing.createCreditNote": () => ({ reason: "Agreed.", amount: "1.00" }),
  "invoicing.addAdjustment": () => ({ description: "Help", amount: "1.00", reason: "Agreed." }),
  "billing.confirmAction": () => ({
    action: { do: "subscribe", planId: "pro" },
    at: "2026-01-15T10:00:00.000Z",
    hash: "of-no-quote",
  }),
  "billing.putBillingDetails": () => ({ ...BILLING_DETAILS, companyName: "Updated" }),
  "invoicing.setTaxIdStatus": () => ({
    taxId: BILLING_DETAILS.taxId,
    status: "confirmed",
    reason: "Looked up.",
  }),
  "invoicing.setExemption": () => ({ exemption: "Certificate 1", reason: "Seen." }),
  "billing.putSpendCap": () => ({ amount: "100" }),
  "invoicing.setOperatorSpendCap": () => ({ amount: "100", reason: "Agreed." }),
  "billing.buyCredit": () => ({ environment: "test", amount: "50" }),
  "billing.putAutomaticTopUp": () => ({
    ...{ environment: "test", threshold: "20", amount: "50", monthLimit: "100" },
  }),
  "billing.putCreditAlerts": () => ({ shares: [20, 0] }),
  "invoicing.previewCredit": () => ({ environment: "test", kind: "prepaid", amount: "1.00" }),
  "invoicing.grantCredit": () => ({
    ...{ environment: "test", kind: "prepaid", amount: "1.00", reason: "Agreed." },
  }),
  "invoicing.revokeCredit": () => ({ environment: "test", reason: "Agreed." }),
  "payments.setUpPaymentMethod": () => ({ returnPath: "/billings" }),
  "payments.removePaymentMethod": () => ({}),
  "payments.payInvoice": () => ({}),
  "payments.previewRefund": () => ({ amount: "0.50" }),
  "payments.createRefund": () => ({ amount: "0.50", reason: "Agreed." }),
  "payments.settleRefund": () => ({ state: "succeeded" }),
  "payments.previewStatement": () => statementOf("Created"),
  "payments.importStatement": () => statementOf("Created"),
  "payments.matchStatementLine": ({ invoiceId }) => ({ invoiceIds: [invoiceId] }),
  "payments.matchCertainLines": () => ({}),
  "payments.ignoreStatementLine": () => ({ reason: "Our own." }),
  "payments.reopenStatementLine": () => ({}),
  "payments.retryPaymentEvents": () => ({ environment: "test" }),
  "billing.advanceClock": () => ({ to: "2026-02-15T10:00:00.000Z" }),
  "catalog.apply": () => structuredClone(SAMPLE_CATALOG),
  "catalog.createMeter": () => {
    metersMade += 1;
    return { ...METER, meterId: `made-${String(metersMade)}` };
  },
  "catalog.updateMeter": () => ({ unit: "unit" }),
  "catalog.putPlanDraft": () => ({ terms: DRAFT }),
  "catalog.publishPlanDraft": () => ({}),
  "catalog.archivePlan": () => ({}),
  "catalog.restorePlan": () => ({}),
  "catalog.createCoupon": () => {
    couponsMade += 1;
    return { couponId: `made-${String(couponsMade)}`, name: "Created", percent: "10" };
  },
  "catalog.archiveCoupon": () => ({}),
  "planMigrations.create": () => ({ toVersion: 1 }),
  "planMigrations.cancel": () => ({}),
  "events.previewMeter": () => ({ meter: METER }),
  "keys.create": () => ({ name: "Created" }),
  "keys.import": () => ({ rows: [{ hash: "0123456789abcdef".repeat(4), name: "Imported" }] }),
  "keys.update": () => ({ name: "Renamed" }),
  "keys.change": ({ keyId }) => ({ keyIds: [keyId], change: { action: "disable" } }),
  "keys.roll": () => ({ graceSeconds: 0 }),
  "keys.revoke": () => ({}),
  "keys.verify": () => ({ key: "unknown" }),
  "locks.settle": () => ({ cost: 1 }),
  "locks.release": () => ({}),
  "serviceKeys.create": () => ({ name: "Created", scopes: ["service_keys:write"] }),
  "serviceKeys.revoke": () => ({}),
  "documents.put": () => ({ body: { theme: "dark" } }),
  "notifications.create": () => ({ kind: "test.done", title: "Done", body: "It is done." }),
  "notifications.markRead": () => ({}),
  "notifications.markAllRead": () => ({ upTo: `ntf_${"0".repeat(32)}` }),
  "acting.start": () => ({ reason: "Asked for by the customer." }),
  "acting.end": () => ({}),
  "outbox.test": () => ({ to: "operator@example.com" }),
  "outbox.resend": () => ({}),
  "outbox.recordBounce": () => ({ report: "Subject: Away\n\nBack on Monday." }),
  "outbox.liftRefusal": () => ({ address: "gone@example.com" }),
  "files.createUpload": () => ({
    name: "a.txt",
    mediaType: "text/plain",
    bytes: 1,
    sha256: "0".repeat(64),
  }),
  "files.completeUpload": () => ({ token: "a.b" }),
  "files.createDownload": () => ({}),
  "exports.create": () => EXPORT,
  "exports.cancel": () => ({}),
  "exports.download": () => ({}),
  "alerts.create": () => ALERT,
  "alerts.update": () => ({ name: "Updated" }),
  "alerts.pause": () => ({}),
  "alerts.resume": () => ({}),
  "alerts.test": () => ({}),
  "alerts.preview": () => ({
    query: ALERT.query,
    windowMinutes: ALERT.windowMinutes,
    condition: ALERT.condition,
  }),
  "insightDigests.update": ({ tenantId }) => ({
    tenantId,
    frequency: "weekly",
    timeZone: "Europe/Berlin",
  }),
  "insightFeedback.reset": () => ({ measure: "requests", dimension: "key" }),
  "questions.ask": () => ({ question: "requests yesterday" }),
  "allQuestions.ask": () => ({ question: "requests yesterday" }),
  "modelSwitch.set": () => ({ isOn: true }),
  "deviceSignIns.view": () => ({ userCode: "BCDF-GHJK" }),
  "deviceSignIns.decide": () => ({ userCode: "BCDF-GHJK", decision: "deny" }),
  "personTokens.revoke": () => ({ personTokenId: `ptk_${"e".repeat(32)}` }),
  "reference.visit": () => ({}),
  "account.rename": () => ({ name: "Renamed" }),
  "account.chooseLanguage": () => ({ language: "de" }),
  "account.changePassword": () => ({
    currentPassword: "copper lantern 41",
    password: "velvet compass 42",
  }),
  "account.changeEmail": () => ({
    email: "new@example.com",
    currentPassword: "copper lantern 41",
  }),
  "account.sendConfirmation": () => ({}),
  "account.endSignIn": () => ({ signInId: `sin_${"e".repeat(32)}` }),
  "account.endSignIns": () => ({ keepThis: true }),
  // Of no provider, so that nothing is begun.
  "account.beginConnecting": () => ({ providerId: "none", nonce: "n".repeat(22) }),
  "account.connectIdentity": () => ({ idToken: "of.no.provider" }),
  "account.disconnectIdentity": () => ({ issuer: "https://none.example" }),
  // The address of no one, so that the person of a test stays.
  "account.delete": () => ({ confirmation: "nothing that is typed" }),
  "proposals.create": () => PROPOSAL,
  "proposals.accept": () => ({}),
  "proposals.decline": () => ({}),
  "agentGrants.revoke": () => ({}),
  "sso.put": () => ({
    connection: {
      protocol: "saml",
      name: "Customer login",
      defaultRole: "viewer",
      enabled: true,
      required: false,
      metadata: SAML_METADATA,
    },
  }),
  "sso.verifyDomain": () => ({}),
  "scim.createToken": () => ({}),
  "tenantTerms.put": () => ({ overrides: { concurrency: 5 }, reason: "Agreed" }),
  "sso.addDomain": () => ({ domain: "customer.example" }),
  "insights.refresh": () => ({}),
  "insights.update": () => ({ isUseful: true }),
  "installationInsights.refresh": () => ({}),
  "installationInsights.update": () => ({ isUseful: true }),
  "alerts.setRunOutAlerts": () => ({ days: 7, mailRoles: ["owner"] }),
  "alerts.setQuotaAlerts": () => ({ thresholds: [80], mailRoles: ["owner"] }),
  ...Object.fromEntries(
    ["webhooks", "operatorWebhooks"].flatMap((module) => [
      // An address of the internet: nothing is sent to it, since no job runs here.
      [`${module}.create`, () => ({ url: "https://1.1.1.1/created" })],
      [`${module}.update`, () => ({ description: "Updated" })],
      [`${module}.rotateSecret`, () => ({ graceSeconds: 0 })],
      [`${module}.test`, () => ({})],
      [`${module}.resend`, () => ({})],
      [`${module}.replay`, () => ({ since: "2026-01-15T00:00:00.000Z" })],
    ]),
  ),
};

/** A good query of every operation that needs one. */
const QUERIES: Record<string, (ids: Ids) => string> = {
  "catalog.diffPlanVersions": () => "?from=1&to=1",
  "revenue.listRevenueCustomers": () => "?month=2026-01&currency=USD",
  "revenue.listUsageInvoices": () => "?month=2026-01&currency=USD",
  "revenue.getTaxReport": () => "?period=2026-Q1",
  "revenue.listTaxDocuments": () => "?period=2026-Q1&currency=USD&country=DE&category=S&rate=19",
  "reference.getCall": () => "?method=GET&path=/none",
  "usage.keys": (ids) => `?keys=${ids.keyId}`,
};

/** The path of an operation with these ids, without a query. */
export function pathOf({ path }: Operation, ids: Ids): string {
  return `/v1${path.replace(/\{(\w+)\}/g, (_, name: keyof Ids) => ids[name])}`;
}

/** What the path of an operation with these ids adds to its body or query. */
export function paramsOf({ path }: Pick<Operation, "path">, ids: Ids): Partial<Ids> {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as keyof Ids);
  return Object.fromEntries(names.map((name) => [name, ids[name]]));
}

/** A request that the operation takes from a caller with its scope. The body is missing where it takes none. */
export function goodRequest(
  operation: Operation,
  ids: Ids,
): { method: string; path: string; body?: object } {
  const { id, method, takesBody } = operation;
  const path = pathOf(operation, ids) + (QUERIES[id]?.(ids) ?? "");
  if (!takesBody) {
    return { method, path };
  }
  const body = BODIES[id]?.(ids);
  if (body === undefined) {
    throw new Error(`Give ${id} a body in good-requests.fixture.ts.`);
  }
  return { method, path, body };
}
