import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";

/** A browser in which someone signed in to an account before. */
export type KnownBrowser = {
  id: string;
  /** The last sign-in. A proof from before a change of password proves nothing. */
  since: Date;
};

export interface KnownBrowsers {
  /**
   * Reads the proof for an account from a request's cookies.
   *
   * @param email - As it is stored.
   */
  find(cookies: string | undefined, email: string): KnownBrowser | undefined;
  /**
   * The `Set-Cookie` header by which a browser can prove from now on that someone signed in to the account in it. Proofs for other
   * accounts stay, up to seven.
   */
  remember(cookies: string | undefined, email: string): string;
}

/** The name under which a browser is known that passed the second factor of an account, which proves more than its password. */
export function toFactorName(email: string): string {
  return `second factor\n${email}`;
}

const KEY_BYTES = 32;
const ID_BYTES = 16;
/** An account with a second factor takes two. */
const PROOFS_MAX = 8;
const DAY_MS = 24 * 60 * 60 * 1_000;
const PROOF_MS = 180 * DAY_MS;
/** An id, an instant in milliseconds to the base of 36, and a signature. */
const PROOF = /^([\w-]{22})\.([0-9a-z]{1,11})\.([\w-]{43})$/;

type Proof = { text: string; id: string; sinceText: string; signature: string };

function parseProof(text: string): Proof[] {
  const [, id, sinceText, signature] = PROOF.exec(text) ?? [];
  return id === undefined || sinceText === undefined || signature === undefined
    ? []
    : [{ text, id, sinceText, signature }];
}

/**
 * Recognises browsers by a signed cookie, so that strangers who guess at an account cannot lock its owner out: attempts of a known
 * browser have a budget of their own. The cookie opens nothing; it names neither account nor person.
 *
 * @param options.secret - At least 32 characters, the same in every process.
 * @param options.isSecure - Whether the console is served over https.
 */
export function createKnownBrowsers(
  deps: { clock: { now(): Date }; randomBytes(count: number): Uint8Array },
  options: { secret: string; isSecure: boolean },
): KnownBrowsers {
  const { secret, isSecure } = options;
  const key = Buffer.from(hkdfSync("sha256", secret, "", "turnpike: known browsers", KEY_BYTES));
  const name = isSecure ? "__Host-turnpike_known" : "turnpike_known";

  function sign(email: string, { id, sinceText }: Pick<Proof, "id" | "sinceText">): string {
    const text = `${id}.${sinceText}.${email}`;
    return createHmac("sha256", key).update(text).digest("base64url");
  }

  function listProofs(cookies: string | undefined): Proof[] {
    const prefix = `${name}=`;
    const value = (cookies ?? "")
      .split(";")
      .map((pair) => pair.trim())
      .find((pair) => pair.startsWith(prefix));
    return (value?.slice(prefix.length).split("~", PROOFS_MAX) ?? []).flatMap(parseProof);
  }

  function isOf(proof: Proof, email: string): boolean {
    return timingSafeEqual(Buffer.from(proof.signature), Buffer.from(sign(email, proof)));
  }

  return {
    find(cookies, email) {
      const proof = listProofs(cookies).find((one) => isOf(one, email));
      if (proof === undefined) {
        return;
      }
      const since = new Date(Number.parseInt(proof.sinceText, 36));
      const isExpired = deps.clock.now().getTime() - since.getTime() > PROOF_MS;
      return isExpired ? undefined : { id: proof.id, since };
    },
    remember(cookies, email) {
      const proofs = listProofs(cookies);
      const before = proofs.find((one) => isOf(one, email));
      // The same id as before, and so the same budget.
      const id = before?.id ?? Buffer.from(deps.randomBytes(ID_BYTES)).toString("base64url");
      const sinceText = deps.clock.now().getTime().toString(36);
      const own = `${id}.${sinceText}.${sign(email, { id, sinceText })}`;
      const others = proofs.filter((one) => one !== before).map(({ text }) => text);
      const attributes = [
        `${name}=${[own, ...others].slice(0, PROOFS_MAX).join("~")}`,
        "Path=/",
        `Max-Age=${String(PROOF_MS / 1_000)}`,
        "HttpOnly",
        "SameSite=Strict",
        ...(isSecure ? ["Secure"] : []),
      ];
      return attributes.join("; ");
    },
  };
}
