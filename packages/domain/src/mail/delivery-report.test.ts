import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { makeDeliveryReport } from "./delivery-report.fixture.ts";
import { parseDeliveryReport } from "./delivery-report.ts";

const ADA = { messageId: "mail_1@sender.test", recipient: "Ada@example.test" };

describe("parseDeliveryReport", () => {
  it("reads whose mail was not delivered, and why", () => {
    expect(parseDeliveryReport(makeDeliveryReport(ADA))).toEqual({
      messageId: "mail_1@sender.test",
      failed: [
        {
          address: "ada@example.test",
          answer: "550 5.1.1 <Ada@example.test>: no such user",
          meaning: expect.objectContaining({ isPermanent: true, objection: "address" }),
        },
      ],
    });
  });

  it("believes the answer where the status says nothing, and takes a delay for no failure", () => {
    const meaningOf = (more: object) =>
      parseDeliveryReport(makeDeliveryReport({ ...ADA, ...more }))?.failed[0]?.meaning;
    expect(meaningOf({ status: "5.0.0" })).toMatchObject({ objection: "address" });
    expect(meaningOf({ status: "5.7.1" })).toMatchObject({ objection: "policy" });
    expect(meaningOf({ status: "5.0.0", diagnostic: "x-unix; exit 75" })).toMatchObject({
      isPermanent: true,
    });
    expect(meaningOf({ action: "delayed", status: "4.4.1" })).toBeUndefined();
  });

  it("takes no other mail for a report", () => {
    const whole = makeDeliveryReport(ADA);
    for (const other of [
      "",
      "Subject: I am on holiday\r\n\r\nBack on Monday.",
      whole.replace("multipart/report", "multipart/mixed"),
      whole.replace("Message-ID", "X-Id"),
      whole.replace("message/delivery-status", "text/plain"),
    ]) {
      expect(parseDeliveryReport(other)).toBeUndefined();
    }
  });

  it("never throws, for any text and any damage to a report", () => {
    const whole = makeDeliveryReport(ADA);
    fc.assert(
      fc.property(
        fc.nat(whole.length),
        fc.nat(40),
        fc.string({ maxLength: 20 }),
        (at, cut, text) => {
          const damaged = whole.slice(0, at) + text + whole.slice(at + cut);
          const failed = parseDeliveryReport(damaged)?.failed ?? [];
          expect(failed.length).toBeLessThanOrEqual(1);
        },
      ),
      { numRuns: 500 },
    );
  });

  it("reads long lines and many parts in time that grows with their length alone", () => {
    const head = 'Content-Type: multipart/report; boundary="b"\n\n';
    for (const hostile of [
      `${"Content-Type: multipart/report".padEnd(199_000, " ;boundary=")}\n\n`,
      head + "--b\n".repeat(60_000),
      `${head}--b\nContent-Type: message/delivery-status\n\n${"\n \t\n".repeat(60_000)}`,
    ]) {
      expect(parseDeliveryReport(hostile)?.failed ?? []).toEqual([]);
    }
  });
});
