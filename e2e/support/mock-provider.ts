import { OAuth2Server } from "oauth2-mock-server";
import type { Page } from "playwright-core";

/** A provider of the npm package `oauth2-mock-server`: it has no forms, gives no refresh tokens and remembers everyone. */
export interface MockProvider extends AsyncDisposable {
  issuer: string;
  clientId: string;
  /** What it was asked at its authorization endpoint, newest last. */
  asked: URLSearchParams[];
  behaviour: {
    /** The error of its answers; undefined: it lets everyone in. */
    error: string | undefined;
    /** True: it answers nothing and shows a page of its own. */
    isSilent: boolean;
    lifetimeSeconds: number;
  };
}

export async function startMockProvider(): Promise<MockProvider> {
  const server = new OAuth2Server();
  await server.issuer.keys.generate("RS256");
  await server.start(0, "localhost");
  const { url: issuer } = server.issuer;
  if (issuer === undefined) {
    throw new Error("The provider has no address.");
  }
  const asked: URLSearchParams[] = [];
  const behaviour: MockProvider["behaviour"] = {
    error: undefined,
    isSilent: false,
    lifetimeSeconds: 600,
  };
  const { service } = server;
  service.on(
    "beforeWellKnownOpenIdConfiguration",
    ({ body }: { body: Record<string, unknown> }) => {
      delete body["end_session_endpoint"];
    },
  );
  service.on("beforeAuthorizeRedirect", (answer: { url: URL }, req: { url?: string }) => {
    asked.push(new URL(req.url ?? "/", issuer).searchParams);
    if (behaviour.isSilent) {
      answer.url.href = `${issuer}/.well-known/openid-configuration`;
    } else if (behaviour.error !== undefined) {
      answer.url.searchParams.delete("code");
      answer.url.searchParams.set("error", behaviour.error);
    }
  });
  service.on("beforeTokenSigning", ({ payload }: { payload: Record<string, unknown> }) => {
    payload["exp"] = Number(payload["iat"]) + behaviour.lifetimeSeconds;
    Object.assign(payload, { email: "john@partners.example", email_verified: true });
  });
  service.on("beforeResponse", ({ body }: { body: Record<string, unknown> }) => {
    delete body["refresh_token"];
  });
  return {
    issuer,
    clientId: "turnpike",
    asked,
    behaviour,
    [Symbol.asyncDispose]: async () => await server.stop(),
  };
}

/** Presses the button that opens a window, and waits for the window. */
export async function openWindow(page: Page, button: string): Promise<Page> {
  const opened = page.waitForEvent("popup");
  await page.getByRole("button", { name: button }).click();
  return await opened;
}

/** Waits until a window is closed, which it may be already. */
export async function waitForClosed(opened: Page): Promise<void> {
  if (!opened.isClosed()) {
    await opened.waitForEvent("close");
  }
}
