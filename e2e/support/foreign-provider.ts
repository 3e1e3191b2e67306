import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Provider } from "oidc-provider";
import type { Page } from "playwright-core";

const CLIENT_ID = "turnpike";

/** An OpenID Connect provider that is not ours, on an origin of its own. Everybody who comes is let in. */
export interface ForeignProvider extends AsyncDisposable {
  issuer: string;
  clientId: string;
  /** Given to the console's server where one is demanded. */
  clientSecret: string | undefined;
  /** Knows the console as its client from then on. */
  trust(consoleUrl: string): void;
}

/**
 * Starts the provider. It has no client before `trust`.
 *
 * @param clientSecret - Undefined: the console is a public client, whose page asks for its tokens itself.
 */
export async function startForeignProvider(clientSecret?: string): Promise<ForeignProvider> {
  let provider: Provider | undefined;
  const server = createServer((req, res) => {
    if (provider === undefined) {
      res.writeHead(503).end();
      return;
    }
    provider
      .callback()(req, res)
      .catch(() => res.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const issuer = `http://localhost:${String(port)}`;
  return {
    issuer,
    clientId: CLIENT_ID,
    clientSecret,
    trust: (consoleUrl) => {
      provider = createProvider(issuer, `${consoleUrl}/login`, clientSecret);
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function createProvider(
  issuer: string,
  redirectUri: string,
  clientSecret: string | undefined,
): Provider {
  return new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT_ID,
        ...(clientSecret === undefined
          ? { token_endpoint_auth_method: "none" }
          : { client_secret: clientSecret }),
        redirect_uris: [redirectUri],
        post_logout_redirect_uris: [redirectUri],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
      },
    ],
    scopes: ["openid", "offline_access", "email", "profile"],
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    // Pages get no tokens by a secret that they do not have.
    clientBasedCORS: () => clientSecret === undefined,
    issueRefreshToken: () => true,
    cookies: { keys: ["only for this test"] },
    findAccount: (_ctx, id) => ({
      accountId: id,
      claims: () => ({ sub: id, email: `${id}@corp.example`, email_verified: true, name: id }),
    }),
  });
}

/** Answers the provider's own pages: who it is, then that the console may know. */
export async function passForeignProvider(page: Page, login: string): Promise<void> {
  await page.locator("input[name=login]").fill(login);
  await page.locator("input[name=password]").fill("any");
  await page.locator("button[type=submit]").click();
  await page.getByRole("button", { name: "Continue" }).click();
}
