import type { IdentityProvider } from "#platform/client-config.ts";
import { usePlatform } from "#platform/platform.tsx";

/** The sign-in providers of this deployment. */
export function useProviders(): {
  builtIn: IdentityProvider | undefined;
  others: readonly IdentityProvider[];
} {
  const { providers } = usePlatform().config.identity;
  return {
    builtIn: providers.find(({ kind }) => kind === "builtin"),
    others: providers.filter(({ kind }) => kind === "oidc"),
  };
}
