import { t } from "@lingui/core/macro";
import { METER_DIMENSIONS_MAX } from "@turnpike/domain/catalog/meter";
import { type FormFailure, toFormFailure } from "#platform/form-failure.ts";

const LABELS: Readonly<Record<string, string>> = {
  name: t`Name`,
  meterId: t`Id`,
  unit: t`Unit`,
  eventType: t`Event type`,
  valuePointer: t`Value`,
};

/** The fields of the form by their pointer in the meter, with their names. */
function listFields(): Map<string, string> {
  const fields = new Map(Object.entries(LABELS));
  for (let place = 0; place < METER_DIMENSIONS_MAX; place += 1) {
    const row = `dimensions/${String(place)}`;
    fields.set(`${row}/name`, t`Name of dimension ${String(place + 1)}`);
    fields.set(`${row}/pointer`, t`Path of dimension ${String(place + 1)}`);
  }
  return fields;
}

/**
 * Maps the API's errors of a meter to the fields of its form, and names the field of each in the summary.
 *
 * @param at - The position of the meter in the request: a JSON pointer.
 */
export function toMeterFailure(cause: unknown, at: string): FormFailure<string> | undefined {
  const labels = listFields();
  const pointers = Object.fromEntries([...labels.keys()].map((name) => [name, `${at}/${name}`]));
  const failure = toFormFailure(cause, pointers);
  if (failure === undefined) {
    return;
  }
  const beside = Object.entries(failure.fields);
  const texts = new Set(beside.map(([, message]) => message));
  return {
    fields: failure.fields,
    messages: [
      ...beside.map(([name, message]) => `${labels.get(name) ?? name}: ${message ?? ""}`),
      ...failure.messages.filter((message) => !texts.has(message)),
    ],
  };
}
