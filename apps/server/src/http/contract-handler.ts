import type { IncomingMessage, ServerResponse } from "node:http";
import { OpenAPIHandler } from "@orpc/openapi/node";
import { type AnyRouter, isLazy, isProcedure, ORPCError, ValidationError } from "@orpc/server";
import type { OperationMeta } from "@turnpike/contract/operation";
import { type Actor, assertMay, getPerson, isTenantProgram } from "@turnpike/domain/access/actor";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { z } from "zod";
import { JSON_BOUNDS, parseJson } from "#platform/parse-json.ts";
import type { JsonBounds } from "#platform/scan-json.ts";
import type { StorageGuard } from "#platform/storage-guard.ts";
import type { HttpContext } from "./http-context.ts";
import type { ProblemRenderer } from "./problem-details.ts";
import {
  ClientLeftError,
  invalidRequest,
  isJsonType,
  readBody,
  toFieldErrors,
} from "./raw-route.ts";
import { createRouteTable } from "./route-table.ts";
import { type ChargeWrites, isBoundSender } from "./write-budget.ts";

const PREFIX = "/v1";
/** Bodies of the management API are small documents. */
const BODY_BYTES_MAX = 1024 * 1024;
/** Each value that a schema refuses costs microseconds, and all of them are looked at before the first is answered. */
const SMALL_BOUNDS: JsonBounds = {
  depthMax: JSON_BOUNDS.depthMax,
  valuesMax: 10_000,
  namesMax: 10_000,
};

/** Turns the contract library's errors about a request into ours; anything else passes unchanged. */
export function fromContractError(error: unknown): unknown {
  if (!(error instanceof ORPCError)) {
    return error;
  }
  if (error.code === "BAD_REQUEST" && error.cause instanceof ValidationError) {
    return invalidRequest(toFieldErrors(error.cause.issues as z.core.$ZodIssue[]));
  }
  if (error.code === "BAD_REQUEST") {
    return new AppError({
      code: "INVALID_REQUEST",
      publicMessage: "The request cannot be read: check body and content type.",
      cause: error,
    });
  }
  return error;
}

function assertBodyAllowed(req: IncomingMessage): void {
  if (Number(req.headers["content-length"] ?? 0) > BODY_BYTES_MAX) {
    throw new AppError({
      code: "PAYLOAD_TOO_LARGE",
      publicMessage: `The body may have at most ${String(BODY_BYTES_MAX)} bytes.`,
      headers: { connection: "close" },
    });
  }
  const hasBody = req.headers["content-length"] !== undefined || req.headers["transfer-encoding"];
  const type = req.headers["content-type"];
  if (req.headers["transfer-encoding"] !== undefined) {
    throw new AppError({
      code: "INVALID_REQUEST",
      publicMessage: "Send the body with a Content-Length.",
      headers: { connection: "close" },
    });
  }
  if (hasBody && type !== undefined && !isJsonType(type)) {
    throw new AppError({
      code: "UNSUPPORTED_MEDIA_TYPE",
      publicMessage: "Send the body as application/json.",
    });
  }
}

/**
 * Gives the contract library the body as our own parser reads it; read when the library first asks for it. Left to itself, the
 * library parses a body of any cost.
 */
function offerBody(req: IncomingMessage, meta: unknown): void {
  const bounds = isMeta(meta) && meta.largeBody === true ? JSON_BOUNDS : SMALL_BOUNDS;
  let reading: Promise<unknown> | undefined;
  const read = async (): Promise<unknown> => {
    const body = await readBody(req, BODY_BYTES_MAX);
    return body.length === 0 ? undefined : parseJson(body, bounds);
  };
  Object.defineProperty(req, "body", {
    get: () => {
      reading ??= read();
      return reading;
    },
  });
}

export type ContractHandler = {
  /** Resolves to true when it took the request, to false when no operation has its method and path. */
  serve(req: IncomingMessage, res: ServerResponse, context: HttpContext): Promise<boolean>;
  /** The methods of the operations at a path; empty when there are none. */
  methodsOf(path: string): string[];
};

type Operation = { method: string; path: string; meta: unknown };

function isMeta(value: unknown): value is OperationMeta {
  return typeof value === "object" && value !== null && "scope" in value;
}

