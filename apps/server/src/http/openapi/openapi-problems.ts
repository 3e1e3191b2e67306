import type { OpenAPI } from "@orpc/openapi";
import { ERROR_CODES, type ErrorCode, errorPageSlug } from "@turnpike/domain/errors/error-codes";
import { PROBLEM_JSON } from "../problem-details.ts";

/** What every operation may answer. One without parameters refuses any that are sent. */
const ALWAYS: readonly ErrorCode[] = [
  "INVALID_REQUEST",
  "UNAUTHENTICATED",
  "SIGNED_OUT",
  "CONFIRM_IN_BROWSER",
  "SECOND_FACTOR_REQUIRED",
  "SSO_REQUIRED",
  "INTERNAL_ERROR",
  "DATABASE_UNAVAILABLE",
  "TENANT_ELSEWHERE",
];

/** Usage queries are costly, so they queue and may be refused. */
const QUESTION: readonly ErrorCode[] = ["QUERY_TOO_COSTLY", "OVERLOADED"];

/** What checks the password of an account that Turnpike keeps. */
const PROVEN: readonly ErrorCode[] = [
  "ACCOUNT_ELSEWHERE",
  "INVALID_CREDENTIALS",
  "TOO_MANY_ATTEMPTS",
  "OVERLOADED",
];

/** Endpoints of a tenant and of the installation have the same operations. */
function ofBothOwners(name: string, codes: readonly ErrorCode[]) {
  return { [`webhooks.${name}`]: codes, [`operatorWebhooks.${name}`]: codes };
}

