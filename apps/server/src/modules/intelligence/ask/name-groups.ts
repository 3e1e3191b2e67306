import type { AnswerRow } from "@turnpike/contract/questions";
import { mayInTenant } from "@turnpike/domain/access/actor";
import { toOutcomeLabel } from "@turnpike/domain/metering/to-outcome-label";
import { listKeyNames } from "#modules/keys/index.ts";
import type { AskDeps, Asker } from "./asker.ts";
import type { NamedVocabulary } from "./named-vocabulary.ts";

const IDS = ["key", "tenant", "plan"];

/** Finds the names of the ids in the groups of rows, those that the caller may see, and the words for outcomes of calls. */
export async function nameGroups(
  deps: AskDeps,
  { context, tenantId, words }: Asker,
  {
    vocabulary,
    dimensions,
    rows,
  }: { vocabulary: NamedVocabulary; dimensions: readonly string[]; rows: readonly AnswerRow[] },
): Promise<Record<string, string>> {
  const ids = new Set(
    dimensions
      .filter((name) => IDS.includes(name))
      .flatMap((name) => rows.map(({ group }) => group[name] ?? "")),
  );
  const names = new Map(
    [...ids].flatMap((id) => {
      const name = vocabulary.names.get(id);
      return name === undefined ? [] : [[id, name] as const];
    }),
  );
  for (const { group } of dimensions.includes("outcome") ? rows : []) {
    const outcome = group["outcome"] ?? "";
    // In English as the grammar reads it; in other languages as every screen has it.
    const label = words.translate(toOutcomeLabel(outcome));
    names.set(
      outcome,
      words.language === "en" ? outcome.toLowerCase().replaceAll("_", " ") : label,
    );
  }
  const unknown = [...ids].filter((id) => id !== "" && !names.has(id));
  const isOfKeys = dimensions.includes("key") && unknown.length > 0;
  if (isOfKeys && tenantId !== null && mayInTenant(context.actor, "keys:read", tenantId)) {
    const found = await deps.transact.asTenant(tenantId, (tx) =>
      listKeyNames(tx, tenantId, unknown),
    );
    for (const [id, name] of found) {
      names.set(id, name);
    }
  }
  return Object.fromEntries(names);
}
