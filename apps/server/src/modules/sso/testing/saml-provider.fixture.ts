import "reflect-metadata";
import { randomUUID } from "node:crypto";
import { inflateRawSync } from "node:zlib";
import * as x509 from "@peculiar/x509";
import { SignedXml } from "xml-crypto";

const SAML = "urn:oasis:names:tc:SAML:2.0";
const SHA256 = "http://www.w3.org/2001/04/xmlenc#sha256";
const RSA_SHA256 = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256";
const EXCLUSIVE = "http://www.w3.org/2001/10/xml-exc-c14n#";
const ENVELOPED = "http://www.w3.org/2000/09/xmldsig#enveloped-signature";
const MINUTE_MS = 60_000;
const YEAR_MS = 365 * 24 * 60 * MINUTE_MS;

export type AuthnRequest = { id: string; acsUrl: string; issuer: string; relayState: string };

/** What an assertion says; a hostile one says something else. */
export type Assertion = {
  nameId: string;
  nameIdFormat?: string;
  attributes: Readonly<Record<string, string>>;
  inResponseTo: string;
  recipient: string;
  audience: string;
  issuer: string;
  at: Date;
  signed: "assertion" | "response" | "none";
  algorithm?: { signature: string; digest: string };
};

/** An identity provider that speaks SAML 2.0. It signs with a library that is not the one under test. */
export type SamlProvider = {
  entityId: string;
  certificate: string;
  metadata(): string;
  /** Reads what the service asked for. */
  readRequest(url: URL): AuthnRequest;
  /** Makes a response, in Base64 as a browser would post it. */
  answer(assertion: Assertion): string;
  /** The same as XML, for tests that tamper with it. */
  answerXml(assertion: Assertion): string;
};

const escapeXml = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

async function createKey(now: Date): Promise<{ certificate: string; privateKey: string }> {
  x509.cryptoProvider.set(globalThis.crypto);
  const algorithm = {
    name: "RSASSA-PKCS1-v1_5",
    hash: "SHA-256",
    publicExponent: new Uint8Array([1, 0, 1]),
    modulusLength: 2_048,
  };
  const keys = await globalThis.crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: "01",
    name: "CN=idp.test",
    notBefore: new Date(now.getTime() - YEAR_MS),
    notAfter: new Date(now.getTime() + YEAR_MS),
    signingAlgorithm: algorithm,
    keys,
  });
  const pkcs8 = Buffer.from(await globalThis.crypto.subtle.exportKey("pkcs8", keys.privateKey));
  return {
    certificate: certificate.toString("pem"),
    privateKey: `-----BEGIN PRIVATE KEY-----\n${pkcs8.toString("base64")}\n-----END PRIVATE KEY-----\n`,
  };
}

function toAssertionXml(id: string, input: Assertion): string {
  const before = new Date(input.at.getTime() - MINUTE_MS).toISOString();
  const after = new Date(input.at.getTime() + 5 * MINUTE_MS).toISOString();
  const attributes = Object.entries(input.attributes).map(
    ([name, value]) =>
      `<saml:Attribute Name="${escapeXml(name)}"><saml:AttributeValue>${escapeXml(value)}</saml:AttributeValue></saml:Attribute>`,
  );
  const format = input.nameIdFormat ?? `${SAML}:nameid-format:persistent`;
  return [
    `<saml:Assertion xmlns:saml="${SAML}:assertion" ID="${id}" Version="2.0" IssueInstant="${input.at.toISOString()}">`,
    `<saml:Issuer>${escapeXml(input.issuer)}</saml:Issuer>`,
    `<saml:Subject><saml:NameID Format="${format}">${escapeXml(input.nameId)}</saml:NameID>`,
    `<saml:SubjectConfirmation Method="${SAML}:cm:bearer"><saml:SubjectConfirmationData InResponseTo="${escapeXml(input.inResponseTo)}" NotOnOrAfter="${after}" Recipient="${escapeXml(input.recipient)}"/></saml:SubjectConfirmation></saml:Subject>`,
    `<saml:Conditions NotBefore="${before}" NotOnOrAfter="${after}"><saml:AudienceRestriction><saml:Audience>${escapeXml(input.audience)}</saml:Audience></saml:AudienceRestriction></saml:Conditions>`,
    `<saml:AuthnStatement AuthnInstant="${input.at.toISOString()}"><saml:AuthnContext><saml:AuthnContextClassRef>${SAML}:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>`,
    `<saml:AttributeStatement>${attributes.join("")}</saml:AttributeStatement>`,
    "</saml:Assertion>",
  ].join("");
}

