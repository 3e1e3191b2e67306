import { dumpDatabase } from "@turnpike/testkit/dump-database";
import { refusalOf } from "@turnpike/testkit/refusal-of";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { createTestServices, type TestServices } from "@turnpike/testkit/test-services";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { claimSetupCode, offerSetupCode } from "./setup-code.ts";

const ALONE = {
  secret: "of the installation, 32 characters long",
  hasOthers: () => Promise.resolve(false),
};

// A setup code belongs to the whole installation, so each case has its own database.
let database: TestDatabase;
let services: TestServices;
beforeEach(async () => {
  database = await createTestDatabase();
  services = createTestServices(database);
});
afterEach(() => database.close());

async function offer(): Promise<string> {
  const code = await offerSetupCode(services, ALONE);
  expect(code).toMatch(/^[A-Za-z0-9_-]{32}$/);
  return code ?? "";
}

function claim(code: string): Promise<void> {
  return services.transact.asOperator((tx) => claimSetupCode(services, tx, { code, by: "test" }));
}

describe("setup code", () => {
  it("can be claimed once", async () => {
    const code = await offer();
    await claim(code);
    expect((await refusalOf(claim(code))).code).toBe("SETUP_CODE_INVALID");
  });

  it("is claimed by exactly one of 50 concurrent attempts", async () => {
    const code = await offer();
    const outcomes = await Promise.allSettled(Array.from({ length: 50 }, () => claim(code)));
    expect(outcomes.filter((outcome) => outcome.status === "fulfilled")).toHaveLength(1);
  });

  it("is refused with the same words whether it is wrong or used up", async () => {
    const code = await offer();
    const wrong = await refusalOf(claim("not-the-code"));
    await claim(code);
    const used = await refusalOf(claim(code));
    expect(wrong).toMatchObject({ code: "SETUP_CODE_INVALID", message: used.message });
    expect(wrong.extensions).toEqual(used.extensions);
  });

  it("is replaced at the next start, which invalidates the old one", async () => {
    const before = await offer();
    const after = await offer();
    expect(after).not.toBe(before);
    expect((await refusalOf(claim(before))).code).toBe("SETUP_CODE_INVALID");
    await claim(after);
  });

  it("is no longer offered once an installation is claimed", async () => {
    await claim(await offer());
    expect(await offerSetupCode(services, ALONE)).toBeUndefined();
  });

  it("stays valid if the work of its claim fails", async () => {
    const code = await offer();
    const failing = services.transact.asOperator(async (tx) => {
      await claimSetupCode(services, tx, { code, by: "test" });
      throw new Error("the rest failed");
    });
    await expect(failing).rejects.toThrow("the rest failed");
    await claim(code);
  });

  it("leaves at most one claimable code when several processes start at once", async () => {
    const codes = await Promise.all(
      Array.from({ length: 10 }, () => offerSetupCode(services, ALONE)),
    );
    const outcomes = await Promise.allSettled(codes.map((code) => claim(code ?? "")));
    expect(outcomes.filter((outcome) => outcome.status === "fulfilled")).toHaveLength(1);
  });

  it("cannot be claimed twice through a start that races the claim", async () => {
    for (let round = 0; round < 10; round += 1) {
      await database.sql`delete from setup_codes`;
      const code = await offer();
      const [claimed, offered] = await Promise.allSettled([
        claim(code),
        offerSetupCode(services, ALONE),
      ]);
      const second = offered.status === "fulfilled" ? offered.value : undefined;
      const again =
        second === undefined ? "none" : (await Promise.allSettled([claim(second)]))[0]?.status;
      expect([claimed.status, again].filter((status) => status === "fulfilled")).toHaveLength(1);
    }
  });

  it("is not stored in the clear", async () => {
    const code = await offer();
    const dump = await dumpDatabase(database.sql);
    expect(dump).not.toContain(code);
    expect(dump).not.toContain(Buffer.from(code, "base64url").toString("hex"));
  });
});
