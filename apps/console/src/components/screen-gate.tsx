import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useLocation } from "@tanstack/react-router";
import { EmptyState } from "@turnpike/ui/empty-state";
import Lock from "lucide-react/icons/lock";
import type { ReactNode } from "react";
import { useCurrentTenant } from "#platform/current-tenant.ts";
import { nameRole } from "#platform/may-in-tenant.ts";
import { useVerifiedUser } from "#platform/verified-user.ts";
import { findScreen, maySeeScreen } from "./app-frame/screens.tsx";
import { Page } from "./page.tsx";

/** Shows a screen to those whose role in the current tenant includes it, and says to others why not. */
export function ScreenGate({ children }: { children: ReactNode }) {
  const tenant = useCurrentTenant();
  const { user } = useVerifiedUser();
  const { pathname } = useLocation();
  const screen = findScreen(pathname);
  if (
    tenant === undefined ||
    screen === undefined ||
    maySeeScreen(screen.to, tenant, user.isOperator)
  ) {
    return children;
  }
  return (
    <Page
      title={screen.label}
      purpose={t`What your role in ${tenant.name} includes decides what you see.`}
    >
      <EmptyState icon={<Lock />} title={t`Your role does not include this screen`}>
        <Trans>
          Your role in {tenant.name} is {nameRole(tenant)}. Ask an owner or an admin if you need it.
        </Trans>
      </EmptyState>
    </Page>
  );
}
