import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useLocation } from "@tanstack/react-router";
import { useSyncExternalStore } from "react";
import { usePlatform } from "#platform/platform.tsx";
import { Notice } from "./notice.tsx";

const noSubscription = () => () => undefined;

/** Warns, before anything is typed, that signing in works only at the public address when this page is at another one. */
export function AddressNotice() {
  const { config, arrivals } = usePlatform();
  const { pathname } = useLocation();
  // The server renders this page without knowing the address that it will be opened at.
  const origin = useSyncExternalStore(
    noSubscription,
    () => window.location.origin,
    () => undefined,
  );
  const right = new URL(config.urls.console).origin;
  if (origin === undefined || origin === right) {
    return null;
  }
  const href = toSamePage(right, pathname, {
    invitation: arrivals.get("invitation"),
    setup: arrivals.get("setup"),
  });
  return (
    <Notice tone="danger" title={t`You cannot sign in at this address`}>
      <Trans>
        Accounts work only at{" "}
        <a href={href} className="font-medium text-ink underline underline-offset-3">
          {right}
        </a>
        . Open this page there.
      </Trans>
    </Notice>
  );
}

/** The same page at the public address. It carries along what a link brought, because only this address has stored it. */
function toSamePage(
  origin: string,
  pathname: string,
  brought: { invitation: string | undefined; setup: string | undefined },
): string {
  const url = new URL(pathname, origin);
  const fragment = new URLSearchParams();
  for (const kind of ["invitation", "setup"] as const) {
    const secret = brought[kind];
    if (secret !== undefined) {
      fragment.set(kind, secret);
    }
  }
  url.hash = fragment.toString();
  return url.href;
}
