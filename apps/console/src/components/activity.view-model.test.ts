import { describe, expect, it } from "vitest";
import { toActivityObject, toActivitySentence, toActivitySubject } from "./activity.view-model.ts";
import { toActivityTitle } from "./activity-titles.ts";

describe("toActivityTitle", () => {
  it("writes what is known as people say it and the rest as its words", () => {
    expect(toActivityTitle("key.rolled")).toBe("Key rolled");
    expect(toActivityTitle("webhook.endpoint_disabled")).toBe("Webhook endpoint disabled");
  });

  it.each([
    [{ plan_id: ["free", "pro"], plan_version: [1, 1] }, "Plan changed"],
    [{ plan_version: [1, 2] }, "Plan changed"],
    [{ name: ["A", "B"] }, "Tenant renamed"],
    [{ name: ["A", "B"], plan_id: ["free", "pro"] }, "Tenant changed"],
    [{ external_id: [null, "x"] }, "Tenant changed"],
    [{}, "Tenant changed"],
  ])("says which part of a tenant changed: %j", (details, title) => {
    expect(toActivityTitle("tenant.updated", details)).toBe(title);
  });
});

describe("a change of a subscription", () => {
  it.each([
    [{ do: "subscribe", planId: "pro" }, "Plan chosen", "chose the plan pro"],
    [
      { do: "cancel", when: "period_end" },
      "Subscription cancelled",
      "cancelled the subscription (takes effect at the end of the period)",
    ],
    [{ do: "cancel", when: "now" }, "Subscription cancelled", "cancelled the subscription"],
    [{ do: "seats", card: "base", quantity: "3" }, "Seats changed", "set the seats of base to 3"],
    [
      { do: "resume", environment: "test" },
      "Subscription resumed",
      "resumed the subscription, in the sandbox",
    ],
    [{}, "Subscription changed", "changed the subscription"],
  ])("says what was done: %j", (details, title, what) => {
    expect(toActivityTitle("subscription.changed", details)).toBe(title);
    const activity = { actorType: "user", actorId: "usr_bob", entityId: "tnt_1", details };
    const names = { people: new Map(), readerId: "usr_ada" };
    const sentence = toActivitySentence({ ...activity, action: "subscription.changed" }, names);
    expect(sentence.what).toBe(what);
  });
});

describe("toActivitySubject", () => {
  it("takes a name, or what a name became", () => {
    expect(toActivitySubject({ name: "Worker" })).toBe("Worker");
    expect(toActivitySubject({ name: ["Old", "New"] })).toBe("New");
    expect(toActivitySubject({ email: "ada@example.com" })).toBe("ada@example.com");
    expect(toActivitySubject({ role: [null, "viewer"] })).toBeUndefined();
  });
});

describe("toActivityObject", () => {
  const people = new Map([["usr_bob", "Bob"]]);

  it("names people by their id, things as the trail does, and who has left by nothing", () => {
    const added = {
      action: "member.added",
      entityId: "usr_bob",
      details: { role: [null, "viewer"] },
    };
    expect(toActivityObject(added, people)).toBe("Bob");
    expect(toActivityObject({ ...added, entityId: "usr_gone" }, people)).toBeUndefined();
    expect(toActivityObject(added)).toBeUndefined();
    const key = { action: "key.created", entityId: "key_1", details: { name: "Worker" } };
    expect(toActivityObject(key, people)).toBe("Worker");
  });
});

