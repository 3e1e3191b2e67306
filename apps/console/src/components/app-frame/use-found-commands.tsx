import { t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import Bell from "lucide-react/icons/bell";
import BookOpen from "lucide-react/icons/book-open";
import Bookmark from "lucide-react/icons/bookmark";
import Download from "lucide-react/icons/download";
import Gauge from "lucide-react/icons/gauge";
import { useCurrentTenant } from "#platform/current-tenant.ts";
import { usePlatform } from "#platform/platform.tsx";
import { savedViewsQuery } from "#platform/saved-views.ts";
import { catalogQuery } from "#platform/shared-queries.ts";
import { useVerifiedUser } from "#platform/verified-user.ts";
import type { CommandGroup } from "./command.ts";
import { GUIDES } from "./palette-destinations.ts";

/** Exports that are found by name, the newest. */
const EXPORTS_MAX = 50;

/** What this tenant has with a name: asked for while the palette is open. What cannot be had is left out. */
function useNamedThings(isWanted: boolean) {
  const { api } = usePlatform();
  const { user } = useVerifiedUser();
  const current = useCurrentTenant()?.tenantId;
  const tenantId = current as NonNullable<typeof current>;
  const enabled = isWanted && current !== undefined;
  const views = useQuery({
    ...savedViewsQuery(api, { tenantId, userId: user.userId }),
    enabled,
  });
  const catalog = useQuery({ ...catalogQuery(api), enabled: isWanted });
  const alerts = useQuery({
    queryKey: ["alerts", tenantId, "names"],
    queryFn: async ({ signal }) => (await api.alerts.list({ tenantId }, { signal })).items,
    enabled,
  });
  const exports = useQuery({
    queryKey: ["exports", tenantId, "names"],
    queryFn: async ({ signal }) =>
      (await api.exports.list({ tenantId, limit: EXPORTS_MAX }, { signal })).items,
    enabled,
  });
  return {
    views: views.data?.views ?? [],
    meters: catalog.data?.meters ?? [],
    alerts: alerts.data ?? [],
    exports: exports.data ?? [],
  };
}

/** What is found by its name: saved views, meters, alerts, exports and pages of the documentation. */
export function useFoundCommands(isOpen: boolean): CommandGroup[] {
  const { user } = useVerifiedUser();
  const navigate = useNavigate();
  const { views, meters, alerts, exports } = useNamedThings(isOpen);
  return [
    {
      value: t`Saved views`,
      items: views.map(({ viewId, name, isShared }) => ({
        id: `view ${viewId}`,
        label: name,
        words: t`saved view analytics open`,
        note: isShared ? t`Shared view` : t`My view`,
        icon: <Bookmark aria-hidden="true" />,
        run: () => void navigate({ to: "/analytics", search: { view: viewId } }),
      })),
    },
    {
      value: t`Meters`,
      isFoundOnly: true,
      items: meters.map(({ meterId, name, eventType }) => ({
        id: `meter ${meterId}`,
        label: name,
        words: t`${meterId} ${eventType ?? ""} meter`,
        note: t`Meter`,
        icon: <Gauge aria-hidden="true" />,
        run: () =>
          void (user.isOperator
            ? navigate({ to: "/plans", search: { tab: "meters", meter: meterId } })
            : navigate({ to: "/analytics", search: { meter: meterId } })),
      })),
    },
    {
      value: t`Alerts`,
      isFoundOnly: true,
      items: alerts.map(({ alertId, name }) => ({
        id: `alert ${alertId}`,
        label: name,
        words: t`alert history`,
        note: t`Alert`,
        icon: <Bell aria-hidden="true" />,
        run: () => void navigate({ to: "/analytics", search: { tab: "alerts", alert: alertId } }),
      })),
    },
    {
      value: t`Exports`,
      isFoundOnly: true,
      items: exports.map(({ exportId, name, format }) => ({
        id: `export ${exportId}`,
        label: name,
        words: t`export download ${format}`,
        note: t`${format.toUpperCase()} export`,
        icon: <Download aria-hidden="true" />,
        run: () => void navigate({ to: "/analytics", search: { tab: "exports" } }),
      })),
    },
    {
      value: t`Guides`,
      isFoundOnly: true,
      items: GUIDES.filter((one) => user.isOperator || one.isForOperators !== true).map(
        ({ path, label, words }) => ({
          id: path,
          label,
          words: t`${words ?? ""} documentation help`,
          note: t`Guide`,
          icon: <BookOpen aria-hidden="true" />,
          run: () => window.location.assign(path),
        }),
      ),
    },
  ];
}
