import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { SCOPES, TENANT_KEY_SCOPES } from "@turnpike/domain/access/scopes";
import { describe, expect, it } from "vitest";

const PAGE = resolve(import.meta.dirname, "../../../../../docs/api.md");

function scopesIn(cell: string): string[] {
  return [...cell.matchAll(/`(\w+:\w+)`/g)].map(([, scope = ""]) => scope);
}

/** What the table says: the scopes of each row, and those of them that keys of tenants may carry. */
function readTable(): { scopes: string[]; ofTenantKeys: string[] }[] {
  const [, section = ""] = readFileSync(PAGE, "utf8").split(/^## Scopes$/m);
  const [body = ""] = section.split(/^## /m);
  return [...body.matchAll(/^\| (?<named>`.*?) \| .* \|(?<keys>[^|]*)\|$/gm)].map(
    ({ groups: { named = "", keys = "" } = {} }) => {
      const scopes = scopesIn(named);
      return { scopes, ofTenantKeys: /^ (both|yes)\b/.test(keys) ? scopes : scopesIn(keys) };
    },
  );
}

describe("the table of scopes in docs/api.md", () => {
  it("has every scope, once", () => {
    expect(
      readTable()
        .flatMap(({ scopes }) => scopes)
        .sort(),
    ).toEqual([...SCOPES].sort());
  });

  it("says which of them keys of tenants may carry", () => {
    expect(
      readTable()
        .flatMap(({ ofTenantKeys }) => ofTenantKeys)
        .sort(),
    ).toEqual([...TENANT_KEY_SCOPES].sort());
  });
});
