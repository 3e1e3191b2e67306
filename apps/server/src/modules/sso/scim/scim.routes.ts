import type { IncomingMessage, ServerResponse } from "node:http";
import { implement } from "@orpc/server";
import { scimContract } from "@turnpike/contract/scim";
import { ERROR_CODES } from "@turnpike/domain/errors/error-codes";
import type { HttpContext } from "#http/http-context.ts";
import { toAppError } from "#http/problem-details.ts";
import { ClientLeftError, readBody } from "#http/raw-route.ts";
import type { AttemptLimits } from "#modules/identity/index.ts";
import { parseJson } from "#platform/parse-json.ts";
import type { StorageGuard } from "#platform/storage-guard.ts";
import { authenticateDirectory } from "./authenticate-directory.ts";
import { keepScimRequest } from "./keep-scim-request.ts";
import { createScimToken, getScim, revokeScimToken } from "./manage-scim.ts";
import { describeService, listResourceTypes, listSchemas, PAGE_MAX } from "./protocol/discovery.ts";
import { parsePatch } from "./protocol/parse-patch.ts";
import { parseGroup, patchGroup } from "./protocol/patch-group.ts";
import { patchPerson } from "./protocol/patch-person.ts";
import { parsePerson } from "./protocol/person-attributes.ts";
import { attributeOf, isObject } from "./protocol/read-attributes.ts";
import { noSuchResource, ScimError } from "./protocol/scim-error.ts";
import {
  describeGroup,
  describeUser,
  getGroup,
  getUser,
  listGroups,
  listUsers,
  type ResourcePage,
  type ScimQuery,
} from "./read-resources.ts";
import { type Directory, SCIM_PATH, type ScimDeps } from "./scim-deps.ts";
import type { Resource } from "./to-resource.ts";
import { createGroup, deleteGroup, updateGroup } from "./write-group.ts";
import { createPerson, deletePerson, updatePerson } from "./write-person.ts";

/** What owners do with the tokens of their directory. */
export function createScimRoutes(deps: ScimDeps) {
  const os = implement(scimContract).$context<HttpContext>();
  return os.router({
    get: os.get.handler(({ input, context }) => getScim(deps, context.call(), input)),
    createToken: os.createToken.handler(({ input, context }) =>
      createScimToken(deps, context.call(), input),
    ),
    revokeToken: os.revokeToken.handler(({ input, context }) =>
      revokeScimToken(deps, context.call(), input),
    ),
  });
}

export type ScimMountDeps = ScimDeps & {
  attempts: AttemptLimits;
  /** The network that a request comes from. */
  networkOf(req: IncomingMessage): string;
  assertMayStore: StorageGuard["assertMayStore"];
  /** Takes one request from the budget of a tenant. @throws {AppError} */
  takeRequest(tenantId: Directory["tenantId"]): void;
};

/** A thousand members of a group are 150 kB. */
const BODY_BYTES_MAX = 512 * 1024;
const SCIM_JSON = "application/scim+json";
const LIST_SCHEMA = "urn:ietf:params:scim:api:messages:2.0:ListResponse";
const ERROR_SCHEMA = "urn:ietf:params:scim:api:messages:2.0:Error";

type Answer = {
  status: number;
  body?: Resource;
  headers?: Readonly<Record<string, string>>;
  /** Whom a change was about. */
  subject?: string;
};

type Exchange = {
  directory: Directory;
  method: string;
  /** What follows `/scim/v2`, in its parts. */
  parts: readonly string[];
  query: URLSearchParams;
  readBody(): Promise<unknown>;
  /** Whom the request is about, as it says itself: for one that is refused. */
  subject: string | undefined;
};

function listOf({ total, startIndex, resources }: ResourcePage): Answer {
  return {
    status: 200,
    body: {
      schemas: [LIST_SCHEMA],
      totalResults: total,
      startIndex,
      itemsPerPage: resources.length,
      Resources: resources,
    },
  };
}

function readNumber(value: unknown, otherwise: number): number {
  const number = value === null || value === undefined || value === "" ? otherwise : Number(value);
  if (!Number.isSafeInteger(number)) {
    throw new ScimError(400, "startIndex and count are whole numbers.", {
      scimType: "invalidValue",
    });
  }
  return number;
}

function readNames(value: unknown): ReadonlySet<string> {
  const names = Array.isArray(value) ? value.map(String) : String(value ?? "").split(",");
  return new Set(names.map((name) => name.trim().toLowerCase()));
}

/** From the query of a `GET`, or the body of a search. */
function readQuery(get: (name: string) => unknown): ScimQuery {
  const filter = get("filter");
  return {
    filter: typeof filter === "string" && filter !== "" ? filter : undefined,
    startIndex: readNumber(get("startIndex"), 1),
    count: readNumber(get("count"), PAGE_MAX),
    without: readNames(get("excludedAttributes")),
  };
}

