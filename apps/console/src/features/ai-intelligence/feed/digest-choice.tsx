import { t } from "@lingui/core/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { Menu, MenuRadioGroup } from "@turnpike/ui/menu";
import Mail from "lucide-react/icons/mail";
import { readOwnTimeZone } from "#platform/chart-formats.ts";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { toErrorMessage } from "#platform/error-message.ts";
import { usePlatform } from "#platform/platform.tsx";
import { toast } from "#platform/toast.ts";
import { DIGESTS_KEY, type DigestFrequency, digestsQuery } from "./digests.queries.ts";

const LABELS: Readonly<Record<DigestFrequency, string>> = {
  off: t`Off`,
  daily: t`Daily, at 8:00`,
  weekly: t`Weekly, Monday at 8:00`,
};
const CHOICES = (["off", "daily", "weekly"] as const).map((value) => ({
  value,
  label: LABELS[value],
}));

/** How often the reader is mailed what changed in this tenant. Visitors are not members, and get none. */
export function DigestChoice({ tenant }: { tenant: OwnTenant }) {
  const { api, config } = usePlatform();
  const client = useQueryClient();
  const { tenantId } = tenant;
  const digests = useQuery({ ...digestsQuery(api), enabled: tenant.isVisited !== true });
  const choose = useMutation({
    mutationKey: ["insight-digests", "update"],
    mutationFn: (frequency: DigestFrequency) =>
      api.insightDigests.update({ tenantId, frequency, timeZone: readOwnTimeZone() }),
    onSuccess: ({ frequency, timeZone }) =>
      toast.success(
        frequency === "off"
          ? t`No digest will be sent.`
          : t`${LABELS[frequency]} in ${timeZone}, when there is news.`,
      ),
    onError: (error) => void toast.error(toErrorMessage(error)),
    onSettled: () => client.invalidateQueries({ queryKey: DIGESTS_KEY }),
  });
  if (tenant.isVisited === true || digests.data === undefined || !digests.data.sendsMail) {
    return null;
  }
  const { items, email } = digests.data;
  const current = items.find((digest) => digest.tenantId === tenantId)?.frequency ?? "off";
  return (
    <Menu
      className="w-64"
      trigger={
        <Button look="quiet">
          <Mail className="size-3.5" aria-hidden="true" />
          {current === "off" ? t`Digest by mail` : t`Digest: ${current}`}
        </Button>
      }
    >
      <MenuRadioGroup
        label={t`Digest by mail`}
        choices={CHOICES}
        value={current}
        onValueChange={(frequency) => choose.mutate(frequency)}
      />
      <p className="px-2 pt-1 pb-2 text-ink-muted text-xs [overflow-wrap:anywhere]">
        {email === null
          ? t`${config.brand.name} has no verified address of yours yet, so none can be sent.`
          : t`To ${email}, in your time zone; only when something is new or has ended.`}
      </p>
    </Menu>
  );
}
