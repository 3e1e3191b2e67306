import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { z } from "zod";
import { ALERT, goodRequest, type Ids, type Operation, pathOf } from "./good-requests.fixture.ts";

export type Kind = keyof Ids;
export type Request = { method: string; path: string; body?: object; contentType?: string };

/** A place of a request where an id of a tenant's thing may be. */
export type Place = {
  operation: string;
  /** Such as `/keyIds/*`; the path, the query and the body are one object. */
  pointer: string;
  kind: Kind;
  /** A good request under the ids of one tenant, with `id` at this place. */
  toRequest(ids: Ids, id: string): Request;
};

/** What a text is the id of, by the name of its field. */
const IDS_BY_NAME: Readonly<Record<string, Kind>> = {
  tenantId: "tenantId",
  tenant: "tenantId",
  keyId: "keyId",
  keyIds: "keyId",
  keys: "keyId",
  key: "keyId",
  userId: "userId",
  fileId: "fileId",
  documentId: "documentId",
  notificationId: "notificationId",
  invitationId: "invitationId",
  roleId: "roleId",
  role: "roleId",
  replacement: "roleId",
  scimTokenId: "scimTokenId",
  serviceKeyId: "serviceKeyId",
  lockId: "lockId",
  webhookId: "webhookId",
  messageId: "messageId",
  requestId: "requestId",
  alertId: "alertId",
  insightId: "insightId",
  proposalId: "proposalId",
  agentGrantId: "agentGrantId",
  domain: "domain",
  mailId: "mailId",
  exportId: "exportId",
  invoiceId: "invoiceId",
  invoiceIds: "invoiceId",
  paymentId: "paymentId",
  refundId: "refundId",
  grantId: "grantId",
  lineId: "lineId",
  entityId: "keyId",
  actorId: "keyId",
  q: "keyId",
  // Filters of a question, by dimension.
  "filters/{}": "keyId",
  "question/{}": "keyId",
};

/** Fields that name nothing which a tenant owns. */
const NO_IDS = new Set(
  `name title body emails userCode decision personTokenId signInId providerId nonce idToken currentPassword password keepThis confirmation description email url link kind action issuer subject unit eventType valuePointer pointer measure measures
  currency migrationId pricePerMonth resource address from to since until timeZone order compare dimensions route method path status
  status_class outcome environment event plan type scopes meter meterId planId defaultPlanId expiresAt expiresBefore
  expectedRevision collection allowedNetworks metadata/{} valueMax minimum maximum included amount unitAmount flatAmount size
  rate quantity taxClass limit below card cards couponId percent redeemBy reason suspensionReason suspended at hash sha256 day isOverdue search paidAt reference
  companyName addressLines postalCode city region country taxId exemption
  report protocol defaultRole clientId clientSecret metadata question after field value model threshold monthLimit effectiveAt startsAt returnPath content date payer payerAccount purpose bankReference note month period seller category`.split(
    /\s+/,
  ),
);

/** Texts that are secrets, whose owner may use them, and places in a list, which the list's own tenant bounds. */
const NOT_GUESSED = new Set(["code", "token", "cursor", "upTo"]);

/** Names that are unique over the installation: that one is taken cannot be hidden. The answer must not say by which tenant. */
const UNIQUE = new Set(["slug", "externalId"]);

/** Single places that mean something else than their name. */
const EXCEPTIONS: Readonly<Record<string, Kind | "none">> = {
  // Many tenants may claim one.
  "sso.addDomain /domain": "none",
  // The text of a key, which is a secret.
  "keys.verify /key": "none",
  "tenants.list /q": "tenantId",
  // Names of phases and cards in a plan.
  "catalog.apply /plans/*/phases/*/key": "none",
  "catalog.apply /plans/*/phases/*/rateCards/*/key": "none",
  "catalog.putPlanDraft /terms/phases/*/key": "none",
  "catalog.putPlanDraft /terms/phases/*/rateCards/*/key": "none",
};

