import type { ClientConfig } from "./client-config.ts";

/**
 * Puts the operator's name and accent on the page. An accent that is no colour to this browser is passed over, and the
 * default stays.
 */
export function applyBrand(page: Document, brand: ClientConfig["brand"]): void {
  page.title = brand.name;
  if (brand.accent !== undefined && CSS.supports("color", brand.accent)) {
    page.documentElement.style.setProperty("--brand-accent", brand.accent);
  }
}
