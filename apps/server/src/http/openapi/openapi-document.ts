import { type OpenAPI, OpenAPIGenerator } from "@orpc/openapi";
import { ZodToJsonSchemaConverter } from "@orpc/zod/zod4";
import { auditEntry } from "@turnpike/contract/audit";
import {
  ownTenant,
  signedInUser,
  verifyTokenRequest,
  verifyTokenResponse,
} from "@turnpike/contract/auth";
import { meter, plan, quota, rateLimit } from "@turnpike/contract/catalog";
import { contract } from "@turnpike/contract/contract";
import { document } from "@turnpike/contract/documents";
import { eventReceipt } from "@turnpike/contract/events";
import { file } from "@turnpike/contract/files";
import { invitation } from "@turnpike/contract/invitations";
import {
  createdKey,
  createdServiceKey,
  key,
  limitState,
  serviceKey,
  verifyKeyResponse,
} from "@turnpike/contract/keys";
import { limits } from "@turnpike/contract/limits";
import { notification } from "@turnpike/contract/notifications";
import type { OperationMeta } from "@turnpike/contract/operation";
import { mail } from "@turnpike/contract/outbox";
import { keyId, serviceKeyId, tenantId, userId } from "@turnpike/contract/shapes";
import { member, tenant, user } from "@turnpike/contract/tenants";
import { usageReport, usageRow, usageValues } from "@turnpike/contract/usage";
import { headersOf } from "./openapi-headers.ts";
import { errorCodesOf, problemResponses, problemSchema } from "./openapi-problems.ts";
import { describeUnconvertible } from "./openapi-schemas.ts";
import { RAW_OPERATIONS } from "./raw-operations/raw-operations.ts";

export type OpenApiDocument = Omit<OpenAPI.Document, "paths"> & {
  /** By path and method. */
  paths: Record<string, Partial<Record<HttpMethod, DescribedOperation>>>;
};

export type OpenApiInput = {
  /** Public address of the listener for people, without a slash at the end. */
  consoleUrl: string;
  version: string;
};

const output = "output" as const;

/** Shapes with a name of their own, so that each is described once. */
const NAMED_SCHEMAS = {
  TenantId: { schema: tenantId },
  UserId: { schema: userId },
  KeyId: { schema: keyId },
  ServiceKeyId: { schema: serviceKeyId },
  Tenant: { strategy: output, schema: tenant },
  Member: { strategy: output, schema: member },
  User: { strategy: output, schema: user },
  SignedInUser: { strategy: output, schema: signedInUser },
  OwnTenant: { strategy: output, schema: ownTenant },
  VerifyTokenRequest: { schema: verifyTokenRequest },
  VerifyTokenResponse: { strategy: output, schema: verifyTokenResponse },
  Invitation: { strategy: output, schema: invitation },
  AuditEntry: { strategy: output, schema: auditEntry },
  RateLimit: { schema: rateLimit },
  Quota: { schema: quota },
  Meter: { schema: meter },
  Plan: { strategy: output, schema: plan },
  Key: { strategy: output, schema: key },
  CreatedKey: { strategy: output, schema: createdKey },
  ServiceKey: { strategy: output, schema: serviceKey },
  CreatedServiceKey: { strategy: output, schema: createdServiceKey },
  LimitState: { strategy: output, schema: limitState },
  Verdict: { strategy: output, schema: verifyKeyResponse },
  UsageValues: { strategy: output, schema: usageValues },
  UsageRow: { strategy: output, schema: usageRow },
  UsageReport: { strategy: output, schema: usageReport },
  Limits: { strategy: output, schema: limits },
  EventReceipt: { strategy: output, schema: eventReceipt },
  Document: { strategy: output, schema: document },
  File: { strategy: output, schema: file },
  Notification: { strategy: output, schema: notification },
  Mail: { strategy: output, schema: mail },
};