function listOperations(router: AnyRouter): Operation[] {
  if (isProcedure(router)) {
    const { route, meta } = router["~orpc"];
    const { method, path } = route;
    return method === undefined || path === undefined
      ? []
      : [{ method, path: PREFIX + path, meta }];
  }
  return Object.values(router).flatMap((inner) => (isLazy(inner) ? [] : listOperations(inner)));
}

/**
 * Lets in only callers that the contract allows, before the body is read. Use cases check again.
 * Which tenant a key or a member may act in is the use case's to say.
 */
function assertMayCall(meta: unknown, path: string, context: HttpContext): void {
  if (!isMeta(meta)) {
    throw new Error("An operation states no scope.");
  }
  if (meta.scope === "public") {
    return;
  }
  const { actor } = context.call();
  if (meta.scope === "person") {
    getPerson(actor);
    return;
  }
  const isUseCaseToDecide =
    isTenantProgram(actor) ||
    (actor.type === "user" && (meta.openToPeople === true || path.includes("{tenantId}")));
  if (!isUseCaseToDecide) {
    assertMay(actor, meta.scope);
  }
}

/** True for what a caller could fill the disk with. Operators and their programs know what they do. */
function mayFill(actor: Actor, { method, meta }: Operation): boolean {
  const stores = method !== "GET" && method !== "DELETE";
  return stores && isBoundSender(actor) && !(isMeta(meta) && meta.worksWhenFull === true);
}

/** Asks whether there is room for what an operation stores. @param to.tenantId - The tenant that it names. */
export async function assertRoom(
  assertMayStore: StorageGuard["assertMayStore"] | undefined,
  actor: Actor,
  to: { operation: Operation; tenantId: string | undefined; changes?: number },
): Promise<void> {
  const { operation, tenantId, changes } = to;
  if (mayFill(actor, operation)) {
    await assertMayStore?.(tenantOf(actor, tenantId), {
      ...(changes === undefined ? {} : { changes }),
      isOverdraft: isOverdraft(operation.meta),
    });
  }
}

/** How many changes an operation makes beyond the one that every call is; what is not valid is refused later. */
function countMore(meta: unknown, input: unknown): number {
  if (!isMeta(meta) || meta.changesEach === undefined) {
    return 0;
  }
  const items: unknown =
    typeof input === "object" && input !== null ? Reflect.get(input, meta.changesEach) : undefined;
  return Array.isArray(items) ? Math.max(0, items.length - 1) : 0;
}

function isOverdraft(meta: unknown): boolean {
  return isMeta(meta) && meta.worksWhenFull === "overdraft";
}

/** The tenant of the path, if the actor belongs to it. Of any other tenant an answer must not even say this. */
function tenantOf(actor: Actor, named: string | undefined): TenantId | undefined {
  if (isTenantProgram(actor)) {
    return actor.tenantId === named ? actor.tenantId : undefined;
  }
  const tenantId = named as TenantId | undefined;
  return actor.type === "user" && tenantId !== undefined && actor.roles.has(tenantId)
    ? tenantId
    : undefined;
}

function decodeSegment(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    // Not valid escapes: the library has refused it already.
    return;
  }
}

/**
 * Holds a body or query to what the address names. The library lets a field of the same name take its place, and then a log,
 * or a proxy that lets some paths through, names another tenant than the one that is acted on.
 */
function assertAddressed(input: unknown, params: Readonly<Record<string, string>>): void {
  if (typeof input !== "object" || input === null) {
    return;
  }
  const others = Object.entries(params).filter(
    ([name, segment]) =>
      Object.hasOwn(input, name) && Reflect.get(input, name) !== decodeSegment(segment),
  );
  if (others.length > 0) {
    throw invalidRequest(
      others.map(([name]) => ({ pointer: `/${name}`, message: "The address names another one." })),
    );
  }
}

