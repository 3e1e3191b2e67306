import { Card } from "@turnpike/ui/card";
import { CodeBlock } from "@turnpike/ui/code-block";
import { usePlatform } from "#platform/platform.tsx";
import { toGettingStartedSteps } from "./getting-started.view-model.ts";

export type GettingStartedCardProps = {
  /** Slug of the chosen tenant. */
  tenant: string | undefined;
  apiKey: string | undefined;
};

/** Four commands from an empty installation to a metered call. */
export function GettingStartedCard({ tenant, apiKey }: GettingStartedCardProps) {
  const gatewayUrl = usePlatform().config.urls.gateway;
  const steps = toGettingStartedSteps({ gatewayUrl, tenant, key: apiKey });
  return (
    <Card
      title="Getting started"
      description="From an empty installation to a call that is counted, in four commands."
    >
      <ol className="space-y-5">
        {steps.map((step, index) => (
          <li key={step.title} className="relative sm:pl-9">
            <span
              aria-hidden="true"
              className="tabular-nums absolute top-0 left-0 grid size-6 place-items-center rounded-full bg-accent font-semibold text-on-accent text-xs"
            >
              {index + 1}
            </span>
            <h3 className="font-medium leading-6 max-sm:pl-9">{step.title}</h3>
            <p className="mb-2 text-ink-muted">{step.what}</p>
            <CodeBlock
              code={step.command}
              subject={`Command: ${step.title}`}
              {...(step.note === undefined ? {} : { note: step.note })}
            />
          </li>
        ))}
      </ol>
    </Card>
  );
}
