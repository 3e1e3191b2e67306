import { describe, expect, it } from "vitest";
import { toActivitySentence, toActivitySubject, toActivityTitle } from "./activity.view-model.ts";

describe("toActivityTitle", () => {
  it("writes what is known as people say it and the rest as its words", () => {
    expect(toActivityTitle("key.rolled")).toBe("Key rolled");
    expect(toActivityTitle("webhook.endpoint_disabled")).toBe("Webhook endpoint disabled");
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
      "Bob removed somebody who is no member, who was admin; 1 of their keys works on",
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
    ["tenant.updated", "ten_1", { suspended: [true, false] }, "Bob resumed the tenant"],
    ["tenant.updated", "ten_1", {}, "Bob saved the tenant as it was"],
    [
      "invitation.created",
      "ivt_1",
      { email: "eve@example.com", role: "viewer" },
      "Bob invited eve@example.com as viewer",
    ],
    ["key.created", "key_1", { name: "Worker" }, "Bob created the key Worker"],
    ["webhook.created", "whk_1", { name: "Orders" }, "Bob did: webhook created, Orders"],
  ])("writes %s of %s with %j", (action, entityId, details, sentence) => {
    expect(write({ action, entityId, details })).toBe(sentence);
  });

  it("names who did it: the reader, a member, somebody else, a program", () => {
    const by = (actorType: string, actorId: string) =>
      write({ actorType, actorId, action: "file.deleted" });
    expect(by("user", ADA)).toBe("You deleted a file");
    expect(by("user", "usr_operator")).toBe("Somebody who is no member deleted a file");
    expect(by("service_key", "svc_1")).toBe("A program of the operator deleted a file");
    expect(by("operator", "cli")).toBe("The operator, by command, deleted a file");
  });
});
