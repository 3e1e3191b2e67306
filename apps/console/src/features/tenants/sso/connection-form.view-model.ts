import type { SsoConnection, SsoConnectionInput } from "./sso.queries.ts";

/** What the form holds. */
export type ConnectionDraft = {
  protocol: "oidc" | "saml";
  name: string;
  defaultRole: SsoConnectionInput["defaultRole"];
  enabled: boolean;
  required: boolean;
  issuer: string;
  clientId: string;
  clientSecret: string;
  metadata: string;
};

/** The draft of what is set up; of nothing yet, an empty one that is on. */
export function toDraft(connection: SsoConnection | null): ConnectionDraft {
  const blank = {
    protocol: "oidc" as const,
    name: "",
    defaultRole: "developer" as const,
    enabled: true,
    required: false,
    issuer: "",
    clientId: "",
    clientSecret: "",
    metadata: "",
  };
  if (connection === null) {
    return blank;
  }
  const { protocol, name, defaultRole, enabled, required } = connection;
  return {
    ...blank,
    protocol,
    name,
    defaultRole,
    enabled,
    required,
    ...(connection.protocol === "oidc" && {
      issuer: connection.issuer,
      clientId: connection.clientId,
    }),
  };
}

/** What is sent. A secret or metadata that were left empty stay what they are. */
export function toConnectionInput(draft: ConnectionDraft): SsoConnectionInput {
  const settings = {
    name: draft.name.trim(),
    defaultRole: draft.defaultRole,
    enabled: draft.enabled,
    required: draft.required,
  };
  if (draft.protocol === "saml") {
    const metadata = draft.metadata.trim();
    return { protocol: "saml", ...settings, ...(metadata !== "" && { metadata }) };
  }
  const { clientSecret } = draft;
  return {
    protocol: "oidc",
    ...settings,
    issuer: draft.issuer.trim(),
    clientId: draft.clientId.trim(),
    ...(clientSecret !== "" && { clientSecret }),
  };
}

/** The field of the form for each place in the request. */
export const CONNECTION_POINTERS = {
  name: "/connection/name",
  issuer: "/connection/issuer",
  clientId: "/connection/clientId",
  clientSecret: "/connection/clientSecret",
  metadata: "/connection/metadata",
} as const;