/** Codes of single operations beyond those that follow from their shape. */
const BY_OPERATION: Readonly<Record<string, readonly ErrorCode[]>> = {
  "setup.check": ["TOO_MANY_ATTEMPTS"],
  "setup.claim": ["SETUP_CODE_INVALID"],
  "auth.verify": ["IDENTITY_PROVIDER_UNAVAILABLE"],
  "tenants.create": ["ALREADY_EXISTS", "TENANT_LIMIT_REACHED", "DIRECTORY_UNAVAILABLE"],
  "invitations.create": ["ALREADY_EXISTS", "TOO_MANY_INVITATIONS"],
  "acting.start": ["CONFLICT"],
  "outbox.preview": ["RESOURCE_NOT_FOUND"],
  "outbox.resend": ["CONFLICT"],
  "outbox.liftRefusal": ["RESOURCE_NOT_FOUND"],
  "invitations.preview": ["INVITATION_INVALID", "TOO_MANY_ATTEMPTS"],
  "invitations.accept": ["INVITATION_INVALID", "INVITATION_EMAIL_MISMATCH"],
  "tenants.update": ["ALREADY_EXISTS"],
  "sso.put": ["CONFLICT"],
  "sso.addDomain": ["ALREADY_EXISTS", "CONFLICT"],
  "sso.verifyDomain": ["CONFLICT"],
  "scim.createToken": ["CONFLICT"],
  "tenants.restore": ["CONFLICT"],
  "tenants.putMember": ["LAST_OWNER"],
  "tenants.removeMember": ["LAST_OWNER"],
  "gateway.authorize": [
    "MALFORMED_REQUEST",
    "MISSING_KEY",
    "INVALID_KEY",
    "REVOKED",
    "EXPIRED",
    "DISABLED",
    "FORBIDDEN_NETWORK",
    "TENANT_SUSPENDED",
    "RATE_LIMITED",
    "QUOTA_EXCEEDED",
    "LIMITS_UNAVAILABLE",
    "TENANT_MOVING",
    "OVERLOADED",
  ],
  "keys.create": ["DIRECTORY_UNAVAILABLE"],
  "keys.update": ["CONFLICT"],
  "keys.roll": ["CONFLICT", "DIRECTORY_UNAVAILABLE"],
  "keys.import": ["DIRECTORY_UNAVAILABLE"],
  "keys.verify": [
    "IDEMPOTENCY_KEY_IN_USE",
    "IDEMPOTENCY_KEY_REUSED",
    "LIMITS_UNAVAILABLE",
    "TENANT_MOVING",
    "OVERLOADED",
  ],
  "payments.stripeEvent": ["PAYMENT_EVENT_UNVERIFIED"],
  "leaks.github": ["LEAK_REPORT_UNVERIFIED", "LEAK_KEYS_UNAVAILABLE"],
  "locks.settle": ["LOCK_ENDED", "LOCK_EXCEEDED", "LOCK_LAPSED"],
  "locks.release": ["LOCK_ENDED", "LOCK_LAPSED"],
  "usage.query": QUESTION,
  "usage.queryAll": [...QUESTION, "CLICKHOUSE_UNAVAILABLE"],
  "allQuestions.ask": ["CLICKHOUSE_UNAVAILABLE"],
  "usage.keys": QUESTION,
  "usage.export": QUESTION,
  "usage.exportAll": [...QUESTION, "CLICKHOUSE_UNAVAILABLE"],
  "calls.listAll": [...QUESTION, "CLICKHOUSE_UNAVAILABLE", "CALL_LOG_OFF"],
  "usage.live": ["TENANT_SUSPENDED", "TOO_MANY_STREAMS", "OVERLOADED"],
  "modelAnswers.ask": ["TENANT_SUSPENDED", "TOO_MANY_STREAMS", ...QUESTION],
  "exports.create": ["CONFLICT"],
  "exports.download": ["CONFLICT"],
  "exports.content": ["CONFLICT"],
  "exports.cancel": ["FILE_STORE_UNAVAILABLE"],
  "exports.delete": ["FILE_STORE_UNAVAILABLE"],
  "alerts.create": ["CONFLICT", ...QUESTION],
  "alerts.update": QUESTION,
  "alerts.test": ["TOO_MANY_ATTEMPTS", ...QUESTION],
  "alerts.preview": QUESTION,
  "deviceSignIns.view": ["RESOURCE_NOT_FOUND", "TOO_MANY_ATTEMPTS", "CONFLICT"],
  "deviceSignIns.decide": ["RESOURCE_NOT_FOUND", "TOO_MANY_ATTEMPTS", "CONFLICT"],
  "personTokens.revoke": ["RESOURCE_NOT_FOUND"],
  "reference.visit": ["RESOURCE_NOT_FOUND"],
  "reference.getCall": ["RESOURCE_NOT_FOUND"],
  "account.get": ["RESOURCE_NOT_FOUND"],
  "account.rename": ["ACCOUNT_ELSEWHERE"],
  "account.changePassword": [...PROVEN, "CONFLICT"],
  "account.changeEmail": PROVEN,
  "account.sendConfirmation": ["ACCOUNT_ELSEWHERE", "TOO_MANY_ATTEMPTS"],
  "account.listSignIns": ["ACCOUNT_ELSEWHERE"],
  "account.endSignIn": ["ACCOUNT_ELSEWHERE", "RESOURCE_NOT_FOUND"],
  "account.endSignIns": ["ACCOUNT_ELSEWHERE"],
  "account.beginConnecting": [...PROVEN, "SIGN_IN_EXPIRED", "RESOURCE_NOT_FOUND"],
  "account.connectIdentity": ["ALREADY_EXISTS", "SIGN_IN_EXPIRED", "IDENTITY_PROVIDER_UNAVAILABLE"],
  "account.disconnectIdentity": [...PROVEN, "CONFLICT", "SIGN_IN_EXPIRED", "RESOURCE_NOT_FOUND"],
  "account.listIdentities": ["RESOURCE_NOT_FOUND"],
  "account.export": ["RESOURCE_NOT_FOUND"],
  "account.getDeletion": ["RESOURCE_NOT_FOUND"],
  "account.delete": [...PROVEN, "LAST_OWNER", "CONFLICT", "SIGN_IN_EXPIRED"],
  "proposals.create": ["CONFLICT"],
  "proposals.accept": ["CONFLICT"],
  "proposals.decline": ["CONFLICT"],
  "billing.quoteAction": ["CONFLICT"],
  "payments.setUpPaymentMethod": ["CONFLICT", "PAYMENT_PROVIDER_UNAVAILABLE"],
  "payments.removePaymentMethod": ["PAYMENT_PROVIDER_UNAVAILABLE"],
  "payments.payInvoice": ["CONFLICT", "PAYMENT_PROVIDER_UNAVAILABLE"],
  "payments.previewRefund": ["CONFLICT"],
  "payments.createRefund": ["CONFLICT"],
  "payments.settleRefund": ["CONFLICT"],
  "payments.matchStatementLine": ["CONFLICT"],
  "payments.ignoreStatementLine": ["CONFLICT"],
  "payments.reopenStatementLine": ["CONFLICT"],
  "billing.confirmAction": ["CONFLICT", "QUOTE_CHANGED"],
  "billing.advanceClock": ["CONFLICT"],
  "billing.getUpcomingInvoice": ["CONFLICT"],
  "billing.listLineUsage": [...QUESTION, "CONFLICT"],
  "invoicing.voidInvoice": ["CONFLICT"],
  "invoicing.markUncollectible": ["CONFLICT"],
  "invoicing.createCreditNote": ["CONFLICT"],
  "invoicing.addAdjustment": ["CONFLICT"],
  "invoicing.setTaxIdStatus": ["CONFLICT"],
  "invoicing.previewCredit": ["CONFLICT"],
  "invoicing.grantCredit": ["CONFLICT"],
  "invoicing.revokeCredit": ["CONFLICT"],
  "billing.buyCredit": ["CONFLICT"],
  "billing.putAutomaticTopUp": ["CONFLICT"],
  "catalog.createMeter": ["ALREADY_EXISTS", "CONFLICT"],
  "catalog.updateMeter": ["CONFLICT"],
  "catalog.apply": ["CONFLICT"],
  "events.meterActivity": ["OVERLOADED"],
  "events.previewMeter": ["OVERLOADED"],
  "events.write": [
    "PAYLOAD_TOO_LARGE",
    "UNSUPPORTED_MEDIA_TYPE",
    "EVENTS_REJECTED",
    "TOO_MANY_EVENTS",
    "OVERLOADED",
    "TENANT_MOVING",
  ],
  "files.upload": [
    "MALFORMED_REQUEST",
    "PAYLOAD_TOO_LARGE",
    "UNSUPPORTED_MEDIA_TYPE",
    "CONFLICT",
    "STORAGE_FULL",
    "FILE_STORE_UNAVAILABLE",
  ],
  "logos.upload": [
    "PAYLOAD_TOO_LARGE",
    "UNSUPPORTED_MEDIA_TYPE",
    "OVERLOADED",
    "STORAGE_FULL",
    "FILE_STORE_UNAVAILABLE",
  ],
  "logos.show": ["FILE_STORE_UNAVAILABLE"],
  "files.createUpload": ["CONFLICT"],
  "files.completeUpload": ["CONFLICT", "FILE_STORE_UNAVAILABLE"],
  "files.createDownload": ["CONFLICT", "FILE_STORE_UNAVAILABLE"],
  "files.download": ["FILE_STORE_UNAVAILABLE"],
  "insightDigests.update": ["RESOURCE_NOT_FOUND"],
  "documents.put": ["CONFLICT"],
  "documents.delete": ["CONFLICT"],
  "documents.changes": ["TOO_MANY_STREAMS", "OVERLOADED"],
  "documents.news": ["TOO_MANY_STREAMS", "OVERLOADED"],
  ...ofBothOwners("create", ["CONFLICT"]),
  ...ofBothOwners("test", ["CONFLICT"]),
  ...ofBothOwners("resend", ["CONFLICT"]),
  ...ofBothOwners("replay", ["CONFLICT"]),
};

