import type { FirebaseSettings, IdentityProvider } from "#platform/client-config.ts";
import { usePlatform } from "#platform/platform.tsx";

/** The sign-in providers of this deployment. */
export function useProviders(): {
  builtIn: IdentityProvider | undefined;
  others: readonly IdentityProvider[];
  firebase: FirebaseSettings | undefined;
  /** True where people may sign in with an e-mail address and a password. */
  hasForm: boolean;
} {
  const { providers, firebase } = usePlatform().config.identity;
  const builtIn = providers.find(({ kind }) => kind === "builtin");
  return {
    builtIn,
    others: providers.filter(({ kind }) => kind === "oidc"),
    firebase,
    hasForm: builtIn !== undefined || firebase?.methods.includes("password") === true,
  };
}
