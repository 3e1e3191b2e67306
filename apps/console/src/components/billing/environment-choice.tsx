import { t } from "@lingui/core/macro";
import { SegmentedControl } from "@turnpike/ui/segmented-control";
import { useSwitchEnvironment } from "#components/app-frame/environment-switch.tsx";
import type { Environment } from "#platform/current-environment.ts";

const SEGMENTS = [
  { value: "live", label: t`Live` },
  { value: "test", label: t`Sandbox` },
] as const satisfies readonly { value: Environment; label: string }[];

/** Chooses between what is owed and the sandbox, which has a clock of its own and owes nothing. */
export function EnvironmentChoice({ environment }: { environment: Environment }) {
  const switchTo = useSwitchEnvironment();
  return (
    <SegmentedControl
      label={t`Environment of the billing`}
      segments={SEGMENTS}
      value={environment}
      onValueChange={switchTo}
    />
  );
}
