import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import type { LinkProps } from "@tanstack/react-router";
import { AppLink } from "./app-link.tsx";

/** A page of the console. */
export type PageTarget = NonNullable<LinkProps["to"]>;

export type NotFoundPageProps = {
  /** Where 'Go back home' leads. */
  homeTo?: PageTarget;
};

/** The 404 page. */
export function NotFoundPage({ homeTo = "/" }: NotFoundPageProps) {
  return (
    <main className="grid min-h-dvh place-items-center px-4 py-12">
      <NotFoundMessage homeTo={homeTo} />
    </main>
  );
}

/** What the 404 page says, for a page that has a frame already. */
export function NotFoundMessage({ homeTo }: { homeTo: PageTarget }) {
  return (
    <div className="flex max-w-md flex-col items-center text-center">
      <LostFace />
      <h1 className="mt-6 font-semibold text-2xl tabular-nums tracking-tight">404</h1>
      <h2 className="mt-1 font-medium text-lg">
        <Trans>Page not found</Trans>
      </h2>
      <p className="mt-2 text-ink-muted">
        <Trans>Oops! The page you are looking for doesn’t exist or has been moved.</Trans>
      </p>
      <AppLink
        to={homeTo}
        className="mt-6 inline-flex h-9 items-center rounded-control bg-action px-4 font-medium text-on-action hover:bg-action-hover"
      >
        <Trans>Go back home</Trans>
      </AppLink>
    </div>
  );
}

/** A face that looks for something: one raised brow, eyes to the side. */
function LostFace() {
  return (
    <svg
      viewBox="0 0 96 96"
      className="size-24"
      fill="none"
      role="img"
      aria-label={t`A puzzled face`}
    >
      <circle cx="48" cy="48" r="44" className="fill-accent" />
      <circle cx="48" cy="48" r="44" strokeWidth="3" className="stroke-on-accent" />
      <g className="stroke-on-accent" strokeWidth="4" strokeLinecap="round">
        <path d="M25 33c3-3 8-3 11-1" />
        <path d="M58 27c4-4 10-4 14 0" />
        <path d="M35 68c7-5 18-6 26-1" />
      </g>
      <g className="fill-on-accent">
        <ellipse cx="34" cy="45" rx="4" ry="6" />
        <ellipse cx="66" cy="43" rx="4" ry="6" />
      </g>
    </svg>
  );
}
