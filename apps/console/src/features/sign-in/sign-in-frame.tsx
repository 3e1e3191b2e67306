import { Trans } from "@lingui/react/macro";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { BrandLink, PublicFooter } from "#components/public-frame.tsx";

export type SignInFrameProps = {
  title: string;
  /** One line that explains the page. */
  purpose?: ReactNode;
  children: ReactNode;
  /** Below the card: the link to the other page. */
  aside?: ReactNode;
};

/** One card in the middle of the page. */
export function SignInFrame({ title, purpose, children, aside }: SignInFrameProps) {
  return (
    <div className="flex min-h-dvh flex-col">
      <header className="mx-auto flex h-14 w-full max-w-[70rem] items-center px-4 sm:px-6">
        <BrandLink />
      </header>
      <main className="grid grow content-center justify-items-center px-4 py-8 sm:pb-20">
        <div className="w-full max-w-[25rem]">
          <section
            aria-labelledby="sign-in-title"
            className="rounded-card border border-line bg-surface p-5 sm:p-7"
          >
            <h1 id="sign-in-title" className="font-semibold text-lg tracking-tight">
              {title}
            </h1>
            {purpose !== undefined && <p className="mt-1 text-ink-muted">{purpose}</p>}
            <div className="mt-5 flex flex-col gap-4">{children}</div>
          </section>
          {aside !== undefined && (
            <p className="mt-4 text-center text-ink-muted [&_a]:font-medium [&_a]:text-ink [&_a]:underline [&_a]:decoration-line-control [&_a]:underline-offset-3 hover:[&_a]:decoration-current">
              {aside}
            </p>
          )}
        </div>
      </main>
      <PublicFooter />
    </div>
  );
}

/** Shown without scripts: the form above cannot work without them. */
export function NoScriptNotice() {
  return (
    <noscript>
      <p className="rounded-control border border-line bg-sunken px-3 py-2.5 text-ink-muted">
        <Trans>
          Signing in needs JavaScript, because this page exchanges your password for a short-lived
          token. The API and its documentation work without it.
        </Trans>
      </p>
    </noscript>
  );
}

/** What a person agrees to by registering. */
export function TermsNote() {
  return (
    <p className="text-ink-muted text-xs [&_a]:underline [&_a]:decoration-line-control [&_a]:underline-offset-2 hover:[&_a]:text-ink">
      <Trans>
        By creating an account you agree to the <Link to="/terms">terms</Link> and have read the{" "}
        <Link to="/privacy">privacy notice</Link>.
      </Trans>
    </p>
  );
}
