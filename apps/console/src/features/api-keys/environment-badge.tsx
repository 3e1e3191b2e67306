import { t } from "@lingui/core/macro";
import { Badge } from "@turnpike/ui/badge";
import type { Environment } from "#platform/current-environment.ts";

/** Live or test, in the colours of the environment switch. */
export function EnvironmentBadge({ environment }: { environment: Environment }) {
  return (
    <Badge tone={environment === "test" ? "warning" : "neutral"} hasDot={false}>
      {environment === "test" ? t`Test` : t`Live`}
    </Badge>
  );
}
