import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Link } from "@tanstack/react-router";
import { IconButton } from "@turnpike/ui/icon-button";
import { Kbd } from "@turnpike/ui/kbd";
import ChevronRight from "lucide-react/icons/chevron-right";
import MenuIcon from "lucide-react/icons/menu";
import Search from "lucide-react/icons/search";
import { useCurrentTenant } from "#platform/current-tenant.ts";
import { usePlatform } from "#platform/platform.tsx";
import { BrandMark } from "../brand-mark.tsx";
import { EnvironmentSwitch } from "./environment-switch.tsx";
import { NotificationBell } from "./notification-bell.tsx";
import { isOfOperator, type ShownScreen } from "./screens.tsx";
import { toPaletteModifier } from "./use-palette-keys.ts";

export type TopBarProps = {
  /** Undefined where there is no such page. */
  screen: ShownScreen | undefined;
  onOpenNavigation: () => void;
  onOpenPalette: () => void;
};

/** Where one is, which environment the numbers are of, everything by name, and news. */
export function TopBar({ screen, onOpenNavigation, onOpenPalette }: TopBarProps) {
  const { config } = usePlatform();
  return (
    <header className="sticky top-0 z-30 border-line border-b bg-paper/90 backdrop-blur-sm">
      <div className="flex h-14 items-center gap-2 px-2 md:px-6">
        <IconButton
          label={t`Open navigation`}
          className="md:hidden"
          icon={<MenuIcon aria-hidden="true" />}
          onClick={onOpenNavigation}
        />
        <Link
          to="/overview"
          aria-label={t`${config.brand.name}, overview`}
          className="shrink-0 rounded-control max-sm:hidden"
        >
          <BrandMark className="size-7" />
        </Link>
        <Breadcrumb screen={screen} />
        <EnvironmentSwitch />
        <button
          type="button"
          onClick={onOpenPalette}
          aria-keyshortcuts="Control+K Meta+K"
          className="flex h-9 shrink-0 cursor-pointer items-center justify-center gap-2 rounded-control border-line-control text-ink-muted hover:bg-hover hover:text-ink max-lg:w-9 lg:w-56 lg:border lg:bg-surface lg:px-2.5 touch:min-h-11 touch:min-w-11"
        >
          <Search className="size-4 shrink-0" aria-hidden="true" />
          <span className="grow text-left whitespace-nowrap max-lg:sr-only">
            <Trans>Search or go to…</Trans>
          </span>
          <span className="max-lg:hidden touch:hidden">
            <Kbd keys={[toPaletteModifier(navigator.userAgent), "K"]} />
          </span>
        </button>
        <NotificationBell />
      </div>
    </header>
  );
}

function Breadcrumb({ screen }: { screen: ShownScreen | undefined }) {
  const tenant = useCurrentTenant();
  return (
    <nav aria-label={t`Breadcrumb`} className="min-w-0 grow">
      <ol className="flex min-w-0 items-center gap-1.5">
        {/* A long name of a tenant gives way to that of the screen, which is never cut for it. */}
        {isOfOperator(screen) && (
          <li className="flex items-center gap-1.5 text-ink-muted max-md:hidden">
            <Trans>Operator</Trans>
            <ChevronRight className="size-3.5 shrink-0 text-ink-faint" aria-hidden="true" />
          </li>
        )}
        {tenant !== undefined && !isOfOperator(screen) && (
          <li className="flex min-w-0 max-w-80 items-center gap-1.5 max-md:hidden">
            <Link
              to="/overview"
              title={tenant.name}
              className="min-w-8 truncate rounded-sm text-ink-muted hover:text-ink hover:underline"
            >
              {tenant.name}
            </Link>
            <ChevronRight className="size-3.5 shrink-0 text-ink-faint" aria-hidden="true" />
          </li>
        )}
        <li className="min-w-0 truncate font-semibold md:shrink-0" aria-current="page">
          {screen?.label ?? t`Page not found`}
        </li>
      </ol>
    </nav>
  );
}
