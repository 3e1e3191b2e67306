import type { MailBrand } from "../mail/write-html.ts";

/** How mails of tests look. */
export const TEST_BRAND: MailBrand = {
  name: "Acme <API>",
  accent: "#f5c400",
  onAccent: "#1a1814",
  language: "en",
};
