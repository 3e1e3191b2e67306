import { t } from "@lingui/core/macro";
import { joinClasses } from "@turnpike/ui/join-classes";
import Check from "lucide-react/icons/check";
import type { ReactNode } from "react";
import type { StepState } from "./quickstart.view-model.ts";

export type StepFrameProps = {
  number: number;
  title: string;
  state: StepState;
  children: ReactNode;
};

const WORDS: Readonly<Record<StepState, string>> = {
  finished: "finished",
  current: t`do this now`,
  waiting: t`comes later`,
};

const MARKS: Readonly<Record<StepState, string>> = {
  finished: "border-transparent bg-ok-soft text-ok",
  current: "border-transparent bg-accent text-on-accent",
  waiting: "border-line-control bg-surface text-ink-muted",
};

/** One step: its number or a tick, its title, and its body beside the line that joins the steps. */
export function StepFrame({ number, title, state, children }: StepFrameProps) {
  return (
    <li
      aria-current={state === "current" ? "step" : undefined}
      className="group relative flex gap-4 pb-8 last:pb-0"
    >
      <span
        aria-hidden="true"
        className="absolute top-8 bottom-0 left-4 w-px -translate-x-1/2 bg-line group-last:hidden"
      />
      <span
        aria-hidden="true"
        className={joinClasses(
          "grid size-8 shrink-0 place-items-center rounded-full border font-semibold text-sm tabular-nums",
          MARKS[state],
        )}
      >
        {state === "finished" ? <Check className="size-4" /> : number}
      </span>
      <div className="min-w-0 grow pt-1 [overflow-wrap:anywhere]">
        <h2
          className={joinClasses(
            "font-semibold text-base",
            state === "waiting" && "text-ink-muted",
          )}
        >
          {title}
          <span className="sr-only">: {WORDS[state]}</span>
        </h2>
        <div className="mt-2 space-y-3">{children}</div>
      </div>
    </li>
  );
}
