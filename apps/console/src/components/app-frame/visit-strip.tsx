import { Link } from "@tanstack/react-router";
import ArrowLeft from "lucide-react/icons/arrow-left";
import Eye from "lucide-react/icons/eye";
import { useCurrentTenant } from "#platform/current-tenant.ts";

/** Says that an operator is viewing another tenant, read-only, and leads back. It stays visible while the screen scrolls. */
export function VisitStrip() {
  const tenant = useCurrentTenant();
  if (tenant?.isVisited !== true) {
    return null;
  }
  return (
    <section
      aria-label="Viewing as operator"
      className="sticky top-14 z-20 flex items-center justify-between gap-x-4 border-line border-b bg-info-soft px-4 py-1.5 md:px-6"
    >
      <p role="status" className="flex min-w-0 items-center gap-2">
        <Eye className="size-4 shrink-0 text-info max-sm:hidden" aria-hidden="true" />
        <span className="min-w-0">
          You are viewing{" "}
          <strong className="font-semibold [overflow-wrap:anywhere]">{tenant.name}</strong> as
          operator, read-only.
        </span>
      </p>
      <Link
        to="/tenants"
        search={{ tab: "all", tenant: undefined }}
        className="flex min-h-8 shrink-0 items-center gap-1.5 rounded-sm font-medium underline-offset-4 hover:underline touch:min-h-11"
      >
        <ArrowLeft className="size-4" aria-hidden="true" />
        All tenants
      </Link>
    </section>
  );
}
