import type { ReactNode } from "react";
import { joinClasses } from "./join-classes.tsx";

const TONES = {
  neutral: "bg-sunken text-ink-muted border-line",
  ok: "bg-ok-soft text-ok border-transparent",
  warning: "bg-warning-soft text-warning border-transparent",
  danger: "bg-danger-soft text-danger border-transparent",
  info: "bg-info-soft text-info border-transparent",
  accent: "bg-selected text-ink border-transparent",
} as const;

export type Tone = keyof typeof TONES;

export type BadgeProps = {
  tone?: Tone;
  /** A label that is no state, such as a role, has no dot. */
  hasDot?: boolean;
  children: ReactNode;
};

/** A short state in words. The dot repeats the tone; the word carries it. */
export function Badge({ tone = "neutral", hasDot = true, children }: BadgeProps) {
  return (
    <span
      className={joinClasses(
        "inline-flex h-6 shrink-0 items-center gap-1.5 rounded-full border px-2 font-medium text-xs whitespace-nowrap",
        TONES[tone],
      )}
    >
      {hasDot && (
        <span
          className="size-1.5 rounded-full bg-current forced-color-adjust-none"
          aria-hidden="true"
        />
      )}
      {children}
    </span>
  );
}
