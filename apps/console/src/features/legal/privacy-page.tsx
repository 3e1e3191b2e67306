import { LegalPage } from "./legal-page.tsx";

/** `/privacy`: which personal data is held, and why. */
export function PrivacyPage() {
  return <LegalPage name="privacy" />;
}
