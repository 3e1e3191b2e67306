import { useRender } from "@base-ui/react/use-render";
import type { ReactElement, ReactNode } from "react";
import { Explanation } from "./explanation.tsx";
import { joinClasses } from "./join-classes.tsx";
import { Skeleton } from "./skeleton.tsx";

export type Delta = {
  /** Written out with its sign: "+12.5%". */
  text: string;
  /** Against what: "vs. the 30 days before". */
  against: string;
  /** Whether this is good news; more errors are not. */
  meaning: "good" | "bad" | "neutral";
};

export type KpiCardProps = {
  label: string;
  /** Undefined while it loads; null where there is nothing to measure yet. */
  value: ReactNode | undefined | null;
  /** What the value is of: "of 50,000 included". */
  context?: ReactNode;
  /** What the number means, for who asks. */
  explanation?: ReactNode;
  delta?: Delta | null;
  sparkline?: ReactNode;
  /** Where the number comes from, such as `<Link to="/analytics" />`. */
  link?: ReactElement<Record<string, unknown>>;
};

const MEANINGS = { good: "text-ok", bad: "text-danger", neutral: "text-ink-muted" } as const;

/** One number of a glance: what it is, how it moved and against what, and the way to where it comes from. */
export function KpiCard(props: KpiCardProps) {
  const isLoading = props.value === undefined;
  return (
    <section
      aria-busy={isLoading}
      aria-label={props.label}
      className="relative flex min-w-0 flex-col rounded-card border border-line bg-surface p-4 has-[a:hover]:border-line-control"
    >
      <div className="flex items-center gap-0.5">
        <h2 className="font-medium text-ink-muted text-xs">
          {props.link === undefined ? (
            props.label
          ) : (
            <CardLink link={props.link}>{props.label}</CardLink>
          )}
        </h2>
        {props.explanation !== undefined && (
          <Explanation subject={props.label}>{props.explanation}</Explanation>
        )}
      </div>
      <div className="mt-1 flex items-end justify-between gap-3 max-sm:grow max-sm:flex-col max-sm:items-stretch max-sm:gap-1">
        <div className="min-w-0">
          {isLoading ? (
            <Skeleton className="my-1 h-7 w-24" />
          ) : (
            <p className="truncate font-semibold text-xl tabular-nums tracking-tight">
              {props.value ?? "–"}
            </p>
          )}
          {props.context !== undefined && (
            <p className="text-ink-muted text-xs tabular-nums">{props.context}</p>
          )}
        </div>
        {props.sparkline !== undefined && (
          <div className="h-10 w-24 shrink-0 max-sm:h-8">{props.sparkline}</div>
        )}
      </div>
      {props.delta !== undefined && (
        <p className="mt-2 min-h-[1.125rem] text-xs tabular-nums">
          {props.delta !== null && !isLoading && (
            <>
              <span className={joinClasses("font-medium", MEANINGS[props.delta.meaning])}>
                {props.delta.text}
              </span>{" "}
              <span className="text-ink-muted">{props.delta.against}</span>
            </>
          )}
        </p>
      )}
    </section>
  );
}

/** The whole card is the target; its name is the label alone. */
function CardLink({ link, children }: { link: ReactElement; children: ReactNode }) {
  return useRender({
    render: link,
    props: {
      className:
        "rounded-sm after:absolute after:inset-0 after:rounded-card hover:text-ink focus-visible:outline-none focus-visible:shadow-none focus-visible:after:outline-2 focus-visible:after:outline-ink focus-visible:after:outline-offset-2",
      children,
    },
  });
}