/** @param element - The local name of what is signed. */
function sign(
  xml: string,
  element: "Assertion" | "Response",
  privateKey: string,
  algorithm: Assertion["algorithm"],
): string {
  const signer = new SignedXml({
    privateKey,
    signatureAlgorithm: algorithm?.signature ?? RSA_SHA256,
    canonicalizationAlgorithm: EXCLUSIVE,
  });
  const path = `//*[local-name(.)='${element}']`;
  signer.addReference({
    xpath: path,
    digestAlgorithm: algorithm?.digest ?? SHA256,
    transforms: [ENVELOPED, EXCLUSIVE],
  });
  signer.computeSignature(xml, {
    location: { reference: `${path}/*[local-name(.)='Issuer']`, action: "after" },
  });
  return signer.getSignedXml();
}

/** @param now - Between which the certificate is good: a year before and after. */
export async function createSamlProvider(now: Date): Promise<SamlProvider> {
  const entityId = "https://idp.test/saml";
  const { certificate, privateKey } = await createKey(now);

  function answerXml(input: Assertion): string {
    const assertion = toAssertionXml(`_${randomUUID()}`, input);
    const inner =
      input.signed === "assertion"
        ? sign(assertion, "Assertion", privateKey, input.algorithm)
        : assertion;
    const response = [
      `<samlp:Response xmlns:samlp="${SAML}:protocol" xmlns:saml="${SAML}:assertion" ID="_${randomUUID()}" Version="2.0" IssueInstant="${input.at.toISOString()}" Destination="${escapeXml(input.recipient)}" InResponseTo="${escapeXml(input.inResponseTo)}">`,
      `<saml:Issuer>${escapeXml(input.issuer)}</saml:Issuer>`,
      `<samlp:Status><samlp:StatusCode Value="${SAML}:status:Success"/></samlp:Status>`,
      inner,
      "</samlp:Response>",
    ].join("");
    if (input.signed !== "response") {
      return response;
    }
    const signer = new SignedXml({
      privateKey,
      signatureAlgorithm: RSA_SHA256,
      canonicalizationAlgorithm: EXCLUSIVE,
    });
    signer.addReference({
      xpath: "/*",
      digestAlgorithm: SHA256,
      transforms: [ENVELOPED, EXCLUSIVE],
    });
    signer.computeSignature(response, {
      location: { reference: "/*/*[local-name(.)='Issuer']", action: "after" },
    });
    return signer.getSignedXml();
  }

  return {
    entityId,
    certificate,
    metadata: () =>
      [
        `<?xml version="1.0"?><md:EntityDescriptor xmlns:md="${SAML}:metadata" entityID="${entityId}">`,
        `<md:IDPSSODescriptor protocolSupportEnumeration="${SAML}:protocol">`,
        '<md:KeyDescriptor use="signing"><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data><ds:X509Certificate>',
        certificate.replace(/-----[A-Z ]+-----|\n/g, ""),
        "</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>",
        `<md:SingleSignOnService Binding="${SAML}:bindings:HTTP-POST" Location="https://idp.test/post"/>`,
        `<md:SingleSignOnService Binding="${SAML}:bindings:HTTP-Redirect" Location="https://idp.test/sso?a=1&amp;b=2"/>`,
        "</md:IDPSSODescriptor></md:EntityDescriptor>",
      ].join(""),
    readRequest(url) {
      const xml = inflateRawSync(
        Buffer.from(url.searchParams.get("SAMLRequest") ?? "", "base64"),
      ).toString("utf8");
      const attribute = (name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(xml)?.[1] ?? "";
      return {
        id: attribute("ID"),
        acsUrl: attribute("AssertionConsumerServiceURL"),
        issuer: /<saml:Issuer[^>]*>([^<]*)</.exec(xml)?.[1] ?? "",
        relayState: url.searchParams.get("RelayState") ?? "",
      };
    },
    answerXml,
    answer: (input) => Buffer.from(answerXml(input)).toString("base64"),
  };
}
