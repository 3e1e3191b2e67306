import type { Tone } from "./badge.tsx";
import { joinClasses } from "./join-classes.tsx";

const FILLS = {
  neutral: "bg-ink-faint",
  ok: "bg-ok",
  warning: "bg-warning",
  danger: "bg-danger",
  info: "bg-info",
  accent: "bg-accent ring-1 ring-line-control",
} as const satisfies Record<Tone, string>;

export type StatusDotProps = {
  tone: Tone;
  /** The state in words: colour alone is not accessible. */
  label: string;
  /** Whether the words are visible beside the dot or only read out. */
  isLabelShown?: boolean;
  /** Something is going on right now. */
  isLive?: boolean;
};

/** A state as a dot with its word. */
export function StatusDot({ tone, label, isLabelShown = true, isLive = false }: StatusDotProps) {
  return (
    <span className="inline-flex items-center gap-2 whitespace-nowrap">
      <span
        aria-hidden="true"
        className={joinClasses(
          "size-2 shrink-0 rounded-full",
          FILLS[tone],
          isLive && "motion-safe:animate-pulse",
        )}
      />
      <span className={joinClasses(!isLabelShown && "sr-only")}>{label}</span>
    </span>
  );
}
