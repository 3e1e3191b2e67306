const SLUG_LENGTH_MAX = 64;

/**
 * Makes a slug of a name: lower-case letters, digits and dashes, starting with a letter. Letters with accents lose them;
 * other scripts leave nothing, and then the slug is `tenant`.
 *
 * Example: `Café Zürich 24` gives `cafe-zurich-24`; `24 hours` gives `t-24-hours`.
 */
export function slugFrom(name: string): string {
  const plain = name
    .normalize("NFKD")
    .toLowerCase()
    // The one common Latin letter that Unicode does not take apart.
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
