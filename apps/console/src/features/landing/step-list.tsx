import { t } from "@lingui/core/macro";
import { joinClasses } from "@turnpike/ui/join-classes";
import { useReadingPlatform } from "#platform/platform.tsx";
import { STEP_PICTURES } from "./step-pictures.ts";

const STEPS = [
  {
    id: "key",
    title: t`Create a key`,
    text: t`Register, name your tenant and create a key. It is shown once, so store it where your server reads it.`,
    alt: t`The console’s table of API keys with state, last use and activity`,
  },
  {
    id: "call",
    title: t`Make the first call`,
    text: t`The quickstart fills in your own key and address, and ticks the step off when the call arrives.`,
    alt: t`The console’s quickstart with five steps, the first ones finished`,
  },
  {
    id: "usage",
    title: t`Watch it grow`,
    text: t`Requests, latency and errors by key and route, and how much of your plan is left.`,
    alt: t`The console’s analytics with requests over time`,
  },
] as const;

/** The way from registering to running, with pictures of the console in the theme of the page. */
export function StepList() {
  return (
    <ol className="grid gap-x-8 gap-y-10 lg:grid-cols-3">
      {STEPS.map((step, index) => (
        <li key={step.id} className="grid content-start gap-4 sm:max-lg:grid-cols-2">
          <StepPicture id={step.id} alt={step.alt} />
          <div>
            <h3 className="flex items-baseline gap-2.5 font-semibold text-base">
              <span
                aria-hidden="true"
                className="grid size-6 shrink-0 place-items-center self-center rounded-full bg-accent font-semibold text-on-accent text-xs tabular-nums"
              >
                {index + 1}
              </span>
              {step.title}
            </h3>
            <p className="mt-2 max-w-[52ch] text-ink-muted">{step.text}</p>
          </div>
        </li>
      ))}
    </ol>
  );
}

/** A drawing in the colours of the page: its theme, and the operator's accent. */
function StepPicture({ id, alt }: { id: (typeof STEPS)[number]["id"]; alt: string }) {
  const { mark } = useReadingPlatform().config.brand;
  return (
    <svg
      role="img"
      aria-label={alt}
      viewBox="0 0 1280 800"
      className={joinClasses(
        "aspect-[16/10] w-full select-none rounded-card border border-line bg-paper",
        // The drawing has the product's mark in it.
        mark !== undefined && "[--own-mark:0]",
      )}
    >
      <use href={`${STEP_PICTURES[id]}#picture`} />
    </svg>
  );
}