const TAGS: OpenAPI.TagObject[] = [
  { name: "Sign-in", description: "The person behind an ID token." },
  { name: "Account", description: "What people change about their own accounts." },
  { name: "Reference", description: "The reference of the operator's own API." },
  { name: "Setup", description: "The first minutes of a fresh installation." },
  { name: "Tenants", description: "The operator's customers, their members and what they did." },
  { name: "Invitations", description: "How people become members." },
  { name: "Keys", description: "API keys of tenants: their life, and the decision on one call." },
  { name: "Service keys", description: "Credentials of the operator's own programs." },
  { name: "Catalogue", description: "Meters, and plans with their limits." },
  { name: "Billing", description: "Subscriptions, quotes, and the invoices that follow." },
  {
    name: "Payments",
    description: "How invoices are collected, and money that came or went back.",
  },
  { name: "Revenue", description: "What subscriptions bring, and the taxes of what was issued." },
  { name: "Usage", description: "What was used, from the ledger, and what is left." },
  { name: "Exports", description: "Usage as files of any size, written in the background." },
  { name: "Alerts", description: "Rules about usage that notify people and programs." },
  { name: "Insights", description: "What changed in the usage of a tenant, why, and what to do." },
  {
    name: "Forecasts",
    description: "What usage and invoices will come to, and what runs out when.",
  },
  { name: "Advice", description: "What other plans would have cost." },
  { name: "Questions", description: "Questions in plain English, and their answers." },
  {
    name: "Proposals",
    description: "Changes that agents propose, and people accept or decline.",
  },
  {
    name: "Single sign-on",
    description: "How a tenant's people sign in at its own identity provider.",
  },
  { name: "Agents", description: "Programs that members connected by OAuth." },
  { name: "Events", description: "Usage that programs report, as CloudEvents." },
  { name: "Documents", description: "Small live documents: preferences, progress, saved views." },
  { name: "Files", description: "Uploads and downloads." },
  { name: "Notifications", description: "Messages to the members of a tenant." },
  { name: "Acting", description: "Operators who act in a tenant, with a reason." },
  { name: "Outbox", description: "Mails of this installation." },
  { name: "Webhooks", description: "Endpoints that hear of what happens in a tenant." },
  {
    name: "Operator webhooks",
    description: "Endpoints that hear of what happens in every tenant.",
  },
  { name: "API", description: "The description of the API itself." },
];

const PARAMETER_DESCRIPTIONS: Readonly<Record<string, string>> = {
  cursor: "`nextCursor` of the page before; leave it out for the first page.",
  limit: "Items on a page.",
};

/** The generator calls every success "OK". */
const SUCCESS_DESCRIPTIONS: Readonly<Record<string, string>> = {
  "200": "Success.",
  "201": "Created.",
  "204": "Done. No body.",
};

type HttpMethod = "get" | "put" | "post" | "delete" | "patch";
const METHODS: readonly HttpMethod[] = ["get", "put", "post", "delete", "patch"];

export type DescribedOperation = OpenAPI.OperationObject<{
  "x-required-scope": OperationMeta["scope"];
}>;

type Finishing = {
  operation: OpenAPI.OperationObject & { operationId: string };
  method: HttpMethod;
  path: string;
  meta: OperationMeta;
  docsUrl: string;
};

/** Describes in words who may call. */
export function describeScope({ scope, openToPeople }: OperationMeta): string {
  if (scope === "public") {
    return "Works without a credential.";
  }
  if (scope === "person") {
    return "Needs the ID token of a signed-in person.";
  }
  const people = openToPeople === true ? " Every signed-in person may call." : "";
  return `Needs the scope \`${scope}\`.${people}`;
}

function toParameter(parameter: OpenAPI.ParameterObject): OpenAPI.ParameterObject {
  // The generator allows empty values and reserved characters everywhere, which the server does not promise.
  const { allowEmptyValue: _empty, allowReserved: _reserved, ...rest } = parameter;
  const { schema } = rest;
  const ofSchema = schema !== undefined && "description" in schema ? schema.description : undefined;
  const description = rest.description ?? ofSchema ?? PARAMETER_DESCRIPTIONS[rest.name];
  return description === undefined ? rest : { ...rest, description };
}

function toSuccess(
  response: OpenAPI.ResponseObject | OpenAPI.ReferenceObject,
  { status, headers }: { status: string; headers: Record<string, OpenAPI.HeaderObject> },
): OpenAPI.ResponseObject | OpenAPI.ReferenceObject {
  if ("$ref" in response) {
    return response;
  }
  const description = SUCCESS_DESCRIPTIONS[status];
  const named: OpenAPI.ResponseObject = {
    ...response,
    ...(response.description === "OK" && description !== undefined ? { description } : {}),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
  };
  // The generator gives an operation without a response body a body of any type.
  const { content: _content, ...withoutBody } = named;
  return status === "204" ? withoutBody : named;
}

