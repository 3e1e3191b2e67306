import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { explainAnswer, explainStatus, type MailStep } from "./smtp-answer.ts";

describe("explainAnswer", () => {
  it.each<[string, MailStep | undefined, boolean, string, RegExp]>([
    ["550 5.1.1 <a@b.test>: no such user", "recipient", true, "address", /no such mailbox/],
    ["550-5.1.1 The account does not exist", "recipient", true, "address", /no such mailbox/],
    ["550 5.2.1 disabled", "recipient", true, "address", /disabled/],
    ["550 5.7.1 relaying denied", "recipient", true, "policy", /rules/],
    ["550 5.7.26 unauthenticated", "message", true, "sender", /SPF nor DKIM/],
    ["452 4.2.2 over quota", "recipient", false, "mailbox_full", /full/],
    ["552 5.2.2 over quota", "recipient", true, "mailbox_full", /full/],
    ["552 5.3.4 too big", "message", true, "message", /larger/],
    ["421 4.3.2 shutting down", "connect", false, "server", /moment/],
    ["550 no such user", "recipient", true, "address", /no such mailbox/],
    ["550 no", "sender", true, "sender", /sender/],
    ["550 no", "message", true, "policy", /refuses/],
    ["554 spam", "message", true, "policy", /refuses/],
    ["535 5.7.8 no", "sign_in", true, "sign_in", /password/],
    ["535 Authentication failed", "sign_in", true, "sign_in", /password/],
    ["450 greylisted", "recipient", false, "server", /wait/],
    ["451 4.7.999 own code", "message", false, "policy", /rules/],
    ["All were rejected: 550 5.1.10 null MX", "recipient", true, "address", /takes no mail/],
  ])("reads %j at step %s", (answer, step, isPermanent, objection, text) => {
    expect(explainAnswer(answer, step)).toMatchObject({ isPermanent, objection });
    expect(explainAnswer(answer, step)?.text).toMatch(text);
  });

  it("finds no refusal in other texts", () => {
    for (const text of ["", "250 2.0.0 taken", "connect to 192.0.2.55 failed", "1550", "5.1.1"]) {
      expect(explainAnswer(text)).toBeUndefined();
    }
  });

  it("gives a sentence of ours for any text, and never one of the server's", () => {
    fc.assert(
      fc.property(fc.integer({ min: 400, max: 599 }), fc.string(), (code, rest) => {
        const answer = explainAnswer(`${String(code)} ${rest}`, "recipient");
        expect(answer?.isPermanent).toBe(code >= 500);
        expect(answer?.text).toMatch(/^[A-Z][^<>@]+\.$/);
      }),
    );
  });
});

describe("explainStatus", () => {
  it("reads the status of a report", () => {
    expect(explainStatus("5.1.1")).toMatchObject({ isPermanent: true, objection: "address" });
    expect(explainStatus("5.1.1 (bad mailbox)")).toMatchObject({ objection: "address" });
    expect(explainStatus("4.4.7")).toMatchObject({ isPermanent: false, objection: "server" });
    expect(explainStatus("2.0.0")).toBeUndefined();
    expect(explainStatus("delivered")).toBeUndefined();
  });
});
