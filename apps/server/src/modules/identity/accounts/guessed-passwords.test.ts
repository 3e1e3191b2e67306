import { AppError } from "@turnpike/domain/errors/app-error";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createAttemptLimits } from "../attempts/attempt-limits.ts";
import {
  CHEAP_HASHES,
  type IdentityFixture,
  newAddress,
  newCredentials,
  startIdentityProvider,
} from "../testing/identity-provider.fixture.ts";
import { HOUR_MS, NEW_PASSWORD, post, submit, tokenTo } from "./accounts.fixture.ts";
import { createAccounts } from "./accounts.ts";
import { createBackgroundWork } from "./background-work.ts";
import { type PasswordHasher, startPasswordHasher } from "./password-hasher.ts";

let database: TestDatabase;

/** A provider whose accounts work at once. */
let open: IdentityFixture;
/** A provider whose accounts work once their address is confirmed. */
let confirming: IdentityFixture;

beforeAll(async () => {
  database = await createTestDatabase();
  open = await startIdentityProvider(database);
  confirming = await startIdentityProvider(database, { confirmEmail: true });
});
afterAll(async () => {
  await open.close();
  await confirming.close();
  await database.close();
});

describe("an account that strangers guess at", () => {
  const attack = async (email: string) => {
    const codes: string[] = [];
    const strangers = Array.from({ length: 14 }, () => open.browser());
    for (let index = 0; index < 130; index += 1) {
      const stranger = strangers[index % strangers.length] ?? open.browser();
      const wrong = { email, password: `wrong password ${String(index)}` };
      codes.push((await submit(stranger, "login", wrong)).json.code);
    }
    return codes;
  };

  it("stays open to its owner, in a browser that signed in before", async () => {
    const ada = newCredentials();
    const home = open.browser();
    await home.register(ada);
    await open.stopClock(async () => {
      const codes = await attack(ada.email);
      expect(codes.filter((code) => code === "INVALID_CREDENTIALS")).toHaveLength(100);
      expect(codes.filter((code) => code === "TOO_MANY_ATTEMPTS")).toHaveLength(30);
      const elsewhere = await submit(open.browser(), "login", ada);
      expect(elsewhere.json.code).toBe("TOO_MANY_ATTEMPTS");
      await home.signIn(ada);
      const guesses: string[] = [];
      for (let index = 0; index < 11; index += 1) {
        const wrong = { email: ada.email, password: "wrong password 1" };
        guesses.push((await submit(home, "login", wrong)).json.code);
      }
      expect(guesses).toEqual([...Array(10).fill("INVALID_CREDENTIALS"), "TOO_MANY_ATTEMPTS"]);
    });
  });

  it("is open again to an owner who resets the password, and no longer to browsers of the earlier one", async () => {
    const ada = newCredentials();
    const before = open.browser();
    await before.register(ada);
    await open.stopClock(async () => {
      await attack(ada.email);
      const owner = open.browser();
      await post(open, "/idp/password/forgot", { email: ada.email });
      const token = await tokenTo(open, ada.email, "reset-password");
      const password = NEW_PASSWORD;
      const reset = { token, password };
      expect((await owner.call("POST", "/idp/password/reset", { json: reset })).status).toBe(204);
      await owner.signIn({ ...ada, password });
      const stale = await submit(before, "login", { ...ada, password });
      expect(stale.json.code).toBe("TOO_MANY_ATTEMPTS");
    });
  });
});

describe("sign-ins without a verdict", () => {
  it("do not count as failed: the right password works as soon as it can be checked", async () => {
    const ada = newCredentials();
    await open.browser().register(ada);
    const { services } = open;
    const limits = createAttemptLimits(services.clock);
    const makeAccounts = (hasher: PasswordHasher) =>
      createAccounts(
        {
          ...services,
          hasher,
          limits,
          background: createBackgroundWork(services),
          agents: { endAgentsOf: () => Promise.resolve() },
          mailer: { sendMail: () => Promise.resolve() },
        },
        { brand: "T", consoleUrl: open.url, confirmEmail: false, passwordLengthMin: 12 },
      );
    const free = await startPasswordHasher(services, { cost: CHEAP_HASHES });
    const refusal = new AppError({ code: "OVERLOADED", publicMessage: "Too many." });
    const full: PasswordHasher = { ...free, verify: () => Promise.reject(refusal) };
    try {
      const input = { ...ada, network: "192.0.2.7" };
      for (let attempt = 0; attempt < 12; attempt += 1) {
        await expect(makeAccounts(full).signIn(input)).rejects.toMatchObject({
          code: "OVERLOADED",
        });
      }
      expect(await makeAccounts(free).signIn(input)).toHaveProperty("accountId");
    } finally {
      await free.stop();
    }
  });
});

