import { Page } from "#components/page.tsx";
import { useVerifiedUser } from "#platform/verified-user.ts";
import { OperatorSection } from "./operator/operator-section.tsx";

/** `/tenants` */
export function TenantsPage() {
  const { user, tenants } = useVerifiedUser();
  return (
    <Page title="Tenants" purpose="The tenants that you are a member of.">
      {tenants.length === 0 ? (
        <p className="text-ink-muted">You belong to no tenant yet.</p>
      ) : (
        <ul className="divide-y divide-line border-line border-y">
          {tenants.map((tenant) => (
            <li key={tenant.tenantId} className="flex justify-between gap-3 py-2">
              <span className="font-medium">{tenant.name}</span>
              <span className="text-ink-muted">{tenant.role}</span>
            </li>
          ))}
        </ul>
      )}
      {user.isOperator && <OperatorSection />}
    </Page>
  );
}
