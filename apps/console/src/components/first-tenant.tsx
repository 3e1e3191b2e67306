import { t } from "@lingui/core/macro";
import { useQueryClient } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
import { Skeleton } from "@turnpike/ui/skeleton";
import { type ReactNode, useCallback, useEffect } from "react";
import { toErrorMessage } from "#platform/error-message.ts";
import { HOME_PATH } from "#platform/guard.ts";
import { useArrivalFor, usePlatform } from "#platform/platform.tsx";
import { toast } from "#platform/toast.ts";
import { CREATE_TENANT_KEY, useCreateTenant } from "#platform/use-create-tenant.ts";
import { useVerifiedUser } from "#platform/verified-user.ts";
import { FailureNotice } from "./failure-notice.tsx";
import { isRefusal } from "./take-effect.tsx";

/** Creates the tenant that a person named when they registered, and shows the screen once it is there. */
export function FirstTenant({ children }: { children: ReactNode }) {
  const { arrivals } = usePlatform();
  const { user, tenants } = useVerifiedUser();
  const name = useArrivalFor("tenant-name", user.email);
  const isNeeded = tenants.length === 0;
  // The outside system is what the registration left in this browser.
  useEffect(() => {
    if (!isNeeded) {
      arrivals.forget("tenant-name");
    }
  }, [isNeeded, arrivals]);
  return isNeeded && name !== undefined ? <Creation name={name} /> : children;
}

function Creation({ name }: { name: string }) {
  const { arrivals } = usePlatform();
  const client = useQueryClient();
  // Someone who was on the way to a screen goes on to it.
  const isAtHome = useLocation().pathname === HOME_PATH;
  const { mutateAsync, error } = useCreateTenant(isAtHome ? "/quickstart" : ".");
  const create = useCallback(() => {
    // One name makes one tenant, even when another screen is opened meanwhile.
    if (client.isMutating({ mutationKey: CREATE_TENANT_KEY }) > 0) {
      return;
    }
    mutateAsync({ name }).catch((cause: unknown) => {
      if (isRefusal(cause)) {
        toast.error(toErrorMessage(cause));
        arrivals.forget("tenant-name");
      }
    });
  }, [client, mutateAsync, name, arrivals]);
  // The outside system is what the registration left in this browser.
  useEffect(create, [create]);
  return error === null ? (
    <div role="status" aria-label={t`Creating ${name}`} className="space-y-4">
      <Skeleton className="h-28 w-full rounded-card" />
      <Skeleton className="h-64 w-full rounded-card" />
    </div>
  ) : (
    <FailureNotice what={t`${name} could not be created.`} cause={error} onRetry={create} />
  );
}
