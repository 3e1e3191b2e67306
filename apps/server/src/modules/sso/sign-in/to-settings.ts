import type { OidcSettings } from "../protocol/oidc.ts";
import type { SamlSettings } from "../protocol/read-saml-metadata.ts";
import type { SsoDeps } from "../sso.ports.ts";
import type { OidcConnectionRow, SamlConnectionRow } from "../sso-connections.store.ts";

/** What the protocol needs of a connection, with its secret in the clear. */
export async function toOidcSettings(
  deps: Pick<SsoDeps, "sealer">,
  row: OidcConnectionRow,
): Promise<OidcSettings> {
  return {
    issuer: row.issuer,
    clientId: row.client_id,
    clientSecret:
      row.client_secret === null ? undefined : await deps.sealer.open(row.client_secret),
  };
}

export function toSamlSettings(row: SamlConnectionRow): SamlSettings {
  return {
    entityId: row.entity_id,
    signInUrl: row.sign_in_url,
    certificates: row.certificates,
  };
}
