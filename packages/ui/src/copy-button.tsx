import { t } from "@lingui/core/macro";
import { useEffect, useState } from "react";
import { joinClasses } from "./join-classes.tsx";

/** How long the confirmation stands, in milliseconds. */
const CONFIRMED_MS = 2000;

type CopyState = "idle" | "copied" | "failed";

const WORDS = { idle: t`Copy`, copied: t`Copied`, failed: t`Select and copy by hand` } as const;

export type CopyButtonProps = {
  value: string;
  /** What is copied, for screen readers: "Copy <subject>". */
  subject: string;
  className?: string;
  /** Called once it is in the clipboard. */
  onCopied?: () => void;
};

/** Copies a text and says so. Where the browser refuses (a page without TLS), it says that instead. */
export function CopyButton({ value, subject, className, onCopied }: CopyButtonProps) {
  const [state, setState] = useState<CopyState>("idle");

  // The outside system is the clock: the confirmation steps back by itself.
  useEffect(() => {
    if (state === "idle") {
      return;
    }
    const timer = setTimeout(() => setState("idle"), CONFIRMED_MS);
    return () => clearTimeout(timer);
  }, [state]);

  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(value);
    } catch {
      setState("failed");
      return;
    }
    setState("copied");
    onCopied?.();
  }

  return (
    <button
      type="button"
      aria-label={t`Copy ${subject}`}
      onClick={() => void copy()}
      className={joinClasses(
        "inline-flex h-8 shrink-0 cursor-pointer items-center gap-1.5 rounded-control px-2 font-medium text-ink-muted text-xs motion-safe:transition-colors motion-safe:duration-150 ease-out hover:bg-hover hover:text-ink",
        className,
      )}
    >
      <CopyIcon isDone={state === "copied"} />
      <span aria-hidden="true" className={joinClasses(state === "idle" && "max-sm:hidden")}>
        {WORDS[state]}
      </span>
      <span role="status" className="sr-only">
        {state === "idle" ? "" : WORDS[state]}
      </span>
    </button>
  );
}

function CopyIcon({ isDone }: { isDone: boolean }) {
  return (
    <svg
      viewBox="0 0 16 16"
      className="size-3.5"
      aria-hidden="true"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      {isDone ? (
        <path d="m3 8.5 3.2 3.2L13 4.8" />
      ) : (
        <path d="M5.5 5.5V3a1 1 0 0 1 1-1H13a1 1 0 0 1 1 1v6.5a1 1 0 0 1-1 1h-2.5M3 5.5h6.5a1 1 0 0 1 1 1V13a1 1 0 0 1-1 1H3a1 1 0 0 1-1-1V6.5a1 1 0 0 1 1-1Z" />
      )}
    </svg>
  );
}
