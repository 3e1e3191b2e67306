import { pollUntil } from "@turnpike/testkit/poll-until";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ExamplesWorld, openExamplesWorld } from "./examples-world.fixture.ts";

// That the examples work at all. Every answer of theirs is in examples.soak.test.ts; what the middleware answers is held
// by the tests of the SDK.
let world: ExamplesWorld;

beforeAll(async () => {
  world = await openExamplesWorld();
});
afterAll(async () => {
  await world.close();
});

describe.each(["express", "fastify", "hono", "next"])("examples/%s", (name) => {
  it("lets an allowed call in and meters it, and refuses one without a key", async () => {
    const { program, url } = await world.startExample(name);
    try {
      const customer = await world.makeCustomer();
      const refused = await fetch(`${url}/v1/whoami`);
      expect(refused.status).toBe(401);
      expect(await refused.json()).toMatchObject({ code: "MISSING_KEY" });
      // Without a verdict within two seconds the SDK answers 503, as it does when a machine is busy.
      const allowed = await pollUntil("a call is let in", async () => {
        const headers = { "x-api-key": customer.key };
        const answer = await fetch(`${url}/v1/whoami`, { headers });
        return answer.status === 503 ? undefined : answer;
      });
      expect(allowed.status).toBe(200);
      expect(await allowed.json()).toMatchObject({ caller: { tenant: customer.tenantId } });
      await pollUntil("it is committed", async () => (await world.usageOf(customer)).calls > 0);
      const { calls, units } = await world.usageOf(customer);
      expect(units).toBe(calls);
    } finally {
      program.kill("SIGTERM");
      await program.ended;
    }
  });
});

describe("examples/curl", () => {
  it("ends with 0 for a valid key, with 1 for one that is not, and with 2 without a verdict", async () => {
    const customer = await world.makeCustomer();
    expect(await world.verify(customer.key)).toMatchObject({ code: 0, json: { valid: true } });
    expect(await world.verify("unknown")).toMatchObject({ code: 1, json: { valid: false } });
    const serviceKey = "tp_svc_wrong";
    expect(await world.verify(customer.key, { serviceKey })).toMatchObject({ code: 2 });
  });
});
