import { queryOptions, useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { SLUG_PATTERN } from "@turnpike/domain/ids/ids";
import { actingQuery } from "./acting.ts";
import type { ApiClient } from "./api-client.ts";
import { usePlatform } from "./platform.tsx";
import { useVerifiedUser, type VerifiedUser } from "./verified-user.ts";

const STORAGE_KEY = "tenant";

/** The part of a signed-in address that says which tenant it is about. */
export type TenantSearch = { tenant?: string | undefined };

/** A tenant that a screen is about. */
export type OwnTenant = VerifiedUser["tenants"][number] & {
  /** The person is no member: they look at it as operator, for reading, and the role is only what they see it like. */
  isVisited?: true;
  /** An operator acts here as one of its admins, with a reason. */
  isActed?: true;
};

/** A tenant that left for another cell, of which the person was a member then. */
export type MovedTenant = NonNullable<VerifiedUser["movedTenants"]>[number];

/** Reads `tenant=<slug>`; anything else is left out. */
export function parseTenantSearch(search: Record<string, unknown>): TenantSearch {
  const slug = search["tenant"];
  return typeof slug === "string" && slug !== "" ? { tenant: slug } : {};
}

/**
 * Chooses the tenant that a screen is about: the one in the address, else the last used, else the first.
 *
 * @returns Undefined when the person belongs to none.
 */
export function chooseTenant(
  tenants: readonly OwnTenant[],
  wishes: { inAddress: string | undefined; lastUsed: string | undefined },
): OwnTenant | undefined {
  const find = (slug: string | undefined) => tenants.find((tenant) => tenant.slug === slug);
  return find(wishes.inAddress) ?? find(wishes.lastUsed) ?? tenants[0];
}

/** Those that left for another cell, but for one whose slug is that of a tenant which the person has here. */
export function useMovedTenants(): readonly MovedTenant[] {
  const { tenants, movedTenants = [] } = useVerifiedUser();
  return movedTenants.filter((moved) => tenants.every(({ slug }) => slug !== moved.slug));
}

/** What an operator finds who opens the address of a tenant that they are no member of, and a member that of one that has left. */
export type TenantVisit =
  /** The address names no such tenant, or the person is no operator. */
  | { state: "none" }
  /** The tenant left for another cell. */
  | { state: "moved"; tenant: MovedTenant }
  | { state: "opening" }
  /** There is no tenant of that slug. */
  | { state: "missing"; slug: string }
  | { state: "failed"; cause: unknown; retry: () => void }
  | { state: "open"; tenant: OwnTenant };

/** A tenant by its slug, for operators; null when there is none. */
function visitedTenantQuery(api: ApiClient, slug: string) {
  return queryOptions({
    queryKey: ["tenants", "visited", slug],
    queryFn: async ({ signal }): Promise<OwnTenant | null> => {
      if (!SLUG_PATTERN.test(slug)) {
        return null;
      }
      const [tenant] = (await api.tenants.list({ slug, limit: 1 }, { signal })).items;
      if (tenant === undefined) {
        return null;
      }
      const { role, ...facts } = tenant;
      // A person with more tenants than the verification lists is still a member.
      return role === null ? { ...facts, role: "viewer", isVisited: true } : { ...facts, role };
    },
  });
}

/** How an operator sees a tenant in which they act. */
function toActed({ isVisited: _, ...tenant }: OwnTenant): OwnTenant {
  return { ...tenant, role: "admin", isActed: true };
}

/** The tenant of the person that this screen would be about, had it not left. */
function useLeftTenant(): MovedTenant | undefined {
  const { user } = useVerifiedUser();
  const { tenant: inAddress } = useSearch({ from: "/_app" });
  const moved = useMovedTenants();
  // An operator without an address is shown the installation.
  const lastUsed = user.isOperator ? null : localStorage.getItem(STORAGE_KEY);
  return moved.find(({ slug }) => slug === (inAddress ?? lastUsed));
}

/**
 * The visit of an operator to the tenant that the address names, or of a member to one that has left. Only operators ask about tenants
 * that are not theirs.
 */
export function useTenantVisit(): TenantVisit {
  const { api } = usePlatform();
  const left = useLeftTenant();
  const { user, tenants } = useVerifiedUser();
  const { tenant: inAddress } = useSearch({ from: "/_app" });
  const isVisit =
    user.isOperator && inAddress !== undefined && tenants.every(({ slug }) => slug !== inAddress);
  const slug = inAddress ?? "";
  const acting = useQuery({ ...actingQuery(api), enabled: isVisit });
  const visited = useQuery({ ...visitedTenantQuery(api, slug), enabled: isVisit });
  if (!isVisit) {
    return left === undefined ? { state: "none" } : { state: "moved", tenant: left };
  }
  if (visited.data === undefined) {
    return visited.isError
      ? { state: "failed", cause: visited.error, retry: () => void visited.refetch() }
      : { state: "opening" };
  }
  if (visited.data === null) {
    return left === undefined ? { state: "missing", slug } : { state: "moved", tenant: left };
  }
  const isActed =
    visited.data.isVisited === true && acting.data?.tenantId === visited.data.tenantId;
  return { state: "open", tenant: isActed ? toActed(visited.data) : visited.data };
}

/**
 * The tenant that this screen is about; undefined when the person belongs to none, when it has left for another cell, and while an
 * operator's visit to another one is not open.
 */
export function useCurrentTenant(): OwnTenant | undefined {
  const visit = useTenantVisit();
  const { tenants } = useVerifiedUser();
  const { tenant: inAddress } = useSearch({ from: "/_app" });
  switch (visit.state) {
    case "open":
      return visit.tenant;
    case "opening":
    case "failed":
    case "moved":
      return undefined;
    case "none":
    case "missing":
      return chooseTenant(tenants, {
        inAddress,
        lastUsed: localStorage.getItem(STORAGE_KEY) ?? undefined,
      });
    default:
      return visit satisfies never;
  }
}

/**
 * The slug that the address names when no tenant of the person's has it, and an operator finds none either; undefined
 * when they belong to none.
 */
export function useForeignTenantSlug(): string | undefined {
  const { state } = useTenantVisit();
  const { user, tenants } = useVerifiedUser();
  const { tenant: inAddress } = useSearch({ from: "/_app" });
  const isForeign = tenants.length > 0 && tenants.every(({ slug }) => slug !== inAddress);
  return isForeign && state === (user.isOperator ? "missing" : "none") ? inAddress : undefined;
}

/** Remembers the tenant for addresses that name none. Navigating to `search: { tenant: slug }` is the caller's part. */
export function rememberTenant(slug: string): void {
  localStorage.setItem(STORAGE_KEY, slug);
}
