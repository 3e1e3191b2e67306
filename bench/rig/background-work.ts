import { randomBytes } from "node:crypto";
import { callJson, type Product, readText } from "./product.ts";

/** What runs beside the calls, each one after the other without a pause, and how often it did. */
export type BackgroundCounts = {
  exports: number;
  reports: number;
  imports: number;
  signIns: number;
};

export type BackgroundWork = { stop(): Promise<BackgroundCounts> };

const IMPORT_ROWS = 1_000;
const TIMEOUT_MS = 30_000;
/** Each network may try so often; addresses are of the range for documentation. */
const SIGN_INS_PER_ADDRESS = 50;
/** Of all rounds: the product remembers the tries of an address for longer than one. */
let signInsTried = 0;

const urlOf = (product: Product, path: string) => `http://127.0.0.1:${String(product.port)}${path}`;

async function exportUsage(product: Product, credential: string): Promise<void> {
  const answer = await fetch(
    urlOf(product, "/v1/usage.csv?measures=requests,errors&dimensions=tenant,key&grain=hour"),
    {
      headers: { authorization: `Bearer ${credential}` },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    },
  );
  const text = await answer.text();
  if (!answer.ok) {
    throw new Error(`The export answered ${String(answer.status)}: ${text.slice(0, 300)}`);
  }
}

async function importKeys(product: Product, input: { credential: string; tenantId: string }) {
  const rows = Array.from({ length: IMPORT_ROWS }, () => ({
    hash: randomBytes(32).toString("hex"),
    name: "Imported",
  }));
  await callJson(product.port, {
    method: "POST",
    path: `/v1/tenants/${input.tenantId}/keys/import`,
    credential: input.credential,
    body: { rows },
  });
}

function toCookies(answer: Response): string[] {
  return answer.headers.getSetCookie().map((line) => line.slice(0, line.indexOf(";")));
}

type SignInForm = { path: string; cookie: string; origin: string; address: string };

/** Begins to sign in at the built-in provider as the console does. */
async function beginSignIn(product: Product, address: string): Promise<SignInForm> {
  const discovery = await callJson(product.port, {
    method: "GET",
    path: "/idp/.well-known/openid-configuration",
  });
  // The address that people use, not the one that we reach it by.
  const { origin } = new URL(readText(discovery, "issuer"));
  const query = new URLSearchParams({
    client_id: "console",
    response_type: "code",
    redirect_uri: `${origin}/login`,
    scope: "openid email profile",
    code_challenge: randomBytes(32).toString("base64url"),
    code_challenge_method: "S256",
    state: "bench",
    nonce: "bench",
    prompt: "login",
  });
  const answer = await fetch(urlOf(product, `/idp/auth?${query.toString()}`), {
    redirect: "manual",
    headers: { "x-forwarded-for": address },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  await answer.arrayBuffer();
  const uid = /\/interaction\/([\w-]+)/.exec(answer.headers.get("location") ?? "")?.[1];
  if (uid === undefined) {
    throw new Error(
      `No form to sign in: ${String(answer.status)} ${answer.headers.get("location") ?? ""}`,
    );
  }
  const cookie = toCookies(answer).join("; ");
  return { path: `/idp/interaction/${uid}/login`, cookie, origin, address };
}

/** A password for an address without an account: it costs a whole hash, as a right one does. */
async function trySignIn(product: Product, form: SignInForm & { attempt: number }): Promise<void> {
  const answer = await fetch(urlOf(product, form.path), {
    method: "POST",
    headers: {
      "content-type": "application/json",
      cookie: form.cookie,
      origin: form.origin,
      "x-forwarded-for": form.address,
    },
    body: JSON.stringify({
      email: `stranger-${String(form.attempt)}@example.com`,
      password: "a password that is not right",
    }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const text = await answer.text();
  if (!text.includes("INVALID_CREDENTIALS")) {
    throw new Error(`Signing in answered ${String(answer.status)}: ${text.slice(0, 300)}`);
  }
}

/** Starts everything at once; what fails ends the bench when it is stopped. */
export function startBackgroundWork(
  product: Product,
  input: { credential: string; tenantId: string },
): BackgroundWork {
  const counts: BackgroundCounts = { exports: 0, reports: 0, imports: 0, signIns: 0 };
  const stopping = new AbortController();

  async function repeat(name: keyof BackgroundCounts, work: () => Promise<unknown>): Promise<void> {
    while (!stopping.signal.aborted) {
      await work();
      counts[name] += 1;
    }
  }

  let form: SignInForm | undefined;
  async function signIn(): Promise<void> {
    const attempt = signInsTried;
    signInsTried += 1;
    if (form === undefined || attempt % SIGN_INS_PER_ADDRESS === 0) {
      const address = `198.51.100.${String((attempt / SIGN_INS_PER_ADDRESS) % 250)}`;
      form = await beginSignIn(product, address);
    }
    await trySignIn(product, { ...form, attempt });
  }

  const { credential } = input;
  const running = Promise.all([
    repeat("exports", () => exportUsage(product, credential)),
    repeat("reports", () =>
      callJson(product.port, {
        method: "GET",
        path: "/v1/usage?dimensions=tenant&grain=day&compare=previous",
        credential,
      }),
    ),
    repeat("imports", () => importKeys(product, input)),
    repeat("signIns", signIn),
  ]);
  // Thrown where it is stopped.
  running.catch(() => undefined);
  return {
    stop: async () => {
      stopping.abort();
      await running;
      return counts;
    },
  };
}
