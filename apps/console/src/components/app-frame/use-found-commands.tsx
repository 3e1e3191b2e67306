import { t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import Bell from "lucide-react/icons/bell";
import BookOpen from "lucide-react/icons/book-open";
import Bookmark from "lucide-react/icons/bookmark";
import Download from "lucide-react/icons/download";
import Gauge from "lucide-react/icons/gauge";
import KeyRound from "lucide-react/icons/key-round";
import RefreshCw from "lucide-react/icons/refresh-cw";
import { useCurrentTenant } from "#platform/current-tenant.ts";
import { mayInTenant } from "#platform/may-in-tenant.ts";
import { nameMeter } from "#platform/name-meter.ts";
import { usePlatform } from "#platform/platform.tsx";
import { savedViewsQuery } from "#platform/saved-views.ts";
import { catalogQuery } from "#platform/shared-queries.ts";
import { useSettled } from "#platform/use-settled.ts";
import { useVerifiedUser } from "#platform/verified-user.ts";
import type { CommandGroup } from "./command.ts";
import { GUIDES } from "./palette-destinations.ts";

/** Exports that are found by name, the newest. */
const EXPORTS_MAX = 50;
/** Keys that are found by name while nothing is typed, the newest; beyond them the server looks for what is typed. */
const KEYS_MAX = 100;
const FOUND_KEYS_MAX = 20;
/** The server takes no longer text. */
const QUERY_LENGTH_MAX = 100;

/** Keys whose name is met by what is typed, and others: the palette ranks them. What cannot be had is left out. */
function useNamedKeys(isWanted: boolean, query: string) {
  const { api } = usePlatform();
  const current = useCurrentTenant();
  const own = current?.tenantId;
  const tenantId = own as NonNullable<typeof own>;
  const enabled = isWanted && current !== undefined && mayInTenant(current, "keys:read");
  const newest = useQuery({
    queryKey: ["keys", tenantId, "palette"],
    queryFn: ({ signal }) => api.keys.list({ tenantId, limit: KEYS_MAX }, { signal }),
    enabled,
  });
  const q = useSettled(query.trim().slice(0, QUERY_LENGTH_MAX));
  const isMore = typeof newest.data?.nextCursor === "string";
  const older = useQuery({
    queryKey: ["keys", tenantId, "palette", q],
    queryFn: ({ signal }) => api.keys.list({ tenantId, q, limit: FOUND_KEYS_MAX }, { signal }),
    enabled: enabled && isMore && q !== "",
  });
  const all = [...(newest.data?.items ?? []), ...(older.data?.items ?? [])];
  const keys = new Map(all.map((key) => [key.keyId, key]));
  return [...keys.values()].filter(({ state }) => state !== "revoked");
}

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

/**
 * What is found by its name: saved views, keys, meters, alerts, exports and pages of the documentation.
 *
 * @param query - What is typed.
 */
export function useFoundCommands(isOpen: boolean, query: string): CommandGroup[] {
  const { user } = useVerifiedUser();
  const navigate = useNavigate();
  const current = useCurrentTenant();
  const mayWriteKeys = current !== undefined && mayInTenant(current, "keys:write");
  const keys = useNamedKeys(isOpen, query);
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
      value: t`API keys`,
      isFoundOnly: true,
      items: keys.map(({ keyId, name, start, lastFour }) => ({
        id: `key ${keyId}`,
        label: name,
        words: t`api key open details`,
        note: `${start}…${lastFour}`,
        icon: <KeyRound aria-hidden="true" />,
        run: () => void navigate({ to: "/api-keys", search: { key: keyId } }),
      })),
    },
    {
      value: t`Actions on keys`,
      isFoundOnly: true,
      items: keys
        .filter((key) => mayWriteKeys && key.state === "active" && key.rolledToKeyId === null)
        .map(({ keyId, name, start, lastFour }) => ({
          id: `roll ${keyId}`,
          label: t`Roll ${name}`,
          words: t`rotate renew replace api key`,
          note: `${start}…${lastFour}`,
          icon: <RefreshCw aria-hidden="true" />,
          run: () => void navigate({ to: "/api-keys", search: { key: keyId, dialog: "roll" } }),
        })),
    },
    {
      value: t`Meters`,
      isFoundOnly: true,
      items: meters.map(({ meterId, name, eventType }) => ({
        id: `meter ${meterId}`,
        label: nameMeter({ meterId, name }),
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