describe("toActivitySentence", () => {
  const ADA = "usr_ada";
  const BOB = "usr_bob";
  const NAMES = { people: new Map([[BOB, "Bob"]]), readerId: ADA };
  const write = (activity: Partial<Parameters<typeof toActivitySentence>[0]>) => {
    const { actor, what } = toActivitySentence(
      { actorType: "user", actorId: BOB, action: "", entityId: "", details: {}, ...activity },
      NAMES,
    );
    return `${actor} ${what}`;
  };

  it.each([
    [
      "member.role_changed",
      ADA,
      { role: ["viewer", "admin"] },
      "Bob changed your role from viewer to admin",
    ],
    [
      "member.role_changed",
      BOB,
      { role: ["owner", "admin"] },
      "Bob changed their own role from owner to admin",
    ],
    ["member.added", BOB, { role: [null, "owner"] }, "Bob became owner"],
    ["member.removed", BOB, { role: ["admin", null], liveKeys: [] }, "Bob left the tenant"],
    [
      "member.removed",
      "usr_gone",
      { role: ["admin", null], liveKeys: ["key_1"] },
      "Bob removed a non-member, who was admin; 1 of their keys still works",
    ],
    ["agent_grant.created", "agr_1", { name: "Helper" }, "Bob connected the agent Helper"],
    [
      "agent_grant.ended",
      "agr_1",
      { name: "Helper", why: "given_back" },
      "Bob disconnected the agent Helper, because it signed out",
    ],
    [
      "proposal.accepted",
      "prp_1",
      { change: "set the spend cap to 10" },
      "Bob accepted a proposal to set the spend cap to 10",
    ],
    [
      "tenant.updated",
      "ten_1",
      { name: ["Acme", "Acme 2"], slug: ["acme", "acme-2"] },
      "Bob renamed the tenant from Acme to Acme 2, changed the slug from acme to acme-2",
    ],
    [
      "tenant.updated",
      "ten_1",
      { plan_id: ["free", "pro"], plan_version: [1, 4] },
      "Bob moved the tenant from free to pro",
    ],
    [
      "tenant.updated",
      "ten_1",
      { plan_version: [1, 2] },
      "Bob moved the tenant to the newest version of its plan",
    ],
    ["tenant.updated", "ten_1", { suspended: [false, true] }, "Bob suspended the tenant"],
    [
      "tenant.standing_changed",
      "ten_1",
      { standing: ["overdue", "blocked"] },
      "Bob changed the payment standing from overdue to blocked",
    ],
    ["tenant.updated", "ten_1", { suspended: [true, false] }, "Bob resumed the tenant"],
    ["tenant.updated", "ten_1", {}, "Bob saved the tenant without changes"],
    [
      "invitation.created",
      "ivt_1",
      { email: "eve@example.com", role: "viewer" },
      "Bob invited eve@example.com as viewer",
    ],
    ["tenant.transferred", "ten_1", { to: "usr_gone" }, "Bob passed the tenant on to a non-member"],
    ["role.created", "rol_1", { name: "Support", scopes: [] }, "Bob made the role Support"],
    [
      "role.updated",
      "rol_1",
      { name: ["Support", "Support"], added: ["keys:read"], removed: [] },
      "Bob changed what the role Support may do (1 more, 0 less)",
    ],
    [
      "role.deleted",
      "rol_1",
      { name: "Support", replacement: "viewer" },
      "Bob deleted the role Support; who had it is now viewer",
    ],
    ["key.created", "key_1", { name: "Worker" }, "Bob created the key Worker"],
    ["key.leak_found", "key_1", { name: "Worker" }, "Bob found the key Worker in public"],
    ["key.leak_found", "key_1", { source: "commit" }, "Bob found a key in public"],
    [
      "key.leak_revoked",
      "key_1",
      { name: "Worker" },
      "Bob found the key Worker in public and revoked it",
    ],
    ["gadget.created", "gad_1", { name: "Orders" }, "Bob did: gadget created, Orders"],
  ])("writes %s of %s with %j", (action, entityId, details, sentence) => {
    expect(write({ action, entityId, details })).toBe(sentence);
  });

  it("names the actor: the reader, a member, someone else, a program", () => {
    const by = (actorType: string, actorId: string) =>
      write({ actorType, actorId, action: "file.deleted" });
    expect(by("user", ADA)).toBe("You deleted a file");
    expect(by("user", "usr_operator")).toBe("A non-member deleted a file");
    expect(by("service_key", "svc_1")).toBe("The operator’s program deleted a file");
    expect(by("operator", "cli")).toBe("The operator, from the command line, deleted a file");
  });

  it("calls no one a non-member of whom it is not known", () => {
    const activity = {
      ...{ actorType: "user", actorId: "usr_1", action: "member.role_changed", entityId: "usr_2" },
      details: { role: ["viewer", "admin"] },
    };
    const names = { people: new Map(), readerId: "usr_9" };
    const toText = (arePartial: boolean) => {
      const { actor, what } = toActivitySentence(activity, { ...names, arePartial });
      return `${actor} ${what}`;
    };
    expect(toText(false)).toBe(
      "A non-member changed the role of a non-member from viewer to admin",
    );
    expect(toText(true)).toBe("Someone changed the role of someone from viewer to admin");
  });
});
