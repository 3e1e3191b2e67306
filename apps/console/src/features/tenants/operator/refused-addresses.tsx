import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { Card } from "@turnpike/ui/card";
import { RelativeTime } from "@turnpike/ui/relative-time";
import { toErrorMessage } from "#platform/error-message.ts";
import { usePlatform } from "#platform/platform.tsx";
import { toast } from "#platform/toast.ts";
import { operatorQueries } from "../tenants.queries.ts";

/** Addresses that get no more mail, and why; nothing while there are none. */
export function RefusedAddresses() {
  const { api } = usePlatform();
  const client = useQueryClient();
  const addresses = useQuery(operatorQueries.refusedAddresses(api));
  const lift = useMutation({
    mutationKey: ["outbox", "lift"],
    mutationFn: (address: string) => api.outbox.liftRefusal({ address }),
    onSuccess: async () => {
      toast.success(t`Mails to the address are sent again.`);
      await client.invalidateQueries({ queryKey: ["outbox"] });
    },
    onError: (error) => void toast.error(toErrorMessage(error)),
  });
  if (addresses.data === undefined || addresses.data.length === 0) {
    return null;
  }
  return (
    <Card
      title={t`Addresses that refuse mail`}
      description={t`They refused a mail for good, so further ones are held. Mails that their owners ask for, as to reset a password, are still sent.`}
    >
      <ul className="divide-y divide-line border-line border-y">
        {addresses.data.map(({ address, explanation, answer, refusedAt }) => (
          <li key={address} className="flex flex-wrap items-center justify-between gap-3 py-2">
            <div className="min-w-0">
              <p className="font-medium [overflow-wrap:anywhere]">{address}</p>
              <p className="text-ink-muted" title={answer}>
                {explanation} <RelativeTime at={refusedAt} />
              </p>
            </div>
            <Button
              aria-label={t`Send mails again to ${address}`}
              progress={lift.isPending && lift.variables === address ? t`Lifting…` : undefined}
              onClick={() => lift.mutate(address)}
            >
              <Trans>Send mails again</Trans>
            </Button>
          </li>
        ))}
      </ul>
    </Card>
  );
}
