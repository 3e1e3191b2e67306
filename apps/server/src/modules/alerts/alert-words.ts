import { splitAtCommas } from "@turnpike/contract/comma-list";
import type { Tx } from "@turnpike/db/client";
import { type MeterWords, meterOfMeasure } from "@turnpike/domain/alerts/describe-alert";
import { describeFilter } from "@turnpike/domain/alerts/describe-filter";
import { isId, type TenantId } from "@turnpike/domain/ids/ids";
import { toMailedName } from "@turnpike/domain/text/name-fault";
import { listMeterRows } from "#modules/catalog/index.ts";
import { listKeyNames } from "#modules/keys/index.ts";

/** The operator's name and unit of a meter. */
export async function readMeterWords(tx: Tx, meterId: string): Promise<MeterWords | undefined> {
  const meter = (await listMeterRows(tx)).find((row) => row.meterId === meterId);
  return meter === undefined ? undefined : { name: meter.name, unit: meter.unit };
}

type Question = {
  tenant_id: TenantId;
  query: { measure: string; filters: Record<string, string> };
};

/** The names for a question in a notice. A deleted meter or key, and a key whose name a mail must not hold, keeps its id. */
export async function readQuestionWords(
  tx: Tx,
  { tenant_id: tenantId, query }: Question,
): Promise<{ meter: MeterWords | undefined; filters: string[] }> {
  const meterId = meterOfMeasure(query.measure);
  const filters = Object.entries(query.filters).map(([name, text]) => ({
    name,
    values: splitAtCommas(text),
  }));
  const keyIds = filters
    .filter(({ name }) => name === "key")
    .flatMap(({ values }) => values.filter((value) => isId("key", value)));
  const keyNames: ReadonlyMap<string, string> =
    keyIds.length === 0 ? new Map() : await listKeyNames(tx, tenantId, keyIds);
  return {
    meter: meterId === undefined ? undefined : await readMeterWords(tx, meterId),
    filters: filters.map(({ name, values }) =>
      describeFilter(name, values, (keyId) => toMailedName(keyNames.get(keyId) ?? keyId, keyId)),
    ),
  };
}
