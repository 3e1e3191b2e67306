import { createServer } from "node:http";
import { apiKey } from "@better-auth/api-key";
import { betterAuth } from "better-auth";
import { getMigrations } from "better-auth/db/migration";
import pg from "pg";

const USERS = 10;
const CREATED_AT_ONCE = 16;
/** Enough to keep one core busy; more connections were slower. */
const CONNECTIONS_MAX = 20;

/**
 * The plugin with the fastest settings under which what was used survives a crash and a limit holds under concurrency,
 * chosen by reading its source (`validateApiKey`, `claimUsageInDatabase`, `consumeRateLimit` of version 1.7.5) and by
 * measuring.
 *
 * - `storage: "secondary-storage"` with `fallbackToDatabase`: a key is read from memory, and usage is still claimed by
 *   guarded updates of its row. Without the fallback, usage lives in the secondary storage alone, is merged without a
 *   guard, and is gone with the process. With `storage: "database"` each call begins with one more query, and was slower.
 * - `deferUpdates`: what it defers here is the deletion of expired keys; the claims are waited for in any case.
 * - The rate limit is on, with a window so long that no call starts a new one: always the shortest of its ways.
 * - No `remaining`: it would cost one more update for each call. Turnpike's side of the ratio does enforce a quota.
 * - The plain `Map` as storage forgets nothing and crosses no network, which favours it over any real one.
 */
function toPluginOptions() {
  const known = new Map();
  return {
    storage: "secondary-storage",
    fallbackToDatabase: true,
    customStorage: {
      get: (name) => known.get(name) ?? null,
      set: (name, value) => void known.set(name, value),
      delete: (name) => void known.delete(name),
    },
    deferUpdates: true,
    enableMetadata: true,
    rateLimit: { enabled: true, timeWindow: 24 * 60 * 60 * 1000, maxRequests: 1_000_000_000 },
  };
}

async function createKeys(auth, count) {
  const userIds = [];
  for (let index = 0; index < USERS; index += 1) {
    const email = `bench-${String(index)}@example.com`;
    const body = { email, password: `bench password ${String(index)}`, name: "Bench" };
    const { user } = await auth.api.signUpEmail({ body });
    userIds.push(user.id);
  }
  const keys = [];
  while (keys.length < count) {
    const size = Math.min(CREATED_AT_ONCE, count - keys.length);
    const made = Array.from({ length: size }, async (_, index) => {
      const userId = userIds[(keys.length + index) % USERS];
      const body = { userId, name: "Bench", metadata: { region: "eu" } };
      return (await auth.api.createApiKey({ body })).key;
    });
    keys.push(...(await Promise.all(made)));
  }
  return keys;
}

async function readBody(req) {
  const chunks = [];
  for await (const chunk of req) {
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/**
 * Verifies keys with better-auth's API-key plugin behind bare node:http.
 *
 * @param {{ connection: { host: string, port: number, user: string, password: string, database: string },
 *   keys: number }} input - An empty database of its own, and how many keys to make.
 */
export async function createPeer(input) {
  const pool = new pg.Pool({ ...input.connection, max: CONNECTIONS_MAX });
  pool.on("error", () => undefined);
  const auth = betterAuth({
    database: pool,
    baseURL: "http://127.0.0.1",
    secret: "a secret of the bench, which signs nothing that lasts",
    emailAndPassword: { enabled: true },
    logger: { disabled: true },
    telemetry: { enabled: false },
    plugins: [apiKey(toPluginOptions())],
  });
  const { runMigrations } = await getMigrations(auth.options);
  await runMigrations();
  const keys = await createKeys(auth, input.keys);
  // Autovacuum would do it within a minute; until then the planner would read whole tables.
  await pool.query("vacuum analyze");

  async function answer(req, res) {
    const { key } = JSON.parse(await readBody(req));
    const text = JSON.stringify(await auth.api.verifyApiKey({ body: { key } }));
    res.writeHead(200, {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(text),
    });
    res.end(text);
  }

  const server = createServer({ noDelay: true, keepAliveTimeout: 65_000 }, (req, res) => {
    answer(req, res).catch(() => res.destroy());
  });
  return {
    server,
    keys,
    /** Calls that the database has counted, of all keys. */
    async countClaimed() {
      const { rows } = await pool.query('select sum("requestCount") as claimed from apikey');
      return Number(rows[0].claimed);
    },
    close: () => pool.end(),
  };
}
