import { useSearch } from "@tanstack/react-router";

/** Keys of `test` cost nothing and reach the same upstream. */
export const ENVIRONMENTS = ["live", "test"] as const;

export type Environment = (typeof ENVIRONMENTS)[number];

/** The part of a signed-in address that says which environment its numbers are of. Left out: of both. */
export type EnvironmentSearch = { environment?: string | number };

/** Reads `environment=live` or `environment=test`; anything else is left out and means both. */
export function parseEnvironmentSearch(search: Record<string, unknown>): EnvironmentSearch {
  const found = findEnvironment(search["environment"]);
  return found === undefined ? {} : { environment: found };
}

/** The environment that this screen is about; undefined for both. */
export function useCurrentEnvironment(): Environment | undefined {
  return findEnvironment(useSearch({ from: "/_app" }).environment);
}

/** Makes leaving the environment out mean both: without this, a link within the console keeps the one before. */
export function withOwnEnvironment<Search extends object>(search: Search): Search {
  return { environment: undefined, ...search };
}

function findEnvironment(value: unknown): Environment | undefined {
  return ENVIRONMENTS.find((name) => name === value);
}