describe("limits", () => {
  it("stop guessing at an account from one network, without locking out its owner", async () => {
    const ada = newCredentials();
    await open.browser().register(ada);
    const thief = open.browser();
    const { uid } = await thief.begin();
    const guess = (password: string) =>
      thief.call("POST", `/idp/interaction/${uid}/login`, { json: { ...ada, password } });
    for (let attempt = 0; attempt < 10; attempt += 1) {
      expect((await guess(`guess number ${String(attempt)}`)).status).toBe(403);
    }
    const before = open.provider().hashing.done;
    const limited = await guess(ada.password);
    expect([limited.status, limited.json.code]).toEqual([429, "TOO_MANY_ATTEMPTS"]);
    expect(Number(limited.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(open.provider().hashing.done).toBe(before);
    await open.browser().signIn(ada);
  });

  it("count a whole /64 as one network, and its neighbour as another", async () => {
    const ada = newCredentials();
    await open.browser().register(ada);
    const address = newAddress().replace("::1", "");
    const guess = async (from: string) =>
      (await submit(open.browser(from), "login", { ...ada, password: "not that one" })).status;
    const first: number[] = [];
    for (let host = 1; host <= 11; host += 1) {
      first.push(await guess(`${address}:${host.toString(16)}:2:3:4`));
    }
    expect(first).toEqual([...Array<number>(10).fill(403), 429]);
    expect(await guess(newAddress())).toBe(403);
  });

  it("count only failures: correct sign-ins are never limited", async () => {
    const ada = newCredentials();
    const browser = open.browser();
    await browser.register(ada);
    for (let round = 0; round < 15; round += 1) {
      await browser.signIn(ada);
    }
  });

  it("stop a network from registering endlessly", async () => {
    const browser = open.browser();
    const { uid } = await browser.begin({ prompt: "create" });
    const statuses: number[] = [];
    for (let round = 0; round < 31; round += 1) {
      const json = newCredentials();
      statuses.push(
        (await browser.call("POST", `/idp/interaction/${uid}/register`, { json })).status,
      );
    }
    expect(statuses.slice(0, 30)).toEqual(Array<number>(30).fill(200));
    expect(statuses[30]).toBe(429);
  });

  it("stop a network from starting sign-ins endlessly", async () => {
    const browser = open.browser();
    const { request } = await browser.begin();
    const begin = async () => (await browser.call("GET", request.url.href)).status;
    const statuses = await open.stopClock(() => Promise.all(Array.from({ length: 305 }, begin)));
    expect(statuses.filter((status) => status === 303).length).toBeLessThanOrEqual(300);
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(5);
  });

  it("send at most five mails an hour to an address, from all causes together", async () => {
    const ada = newCredentials();
    await open.browser().register(ada);
    const count = () => open.mails.filter((mail) => mail.to === ada.email).length;
    const ask = () => post(open, "/idp/password/forgot", { email: ada.email });
    for (let round = 0; round < 9; round += 1) {
      expect((await ask()).status).toBe(202);
    }
    await open.provider().settle();
    expect(count()).toBe(5);
    open.advance(HOUR_MS + 1_000);
    await ask();
    await open.provider().settle();
    expect(count()).toBe(6);
  });

  it("answer 500 sign-ins at once with a verdict or a polite refusal", async () => {
    const ada = newCredentials();
    await open.browser().register(ada);
    const browsers = await Promise.all(
      Array.from({ length: 500 }, async () => {
        const browser = open.browser();
        return { browser, uid: (await browser.begin()).uid };
      }),
    );
    const replies = await Promise.all(
      browsers.map(({ browser, uid }) =>
        browser.call("POST", `/idp/interaction/${uid}/login`, {
          json: { ...newCredentials(), password: "not that one" },
        }),
      ),
    );
    const byStatus = Object.groupBy(replies, ({ status }) => status);
    expect(Object.keys(byStatus).every((status) => ["403", "503"].includes(status))).toBe(true);
    for (const refused of byStatus[503] ?? []) {
      expect(refused.json.code).toBe("OVERLOADED");
      expect(refused.headers.get("retry-after")).not.toBeNull();
    }
    expect(open.provider().hashing.waiting).toBe(0);
    await open.browser().signIn(ada);
  });
});
