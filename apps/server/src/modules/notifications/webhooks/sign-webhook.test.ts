import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { SECRET_BYTES, signWebhook, toWebhookSecret } from "./sign-webhook.ts";

describe("signWebhook", () => {
  it("reproduces the signature of the published example", () => {
    expect(
      signWebhook({
        secrets: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
        messageId: "msg_p5jXN8AQM9LWM0D4loKWxJek",
        at: new Date(1_614_265_330_000),
        body: '{"test": 2432232314}',
      }),
    ).toEqual({
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    });
  });

  it("is verified by the standard's library with any of the secrets and with no other, for any body", () => {
    fc.assert(
      fc.property(fc.json(), (body) => {
        const secrets = [0, 1].map(() => toWebhookSecret(randomBytes(SECRET_BYTES)));
        const signed = signWebhook({ secrets, messageId: "msg_1", at: new Date(), body });
        for (const secret of secrets) {
          expect(new Webhook(secret).verify(body, signed)).toEqual(JSON.parse(body));
        }
        const other = new Webhook(toWebhookSecret(randomBytes(SECRET_BYTES)));
        expect(() => other.verify(body, signed)).toThrow("No matching signature");
        expect(() => new Webhook(secrets[0] ?? "").verify(`${body} `, signed)).toThrow();
      }),
      { numRuns: 50 },
    );
  });

  it("verifies signatures of the standard's library", () => {
    const secret = toWebhookSecret(randomBytes(SECRET_BYTES));
    const at = new Date();
    const signed = signWebhook({ secrets: [secret], messageId: "msg_2", at, body: "{}" });
    expect(signed["webhook-signature"]).toBe(new Webhook(secret).sign("msg_2", at, "{}"));
  });
});
