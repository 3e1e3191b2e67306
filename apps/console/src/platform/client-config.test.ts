import { describe, expect, it } from "vitest";
import { parseClientConfig } from "./client-config.ts";

const COMPLETE = {
  brand: { name: "Acme APIs", accent: "#fbcf24" },
  urls: {
    console: "https://console.example.com/",
    api: "https://api.example.com",
    gateway: "https://gw.example.com",
  },
  version: "1.2.3",
  identity: {
    providers: [
      {
        id: "builtin",
        kind: "builtin",
        name: "Acme APIs",
        issuer: "https://console.example.com/idp",
        clientId: "console",
      },
      {
        id: "corp",
        kind: "oidc",
        name: "Acme Corp",
        issuer: "https://login.example.com/",
        clientId: "turnpike",
      },
    ],
    passwordRules: { lengthMin: 12 },
    confirmEmail: false,
  },
  gateway: { isDemo: true, refusesTestKeys: true },
  calls: { areLogged: true },
  mail: { delivers: true },
  contact: "billing@acme.example",
  files: { kind: "turnpike" },
};

describe("parseClientConfig", () => {
  it("keeps what the console needs and drops the slash at the end of an address", () => {
    expect(parseClientConfig(COMPLETE)).toEqual({
      brand: { name: "Acme APIs", accent: "#fbcf24", mark: undefined },
      urls: {
        console: "https://console.example.com",
        api: "https://api.example.com",
        gateway: "https://gw.example.com",
      },
      version: "1.2.3",
      identity: COMPLETE.identity,
      gateway: COMPLETE.gateway,
      calls: COMPLETE.calls,
      mail: COMPLETE.mail,
      contact: "billing@acme.example",
      reference: null,
    });
  });

  it.each(["members", "public"])("has a reference for %s, and for no others", (reference) => {
    expect(parseClientConfig({ ...COMPLETE, reference }).reference).toBe(reference);
    expect(parseClientConfig({ ...COMPLETE, reference: "everyone" }).reference).toBe(null);
  });

  it("does without an accent", () => {
    expect(parseClientConfig({ ...COMPLETE, brand: { name: "Acme" } }).brand.accent).toBe(
      undefined,
    );
  });

  it.each([null, undefined, "", 7])("has no contact when it is %s", (contact) => {
    expect(parseClientConfig({ ...COMPLETE, contact }).contact).toBe(null);
  });

  it("names the part that is missing", () => {
    expect(() => parseClientConfig({ ...COMPLETE, version: undefined })).toThrow(
      "version is missing",
    );
    expect(() => parseClientConfig("<!doctype html>")).toThrow("brand.name is missing");
  });

  it("refuses an address that is none", () => {
    const urls = { ...COMPLETE.urls, gateway: "somewhere" };
    expect(() => parseClientConfig({ ...COMPLETE, urls })).toThrow("urls.gateway is no address");
  });
});
