import { hash, randomBytes, randomUUID } from "node:crypto";
import { open } from "node:fs/promises";
import type { Sql } from "@turnpike/db/client";
import { toId } from "@turnpike/domain/ids/ids";
import { formatKey, KEY_RANDOM_BYTES } from "@turnpike/domain/keys/key-format";

const ROWS_AT_ONCE = 20_000;

/** The text of a new key. */
export function mintKey(): { key: string; start: string } {
  return formatKey("live", randomBytes(KEY_RANDOM_BYTES));
}

/**
 * Writes keys straight into the table, as the import of a large customer would leave it: through the API, a million would
 * take longer than everything that is measured. Texts and hashes are real.
 *
 * @param input.keysPath - Receives the texts, one behind the other.
 * @returns The length of one text.
 */
export async function seedKeys(
  sql: Sql,
  input: { tenantIds: readonly string[]; count: number; keysPath: string },
): Promise<number> {
  const file = await open(input.keysPath, "w");
  let keyLength = 0;
  try {
    for (let made = 0; made < input.count; ) {
      const size = Math.min(ROWS_AT_ONCE, input.count - made);
      const minted = Array.from({ length: size }, mintKey);
      keyLength = minted[0]?.key.length ?? 0;
      const rows = minted.map(({ key, start }, index) => ({
        tenantId: input.tenantIds[(made + index) % input.tenantIds.length] ?? "",
        keyId: toId("key", randomUUID()),
        hash: hash("sha256", key, "hex"),
        start,
        lastFour: key.slice(-4),
      }));
      await sql`
        insert into api_keys (tenant_id, key_id, origin_key_id, name, environment, key_hash, start, last_four, metadata,
          created_by, created_at, updated_at)
        select tenant_id, key_id, key_id, 'Bench', 'live', decode(hash, 'hex'), start, last_four, '{"region":"eu"}',
          'system:bench', now(), now()
        from unnest(
          ${rows.map((row) => row.tenantId)}::text[],
          ${rows.map((row) => row.keyId)}::text[],
          ${rows.map((row) => row.hash)}::text[],
          ${rows.map((row) => row.start)}::text[],
          ${rows.map((row) => row.lastFour)}::text[]
        ) as r (tenant_id, key_id, hash, start, last_four)`;
      await file.write(minted.map(({ key }) => key).join(""));
      made += size;
    }
  } finally {
    await file.close();
  }
  await sql`vacuum analyze api_keys`;
  return keyLength;
}
