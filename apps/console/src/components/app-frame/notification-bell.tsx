import { t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import { Popover } from "@turnpike/ui/popover";
import Bell from "lucide-react/icons/bell";
import { useState } from "react";
import { useCurrentTenant } from "#platform/current-tenant.ts";
import { usePlatform } from "#platform/platform.tsx";
import { useVerifiedUser } from "#platform/verified-user.ts";
import { NotificationList } from "./notification-list.tsx";
import { type Reader, UNREAD_COUNTED_MAX, unreadQuery } from "./notifications.queries.ts";

/**
 * News of the current tenant. An operator who visits sees what is for all of its members, and reads it for themselves alone: it stays
 * unread for the members. Without a tenant there is no bell.
 */
export function NotificationBell() {
  const tenant = useCurrentTenant();
  const { user } = useVerifiedUser();
  return tenant === undefined ? null : (
    <Bellpush key={tenant.tenantId} reader={{ tenantId: tenant.tenantId, userId: user.userId }} />
  );
}

function Bellpush({ reader }: { reader: Reader }) {
  const { api } = usePlatform();
  const [isOpen, setIsOpen] = useState(false);
  const unread = useQuery(unreadQuery(api, reader)).data?.items.length ?? 0;
  const count = unread > UNREAD_COUNTED_MAX ? `${UNREAD_COUNTED_MAX}+` : `${unread}`;
  return (
    <Popover
      title={t`Notifications`}
      isTitleHidden
      isOpen={isOpen}
      onOpenChange={setIsOpen}
      className="w-96"
      trigger={
        <button
          type="button"
          aria-label={unread === 0 ? t`Notifications` : t`Notifications, ${count} unread`}
          className="relative grid size-9 shrink-0 cursor-pointer place-items-center rounded-control text-ink-muted hover:bg-hover hover:text-ink touch:size-11"
        >
          <Bell className="size-4" aria-hidden="true" />
          {unread > 0 && (
            <span
              aria-hidden="true"
              className="absolute top-0.5 right-0 grid h-4 min-w-4 place-items-center rounded-full bg-accent px-1 font-semibold text-[0.625rem] text-on-accent leading-none tabular-nums"
            >
              {count}
            </span>
          )}
        </button>
      }
    >
      <NotificationList reader={reader} onFollow={() => setIsOpen(false)} />
    </Popover>
  );
}
