import type { StorageGuard } from "#platform/storage-guard.ts";
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

const LIST_SCHEMA = "urn:ietf:params:scim:api:messages:2.0:ListResponse";

/** What a directory gets, in its own form. */
export type ScimAnswer = {
  status: number;
  body?: Resource;
  headers?: Readonly<Record<string, string>>;
  /** Whom a change was about. */
  subject?: string;
};

/** One request of a directory whose token is good. */
export type ScimExchange = {
  directory: Directory;
  method: string;
  /** What follows `/scim/v2`, in its parts. */
  parts: readonly string[];
  query: URLSearchParams;
  readBody(): Promise<unknown>;
  /** Whom the request is about, as it says itself: for one that is refused. */
  subject: string | undefined;
};

function listOf({ total, startIndex, resources }: ResourcePage): ScimAnswer {
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

function pageOf(resources: Resource[]): ResourcePage {
  return { total: resources.length, startIndex: 1, resources };
}

function created(resource: Resource, subject: string): ScimAnswer {
  const meta = resource["meta"];
  const location = isObject(meta) ? String(meta["location"]) : "";
  return { status: 201, body: resource, headers: { location }, subject };
}

function methodNotAllowed(allow: string): ScimError {
  return new ScimError(405, `This address takes ${allow}.`, { headers: { allow } });
}

/** Answers what directories ask of people and groups, and what this service says of itself. */
export function createAnswerDirectory(
  deps: ScimDeps & { assertMayStore: StorageGuard["assertMayStore"] },
) {
  const baseUrl = `${deps.consoleUrl}${SCIM_PATH}`;

  async function answerUsers(exchange: ScimExchange, id: string | undefined): Promise<ScimAnswer> {
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

  async function answerGroups(exchange: ScimExchange, id: string | undefined): Promise<ScimAnswer> {
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

  async function search(exchange: ScimExchange, kind: "Users" | "Groups"): Promise<ScimAnswer> {
    if (exchange.method !== "POST") {
      throw methodNotAllowed("POST");
    }
    const body = await exchange.readBody();
    const query = readQuery((name) => (isObject(body) ? attributeOf(body, name) : undefined));
    const list = kind === "Users" ? listUsers : listGroups;
    return listOf(await list(deps, exchange.directory, query));
  }

  /** What this service says of itself. */
  function discover({ method, parts }: ScimExchange): ScimAnswer | undefined {
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

  return async function answer(exchange: ScimExchange): Promise<ScimAnswer> {
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
  };
}
