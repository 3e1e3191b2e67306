import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { TenantNews } from "@turnpike/contract/documents";
import { useEffect } from "react";
import { useCurrentTenant } from "#platform/current-tenant.ts";
import { toErrorMessage } from "#platform/error-message.ts";
import { openNews } from "#platform/news/open-news.ts";
import { usePlatform } from "#platform/platform.tsx";
import {
  findHome,
  type Preferences,
  type PreferencesOwner,
  preferencesQuery,
  saveTheme,
} from "#platform/preferences.ts";
import type { ThemeChoice } from "#platform/theme.ts";
import { toast } from "#platform/toast.ts";
import { useVerifiedUser } from "#platform/verified-user.ts";
import { NOTIFICATIONS_KEY } from "./notifications.queries.ts";

type TenantId = PreferencesOwner["tenantId"];

/** Keeps what is on the screen as it is on the server: preferences, progress, saved views and notifications. */
export function LiveDocuments() {
  const { user, tenants } = useVerifiedUser();
  const { userId } = user;
  const current = useCurrentTenant()?.tenantId;
  const home = findHome(tenants);
  return (
    <>
      {current !== undefined && <News key={`news ${current}`} tenantId={current} userId={userId} />}
      {home !== undefined && home !== current && (
        <News key={`news ${home}`} tenantId={home} userId={userId} />
      )}
      {home !== undefined && <ThemeOfPerson key={home} owner={{ tenantId: home, userId }} />}
    </>
  );
}

function keysOf(tenantId: TenantId, news: TenantNews): readonly (readonly unknown[])[] {
  const hasDocuments = news.isAnything || news.collections.length > 0;
  return [
    ...(hasDocuments
      ? [
          ["documents", tenantId],
          ["saved-views", tenantId],
        ]
      : []),
    ...(news.notifications ? [[NOTIFICATIONS_KEY, tenantId]] : []),
  ];
}

function News({ tenantId, userId }: PreferencesOwner) {
  const platform = usePlatform();
  const client = useQueryClient();
  // The outside system is the server's stream.
  useEffect(
    () =>
      openNews(platform, { tenantId, userId }, (news) => {
        for (const queryKey of keysOf(tenantId, news)) {
          void client.invalidateQueries({ queryKey });
        }
      }),
    [platform, client, tenantId, userId],
  );
  return null;
}

/** The theme is the person's on every machine; what waits here for the network is newer than what the server has. */
function ThemeOfPerson({ owner }: { owner: PreferencesOwner }) {
  const platform = usePlatform();
  const client = useQueryClient();
  const { tenantId, userId } = owner;
  const { data } = useQuery(preferencesQuery(platform.api, { tenantId, userId }));
  useEffect(() => {
    const stored = data?.body?.["theme"];
    if (stored === undefined) {
      return;
    }
    let isGone = false;
    const adopt = async () => {
      const documents = await platform.documents();
      if ((await documents.count(userId)) === 0 && !isGone) {
        platform.theme.adopt(stored);
      }
    };
    adopt().catch(() => undefined);
    return () => {
      isGone = true;
    };
  }, [data, platform, userId]);
  useEffect(() => {
    // One write at a time: each begins with what the one before has stored.
    let saving = Promise.resolve();
    const { queryKey } = preferencesQuery(platform.api, { tenantId, userId });
    const save = async (theme: ThemeChoice) => {
      // An answer that is under way is older than the choice.
      await client.cancelQueries({ queryKey });
      const known = client.getQueryData<Preferences>(queryKey);
      await saveTheme(await platform.documents(), { tenantId, userId }, { known, theme });
      await client.invalidateQueries({ queryKey });
    };
    return platform.theme.onChosen((theme) => {
      saving = saving
        .then(() => save(theme))
        .catch((error: unknown) => void toast.error(toErrorMessage(error)));
    });
  }, [platform, client, tenantId, userId]);
  return null;
}
