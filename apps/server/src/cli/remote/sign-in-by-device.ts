import { z } from "zod";
import { ask } from "./remote-api.ts";
import { RemoteError } from "./remote-error.ts";

const CLIENT_ID = "turnpike-cli";
const GRANT_TYPE = "urn:ietf:params:oauth:grant-type:device_code";
const SLOW_DOWN_SECONDS = 5;

const started = z.object({
  device_code: z.string(),
  user_code: z.string(),
  verification_uri: z.string(),
  expires_in: z.number(),
  interval: z.number().default(5),
});
const given = z.object({ access_token: z.string() });
const refused = z.object({ error: z.string() });

const REFUSALS: Readonly<Record<string, string>> = {
  access_denied: "The sign-in was denied in the console.",
  expired_token: "The code has expired. Start over.",
  invalid_grant: "The code is no longer known. Start over.",
};

async function post(url: string, fields: Record<string, string>) {
  const response = await ask(url, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams(fields).toString(),
  });
  const body: unknown = await response.json().catch(() => undefined);
  return { status: response.status, body };
}

/**
 * Signs in at an installation without a browser of its own (RFC 8628): shows a code, which the person types into the console, and asks
 * until it is allowed.
 *
 * @param input.show - Shows the code and where to type it.
 * @param input.wait - Waits so many milliseconds.
 * @returns The credential.
 * @throws {RemoteError} when it is denied, expires, or the address is no installation.
 */
export async function signInByDevice(input: {
  address: string;
  /** How this command line names itself to the person. */
  name: string;
  show(code: { userCode: string; page: string }): void;
  wait(ms: number): Promise<void>;
}): Promise<string> {
  const { address, name } = input;
  const begun = await post(`${address}/device/authorize`, { client_id: CLIENT_ID, name });
  const device = started.safeParse(begun.body);
  if (!device.success) {
    throw new RemoteError(
      begun.status === 429
        ? "Too many sign-ins were started from this network. Try again in a few minutes."
        : `${address} is no installation of Turnpike.`,
    );
  }
  const { device_code, user_code, verification_uri } = device.data;
  input.show({ userCode: user_code, page: verification_uri });
  let seconds = device.data.interval;
  for (let left = device.data.expires_in; left > 0; left -= seconds) {
    await input.wait(seconds * 1_000);
    const { body } = await post(`${address}/device/token`, {
      grant_type: GRANT_TYPE,
      device_code,
      client_id: CLIENT_ID,
    });
    const token = given.safeParse(body);
    if (token.success) {
      return token.data.access_token;
    }
    const error = refused.safeParse(body).data?.error ?? "";
    if (error === "slow_down") {
      seconds += SLOW_DOWN_SECONDS;
    } else if (error !== "authorization_pending") {
      throw new RemoteError(REFUSALS[error] ?? `${address} did not answer the sign-in.`);
    }
  }
  throw new RemoteError(REFUSALS["expired_token"] ?? "");
}
