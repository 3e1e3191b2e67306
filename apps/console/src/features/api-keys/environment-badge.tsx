import { Badge } from "@turnpike/ui/badge";
import type { Environment } from "#platform/current-environment.ts";

/** Live or test, as the switch of the frame looks. */
export function EnvironmentBadge({ environment }: { environment: Environment }) {
  return (
    <Badge tone={environment === "test" ? "warning" : "neutral"} hasDot={false}>
      {environment === "test" ? "Test" : "Live"}
    </Badge>
  );
}
