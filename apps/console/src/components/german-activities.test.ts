import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { STANDINGS } from "@turnpike/domain/entitlements/standing";
import { afterEach, expect, it, vi } from "vitest";
import { messages } from "../locales/de.po";

const SERVER = join(import.meta.dirname, "../../../server/src");
/** What the code puts an action together of: the verbs behind each noun. */
const VERBS: Readonly<Record<string, readonly string[]>> = {
  alert: ["created", "updated", "paused", "resumed", "tested", "deleted"],
  device_sign_in: ["allowed", "denied"],
  identity: ["connected", "disconnected"],
  "model.switched": ["on", "off"],
  proposal: ["accepted", "declined"],
  webhook: [
    ...["created", "updated", "deleted", "secret_rotated", "auto_disabled", "paused"],
    ...["tested", "resent", "replayed"],
  ],
};
const NAME = "Nachtlauf";
const READER = "usr_ada";
const PEOPLE = new Map([["usr_bob", "Bob"]]);
/** Words that both languages have, and what is a value here. */
const SHARED = new Set([
  ...[
    "admin",
    "agent",
    "an",
    "domain",
    "e-mail",
    "export",
    "in",
    "limits",
    "logo",
    "person",
    "sandbox",
    "sign-on",
    "single",
  ],
  ...["slug", "system", "token", "version", "viewer", "webhook", "webhooks"],
  ...["10", "bob", "cell1", "free", "live", "nachtlauf", "pro", "x@y.z"],
]);

/** Every action that the server writes into the trail, as its code names it. */
function listActions(): readonly string[] {
  const files = readdirSync(SERVER, { recursive: true, encoding: "utf8" }).filter(
    (path) => path.endsWith(".ts") && !/\.(?:test|fixture)\.ts$/.test(path),
  );
  const found = new Set<string>();
  for (const path of files) {
    const code = readFileSync(join(SERVER, path), "utf8");
    for (const [, said = ""] of code.matchAll(/\baction:([^,;}]*)/g)) {
      for (const [, action = ""] of said.matchAll(/"([a-z_]+\.[a-z_]+)"/g)) {
        found.add(action);
      }
      for (const [, noun = "", joint = ""] of said.matchAll(/`([a-z_.]+?)([._])\$\{/g)) {
        for (const verb of VERBS[noun] ?? expect.fail(`Which verbs does ${noun} have?`)) {
          found.add(`${noun}${joint}${verb}`);
        }
      }
    }
  }
  return [...found].sort();
}

/** Details that lead to every form of a sentence. */
const DETAILS: readonly Readonly<Record<string, unknown>>[] = [
  {},
  { name: NAME, reason: NAME, email: "x@y.z", cell: "cell1", role: "developer", to: READER },
  { name: [NAME, NAME], slug: ["pro", "free"], role: ["owner", "developer"], to: "usr_bob" },
  { name: NAME, added: ["x"], removed: [], replacement: "owner", role: "admin" },
  { plan_id: ["free", "pro"], suspended: [false, true], role: "billing" },
  { plan_version: [1, 2], suspended: [true, false], replacement: null, name: NAME },
  { change: "create the live key Nachtlauf", filters: { x: "y" } },
  { change: "set the spend cap to 10", why: "account_deleted" },
  { role: ["viewer", null], liveKeys: ["key_1"], pausedWebhooks: ["x", "y"] },
  ...["token_used_twice", "given_back", "replaced", "second_factor_changed"].map((why) => ({
    why,
  })),
  ...["password_changed", "sso_required", "address_proven"].map((why) => ({ why, name: NAME })),
  ...STANDINGS.map((standing) => ({ standing: ["current", standing] })),
  { acting: { reason: NAME }, name: NAME },
];

async function writeAll(language: "en" | "de"): Promise<ReadonlyMap<string, string>> {
  vi.resetModules();
  globalThis.turnpikeLanguage = language === "de" ? { language, messages } : undefined;
  const { toActivitySentence } = await import("./activity.view-model.ts");
  const { toActivityTitle } = await import("./activity-titles.ts");
  const { loadServerWords } = await import("#platform/server-words/server-words.ts");
  await loadServerWords();
  const texts = new Map<string, string>();
  for (const action of listActions()) {
    for (const [index, details] of DETAILS.entries()) {
      texts.set(`${action} title ${String(index)}`, toActivityTitle(action, details));
      for (const actorId of [READER, "usr_bob", "usr_gone"]) {
        for (const entityId of [READER, "usr_bob", "usr_gone"]) {
          const activity = { actorType: "user", actorId, action, entityId, details };
          for (const arePartial of [true, false]) {
            const names = { people: PEOPLE, readerId: READER, arePartial };
            const { actor, what } = toActivitySentence(activity, names);
            const key = [action, index, actorId, entityId, arePartial].join(" ");
            texts.set(key, `${actor} ${what}`);
          }
        }
      }
    }
  }
  return texts;
}

function toWords(text: string): readonly string[] {
  return (text.toLowerCase().match(/[\p{L}\d@._-]{2,}/gu) ?? []).map((word) =>
    word.replace(/[.]$/, ""),
  );
}

afterEach(() => {
  globalThis.turnpikeLanguage = undefined;
  // Other files are tested in English.
  vi.resetModules();
});

it("says every action of the audit trail in German, with nothing left in English", async () => {
  const english = await writeAll("en");
  const german = await writeAll("de");
  expect(listActions().length).toBeGreaterThan(120);
  const left = new Map<string, string>();
  for (const [key, text] of german) {
    const before = new Set(toWords(english.get(key) ?? ""));
    const same = toWords(text).filter((word) => before.has(word) && !SHARED.has(word));
    if (same.length > 0) {
      left.set(text, same.join(" "));
    }
  }
  expect(Object.fromEntries(left)).toEqual({});
  const spoken = [...german.values()];
  expect(spoken).toContain(`Bob hat den Schlüssel ${NAME} erstellt`);
  expect(spoken).toContain("Bob hat Sie als Entwickler hinzugefügt");
  expect(spoken).toContain("Bob hat die Zahlung einer Rechnung erfasst");
  expect(spoken.filter((text) => text.includes("hat ausgeführt"))).toEqual([]);
});
