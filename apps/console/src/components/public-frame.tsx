import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { ButtonLink } from "@turnpike/ui/button-link";
import { joinClasses } from "@turnpike/ui/join-classes";
import { type ReactNode, useSyncExternalStore } from "react";
import { chooseLanguage, OTHER_LANGUAGES } from "#platform/language-choice.ts";
import { docsHref } from "#platform/open-reference.ts";
import { useReadingPlatform } from "#platform/platform.tsx";
import { BrandMark } from "./brand-mark.tsx";
import { SiteLink } from "./site-link.tsx";

const QUIET_LINK =
  "inline-flex items-center rounded-control px-2.5 font-medium text-ink-muted hover:text-ink h-9 touch:min-h-11";

/** True once a person is known to be signed in: never in the first render, which the server made for everyone. */
export function useIsSignedIn(): boolean {
  const { session } = useReadingPlatform();
  return useSyncExternalStore(
    session.subscribe,
    () => session.getState().user !== undefined,
    () => false,
  );
}

/** Brand and name, as a link to the first page. */
export function BrandLink() {
  const { config } = useReadingPlatform();
  return (
    <SiteLink
      to="/"
      className="inline-flex min-w-0 items-center gap-2.5 rounded-control font-semibold text-base tracking-tight"
    >
      <BrandMark className="size-7 shrink-0" />
      <span className="truncate">{config.brand.name}</span>
    </SiteLink>
  );
}

/** What surrounds a public page: brand and ways in above, the small print below. */
export function PublicFrame({ children }: { children: ReactNode }) {
  const { config } = useReadingPlatform();
  const isSignedIn = useIsSignedIn();
  return (
    <div className="flex min-h-dvh flex-col">
      <a
        href="#content"
        className="sr-only z-10 rounded-control bg-surface px-3 py-2 font-medium focus:not-sr-only focus:absolute focus:top-3 focus:left-3"
      >
        <Trans>Skip to content</Trans>
      </a>
      <header className="sticky top-0 z-10 border-line border-b bg-paper/90 backdrop-blur-sm print:static print:bg-transparent">
        <div className="mx-auto flex h-14 max-w-[70rem] items-center justify-between gap-3 px-4 sm:px-6">
          <BrandLink />
          <nav aria-label={t`Site`} className="flex items-center gap-1 print:hidden">
            <SiteLink to="/" hash="plans" className={joinClasses(QUIET_LINK, "max-sm:hidden")}>
              <Trans>Plans</Trans>
            </SiteLink>
            <a href={docsHref(config)} className={joinClasses(QUIET_LINK, "max-sm:hidden")}>
              <Trans>Docs</Trans>
            </a>
            {isSignedIn ? (
              <ButtonLink look="primary" link={<SiteLink to="/overview" />}>
                <Trans>Open the console</Trans>
              </ButtonLink>
            ) : (
              <>
                <SiteLink to="/login" className={QUIET_LINK}>
                  <Trans>Sign in</Trans>
                </SiteLink>
                <ButtonLink look="primary" link={<SiteLink to="/register" />}>
                  <Trans>Get a key</Trans>
                </ButtonLink>
              </>
            )}
          </nav>
        </div>
      </header>
      <main id="content" tabIndex={-1} className="grow outline-none">
        {children}
      </main>
      <PublicFooter />
    </div>
  );
}

/** The small print. */
export function PublicFooter() {
  const { config } = useReadingPlatform();
  return (
    <footer className="border-line border-t print:hidden">
      <div className="mx-auto flex max-w-[70rem] flex-wrap items-center justify-between gap-x-6 gap-y-1 px-4 py-5 text-ink-muted text-xs sm:px-6">
        <p>{config.brand.name}</p>
        <nav aria-label={t`Small print`}>
          <ul className="-mx-2 flex flex-wrap">
            <FooterItem>
              <a href={docsHref(config)}>
                <Trans>Documentation</Trans>
              </a>
            </FooterItem>
            {config.reference === null && (
              <FooterItem>
                <a href="/v1/reference">
                  <Trans>API reference</Trans>
                </a>
              </FooterItem>
            )}
            <FooterItem>
              <SiteLink to="/terms">
                <Trans>Terms</Trans>
              </SiteLink>
            </FooterItem>
            <FooterItem>
              <SiteLink to="/privacy">
                <Trans>Privacy</Trans>
              </SiteLink>
            </FooterItem>
            {OTHER_LANGUAGES.map(({ tag, name }) => (
              <FooterItem key={tag}>
                <button type="button" lang={tag} onClick={() => chooseLanguage(tag, window)}>
                  {name}
                </button>
              </FooterItem>
            ))}
          </ul>
        </nav>
      </div>
    </footer>
  );
}

function FooterItem({ children }: { children: ReactNode }) {
  return (
    <li className="*:inline-flex *:min-h-8 *:cursor-pointer *:items-center *:rounded-control *:px-2 *:touch:min-h-11 hover:*:text-ink hover:*:underline">
      {children}
    </li>
  );
}
