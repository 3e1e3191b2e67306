import { Trans } from "@lingui/react/macro";
import CircleAlert from "lucide-react/icons/circle-alert";
import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import { joinClasses } from "./join-classes.tsx";

export type ErrorStateProps = {
  /** What did not work, as a sentence: "The keys could not be loaded." */
  title: string;
  /** Why, as the server says it. */
  reason: string;
  /** What the person can do about it. */
  wayOn?: ReactNode;
  /** Names this failure when one asks for help. */
  requestId?: string | undefined;
  onRetry?: (() => void) | undefined;
  /** Fills the place of what failed, or stands as a notice above what still works. */
  size?: "place" | "notice";
};

/** What failed, why, and what to do. Read out when it appears. */
export function ErrorState(props: ErrorStateProps) {
  const isPlace = props.size !== "notice";
  return (
    <div
      role="alert"
      className={joinClasses(
        "flex gap-3",
        isPlace
          ? "mx-auto max-w-xl flex-col items-center px-5 py-12 text-center"
          : "flex-wrap items-start rounded-control border border-danger/30 bg-danger-soft px-3 py-2.5",
      )}
    >
      <CircleAlert
        aria-hidden="true"
        className={joinClasses("shrink-0 text-danger", isPlace ? "size-6" : "mt-0.5 size-4")}
      />
      <div className={joinClasses("min-w-0", !isPlace && "grow basis-60")}>
        <p className={joinClasses("font-semibold", isPlace ? "text-base" : "text-danger")}>
          {props.title}
        </p>
        <p className="mt-0.5 [overflow-wrap:anywhere]">{props.reason}</p>
        {props.wayOn !== undefined && <p className="mt-1 text-ink-muted">{props.wayOn}</p>}
        {props.requestId !== undefined && (
          <p className="mt-1 text-ink-muted text-xs">
            <Trans>Request</Trans>{" "}
            <code className="font-mono [overflow-wrap:anywhere]">{props.requestId}</code>
          </p>
        )}
      </div>
      {props.onRetry !== undefined && (
        <Button onClick={props.onRetry}>
          <Trans>Try again</Trans>
        </Button>
      )}
    </div>
  );
}
