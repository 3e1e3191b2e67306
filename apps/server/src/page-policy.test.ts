import { describe, expect, it } from "vitest";
import { configFile } from "./config-schema.ts";
import { toPagePolicy } from "./page-policy.ts";

const FIREBASE = { apiKey: "AIza-1", authDomain: "acme.firebaseapp.com", projectId: "acme-maps" };

function policyOf(identity: object) {
  const parsed = configFile.parse({ identity }).identity;
  const { content, opensWindows } = toPagePolicy(parsed, "https://console.example");
  const parts = content.split("; ").map((part) => {
    const [name = "", ...values] = part.split(" ");
    return [name, values] as const;
  });
  return { ...Object.fromEntries(parts), opensWindows };
}

describe("the policy of pages", () => {
  it("names nothing of Firebase where it is not configured", () => {
    const policy = policyOf({});
    expect(policy).toMatchObject({
      "script-src": ["'self'"],
      "connect-src": ["'self'", "https://console.example"],
      "trusted-types": ["server-html"],
      opensWindows: false,
    });
    expect(policy).not.toHaveProperty("frame-src");
  });

  it("lets pages ask Firebase for passwords, without scripts and frames of others", () => {
    const policy = policyOf({ builtin: false, firebase: { ...FIREBASE, methods: ["password"] } });
    expect(policy).toMatchObject({
      "script-src": ["'self'"],
      "connect-src": [
        "'self'",
        "https://console.example",
        "https://identitytoolkit.googleapis.com",
        "https://securetoken.googleapis.com",
      ],
      "trusted-types": ["server-html"],
      opensWindows: false,
    });
    expect(policy).not.toHaveProperty("frame-src");
  });

  it("lets the window of Google answer, and opens one only where that is chosen", () => {
    expect(policyOf({ firebase: FIREBASE })).toMatchObject({
      "script-src": ["'self'", "https://apis.google.com"],
      "frame-src": ["https://acme.firebaseapp.com"],
      "trusted-types": ["server-html", "google-script", "gapi#gapi", "goog#html"],
      opensWindows: true,
    });
    expect(policyOf({ firebase: { ...FIREBASE, flow: "redirect" } }).opensWindows).toBe(false);
  });

  it("asks the emulator instead of Google where it is configured", () => {
    const emulator = "http://127.0.0.1:9099";
    expect(policyOf({ firebase: { ...FIREBASE, emulator } })).toMatchObject({
      "connect-src": ["'self'", "https://console.example", emulator],
      "frame-src": [emulator],
    });
  });

  it("lets pages ask each provider where its endpoints are, frame it and open its window", () => {
    const provider = { id: "acme", name: "Acme", clientId: "c" };
    const issuer = "https://login.acme.example/realm";
    const origins = ["https://token.acme.example"];
    const policy = policyOf({ providers: [{ ...provider, issuer, origins }], firebase: FIREBASE });
    const theirs = ["https://login.acme.example", ...origins];
    expect(policy).toMatchObject({
      "connect-src": expect.arrayContaining(["https://console.example", ...theirs]),
      "frame-src": ["'self'", ...theirs, "https://acme.firebaseapp.com"],
      opensWindows: true,
    });
    for (const hole of [
      "https://x.example/",
      "https://x.example; script-src *",
      "http://x.example",
    ]) {
      const refused = { ...provider, issuer, origins: [hole] };
      expect(configFile.safeParse({ identity: { providers: [refused] } }).success).toBe(false);
    }
  });
});
