import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Skeleton } from "@turnpike/ui/skeleton";
import { usePlatform } from "#platform/platform.tsx";
import { type TenantId, tenantsQueries } from "../tenants.queries.ts";

export type LiveKeysOfProps = {
  tenantId: TenantId;
  userId: string;
  /** "you" or "they". */
  whose: "you" | "they";
};

/** The keys that keep working after their creator has left, because programs may need them. */
export function LiveKeysOf({ tenantId, userId, whose }: LiveKeysOfProps) {
  const { api } = usePlatform();
  const made = useQuery(tenantsQueries.keysOf(api, tenantId, userId));
  if (made.isError) {
    return (
      <p className="mt-2">
        <Trans>
          Keys that {whose} created keep working. The list could not be loaded; the audit log will
          say how many there are.
        </Trans>
      </p>
    );
  }
  if (made.data === undefined) {
    return <Skeleton className="mt-2 h-5 w-full" />;
  }
  const { keys, isComplete } = made.data;
  if (keys.length === 0) {
    return (
      <p className="mt-2">
        <Trans>
          {whose === "you" ? t`You` : t`They`} created none of the{" "}
          {isComplete ? "" : t`newest 100 `}keys that are in use.
        </Trans>
      </p>
    );
  }
  return (
    <div className="mt-2">
      <p>
        <Trans>
          Keys that {whose} created keep working. Revoke those that are no longer needed:
          {!isComplete && t` (among the newest 100)`}
        </Trans>
      </p>
      <ul className="mt-1 max-h-40 list-disc overflow-y-auto pl-5">
        {keys.map((key) => (
          <li key={key.keyId} className="[overflow-wrap:anywhere]">
            <span className="font-medium text-ink">{key.name}</span>{" "}
            <code className="font-mono text-[0.8125rem]">
              {key.start}…{key.lastFour}
            </code>
          </li>
        ))}
      </ul>
    </div>
  );
}
