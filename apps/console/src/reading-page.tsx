import type { PrerenderedPage } from "@turnpike/contract/public-pages";
import { StrictMode, useMemo } from "react";
import { PublicFrame } from "#components/public-frame.tsx";
import { Landing } from "#features/landing/landing.tsx";
import { LegalColumn, LegalText } from "#features/legal/legal-text.tsx";
import type { ClientConfig } from "#platform/client-config.ts";
import { type ReadingPlatform, ReadingPlatformProvider } from "#platform/platform.tsx";
import { Interactive } from "./interactive.tsx";

/** A page to be read and what is embedded in it: the landing page or one of the operator's texts. */
export type ReadingPageProps = { content: PrerenderedPage["content"]; config: ClientConfig };

/** A page to be read is for visitors: signed-in people see that of the application. */
const NO_SESSION: ReadingPlatform["session"] = {
  getState: () => ({ user: undefined }),
  subscribe: () => () => undefined,
};

/**
 * The whole of a page to be read, for visitors. It needs no router, no queries and no client of the API, so that they load none. The
 * application shows the same content to signed-in people, and where the server could not render it.
 */
export function ReadingPage({ content, config }: ReadingPageProps) {
  const platform = useMemo(() => ({ config, session: NO_SESSION }), [config]);
  return (
    <StrictMode>
      <ReadingPlatformProvider value={platform}>
        <PublicFrame>
          {content.landing !== undefined && <Landing content={content.landing} />}
          {content.terms !== undefined && (
            <LegalColumn>
              <LegalText name="terms" content={content.terms} />
            </LegalColumn>
          )}
          {content.privacy !== undefined && (
            <LegalColumn>
              <LegalText name="privacy" content={content.privacy} />
            </LegalColumn>
          )}
        </PublicFrame>
        <Interactive />
      </ReadingPlatformProvider>
    </StrictMode>
  );
}

/** Whether a page of the server has content to be read; the others are forms. */
export function isToBeRead({ content }: Pick<PrerenderedPage, "content">): boolean {
  return Object.values(content).some((one) => one !== undefined);
}
