import { describe, expect, it } from "vitest";
import { configFile } from "./config-schema.ts";
import { confirmsEmail, toPublicConfig } from "./public-config.ts";

const CANARY = "canary";
const URLS = { console: "https://console.test", gateway: "https://gateway.test" };
const PROVIDER = {
  id: "acme",
  name: "Acme",
  issuer: "https://login.acme.example",
  clientId: "public-client",
};

describe("toPublicConfig", () => {
  it("holds nothing of the file but what it names: not the mail server, not who operates", () => {
    const config = configFile.parse({
      brand: { name: "Acme API" },
      mail: {
        from: `${CANARY}@example.com`,
        smtp: { host: `${CANARY}.example.com`, user: CANARY },
      },
      trustedProxies: ["10.98.76.54"],
      upstreams: [{ name: CANARY, url: `http://${CANARY}.internal/` }],
      legal: { operator: CANARY, terms: `${CANARY}.md`, contact: "billing@acme.example" },
      identity: { providers: [PROVIDER], operators: [`${CANARY}@example.com`] },
    });
    const text = JSON.stringify(toPublicConfig({ config, urls: URLS, version: "1" }));
    expect(text).toContain("public-client");
    expect(text).toContain("billing@acme.example");
    expect(text).not.toMatch(/canary|10\.98/);
    expect(text).toContain('"isDemo":false');
    const plain = { config: configFile.parse({}), urls: URLS, version: "1" };
    expect(toPublicConfig(plain).gateway).toEqual({ isDemo: true, refusesTestKeys: false });
    const refusesTestKeys = (...testUrls: (string | undefined)[]) => {
      const upstreams = testUrls.map((testUrl, at) => ({
        ...{ name: `api-${String(at)}`, url: "http://127.0.0.1:8080", prefix: `/${String(at)}` },
        ...(testUrl !== undefined && { testUrl }),
      }));
      const given = configFile.parse({ upstreams });
      return toPublicConfig({ ...plain, config: given }).gateway.refusesTestKeys;
    };
    expect(refusesTestKeys(undefined)).toBe(true);
    expect(refusesTestKeys("same")).toBe(false);
    expect(refusesTestKeys(undefined, "same")).toBe(false);
    expect(toPublicConfig(plain).calls).toEqual({ areLogged: false });
  });

  it("passes on the operator's mark, which is a picture in itself and never an address elsewhere", () => {
    const mark = "data:image/svg+xml;base64,PHN2Zy8+";
    const brandOf = (brand: object) =>
      toPublicConfig({ config: configFile.parse({ brand }), urls: URLS, version: "1" }).brand;
    expect(brandOf({ mark })).toEqual({ name: "Turnpike", accent: "#f5c400", mark });
    expect(brandOf({})).not.toHaveProperty("mark");
    for (const refused of [
      "https://pictures.example/mark.svg",
      "data:text/html;base64,PHN2Zy8+",
      "data:image/svg+xml;utf8,<svg/>",
      `data:image/png;base64,${"A".repeat(32_768)}`,
    ]) {
      expect(configFile.safeParse({ brand: { mark: refused } }).success).toBe(false);
    }
  });

  it("names the contact, and is null without one", () => {
    const contactOf = (legal: object) =>
      toPublicConfig({ config: configFile.parse({ legal }), urls: URLS, version: "1" }).contact;
    expect(contactOf({ contact: "billing@acme.example" })).toBe("billing@acme.example");
    expect(contactOf({})).toBe(null);
  });

  it("says of a provider with a secret that tokens come from the server, and never the secret", () => {
    const config = {
      ...configFile.parse({ identity: { providers: [PROVIDER] } }),
      clientSecrets: { acme: CANARY },
    };
    const shown = toPublicConfig({ config, urls: URLS, version: "1" });
    expect(shown.identity.providers.at(-1)).toMatchObject({ id: "acme", tokensBy: "server" });
    expect(JSON.stringify(shown)).not.toContain(CANARY);
  });

  it("offers the built-in provider first, unless it is off", () => {
    const idsOf = (identity: object) =>
      toPublicConfig({
        config: configFile.parse({ identity }),
        urls: URLS,
        version: "1",
      }).identity.providers.map((provider) => provider.id);
    expect(idsOf({})).toEqual(["builtin"]);
    expect(idsOf({ providers: [PROVIDER] })).toEqual(["builtin", "acme"]);
    expect(idsOf({ builtin: false, providers: [PROVIDER] })).toEqual(["acme"]);
  });
});

describe("Firebase", () => {
  it("reaches the console as configured, and is not there otherwise", () => {
    const firebaseOf = (identity: object) =>
      toPublicConfig({ config: configFile.parse({ identity }), urls: URLS, version: "1" }).identity
        .firebase;
    const firebase = {
      apiKey: "AIza-1",
      authDomain: "acme.firebaseapp.com",
      projectId: "acme-maps",
    };
    expect(firebaseOf({ firebase })).toEqual({ ...firebase, methods: ["google"], flow: "popup" });
    expect(firebaseOf({})).toBeUndefined();
  });
});

describe("confirmsEmail", () => {
  it.each([
    ["auto", true, true],
    ["auto", false, false],
    ["always", false, true],
    ["never", true, false],
  ] as const)("%s, with a mail server %s: %s", (confirmEmail, hasServer, expected) => {
    const mail = hasServer ? { smtp: { host: "mail.example.com" } } : {};
    expect(confirmsEmail(configFile.parse({ identity: { confirmEmail }, mail }))).toBe(expected);
  });

  it("passes on what is chosen about a provider, and refuses parameters that are the console's own", () => {
    const chosen = {
      flow: "popup",
      scopes: ["openid", "groups"],
      parameters: { hd: "acme.example" },
    };
    const of = (choice: object) => ({ identity: { providers: [{ ...PROVIDER, ...choice }] } });
    const providerOf = (choice: object) =>
      toPublicConfig({
        config: configFile.parse(of(choice)),
        urls: URLS,
        version: "1",
      }).identity.providers.at(-1);
    expect(providerOf(chosen)).toEqual({ ...PROVIDER, kind: "oidc", ...chosen, endsSession: true });
    expect(providerOf({})).toMatchObject({ flow: "redirect", endsSession: true });
    for (const refused of [
      { parameters: { redirect_uri: "https://evil.example" } },
      { parameters: { "a b": "c" } },
      { scopes: ["email"] },
      { scopes: ["openid", "a b"] },
      { flow: "frame" },
    ]) {
      expect(configFile.safeParse(of(refused)).success).toBe(false);
    }
  });
});
