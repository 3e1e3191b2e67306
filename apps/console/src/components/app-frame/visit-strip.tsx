import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Button } from "@turnpike/ui/button";
import ArrowLeft from "lucide-react/icons/arrow-left";
import Eye from "lucide-react/icons/eye";
import Hand from "lucide-react/icons/hand";
import { lazy, Suspense, useState } from "react";
import { actingQuery, useSetActing } from "#platform/acting.ts";
import { type OwnTenant, useCurrentTenant } from "#platform/current-tenant.ts";
import { toErrorMessage } from "#platform/error-message.ts";
import { usePlatform } from "#platform/platform.tsx";
import { toast } from "#platform/toast.ts";

const ActDialog = lazy(() =>
  import("./act-dialog.tsx").then(({ ActDialog: component }) => ({ default: component })),
);

/** Says that an operator is in another tenant, and how: viewing or acting. It stays visible while the screen scrolls. */
export function VisitStrip() {
  const tenant = useCurrentTenant();
  if (tenant?.isActed === true) {
    return <ActingStrip tenant={tenant} />;
  }
  return tenant?.isVisited === true ? <ViewingStrip tenant={tenant} /> : null;
}

function ViewingStrip({ tenant }: { tenant: OwnTenant }) {
  const [isAsking, setIsAsking] = useState(false);
  return (
    <section
      aria-label={t`Viewing as operator`}
      className="sticky top-14 z-20 flex flex-wrap items-center justify-between gap-x-4 border-line border-b bg-info-soft px-4 py-1.5 md:px-6"
    >
      <p role="status" className="flex min-w-0 items-center gap-2">
        <Eye className="size-4 shrink-0 text-info max-sm:hidden" aria-hidden="true" />
        <span className="min-w-0">
          <Trans>
            You are viewing{" "}
            <strong className="font-semibold [overflow-wrap:anywhere]">{tenant.name}</strong> as
            operator, read-only.
          </Trans>
        </span>
      </p>
      <div className="flex items-center gap-4">
        <Button size="small" onClick={() => setIsAsking(true)}>
          <Trans>Act in this tenant…</Trans>
        </Button>
        <Link
          to="/operator/tenants"
          search={{ tenant: undefined }}
          className="flex min-h-8 shrink-0 items-center gap-1.5 rounded-sm font-medium underline-offset-4 hover:underline touch:min-h-11"
        >
          <ArrowLeft className="size-4" aria-hidden="true" />
          <Trans>All tenants</Trans>
        </Link>
      </div>
      {isAsking && (
        <Suspense>
          <ActDialog tenant={tenant} onClose={() => setIsAsking(false)} />
        </Suspense>
      )}
    </section>
  );
}

const TIME = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });

function ActingStrip({ tenant }: { tenant: OwnTenant }) {
  const { api } = usePlatform();
  const acting = useQuery(actingQuery(api)).data;
  const setActing = useSetActing();
  const end = useMutation({
    mutationKey: ["acting", "end"],
    mutationFn: () => api.acting.end({}),
    onSuccess: () => {
      setActing(null);
      toast.success(t`You no longer act in ${tenant.name}.`);
    },
    onError: (error) => void toast.error(toErrorMessage(error)),
  });
  return (
    <section
      aria-label={t`Acting as operator`}
      className="sticky top-14 z-20 flex flex-wrap items-center justify-between gap-x-4 gap-y-1 border-line border-b bg-warning-soft px-4 py-1.5 md:px-6"
    >
      <p role="status" className="flex min-w-0 items-center gap-2">
        <Hand className="size-4 shrink-0 text-warning max-sm:hidden" aria-hidden="true" />
        <span className="min-w-0 [overflow-wrap:anywhere]">
          <Trans>
            You act in <strong className="font-semibold">{tenant.name}</strong> as operator
            {acting !== null && acting !== undefined && (
              <Trans>
                {" "}
                until {TIME.format(new Date(acting.expiresAt))}: “{acting.reason}”
              </Trans>
            )}
            . Its members see each change.
          </Trans>
        </span>
      </p>
      <Button
        size="small"
        progress={end.isPending ? t`Ending…` : undefined}
        onClick={() => end.mutate()}
      >
        <Trans>Stop acting</Trans>
      </Button>
    </section>
  );
}
