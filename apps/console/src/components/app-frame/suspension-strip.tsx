import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { usePlatform } from "#platform/platform.tsx";

/** Says on every screen of a suspended tenant that its calls are refused, and why in the operator's words. */
export function SuspensionStrip({ tenant }: { tenant: OwnTenant }) {
  const { contact } = usePlatform().config;
  return (
    <section
      aria-label={t`Suspension`}
      className="border-line border-b bg-danger-soft px-4 py-2 md:px-6"
    >
      <p role="status" className="[overflow-wrap:anywhere]">
        <strong className="font-semibold">
          <Trans>{tenant.name} is suspended: all its calls are denied.</Trans>
        </strong>
        {tenant.suspensionReason !== undefined && (
          <>
            {" "}
            <Trans>The operator’s reason: “{tenant.suspensionReason}”</Trans>
          </>
        )}
        {contact !== null && (
          <>
            {" "}
            <Trans>Questions: {contact}</Trans>
          </>
        )}
      </p>
    </section>
  );
}
