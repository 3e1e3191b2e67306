import { X509Certificate } from "node:crypto";
import { XMLParser } from "fast-xml-parser";
import { SsoError } from "./sso-error.ts";

export type SamlSettings = {
  /** How the provider names itself. */
  entityId: string;
  /** Where a browser begins (HTTP-Redirect binding). */
  signInUrl: string;
  /** In PEM; the keys that may sign. */
  certificates: string[];
};

/** A provider publishes its present key, and perhaps the next. */
const CERTIFICATES_MAX = 5;
const REDIRECT_BINDING = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect";

// A document with a DTD is refused, so there are no entities to expand.
const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: "@",
  removeNSPrefix: true,
  parseTagValue: false,
  parseAttributeValue: false,
  processEntities: false,
});

type Node = Record<string, unknown>;

function refuse(message: string): SsoError {
  return new SsoError("sso_failed", message);
}

function childrenOf(parent: unknown, name: string): Node[] {
  if (typeof parent !== "object" || parent === null) {
    return [];
  }
  const found: unknown = (parent as Node)[name];
  const list: unknown[] = Array.isArray(found) ? found : [found];
  return list.flatMap((item) => {
    if (typeof item === "string") {
      return [{ "#text": item }];
    }
    return typeof item === "object" && item !== null ? [item as Node] : [];
  });
}

function textOf(node: Node | undefined, name: string): string | undefined {
  const value = node?.[name];
  return typeof value === "string" ? value.trim() : undefined;
}

/** Attribute values carry `&amp;` in addresses, and nothing else needs expanding. */
function expandAmpersands(text: string): string {
  return text.replaceAll("&amp;", "&");
}

function toPem(base64: string): string {
  const body = base64.replace(/\s+/g, "");
  const pem = `-----BEGIN CERTIFICATE-----\n${(body.match(/.{1,64}/g) ?? []).join("\n")}\n-----END CERTIFICATE-----\n`;
  try {
    return new X509Certificate(pem).toString();
  } catch (cause) {
    throw new SsoError("sso_failed", "The metadata hold a certificate that cannot be read.", {
      cause,
    });
  }
}

function findCertificates(descriptor: Node): string[] {
  const keys = childrenOf(descriptor, "KeyDescriptor").filter(
    (key) => textOf(key, "@use") !== "encryption",
  );
  const certificates = keys
    .flatMap((key) => childrenOf(key, "KeyInfo"))
    .flatMap((info) => childrenOf(info, "X509Data"))
    .flatMap((data) => childrenOf(data, "X509Certificate"))
    .flatMap((certificate) => textOf(certificate, "#text") ?? []);
  return [...new Set(certificates.map(toPem))];
}

/**
 * Reads an identity provider's SAML 2.0 metadata (`EntityDescriptor`).
 *
 * @throws {SsoError} `sso_failed` with what is wrong with them.
 */
export function readSamlMetadata(xml: string): SamlSettings {
  if (/<!DOCTYPE|<!ENTITY/i.test(xml)) {
    throw refuse("The metadata have a document type, which is not accepted.");
  }
  let document: unknown;
  try {
    document = parser.parse(xml, true);
  } catch (cause) {
    throw new SsoError("sso_failed", "The metadata are no XML document.", { cause });
  }
  const entities = [
    ...childrenOf(document, "EntityDescriptor"),
    ...childrenOf(childrenOf(document, "EntitiesDescriptor")[0], "EntityDescriptor"),
  ].filter((entity) => childrenOf(entity, "IDPSSODescriptor").length > 0);
  const [entity] = entities;
  if (entity === undefined || entities.length > 1) {
    throw refuse("The metadata must describe one identity provider (IDPSSODescriptor).");
  }
  const descriptor = childrenOf(entity, "IDPSSODescriptor")[0] ?? {};
  const entityId = expandAmpersands(textOf(entity, "@entityID") ?? "");
  if (entityId === "" || entityId.length > 1_000) {
    throw refuse("The metadata have no entityID.");
  }
  const service = childrenOf(descriptor, "SingleSignOnService").find(
    (one) => textOf(one, "@Binding") === REDIRECT_BINDING,
  );
  const signInUrl = expandAmpersands(textOf(service, "@Location") ?? "");
  if (!/^https?:$/.test(URL.canParse(signInUrl) ? new URL(signInUrl).protocol : "")) {
    throw refuse("The metadata name no address for the HTTP-Redirect binding.");
  }
  const certificates = findCertificates(descriptor);
  if (certificates.length === 0 || certificates.length > CERTIFICATES_MAX) {
    throw refuse(`The metadata must hold 1 to ${String(CERTIFICATES_MAX)} signing certificates.`);
  }
  return { entityId, signInUrl, certificates };
}
