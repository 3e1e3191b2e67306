import type { OwnTenant } from "#platform/current-tenant.ts";
import { usePlatform } from "#platform/platform.tsx";

/** Says on every screen of a suspended tenant that its calls are refused, and why in the operator's words. */
export function SuspensionStrip({ tenant }: { tenant: OwnTenant }) {
  const { contact } = usePlatform().config;
  return (
    <section
      aria-label="Suspension"
      className="border-line border-b bg-danger-soft px-4 py-2 md:px-6"
    >
      <p role="status" className="[overflow-wrap:anywhere]">
        <strong className="font-semibold">
          {tenant.name} is suspended: all its calls are refused.
        </strong>
        {tenant.suspensionReason !== undefined && (
          <> The operator’s reason: “{tenant.suspensionReason}”</>
        )}
        {contact !== null && <> Questions: {contact}</>}
      </p>
    </section>
  );
}