/** Decided in memory, with limits of their own. */
const HOT_OPERATIONS: readonly string[] = ["keys.verify", "events.write", "gateway.authorize"];

/** Which codes an operation answers with, by its id and its shape. */
export function errorCodesOf(input: {
  operationId: string;
  method: string;
  scope: string;
  hasBody: boolean;
  hasPathParameters: boolean;
}): ErrorCode[] {
  const codes: ErrorCode[] = [...ALWAYS];
  if (input.scope !== "public") {
    codes.push("INSUFFICIENT_SCOPE", "FORBIDDEN_NETWORK");
  }
  const isWrite = input.method !== "get" && !HOT_OPERATIONS.includes(input.operationId);
  if (isWrite) {
    codes.push("TOO_MANY_WRITES");
  }
  if (isWrite && input.method !== "delete") {
    codes.push("STORAGE_QUOTA_REACHED", "STORAGE_FULL");
  }
  if (input.hasPathParameters) {
    codes.push("RESOURCE_NOT_FOUND");
  }
  if (input.hasBody) {
    codes.push("PAYLOAD_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE");
  }
  return [...new Set([...codes, ...(BY_OPERATION[input.operationId] ?? [])])];
}

/** The schema of every refusal and failure, `#/components/schemas/Problem`. */
export function problemSchema(docsUrl: string): OpenAPI.SchemaObject {
  const codes = Object.keys(ERROR_CODES);
  return {
    type: "object",
    description: "Why a request was refused or failed (RFC 9457).",
    required: [
      "type",
      "title",
      "status",
      "detail",
      "code",
      "requestId",
      "errors",
      "error",
      "message",
    ],
    properties: {
      type: {
        type: "string",
        format: "uri",
        description: "The page that explains the code.",
        examples: [`${docsUrl}/errors/${errorPageSlug("RATE_LIMITED")}`],
      },
      title: { type: "string", description: "The same for every occurrence of a code." },
      status: { type: "integer", description: "The HTTP status." },
      detail: { type: "string", description: "One sentence about this occurrence." },
      code: { type: "string", enum: codes, description: "What a program decides by." },
      requestId: { type: "string", description: "Finds the request in the log." },
      errors: {
        type: "array",
        description: "What is wrong with the input, at most 50 entries; empty otherwise.",
        items: {
          type: "object",
          required: ["pointer", "message"],
          properties: {
            pointer: {
              type: "string",
              description:
                "A JSON pointer into the body, or the name of a parameter of the query, the path or a header, such as `/cursor`.",
            },
            message: { type: "string" },
            fix: { type: "string" },
          },
        },
      },
      error: { type: "string", description: "The same sentence as `detail`." },
      message: { type: "string", description: "The same sentence as `detail`." },
    },
  };
}

/** The responses for codes, one for each status, in the order of the statuses. */
export function problemResponses(
  codes: readonly ErrorCode[],
  docsUrl: string,
): Record<string, OpenAPI.ResponseObject> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const { status } = ERROR_CODES[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const statuses = [...byStatus].sort(([one], [other]) => one - other);
  return Object.fromEntries(
    statuses.map(([status, ofStatus]) => [
      String(status),
      {
        description: ofStatus
          .map((code) => {
            const { title } = ERROR_CODES[code];
            return `[${code}](${docsUrl}/errors/${errorPageSlug(code)}): ${title}.`;
          })
          .join(" "),
        content: { [PROBLEM_JSON]: { schema: { $ref: "#/components/schemas/Problem" } } },
      },
    ]),
  );
}