/** Serves the operations of the contract under `/v1`, with problem documents for every failure. */
export function createContractHandler(
  router: AnyRouter,
  deps: {
    renderProblem: ProblemRenderer;
    onFailure(error: unknown, context: HttpContext): void;
    /** Asked before an operation stores something for the tenant; undefined for one outside of tenants. Left out: always may. */
    assertMayStore?: StorageGuard["assertMayStore"];
    /** Charges the budget of a sender for changes beyond the first. */
    chargeWrites?: ChargeWrites;
    /** What to say instead to an actor for whom a tenant, or something of it, was not found. Left out: nothing else. */
    explainMissing?(actor: Actor, tenantId: string): Promise<AppError | undefined>;
    /** Called when an operation has changed something, before its answer is sent. */
    onChange?(context: HttpContext): void;
  },
): ContractHandler {
  const findOperation = createRouteTable(listOperations(router));
  const addressOf = new WeakMap<HttpContext, { method: string; path: string }>();

  /** Charges for the items of a call, once its body is read. */
  async function chargeMore(
    context: HttpContext,
    { route, params }: { route: Operation; params: Readonly<Record<string, string>> },
    changes: number,
  ): Promise<void> {
    const actor = context.findCall()?.actor;
    if (actor === undefined) {
      return;
    }
    deps.chargeWrites?.(actor, changes);
    const to = { operation: route, tenantId: params["tenantId"], changes };
    await assertRoom(deps.assertMayStore, actor, to);
  }

  /** Of an address that names a tenant. */
  async function explain(error: unknown, context: HttpContext): Promise<unknown> {
    const address = addressOf.get(context);
    const actor = context.findCall()?.actor;
    const isMissing = error instanceof AppError && error.code === "RESOURCE_NOT_FOUND";
    if (deps.explainMissing === undefined || !isMissing || address === undefined || !actor) {
      return error;
    }
    const found = findOperation(address.method, address.path);
    const params = found.kind === "found" ? found.params : {};
    const tenantId = params["tenantId"];
    return tenantId === undefined ? error : ((await deps.explainMissing(actor, tenantId)) ?? error);
  }

  const handler = new OpenAPIHandler<HttpContext>(router, {
    clientInterceptors: [
      async ({ procedure, context, input, next }) => {
        const { meta, route } = procedure["~orpc"];
        // Once more for an address that only the library's own router knows.
        assertMayCall(meta, route.path ?? "", context);
        const address = addressOf.get(context);
        const found = address && findOperation(address.method, address.path);
        assertAddressed(input, found?.kind === "found" ? found.params : {});
        const more = countMore(meta, input);
        if (more > 0 && found?.kind === "found") {
          await chargeMore(context, found, more);
        }
        const output = await next();
        if (route.method !== "GET") {
          deps.onChange?.(context);
        }
        return output;
      },
    ],
    interceptors: [
      async (options) => {
        try {
          return await options.next();
        } catch (thrown) {
          const error = await explain(fromContractError(thrown), options.context);
          if (!(error instanceof ClientLeftError)) {
            deps.onFailure(error, options.context);
          }
          const problem = deps.renderProblem(error, options.context.requestId);
          return {
            matched: true,
            response: {
              status: problem.status,
              headers: problem.headers,
              // A stream, because the library gives any other body the content type application/json.
              body: new Blob([JSON.stringify(problem.body)]).stream(),
            },
          };
        }
      },
    ],
  });
  return {
    serve: async (req, res, context) => {
      assertBodyAllowed(req);
      if (req.method === "HEAD") {
        // Answered as GET; Node leaves the body out, because the request was a HEAD.
        req.method = "GET";
      }
      const address = {
        method: req.method ?? "GET",
        path: (req.url ?? "/").split("?", 1)[0] ?? "/",
      };
      addressOf.set(context, address);
      const found = findOperation(address.method, address.path);
      if (found.kind === "found") {
        assertMayCall(found.route.meta, found.route.path, context);
        const actor = context.findCall()?.actor;
        if (actor !== undefined) {
          const to = { operation: found.route, tenantId: found.params["tenantId"] };
          await assertRoom(deps.assertMayStore, actor, to);
        }
      }
      offerBody(req, found.kind === "found" ? found.route.meta : undefined);
      // Answers are private to their caller, so no cache in between may store them.
      res.setHeader("cache-control", "no-store");
      const { matched } = await handler.handle(req, res, { prefix: PREFIX, context });
      return matched;
    },
    methodsOf: (path) => {
      const found = findOperation("", path);
      return found.kind === "other_method" ? found.allow : [];
    },
  };
}
