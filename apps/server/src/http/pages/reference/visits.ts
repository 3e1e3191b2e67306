import type { Sealer } from "#platform/sealer.ts";

const MINUTE_MS = 60_000;
const TICKET_MS = MINUTE_MS;
const VISIT_MS = 12 * 60 * MINUTE_MS;
/** Several times one that is ours. */
const SEALED_LENGTH_MAX = 500;

/** Opens a reference that is not public to browsers with a sealed cookie, which a signed-in person gets by a ticket. */
export type ReferenceVisits = {
  /** @returns A ticket that is good for a minute. */
  issueTicket(): Promise<{ ticket: string; expiresAt: Date }>;
  /** The `Set-Cookie` header for a ticket; undefined for one that is not ours, or too old. */
  redeem(ticket: string): Promise<string | undefined>;
  /** True when a request's cookies hold one that is still good. */
  isOpen(cookies: string | undefined): Promise<boolean>;
};

type Kind = "ticket" | "visit";

/** @param options.isSecure - Whether the console is served over https. */
export function createReferenceVisits(
  deps: { clock: { now(): Date }; sealer: Sealer },
  options: { path: string; isSecure: boolean },
): ReferenceVisits {
  const name = options.isSecure ? "__Secure-turnpike_reference" : "turnpike_reference";

  async function issue(kind: Kind, goodForMs: number): Promise<{ text: string; until: Date }> {
    const until = new Date(deps.clock.now().getTime() + goodForMs);
    return { text: await deps.sealer.seal(`${kind} ${String(until.getTime())}`), until };
  }

  async function isGood(kind: Kind, sealed: string): Promise<boolean> {
    if (sealed.length > SEALED_LENGTH_MAX) {
      return false;
    }
    const text = await deps.sealer.open(sealed).catch(() => "");
    const [found, until] = text.split(" ");
    return found === kind && Number(until) > deps.clock.now().getTime();
  }

  return {
    async issueTicket() {
      const { text, until } = await issue("ticket", TICKET_MS);
      return { ticket: text, expiresAt: until };
    },
    async redeem(ticket) {
      if (!(await isGood("ticket", ticket))) {
        return;
      }
      const { text } = await issue("visit", VISIT_MS);
      const seconds = String(VISIT_MS / 1_000);
      const secure = options.isSecure ? "; Secure" : "";
      return `${name}=${text}; Path=${options.path}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`;
    },
    async isOpen(cookies) {
      const prefix = `${name}=`;
      const own = (cookies ?? "")
        .split(";")
        .map((pair) => pair.trim())
        .find((pair) => pair.startsWith(prefix));
      return own !== undefined && (await isGood("visit", own.slice(prefix.length)));
    },
  };
}
