import { LegalPage } from "./legal-page.tsx";

/** `/terms`: what the operator and a customer agree on. */
export function TermsPage() {
  return <LegalPage name="terms" />;
}
