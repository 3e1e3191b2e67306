import { ALL_USAGE_DIMENSIONS, type UsageQuestion } from "@turnpike/contract/usage-query";

/** The longest list that the API reads. */
const VALUES_MAX = 100;
const escaped = (value: string | number) => String(value).replace(/[\\,]/g, "\\$&");
const toList = (values: readonly (string | number)[]) => values.map(escaped).join(",");

/** A question of usage as parameters of the API; null when one of its lists is too long for it. */
export function toUsageParams(
  question: Pick<
    UsageQuestion,
    "measures" | "dimensions" | "from" | "to" | "grain" | "timeZone" | "order" | "compare" | "event"
  > &
    Partial<Pick<UsageQuestion, (typeof ALL_USAGE_DIMENSIONS)[number]>>,
  limit: number | undefined,
): Record<string, string> | null {
  const lists = ALL_USAGE_DIMENSIONS.flatMap((name) => {
    const values = question[name];
    return values === undefined ? [] : [{ name, values }];
  });
  const events = (question.event ?? []).map(({ name, value }) => `${name}:${value}`);
  if (lists.some(({ values }) => values.length > VALUES_MAX) || events.length > VALUES_MAX) {
    return null;
  }
  const {
    measures,
    dimensions,
    from = "",
    to = "",
    grain,
    timeZone,
    order = [],
    compare,
  } = question;
  return {
    measures: toList(measures),
    ...(dimensions.length === 0 ? {} : { dimensions: toList(dimensions) }),
    from,
    to,
    ...(grain === undefined ? {} : { grain }),
    timeZone,
    ...Object.fromEntries(lists.map(({ name, values }) => [name, toList(values)])),
    ...(events.length === 0 ? {} : { event: toList(events) }),
    ...(order.length === 0 ? {} : { order: toList(order) }),
    ...(limit === undefined || grain !== undefined ? {} : { limit: String(limit) }),
    ...(compare === undefined ? {} : { compare }),
  };
}
