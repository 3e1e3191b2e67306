import type { TenantId } from "./ids.ts";

const SLUG_LENGTH_MAX = 64;
/** The highest number, the first tenant of a name having none. With many tenants of one name, counting on would need as many tries. */
const NUMBERED_SLUGS_MAX = 10;
/** Hex digits from the random end of an id. Among ten thousand tenants of one name, the odds of a collision are one in half a million. */
const RANDOM_LENGTH = 8;

/**
 * Makes a slug of a name: lower-case letters, digits and dashes, starting with a letter. Accents are dropped. A name in another
 * script leaves nothing, and the slug is `tenant`.
 *
 * Example: `Café Zürich 24` gives `cafe-zurich-24`; `24 hours` gives `t-24-hours`.
 */
export function slugFrom(name: string): string {
  const plain = name
    .normalize("NFKD")
    .toLowerCase()
    // The one common Latin letter that Unicode does not decompose.
    .replaceAll("ß", "ss")
    .replace(/\p{M}/gu, "")
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+/, "")
    .slice(0, SLUG_LENGTH_MAX - 2)
    .replace(/-+$/, "");
  if (plain === "") {
    return "tenant";
  }
  return /^[a-z]/.test(plain) ? plain : `t-${plain}`;
}

/**
 * Lists the slugs to try for a tenant, in this order: the one of its name, the same with a number, and finally with the end of
 * the tenant's id, which is practically always free.
 *
 * Example: `acme` gives `acme`, `acme-2` to `acme-10`, and `acme-1f0c9a7e`.
 *
 * @param slug - A slug, 1 to 64 characters.
 */
export function slugsToTry(slug: string, tenantId: TenantId): string[] {
  const endings = Array.from({ length: NUMBERED_SLUGS_MAX - 1 }, (_, index) => String(index + 2));
  endings.push(tenantId.slice(-RANDOM_LENGTH));
  return [
    slug,
    ...endings.map((ending) => `${slug.slice(0, SLUG_LENGTH_MAX - 1 - ending.length)}-${ending}`),
  ];
}
