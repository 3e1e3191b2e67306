import {
  type AttemptLimits,
  createAttemptLimits,
  createClusterAttemptLimits,
} from "#modules/identity/index.ts";
import type { AppInput } from "./app-input.ts";

/** Makes limits of attempts by name: of all nodes where they count together, else of all threads of this process. */
export function createAttempts({
  clusterRates,
  worker,
  installation,
}: Pick<AppInput, "clusterRates" | "worker"> & {
  installation: Pick<AppInput["installation"], "services">;
}): (name: string) => AttemptLimits {
  return (name) =>
    clusterRates === undefined
      ? (worker?.limits.attemptsOf(name) ?? createAttemptLimits(installation.services.clock))
      : createClusterAttemptLimits(clusterRates, name);
}
