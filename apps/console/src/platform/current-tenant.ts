/** The part of a signed-in address that says which tenant it is about. */
export type TenantSearch = { tenant?: string };

/** Reads `tenant=<slug>`; anything else is left out. */
export function parseTenantSearch(search: Record<string, unknown>): TenantSearch {
  const slug = search["tenant"];
  return typeof slug === "string" && slug !== "" ? { tenant: slug } : {};
}
