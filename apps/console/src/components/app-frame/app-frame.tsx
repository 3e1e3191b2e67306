import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useRouterState } from "@tanstack/react-router";
import { Sheet } from "@turnpike/ui/sheet";
import { TooltipGroup } from "@turnpike/ui/tooltip";
import {
  createContext,
  lazy,
  type MouseEvent,
  type ReactNode,
  Suspense,
  use,
  useState,
} from "react";
import { useCurrentTenant } from "#platform/current-tenant.ts";
import { useAuth, usePlatform } from "#platform/platform.tsx";
import { LateCreateTenantDialog } from "../late-create-tenant-dialog.tsx";
import { useLatePart } from "../use-late-part.ts";
import { usePageTitle } from "../use-page-title.ts";
import { ForeignTenantNotice } from "./foreign-tenant-notice.tsx";
import { findScreen, isOfOperator } from "./screens.tsx";
import { Sidebar } from "./sidebar.tsx";
import { useSidebarChoice } from "./sidebar-choice.ts";
import { TopBar } from "./top-bar.tsx";
import { useHeadingFocus } from "./use-heading-focus.ts";
import { usePaletteKeys } from "./use-palette-keys.ts";
import { VisitStrip } from "./visit-strip.tsx";

/** Not needed for the first look at a screen. */
const WaitingEditsStrip = lazy(async () => ({
  default: (await import("./waiting-edits-strip.tsx")).WaitingEditsStrip,
}));
const LiveDocuments = lazy(async () => ({
  default: (await import("./live-documents.tsx")).LiveDocuments,
}));

/** Only people of Firebase have an address to confirm. */
const UnconfirmedStrip = lazy(async () => ({
  default: (await import("./unconfirmed-strip.tsx")).UnconfirmedStrip,
}));

/** Few tenants are suspended. */
const SuspensionStrip = lazy(async () => ({
  default: (await import("./suspension-strip.tsx")).SuspensionStrip,
}));

/** True below the frame. */
const InsideFrame = createContext(false);

/**
 * The frame of every signed-in screen: navigation on the left, the top bar, and the screen as
 * `main`. A frame inside a frame adds nothing, so that the not-found page works inside the layout and without it.
 */
export function AppFrame({ children }: { children: ReactNode }) {
  return use(InsideFrame) ? (
    children
  ) : (
    <InsideFrame value={true}>
      <TooltipGroup>
        <Frame>{children}</Frame>
      </TooltipGroup>
    </InsideFrame>
  );
}

function Frame({ children }: { children: ReactNode }) {
  const { config } = usePlatform();
  const { user } = useAuth();
  const tenant = useCurrentTenant();
  const screen = findScreen(useRouterState({ select: (state) => state.location.pathname }));
  const sidebar = useSidebarChoice();
  const [isSheetOpen, setIsSheetOpen] = useState(false);
  const [isPaletteOpen, setIsPaletteOpen] = useState(false);
  const [isCreatingTenant, setIsCreatingTenant] = useState(false);
  const palette = useLatePart(
    "command-palette",
    () => import("./command-palette.tsx"),
    isPaletteOpen,
  );

  usePageTitle(
    [
      screen?.label ?? t`Page not found`,
      isOfOperator(screen) ? t`Operator` : tenant?.name,
      config.brand.name,
    ]
      .filter((part) => part !== undefined)
      .join(" · "),
  );
  useHeadingFocus();
  usePaletteKeys(() => setIsPaletteOpen((isOpen) => !isOpen));

  function createTenant(): void {
    setIsSheetOpen(false);
    setIsCreatingTenant(true);
  }

  return (
    <div className="flex min-h-dvh">
      {/* biome-ignore lint/a11y/useValidAnchor: it leads to a place on this page, as people who use it expect of a link */}
      <a
        href="#content"
        onClick={skipToContent}
        className="sr-only z-40 rounded-control bg-surface px-3 py-2 font-medium focus:not-sr-only focus:fixed focus:top-3 focus:left-3"
      >
        <Trans>Skip to content</Trans>
      </a>
      <aside
        data-folded={sidebar.isFolded || undefined}
        className="sticky top-0 h-dvh w-60 shrink-0 border-line border-r bg-sunken transition-[width] duration-180 ease-out data-folded:w-15 max-md:hidden"
      >
        <Sidebar
          isFolded={sidebar.isFolded}
          onToggleFold={sidebar.toggle}
          onCreateTenant={createTenant}
        />
      </aside>
      <Sheet
        isOpen={isSheetOpen}
        onClose={() => setIsSheetOpen(false)}
        title={t`Navigation`}
        side="left"
        isTitleHidden
      >
        <Sidebar
          isFolded={false}
          onNavigate={() => setIsSheetOpen(false)}
          onCreateTenant={createTenant}
        />
      </Sheet>
      <div className="flex min-w-0 grow flex-col">
        <TopBar
          screen={screen}
          onOpenNavigation={() => setIsSheetOpen(true)}
          onOpenPalette={() => setIsPaletteOpen(true)}
        />
        <ForeignTenantNotice />
        <VisitStrip />
        {user?.providerId === "firebase" && !user.emailVerified && (
          <Suspense>
            <UnconfirmedStrip user={user} />
          </Suspense>
        )}
        {tenant !== undefined && tenant.suspendedAt !== null && !isOfOperator(screen) && (
          <Suspense>
            <SuspensionStrip tenant={tenant} />
          </Suspense>
        )}
        <Suspense>
          <WaitingEditsStrip />
          <LiveDocuments />
        </Suspense>
        <main id="content" tabIndex={-1} className="min-w-0 grow outline-none">
          {children}
        </main>
      </div>
      {palette !== undefined && (
        <palette.CommandPalette isOpen={isPaletteOpen} onClose={() => setIsPaletteOpen(false)} />
      )}
      <LateCreateTenantDialog
        isOpen={isCreatingTenant}
        onClose={() => setIsCreatingTenant(false)}
      />
    </div>
  );
}

/** The address stays as it is: a fragment would be shared with it and would scroll the page for everyone who opens it. */
function skipToContent(event: MouseEvent<HTMLAnchorElement>): void {
  event.preventDefault();
  document.getElementById("content")?.focus();
}
