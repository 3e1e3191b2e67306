import { pollUntil } from "@turnpike/testkit/poll-until";
import { expect } from "vitest";
import type { IdentityFixture, Reply, TestBrowser } from "../testing/identity-provider.fixture.ts";

export const HOUR_MS = 60 * 60 * 1_000;
export const NEW_PASSWORD = "a quiet lighthouse keeper";

export async function submit(
  browser: TestBrowser,
  form: "login" | "register",
  json: object,
): Promise<Reply> {
  const { uid } = await browser.begin(form === "login" ? {} : { prompt: "create" });
  return await browser.call("POST", `/idp/interaction/${uid}/${form}`, { json });
}

export function post(identity: IdentityFixture, path: string, json: object): Promise<Reply> {
  return identity.browser().call("POST", path, { json });
}

export async function mailTo(identity: IdentityFixture, email: string, kind: string) {
  const mail = await pollUntil(`a mail ${kind} to ${email}`, async () =>
    identity.mails.findLast((one) => one.to === email && one.kind === kind),
  );
  // The mail is recorded within the transaction that creates its link, which must end before the test continues.
  await identity.provider().settle();
  return mail;
}

export async function tokenTo(
  identity: IdentityFixture,
  email: string,
  kind: string,
): Promise<string> {
  const { text } = await mailTo(identity, email, kind);
  const link = /https?:\/\/\S+/.exec(text)?.[0] ?? "";
  expect(link.startsWith(`${identity.url}/login#`)).toBe(true);
  const token = /=([A-Za-z0-9_-]{43})$/.exec(link)?.[1];
  expect(token).toBeDefined();
  return token ?? "";
}

/** An answer without the parts that differ between any two. */
export function tells({ status, headers, text }: Reply) {
  return {
    status,
    names: [...headers.keys()].toSorted(),
    length: headers.get("content-length"),
    body: text.replace(/req_[0-9a-f]+/g, "").replace(/auth\/[\w-]+/g, ""),
  };
}
