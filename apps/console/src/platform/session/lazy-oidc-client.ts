import type { IdentityProvider } from "../client-config.ts";
import type { OidcClient } from "./oidc-client.ts";

/**
 * Makes a client whose code is loaded at the first call: visitors who sign in nowhere do without the library of OpenID Connect.
 * Where it cannot be loaded, the call fails like one to a provider that cannot be reached, and the next one tries again.
 */
export function createLazyOidcClient(provider: IdentityProvider, redirectUri: string): OidcClient {
  let loaded: Promise<OidcClient> | undefined;
  const load = (): Promise<OidcClient> => {
    loaded ??= import("./oidc-client.ts").then(
      ({ createOidcClient }) => createOidcClient(provider, redirectUri),
      (error: unknown) => {
        loaded = undefined;
        throw error;
      },
    );
    return loaded;
  };
  return {
    begin: async (request) => await (await load()).begin(request),
    finish: async (callback, attempt) => await (await load()).finish(callback, attempt),
    refresh: async (refreshToken) => await (await load()).refresh(refreshToken),
    revoke: async (refreshToken) => await (await load()).revoke(refreshToken),
    findSignOutUrl: async (idToken, state) => await (await load()).findSignOutUrl(idToken, state),
  };
}