function* listTexts(schema: z.core.JSONSchema.JSONSchema, pointer: string): Generator<string> {
  if (schema.type === "string" && schema.enum === undefined && schema.const === undefined) {
    yield pointer;
  }
  for (const choices of [schema.anyOf, schema.oneOf, schema.allOf]) {
    for (const choice of choices ?? []) {
      yield* listTexts(choice, pointer);
    }
  }
  const inner: [string, unknown][] = [
    ...Object.entries(schema.properties ?? {}),
    ["*", schema.items],
    ["{}", schema.additionalProperties],
  ];
  for (const [name, child] of inner) {
    if (typeof child === "object" && child !== null && !Array.isArray(child)) {
      yield* listTexts(child as z.core.JSONSchema.JSONSchema, `${pointer}/${name}`);
    }
  }
}

/** Every text that the input of an operation has, but for those of a closed list, as pointers. */
function listPointers(operation: Operation): string[] {
  const schema = z.toJSONSchema(operation.input, {
    io: "input",
    unrepresentable: "any",
    reused: "inline",
  });
  const pointers = [...listTexts(schema, "")].map((pointer) =>
    pointer.replace(/^\/(?:params|query(?=\/expected))\//, "/"),
  );
  return [...new Set(pointers)];
}

/** What a pointer is called in the lists above: its last name, with the one before where it is no name. */
function nameOf(pointer: string): string {
  const parts = pointer.split("/").filter((part) => part !== "*");
  return parts.at(-1) === "{}" ? parts.slice(-2).join("/") : (parts.at(-1) ?? "");
}

/** What else belongs to an object that a good request leaves out. */
const BEGUN: Readonly<Record<string, object>> = { query: ALERT.query };

function setAt(body: object, pointer: string, id: string): object {
  const [name = "", ...rest] = pointer.split("/").slice(1);
  const members = body as Record<string, unknown>;
  if (rest.length === 0) {
    return { ...members, [name]: id };
  }
  if (rest[0] === "*") {
    return { ...members, [name]: [id] };
  }
  if (rest[0] === "{}") {
    return { ...members, [name]: { ...(members[name] as object | undefined), key: id } };
  }
  return {
    ...members,
    [name]: setAt((members[name] as object) ?? BEGUN[name] ?? {}, `/${rest.join("/")}`, id),
  };
}

function toRequest(operation: Operation, place: { pointer: string; kind: Kind }) {
  return (ids: Ids, id: string): Request => {
    const { pointer, kind } = place;
    if (operation.path.includes(`{${pointer.slice(1)}}`)) {
      return goodRequest(operation, { ...ids, [kind]: id });
    }
    if (operation.takesBody) {
      const good = goodRequest(operation, ids);
      return { ...good, body: setAt(good.body ?? {}, pointer, id) };
    }
    return {
      method: operation.method,
      path: `${pathOf(operation, ids)}?${pointer.slice(1)}=${id}`,
    };
  };
}

/**
 * Finds where the requests of operations name things of tenants.
 *
 * @returns The places, and one sentence for each text of which nothing says whether it is such an id.
 */
export function findPlaces(operations: readonly Operation[]): {
  places: Place[];
  undecided: string[];
} {
  const places: Place[] = [];
  const undecided: string[] = [];
  for (const operation of operations) {
    for (const pointer of listPointers(operation)) {
      const name = nameOf(pointer);
      const kind = EXCEPTIONS[`${operation.id} ${pointer}`] ?? IDS_BY_NAME[name];
      if (kind !== undefined && kind !== "none") {
        const place = { operation: operation.id, pointer, kind };
        places.push({ ...place, toRequest: toRequest(operation, place) });
      } else if (
        kind === undefined &&
        !NO_IDS.has(name) &&
        !NOT_GUESSED.has(name) &&
        !UNIQUE.has(name)
      ) {
        undecided.push(
          `${operation.id} takes ${pointer}: say in foreign-ids.fixture.ts of what it is the id, or that it is none.`,
        );
      }
    }
  }
  return { places, undecided };
}

type RawPlace = Omit<Place, "operation"> | { without: string };

const inPath = (
  method: string,
  path: string,
  kind: Kind,
  body?: (ids: Ids) => object,
): Omit<Place, "operation"> => ({
  pointer: `/${kind}`,
  kind,
  toRequest: (ids, id) => ({
    method,
    path: path.replace(/\{(\w+)\}/g, (_, name: Kind) => (name === kind ? id : ids[name])),
    ...(body === undefined ? {} : { body: body(ids) }),
  }),
});

const inQuery = (path: string, name: string, kind: Kind): Omit<Place, "operation"> => ({
  pointer: `/${name}`,
  kind,
  toRequest: (ids, id) => ({
    method: "GET",
    path: `${path.replace("{tenantId}", ids.tenantId)}?measures=requests&${name}=${id}`,
  }),
});

const TENANT = "/v1/tenants/{tenantId}";
const EVENT = { specversion: "1.0", id: "1", source: "test", type: "test.done" };

/** The same of the routes beside the contract, by path. `without` says why a route has no place. */
const RAW_PLACES: Readonly<Record<string, readonly RawPlace[]>> = {
  [`${TENANT}/files`]: [inPath("PUT", `${TENANT}/files?name=a.txt`, "tenantId", () => ({}))],
  [`${TENANT}/logo`]: [inPath("PUT", `${TENANT}/logo`, "tenantId", () => ({}))],
  [`${TENANT}/files/{fileId}/content`]: [
    inPath("GET", `${TENANT}/files/{fileId}/content`, "tenantId"),
    inPath("GET", `${TENANT}/files/{fileId}/content`, "fileId"),
  ],
  [`${TENANT}/exports/{exportId}/content`]: [
    inPath("GET", `${TENANT}/exports/{exportId}/content?expires=1&signature=a`, "tenantId"),
    inPath("GET", `${TENANT}/exports/{exportId}/content?expires=1&signature=a`, "exportId"),
  ],
  [`${TENANT}/documents/{collection}/changes`]: [
    inPath("GET", `${TENANT}/documents/{collection}/changes`, "tenantId"),
  ],
  [`${TENANT}/news`]: [inPath("GET", `${TENANT}/news`, "tenantId")],
  // Its filter by key keeps the stream open; live-calls.test.ts shows that it has no call of another tenant.
  [`${TENANT}/usage/live`]: [inPath("GET", `${TENANT}/usage/live`, "tenantId")],
  [`${TENANT}/questions/model`]: [
    inPath("POST", `${TENANT}/questions/model`, "tenantId", () => ({
      question: "requests yesterday",
    })),
  ],
  [`${TENANT}/usage.csv`]: [
    inPath("GET", `${TENANT}/usage.csv?measures=requests`, "tenantId"),
    inQuery(`${TENANT}/usage.csv`, "key", "keyId"),
  ],
  [`${TENANT}/audit/export`]: [
    inPath("GET", `${TENANT}/audit/export?format=csv`, "tenantId"),
    inPath("GET", `${TENANT}/audit/export?format=csv&actorId={keyId}`, "keyId"),
    inPath("GET", `${TENANT}/audit/export?format=jsonl&entityId={keyId}`, "keyId"),
  ],
  [`${TENANT}/invoices/{invoiceId}/csv`]: [
    inPath("GET", `${TENANT}/invoices/{invoiceId}/csv`, "tenantId"),
    inPath("GET", `${TENANT}/invoices/{invoiceId}/csv`, "invoiceId"),
  ],
  [`${TENANT}/invoices/{invoiceId}/xml`]: [
    inPath("GET", `${TENANT}/invoices/{invoiceId}/xml`, "tenantId"),
    inPath("GET", `${TENANT}/invoices/{invoiceId}/xml`, "invoiceId"),
  ],
  [`${TENANT}/invoices/{invoiceId}/pdf`]: [
    inPath("GET", `${TENANT}/invoices/{invoiceId}/pdf`, "tenantId"),
    inPath("GET", `${TENANT}/invoices/{invoiceId}/pdf`, "invoiceId"),
  ],
  "/v1/usage.csv": [
    inQuery("/v1/usage.csv", "tenant", "tenantId"),
    inQuery("/v1/usage.csv", "key", "keyId"),
  ],
  "/v1/plans/{planId}/migration-preview": [
    { without: "It names a plan of the installation and asks for scopes of the operator." },
  ],
  "/v1/catalog/drafts/preview": [
    { without: "It is of all tenants and asks for scopes of the operator." },
  ],
  "/v1/outbox/{mailId}/preview": [
    { without: "Mails belong to the installation; it asks for a scope of the operator." },
  ],
  "/v1/outbox/{mailId}/attachments/{position}": [
    { without: "Mails belong to the installation; it asks for a scope of the operator." },
  ],
  "/v1/revenue/csv": [{ without: "It takes a month and asks for a scope of the operator." }],
  "/v1/tax-report/csv": [{ without: "It takes a period and asks for a scope of the operator." }],
  "/v1/events": [
    {
      pointer: "/subject",
      kind: "tenantId",
      toRequest: (_, id) => ({
        method: "POST",
        path: "/v1/events",
        body: { ...EVENT, subject: id },
        contentType: "application/cloudevents+json",
      }),
    },
  ],
  "/v1/logos/{logoId}/{picture}": [
    { without: "It names a picture by its hash, and is open to everyone who knows it." },
  ],
  "/v1/keys/verify": [{ without: "It takes the text of a key, which is a secret." }],
  "/v1/webhooks/stripe": [{ without: "It takes events, signed by Stripe." }],
  "/v1/leaks/github": [{ without: "It takes texts of keys, signed by GitHub." }],
  "/auth/verify": [{ without: "It takes an ID token." }],
  "/auth/providers/{providerId}/configuration": [{ without: "It names a configured provider." }],
  "/auth/providers/{providerId}/token": [{ without: "It names a configured provider." }],
  "/auth/providers/{providerId}/revocation": [{ without: "It names a configured provider." }],
  "/auth/providers/{providerId}/logout": [{ without: "It takes a token, signed by a provider." }],
  "/v1/openapi.json": [{ without: "It is the same for everyone." }],
  "/v1/reference": [{ without: "It is the same for everyone." }],
  "/reference/{upstream}": [{ without: "It is the same for all customers." }],
  "/reference/{upstream}/{name}": [{ without: "It is the same for all customers." }],
  "/v1/reference/{name}": [{ without: "It is the same for everyone." }],
};

/** The paths of all routes beside the contract that are no pages, as the source writes them. */
export function listRawPaths(): string[] {
  const root = resolve(import.meta.dirname);
  const files = globSync("{http,modules}/**/*.ts", { cwd: root }).filter(
    (file) => !/[.](?:test|fixture)[.]|openapi\//.test(file),
  );
  const paths = files.flatMap((file) =>
    [
      ...readFileSync(resolve(root, file), "utf8").matchAll(/\bpath: "(\/(?:v1|auth)\/[^"]*)"/g),
    ].map(([, path]) => path ?? ""),
  );
  return [...new Set(paths)].sort();
}

export function findRawPlaces(): { places: Place[]; undecided: string[] } {
  const undecided = listRawPaths()
    .filter((path) => RAW_PLACES[path] === undefined)
    .map((path) => `${path} is a new route: say in foreign-ids.fixture.ts which ids it takes.`);
  const places = Object.entries(RAW_PLACES).flatMap(([path, found]) =>
    found.flatMap((place) => ("without" in place ? [] : [{ operation: path, ...place }])),
  );
  return { places, undecided };
}
