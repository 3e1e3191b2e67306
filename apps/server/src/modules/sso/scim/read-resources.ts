import { PAGE_MAX } from "./protocol/discovery.ts";
import { parseFilter } from "./protocol/parse-filter.ts";
import { noSuchResource } from "./protocol/scim-error.ts";
import { type Directory, SCIM_PATH, type ScimDeps } from "./scim-deps.ts";
import {
  findScimGroup,
  listGroupMembers,
  listScimGroups,
  type ScimGroupRow,
} from "./scim-groups.store.ts";
import {
  findScimUser,
  listGroupsOfUsers,
  listScimUsers,
  type ScimUserRow,
} from "./scim-users.store.ts";
import { type Resource, toGroupResource, toUserResource } from "./to-resource.ts";

/** What a directory looks for. */
export type ScimQuery = {
  filter: string | undefined;
  /** From 1; less counts as 1. */
  startIndex: number;
  /** Less than 0 counts as 0; more than a page counts as one. */
  count: number;
  /** Names in lower case of the attributes that the answer leaves out. */
  without: ReadonlySet<string>;
};

export type ResourcePage = { total: number; startIndex: number; resources: Resource[] };

const baseUrlOf = (deps: ScimDeps) => `${deps.consoleUrl}${SCIM_PATH}`;

async function describeUsers(
  deps: ScimDeps,
  { tenantId }: Directory,
  rows: readonly ScimUserRow[],
): Promise<Resource[]> {
  const ids = rows.map((row) => row.scim_user_id);
  const groups = await deps.transact.asOperator((tx) => listGroupsOfUsers(tx, tenantId, ids), {
    holder: tenantId,
  });
  return rows.map((row) => toUserResource(row, groups, baseUrlOf(deps)));
}

/** The resource of a person that was just written. */
export async function describeUser(
  deps: ScimDeps,
  directory: Directory,
  row: ScimUserRow,
): Promise<Resource> {
  const [resource] = await describeUsers(deps, directory, [row]);
  return resource ?? {};
}

/** @throws {ScimError} 404, also for a person of another tenant. */
export async function getUser(deps: ScimDeps, directory: Directory, id: string): Promise<Resource> {
  const { tenantId } = directory;
  const row = await deps.transact.asOperator((tx) => findScimUser(tx, tenantId, id), {
    holder: tenantId,
  });
  if (row === undefined) {
    throw noSuchResource(id);
  }
  return await describeUser(deps, directory, row);
}

function toPage(query: ScimQuery) {
  const startIndex = Math.max(1, query.startIndex);
  return { startIndex, limit: Math.min(PAGE_MAX, Math.max(0, query.count)) };
}

/** @throws {ScimError} `invalidFilter`. */
export async function listUsers(
  deps: ScimDeps,
  directory: Directory,
  query: ScimQuery,
): Promise<ResourcePage> {
  const { tenantId } = directory;
  const { startIndex, limit } = toPage(query);
  const filter = query.filter === undefined ? undefined : parseFilter(query.filter);
  const { total, rows } = await deps.transact.asOperator(
    (tx) => listScimUsers(tx, tenantId, { filter, offset: startIndex - 1, limit }),
    { holder: tenantId },
  );
  return { total, startIndex, resources: await describeUsers(deps, directory, rows) };
}

async function describeGroups(
  deps: ScimDeps,
  { tenantId }: Directory,
  input: { rows: readonly ScimGroupRow[]; without: ReadonlySet<string> },
): Promise<Resource[]> {
  const ids = input.rows.map((row) => row.scim_group_id);
  const members = input.without.has("members")
    ? []
    : await deps.transact.asOperator((tx) => listGroupMembers(tx, tenantId, ids), {
        holder: tenantId,
      });
  return input.rows.map((row) => toGroupResource(row, members, baseUrlOf(deps)));
}

/** The resource of a group that was just written. */
export async function describeGroup(
  deps: ScimDeps,
  directory: Directory,
  row: ScimGroupRow,
): Promise<Resource> {
  const [resource] = await describeGroups(deps, directory, { rows: [row], without: new Set() });
  return resource ?? {};
}

/** @throws {ScimError} 404, also for a group of another tenant. */
export async function getGroup(
  deps: ScimDeps,
  directory: Directory,
  input: { id: string; without: ReadonlySet<string> },
): Promise<Resource> {
  const { tenantId } = directory;
  const row = await deps.transact.asOperator((tx) => findScimGroup(tx, tenantId, input.id), {
    holder: tenantId,
  });
  if (row === undefined) {
    throw noSuchResource(input.id);
  }
  const [resource] = await describeGroups(deps, directory, {
    rows: [row],
    without: input.without,
  });
  return resource ?? {};
}

/** @throws {ScimError} `invalidFilter`. */
export async function listGroups(
  deps: ScimDeps,
  directory: Directory,
  query: ScimQuery,
): Promise<ResourcePage> {
  const { tenantId } = directory;
  const { startIndex, limit } = toPage(query);
  const filter = query.filter === undefined ? undefined : parseFilter(query.filter);
  const rows = await deps.transact.asOperator((tx) => listScimGroups(tx, tenantId, filter), {
    holder: tenantId,
  });
  const resources = await describeGroups(deps, directory, {
    rows: rows.slice(startIndex - 1, startIndex - 1 + limit),
    without: query.without,
  });
  return { total: rows.length, startIndex, resources };
}
