import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import type { LegalContent } from "@turnpike/contract/public-pages";
import type { ReactNode } from "react";
import { usePageTitle } from "#components/use-page-title.ts";
import { useReadingPlatform } from "#platform/platform.tsx";
import { trustServerHtml } from "#platform/trusted-html.ts";
import { formatDay, type LegalName, toContents, toLegalHead } from "./legal.view-model.ts";

/** Where a text is shown, or the failure to load it. */
export function LegalColumn({ children }: { children: ReactNode }) {
  return <div className="mx-auto max-w-[70rem] px-4 pt-10 pb-20 sm:px-6 lg:pt-14">{children}</div>;
}

export type LegalTextProps = { name: LegalName; content: LegalContent };

/** One of the operator's texts, once it is there. */
export function LegalText({ name, content }: LegalTextProps) {
  const { config } = useReadingPlatform();
  const contents = toContents(content.headings);
  usePageTitle(toLegalHead(name, config, content).title);
  return (
    <>
      <h1 className="text-balance font-semibold text-2xl tracking-tight">{content.title}</h1>
      <p className="mt-2 text-ink-muted">
        <Trans>Last updated</Trans>{" "}
        <time dateTime={content.updatedOn}>{formatDay(content.updatedOn)}</time>
      </p>
      {content.unset.length > 0 && <UnsetNotice settings={content.unset} />}
      <div className="mt-8 grid gap-x-16 gap-y-8 lg:grid-cols-[minmax(0,44rem)_14rem] lg:justify-between print:block">
        {contents.length > 0 && (
          <nav
            aria-label={t`On this page`}
            className="lg:order-last lg:sticky lg:top-20 lg:self-start print:hidden"
          >
            <h2 className="font-medium text-ink-muted text-xs">
              <Trans>On this page</Trans>
            </h2>
            <ul className="mt-2 border-line border-l">
              {contents.map(({ id, text }) => (
                <li key={id}>
                  <a
                    href={`#${id}`}
                    className="-ml-px block border-transparent border-l py-1 pl-3 text-ink-muted hover:border-ink hover:text-ink touch:py-2.5"
                  >
                    {text}
                  </a>
                </li>
              ))}
            </ul>
          </nav>
        )}
        <article
          className="legal-text min-w-0 max-w-[44rem] print:max-w-none"
          // biome-ignore lint/security/noDangerouslySetInnerHtml: the server rendered it from Markdown and escaped all HTML in it
          dangerouslySetInnerHTML={{ __html: trustServerHtml(content.html) }}
        />
      </div>
    </>
  );
}

/** Marks the default text, so that it is not taken for the operator's own. */
function UnsetNotice({ settings }: { settings: readonly string[] }) {
  return (
    <aside
      aria-label={t`About this text`}
      className="mt-6 max-w-[44rem] rounded-control border border-line border-l-4 border-l-accent bg-surface px-4 py-3 text-ink-muted"
    >
      <Trans>
        This is the default text that comes with the product. It is incomplete until the operator
        sets{" "}
        {settings.map((setting, index) => (
          <span key={setting}>
            {index > 0 && t` and `}
            <code className="font-mono text-[0.8125rem] text-ink">{setting}</code>
          </span>
        ))}{" "}
        in the configuration.
      </Trans>
    </aside>
  );
}
