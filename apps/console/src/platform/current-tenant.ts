import { useSearch } from "@tanstack/react-router";
import { useVerifiedUser, type VerifiedUser } from "./verified-user.ts";

const STORAGE_KEY = "tenant";

/** The part of a signed-in address that says which tenant it is about. */
export type TenantSearch = { tenant?: string };

export type OwnTenant = VerifiedUser["tenants"][number];

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

/** The tenant that this screen is about; undefined when the person belongs to none. */
export function useCurrentTenant(): OwnTenant | undefined {
  const { tenants } = useVerifiedUser();
  const { tenant: inAddress } = useSearch({ from: "/_app" });
  return chooseTenant(tenants, {
    inAddress,
    lastUsed: localStorage.getItem(STORAGE_KEY) ?? undefined,
  });
}

/** The slug that the address names when the person does not belong to its tenant; undefined when they belong to none. */
export function useForeignTenantSlug(): string | undefined {
  const { tenants } = useVerifiedUser();
  const { tenant: inAddress } = useSearch({ from: "/_app" });
  const isForeign = tenants.length > 0 && tenants.every(({ slug }) => slug !== inAddress);
  return isForeign ? inAddress : undefined;
}

/** Remembers the tenant for addresses that name none. Navigating to `search: { tenant: slug }` is the caller's part. */
export function rememberTenant(slug: string): void {
  localStorage.setItem(STORAGE_KEY, slug);
}
