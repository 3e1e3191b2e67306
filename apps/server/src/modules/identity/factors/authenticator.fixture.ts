import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";

/** A request for a passkey or a new one, as far as an authenticator reads it. */
type Options = { challenge: string; rpId?: string; rp?: { id?: string }; user?: { id: string } };

/** An authenticator in software: ES256 without attestation, one passkey, as WebAuthn level 3 describes it. */
export interface SoftwareAuthenticator {
  create(options: Options): object;
  get(options: Options): object;
  /** The count of signatures, which tests set back as a copied authenticator would. */
  counter: number;
  /** Where the browser believes to be. */
  origin: string;
  /** Whether it verifies its person, by a finger or a PIN. */
  verifiesPerson: boolean;
}

const b64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64url");
const sha256 = (bytes: Uint8Array | string) => createHash("sha256").update(bytes).digest();

/** CBOR (RFC 8949), as far as it is needed here. */
function cbor(value: number | string | Uint8Array | Map<number | string, unknown>): Buffer {
  const head = (major: number, count: number): Buffer =>
    count < 24
      ? Buffer.from([(major << 5) | count])
      : count < 256
        ? Buffer.from([(major << 5) | 24, count])
        : Buffer.from([(major << 5) | 25, count >> 8, count & 255]);
  if (typeof value === "number") {
    return value >= 0 ? head(0, value) : head(1, -1 - value);
  }
  if (typeof value === "string") {
    const text = Buffer.from(value, "utf8");
    return Buffer.concat([head(3, text.length), text]);
  }
  if (value instanceof Map) {
    const entries = [...value].map(([key, item]) =>
      Buffer.concat([cbor(key), cbor(item as Parameters<typeof cbor>[0])]),
    );
    return Buffer.concat([head(5, value.size), ...entries]);
  }
  return Buffer.concat([head(2, value.length), value]);
}

const PRESENT = 0x01;
const VERIFIED = 0x04;
const WITH_CREDENTIAL = 0x40;

export function createAuthenticator(origin: string): SoftwareAuthenticator {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { x = "", y = "" } = publicKey.export({ format: "jwk" });
  const credentialId = randomBytes(32);
  let userHandle = "";

  function toAuthData(rpId: string, credential: Uint8Array): Buffer {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(authenticator.counter);
    const flags =
      PRESENT |
      (authenticator.verifiesPerson ? VERIFIED : 0) |
      (credential.length > 0 ? WITH_CREDENTIAL : 0);
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), count, credential]);
  }

  function toClientData(type: string, challenge: string): Buffer {
    const data = { type, challenge, origin: authenticator.origin, crossOrigin: false };
    return Buffer.from(JSON.stringify(data));
  }

  const answerOf = (response: object) => ({
    id: b64(credentialId),
    rawId: b64(credentialId),
    type: "public-key",
    clientExtensionResults: {},
    response,
  });

  const authenticator: SoftwareAuthenticator = {
    counter: 1,
    origin,
    verifiesPerson: true,
    create(options) {
      userHandle = options.user?.id ?? "";
      const cose = cbor(
        new Map<number, unknown>([
          [1, 2],
          [3, -7],
          [-1, 1],
          [-2, Buffer.from(x, "base64url")],
          [-3, Buffer.from(y, "base64url")],
        ]),
      );
      const length = Buffer.from([0, credentialId.length]);
      const credential = Buffer.concat([Buffer.alloc(16), length, credentialId, cose]);
      const authData = toAuthData(options.rp?.id ?? "", credential);
      const attestation = new Map<string, unknown>([
        ["fmt", "none"],
        ["attStmt", new Map()],
        ["authData", authData],
      ]);
      return answerOf({
        clientDataJSON: b64(toClientData("webauthn.create", options.challenge)),
        attestationObject: b64(cbor(attestation)),
        transports: ["internal"],
      });
    },
    get(options) {
      authenticator.counter += 1;
      const authenticatorData = toAuthData(options.rpId ?? "", new Uint8Array());
      const clientData = toClientData("webauthn.get", options.challenge);
      const signed = Buffer.concat([authenticatorData, sha256(clientData)]);
      return answerOf({
        clientDataJSON: b64(clientData),
        authenticatorData: b64(authenticatorData),
        signature: b64(sign("sha256", signed, privateKey)),
        userHandle,
      });
    },
  };
  return authenticator;
}
