import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { type ReactNode, useRef, useState } from "react";
import { Button } from "./button.tsx";
import { CodeBlock } from "./code-block.tsx";
import { useStake } from "./unsaved.tsx";

export type SecretOnceProps = {
  /** What it is: "Service key", "API key". */
  subject: string;
  secret: string;
  /** Where to keep it. */
  advice: ReactNode;
  onStored: () => void;
};

/**
 * A secret that is shown this one time, until the person says that it is kept, or copies it and closes the layer around it:
 * the layer stays until then, and who leaves the page is asked.
 */
export function SecretOnce({ subject, secret, advice, onStored }: SecretOnceProps) {
  const [isCopied, setIsCopied] = useState(false);
  const stored = useRef<HTMLButtonElement>(null);
  useStake(isCopied ? "copied" : "secret", true, stored);
  return (
    <section
      ref={focusOnMount}
      tabIndex={-1}
      aria-label={t`${subject}, shown once`}
      className="rounded-control border border-line border-l-4 border-l-accent bg-surface p-3"
    >
      <p className="mb-2 font-medium">
        <Trans>It is shown only this once.</Trans>
      </p>
      <CodeBlock code={secret} subject={subject} onCopied={() => setIsCopied(true)} />
      <div className="mt-3 flex flex-wrap items-center justify-between gap-3">
        <p className="min-w-0 grow basis-60 text-ink-muted">{advice}</p>
        <Button ref={stored} look="primary" onClick={onStored}>
          <Trans>I have stored it</Trans>
        </Button>
      </div>
    </section>
  );
}

/** The button that created the secret is gone, so the focus moves to what replaced it, which is then read out. */
function focusOnMount(element: HTMLElement | null): void {
  element?.focus();
}
