import { describe, expect, it } from "vitest";
import { toConnectionInput, toDraft } from "./connection-form.view-model.ts";

const settings = { name: "Okta", defaultRole: "viewer", enabled: true, required: true } as const;
const times = { createdAt: "", updatedAt: "", lastUsedAt: null, lastFailure: null };

describe("the form of a connection", () => {
  it("sends what is set up unchanged, without a secret that was not typed", () => {
    const oidc = {
      protocol: "oidc",
      ...settings,
      issuer: "https://a.example",
      clientId: "c",
    } as const;
    const draft = toDraft({ ...oidc, ...times, hasClientSecret: true });
    expect(toConnectionInput(draft)).toEqual(oidc);
    expect(toConnectionInput({ ...draft, clientSecret: " s " })).toEqual({
      ...oidc,
      clientSecret: " s ",
    });
  });

  it("sends metadata only when new ones were pasted", () => {
    const saml = { protocol: "saml", ...settings } as const;
    const draft = toDraft({ ...saml, ...times, entityId: "e", signInUrl: "s", certificates: [] });
    expect(toConnectionInput(draft)).toEqual(saml);
    expect(toConnectionInput({ ...draft, metadata: "\n<x/>\n" })).toEqual({
      ...saml,
      metadata: "<x/>",
    });
  });

  it("begins switched on and not required", () => {
    expect(toDraft(null)).toMatchObject({ enabled: true, required: false });
  });
});