/** The name in the body of a person or a group. */
function namedIn(body: unknown): string | undefined {
  const name = isObject(body)
    ? (attributeOf(body, "userName") ?? attributeOf(body, "displayName"))
    : undefined;
  return typeof name === "string" ? name : undefined;
}

function pageOf(resources: Resource[]): ResourcePage {
  return { total: resources.length, startIndex: 1, resources };
}

function created(resource: Resource, subject: string): Answer {
  const meta = resource["meta"];
  const location = isObject(meta) ? String(meta["location"]) : "";
  return { status: 201, body: resource, headers: { location }, subject };
}

function methodNotAllowed(allow: string): ScimError {
  return new ScimError(405, `This address takes ${allow}.`, { headers: { allow } });
}

/** Answers directories under `/scim/v2`: SCIM 2.0 (RFC 7643, RFC 7644) outside the contract, with errors of its own form. */
export function createScimMount(deps: ScimMountDeps) {
  const baseUrl = `${deps.consoleUrl}${SCIM_PATH}`;

  async function answerUsers(exchange: Exchange, id: string | undefined): Promise<Answer> {
    const { directory, method } = exchange;
    if (id === undefined) {
      if (method === "GET") {
        return listOf(
          await listUsers(
            deps,
            directory,
            readQuery((name) => exchange.query.get(name)),
          ),
        );
      }
      if (method !== "POST") {
        throw methodNotAllowed("GET, POST");
      }
      await deps.assertMayStore(directory.tenantId);
      const row = await createPerson(deps, directory, parsePerson(await exchange.readBody()));
      return created(await describeUser(deps, directory, row), row.email);
    }
    switch (method) {
      case "GET":
        return { status: 200, body: await getUser(deps, directory, id) };
      case "PUT": {
        const person = parsePerson(await exchange.readBody());
        const row = await updatePerson(deps, directory, { id, change: () => person });
        return {
          status: 200,
          body: await describeUser(deps, directory, row),
          subject: row.email,
        };
      }
      case "PATCH": {
        const operations = parsePatch(await exchange.readBody());
        const row = await updatePerson(deps, directory, {
          id,
          change: (present) => patchPerson(present, operations),
        });
        return {
          status: 200,
          body: await describeUser(deps, directory, row),
          subject: row.email,
        };
      }
      case "DELETE":
        return { status: 204, subject: (await deletePerson(deps, directory, id)).email };
      default:
        throw methodNotAllowed("GET, PUT, PATCH, DELETE");
    }
  }

  async function answerGroups(exchange: Exchange, id: string | undefined): Promise<Answer> {
    const { directory, method } = exchange;
    const query = () => readQuery((name) => exchange.query.get(name));
    if (id === undefined) {
      if (method === "GET") {
        return listOf(await listGroups(deps, directory, query()));
      }
      if (method !== "POST") {
        throw methodNotAllowed("GET, POST");
      }
      await deps.assertMayStore(directory.tenantId);
      const row = await createGroup(deps, directory, parseGroup(await exchange.readBody()));
      return created(await describeGroup(deps, directory, row), row.display_name);
    }
    switch (method) {
      case "GET": {
        const { without } = query();
        return { status: 200, body: await getGroup(deps, directory, { id, without }) };
      }
      case "PUT": {
        const group = parseGroup(await exchange.readBody());
        const row = await updateGroup(deps, directory, { id, change: () => group });
        return {
          status: 200,
          body: await describeGroup(deps, directory, row),
          subject: row.display_name,
        };
      }
      case "PATCH": {
        const operations = parsePatch(await exchange.readBody());
        const row = await updateGroup(deps, directory, {
          id,
          change: (present) => patchGroup(present, operations),
        });
        // Of a large group, nothing: Microsoft Entra ID asks for that answer.
        return { status: 204, subject: row.display_name };
      }
      case "DELETE":
        return { status: 204, subject: (await deleteGroup(deps, directory, id)).display_name };
      default:
        throw methodNotAllowed("GET, PUT, PATCH, DELETE");
    }
  }

  async function search(exchange: Exchange, kind: "Users" | "Groups"): Promise<Answer> {
    if (exchange.method !== "POST") {
      throw methodNotAllowed("POST");
    }
    const body = await exchange.readBody();
    const query = readQuery((name) => (isObject(body) ? attributeOf(body, name) : undefined));
    const list = kind === "Users" ? listUsers : listGroups;
    return listOf(await list(deps, exchange.directory, query));
  }

  /** What this service says of itself. */
  function discover({ method, parts }: Exchange): Answer | undefined {
    const [kind = "", id] = parts;
    const lists: Record<string, Resource[]> = {
      ResourceTypes: listResourceTypes(baseUrl),
      Schemas: listSchemas(baseUrl),
    };
    const list = Object.hasOwn(lists, kind) ? lists[kind] : undefined;
    if (list === undefined && kind !== "ServiceProviderConfig") {
      return;
    }
    if (method !== "GET") {
      throw methodNotAllowed("GET");
    }
    if (list === undefined) {
      return { status: 200, body: describeService(baseUrl) };
    }
    if (id === undefined) {
      return listOf(pageOf(list));
    }
    const body = list.find((one) => one["id"] === id);
    if (body === undefined) {
      throw noSuchResource(id);
    }
    return { status: 200, body };
  }

  async function answer(exchange: Exchange): Promise<Answer> {
    const [kind, id, ...rest] = exchange.parts;
    const discovered = discover(exchange);
    if (discovered !== undefined) {
      return discovered;
    }
    if (rest.length === 0 && (kind === "Users" || kind === "Groups")) {
      if (id === ".search") {
        return await search(exchange, kind);
      }
      return kind === "Users" ? await answerUsers(exchange, id) : await answerGroups(exchange, id);
    }
    if (kind === "Bulk" || kind === "Me") {
      throw new ScimError(501, "This is not supported.");
    }
    throw new ScimError(404, "There is nothing at this address.");
  }

  async function identify(req: IncomingMessage, requestId: string): Promise<Directory> {
    const tenantId = await authenticateDirectory(deps, req.headers.authorization);
    if (tenantId === undefined) {
      await deps.attempts.take("directory", { network: deps.networkOf(req) });
      throw new ScimError(401, "The token is missing or not valid.", {
        headers: { "www-authenticate": "Bearer" },
      });
    }
    deps.takeRequest(tenantId);
    return { tenantId, requestId };
  }

  /** For the owners: changes, and what was refused. A directory that looks for what is not there is no news. */
  async function note(
    { directory, method, parts }: Exchange,
    outcome: { status: number; subject?: string | undefined; detail?: string | undefined },
  ): Promise<void> {
    const isLooking = method === "GET" || parts.at(-1) === ".search";
    if (isLooking && (outcome.status < 400 || outcome.status === 404)) {
      return;
    }
    await keepScimRequest(deps, directory, {
      operation: `${method} /${parts[0] ?? ""}`,
      ...outcome,
    });
  }

  function toScimError(error: unknown, requestId: string): ScimError {
    if (error instanceof ScimError) {
      return error;
    }
    const failure = toAppError(error);
    if (failure.code === "INTERNAL_ERROR") {
      deps.logger.error({ err: error, requestId }, "A request of a directory failed");
    }
    const { headers } = failure;
    return failure.code === "INVALID_REQUEST"
      ? new ScimError(400, failure.message, { scimType: "invalidSyntax", headers })
      : new ScimError(ERROR_CODES[failure.code].status, failure.message, { headers });
  }

  function send(res: ServerResponse, { status, body, headers }: Answer): void {
    if (body === undefined) {
      res.writeHead(status, { "cache-control": "no-store", ...headers });
      res.end();
      return;
    }
    const text = JSON.stringify(body);
    res.writeHead(status, {
      "content-type": SCIM_JSON,
      "cache-control": "no-store",
      "content-length": Buffer.byteLength(text),
      ...headers,
    });
    res.end(res.req.method === "HEAD" ? undefined : text);
  }

  function sendError(res: ServerResponse, { status, message, scimType, headers }: ScimError): void {
    const body = {
      schemas: [ERROR_SCHEMA],
      status: String(status),
      ...(scimType !== undefined && { scimType }),
      detail: message,
    };
    send(res, { status, body, headers });
  }

  async function readScimBody(req: IncomingMessage): Promise<unknown> {
    const type = req.headers["content-type"] ?? "";
    if (!/^application\/(?:scim\+)?json\s*(?:;|$)/i.test(type)) {
      throw new ScimError(415, `The body must be ${SCIM_JSON}.`);
    }
    return parseJson(await readBody(req, BODY_BYTES_MAX));
  }

  async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const requestId = String(res.getHeader("x-request-id") ?? deps.newId("request"));
    const url = new URL(req.url ?? "/", baseUrl);
    const method = req.method ?? "GET";
    const parts = url.pathname
      .slice(SCIM_PATH.length)
      .split("/")
      .filter((part) => part !== "");
    let exchange: Exchange | undefined;
    try {
      const directory = await identify(req, requestId);
      exchange = {
        ...{ directory, method, parts },
        query: url.searchParams,
        subject: parts[1],
        readBody: async () => {
          const body = await readScimBody(req);
          if (exchange !== undefined) {
            exchange.subject = namedIn(body) ?? exchange.subject;
          }
          return body;
        },
      };
      const given = await answer(exchange);
      await note(exchange, { status: given.status, subject: given.subject });
      send(res, given);
    } catch (error) {
      if (error instanceof ClientLeftError) {
        throw error;
      }
      const refusal = toScimError(error, requestId);
      if (exchange !== undefined && refusal.status !== 429 && refusal.status < 500) {
        await note(exchange, {
          status: refusal.status,
          subject: exchange.subject,
          detail: refusal.message,
        }).catch((cause: unknown) =>
          deps.logger.warn({ err: cause, requestId }, "a refusal was not noted"),
        );
      }
      sendError(res, refusal);
    }
  }

  return { prefix: SCIM_PATH, handle: serve };
}