/** Adds what is true of every operation: its scope, its credentials, its errors. */
function finishOperation({
  operation,
  method,
  path,
  meta,
  docsUrl,
}: Finishing): DescribedOperation {
  const { scope } = meta;
  const headers = headersOf(operation.operationId);
  const parameters = [...(operation.parameters ?? []), ...headers.request].map((parameter) =>
    "$ref" in parameter ? parameter : toParameter(parameter),
  );
  const successes = Object.fromEntries(
    Object.entries(operation.responses ?? {}).map(([status, response]) => [
      status,
      toSuccess(response, { status, headers: headers.answer }),
    ]),
  );
  const hasBody = operation.requestBody !== undefined;
  const codes = errorCodesOf({
    operationId: operation.operationId,
    method,
    scope,
    hasBody,
    hasPathParameters: path.includes("{"),
  });
  return {
    ...operation,
    description: [operation.description, describeScope(meta)].filter(Boolean).join(" "),
    ...(parameters.length === 0 ? {} : { parameters }),
    responses: { ...successes, ...problemResponses(codes, docsUrl) },
    security: scope === "public" ? [] : [{ bearer: [] }],
    "x-required-scope": scope,
  };
}

function isMeta(value: unknown): value is OperationMeta {
  return typeof value === "object" && value !== null && "scope" in value;
}

/** The scope of each operation, by its id, which is its path in the contract: `keys.create`. */
function contractMetas(): Map<string, OperationMeta> {
  const metas = new Map<string, OperationMeta>();
  for (const [module, operations] of Object.entries(contract)) {
    for (const [name, operation] of Object.entries(operations)) {
      const { meta } = operation["~orpc"];
      if (isMeta(meta)) {
        metas.set(`${module}.${name}`, meta);
      }
    }
  }
  return metas;
}

function finishPaths(generated: OpenAPI.Document, consoleUrl: string): OpenApiDocument["paths"] {
  const docsUrl = `${consoleUrl}/docs`;
  const metas = contractMetas();
  const paths: Record<string, Partial<Record<HttpMethod, DescribedOperation>>> = {};
  for (const [path, item] of Object.entries(generated.paths ?? {})) {
    const finished: Partial<Record<HttpMethod, DescribedOperation>> = {};
    for (const method of METHODS) {
      const operation = item?.[method];
      const operationId = operation?.operationId;
      const meta = operationId === undefined ? undefined : metas.get(operationId);
      if (operation === undefined || operationId === undefined || meta === undefined) {
        continue;
      }
      const named = { ...operation, operationId };
      finished[method] = finishOperation({ operation: named, method, path, meta, docsUrl });
    }
    paths[path] = finished;
  }
  for (const { method, path, scope, operation, isOutsideV1 } of RAW_OPERATIONS) {
    const placed =
      isOutsideV1 === true ? { ...operation, servers: [{ url: consoleUrl }] } : operation;
    const finished = finishOperation({
      operation: placed,
      method,
      path,
      meta: { scope },
      docsUrl,
    });
    paths[path] = { ...paths[path], [method]: finished };
  }
  return paths;
}

/**
 * Describes the API: every operation of the contract and every plain route, each with its scope and its errors.
 *
 * @returns An OpenAPI 3.1 document. Costs some tens of milliseconds: build it once.
 */
export async function buildOpenApiDocument(input: OpenApiInput): Promise<OpenApiDocument> {
  const docsUrl = `${input.consoleUrl}/docs`;
  const generator = new OpenAPIGenerator({
    schemaConverters: [new ZodToJsonSchemaConverter({ interceptors: [describeUnconvertible] })],
  });
  const generated = await generator.generate(contract, {
    info: {
      title: "Turnpike API",
      version: input.version,
      description: `Manage tenants, keys and plans, verify keys and read usage. [How to call it](${docsUrl}/api)`,
      license: { name: "Apache License 2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: `${input.consoleUrl}/v1` }],
    commonSchemas: NAMED_SCHEMAS,
    tags: TAGS,
    components: {
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          description:
            "A service key (`tp_svc_…`) of the operator, an API key of a tenant with management scopes, or the ID token of a signed-in person.",
        },
      },
    },
  });
  const schemas = { Problem: problemSchema(docsUrl), ...generated.components?.schemas };
  return {
    ...generated,
    components: { ...generated.components, schemas },
    paths: finishPaths(generated, input.consoleUrl),
  };
}
