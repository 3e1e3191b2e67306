import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import type { LandingContent } from "@turnpike/contract/public-pages";
import { ButtonLink } from "@turnpike/ui/button-link";
import type { ReactNode } from "react";
import { toCodeSamples, toGet } from "#components/code-samples.view-model.ts";
import { useIsSignedIn } from "#components/public-frame.tsx";
import { SiteLink } from "#components/site-link.tsx";
import { usePageTitle } from "#components/use-page-title.ts";
import { docsHref } from "#platform/open-reference.ts";
import { useReadingPlatform } from "#platform/platform.tsx";
import { CodeSamples } from "./code-samples.tsx";
import { toLandingCopy, toLandingHead } from "./landing-copy.view-model.ts";
import { PlanList } from "./plan-list.tsx";
import { PriceCalculatorSlot } from "./price-calculator-slot.tsx";
import { StepList } from "./step-list.tsx";

/** What the landing page says, once its content is there. */
export function Landing({ content }: { content: LandingContent }) {
  const { config } = useReadingPlatform();
  const isSignedIn = useIsSignedIn();
  const copy = toLandingCopy(config, content);
  usePageTitle(toLandingHead(config, content).title);
  return (
    <>
      <section className="mx-auto grid max-w-[70rem] items-center gap-x-12 gap-y-8 px-4 pt-12 pb-16 sm:px-6 lg:grid-cols-[minmax(0,1fr)_minmax(0,34rem)] lg:pt-20 lg:pb-24">
        <div>
          <h1 className="max-w-[20ch] text-balance font-semibold text-2xl tracking-tight sm:text-[2.5rem] sm:leading-[1.12]">
            {copy.headline}
          </h1>
          <p className="mt-4 max-w-[52ch] text-base text-ink-muted">{copy.summary}</p>
          <div className="mt-6 flex flex-wrap gap-2">
            {isSignedIn ? (
              <ButtonLink look="primary" link={<SiteLink to="/overview" />}>
                <Trans>Open the console</Trans>
              </ButtonLink>
            ) : (
              <ButtonLink look="primary" link={<SiteLink to="/register" />}>
                <Trans>Create an account</Trans>
              </ButtonLink>
            )}
            <ButtonLink link={<a href={docsHref(config)} aria-label={t`Read the docs`} />}>
              <Trans>Read the docs</Trans>
            </ButtonLink>
          </div>
          {content.isDemo && (
            <p className="mt-8 max-w-[52ch] border-accent border-l-2 pl-3 text-ink-muted text-xs">
              <Trans>
                This installation serves a demo API with made-up cities and parcels until its
                operator connects an API of their own. The samples call it.
              </Trans>
            </p>
          )}
        </div>
        <CodeSamples samples={toCodeSamples(config.urls.gateway, toGet(content.samplePath))} />
      </section>
      <Section id="how" title={t`Three steps to your first response`}>
        <StepList />
      </Section>
      {content.plans.length > 0 && (
        <Section
          id="plans"
          title={t`Plans`}
          purpose={t`Every limit is listed, and enforced exactly as listed. These are the plans on sale today.`}
        >
          <PlanList plans={content.plans} meters={content.meters} />
          <PriceCalculatorSlot plans={content.plans} meters={content.meters} />
        </Section>
      )}
      <Section id="questions" title={t`Questions and answers`}>
        <dl className="grid gap-x-12 gap-y-7 sm:grid-cols-2">
          {copy.questions.map(({ question, answer }) => (
            <div key={question}>
              <dt className="font-semibold">{question}</dt>
              <dd className="mt-1 max-w-[60ch] text-ink-muted">{answer}</dd>
            </div>
          ))}
        </dl>
      </Section>
    </>
  );
}

type SectionProps = { id: string; title: string; purpose?: string; children: ReactNode };

function Section({ id, title, purpose, children }: SectionProps) {
  return (
    <section id={id} aria-labelledby={`${id}-title`} className="scroll-mt-14 border-line border-t">
      <div className="mx-auto max-w-[70rem] px-4 py-12 sm:px-6 lg:py-16">
        <h2 id={`${id}-title`} className="font-semibold text-lg tracking-tight sm:text-xl">
          {title}
        </h2>
        {purpose !== undefined && <p className="mt-1.5 max-w-[68ch] text-ink-muted">{purpose}</p>}
        <div className="mt-7">{children}</div>
      </div>
    </section>
  );
}
