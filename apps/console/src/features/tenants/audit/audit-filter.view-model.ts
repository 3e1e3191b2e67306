import { t } from "@lingui/core/macro";

/** Longer than anyone types, and the most that the API accepts. */
const TEXT_LENGTH_MAX = 100;

/** What an audit log is narrowed by, as in the address of the page. */
export type AuditFilter = {
  q?: string;
  /** The id of who did it, or a kind of program. */
  actor?: string;
  /** A noun of actions, such as `member`. */
  action?: string;
  /** The id of what it happened to. */
  entity?: string;
  /** Days of the reader, both inclusive. */
  from?: string;
  to?: string;
};

/** Kinds of actors that are no person, with what they are called in a choice. */
export const PROGRAM_KINDS = [
  { value: "key", label: t`API keys` },
  { value: "agent", label: t`Connected agents` },
  { value: "service_key", label: t`The operator’s programs` },
  { value: "operator", label: t`The operator’s command line` },
  { value: "system", label: t`The system` },
] as const;

const DAY = /^\d{4}-\d\d-\d\d$/;

/** The router parses `q=404` as a number. */
function readText(value: unknown): string | undefined {
  const text = typeof value === "number" ? String(value) : value;
  return typeof text === "string" && text !== "" && text.length <= TEXT_LENGTH_MAX
    ? text
    : undefined;
}

function readDay(value: unknown): string | undefined {
  const text = readText(value);
  return text !== undefined && DAY.test(text) && !Number.isNaN(Date.parse(text)) ? text : undefined;
}

/** Keeps what narrows a log and drops the rest. */
export function parseAuditFilter(search: Record<string, unknown>): AuditFilter {
  const action = readText(search["action"]);
  const read = {
    q: readText(search["q"]),
    actor: readText(search["actor"]),
    action: action !== undefined && /^[a-z_]+(?:\.[a-z_]+)?$/.test(action) ? action : undefined,
    entity: readText(search["entity"]),
    from: readDay(search["from"]),
    to: readDay(search["to"]),
  };
  return withoutUndefined(read);
}

/** A filter with a part of it changed. */
export function withoutUndefined(
  filter: {
    [Name in keyof AuditFilter]: AuditFilter[Name] | undefined;
  },
): AuditFilter {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}

/** The beginning of a day of the reader, `days` later. */
function toInstant(day: string, days = 0): string {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  return new Date(year, month - 1, date + days).toISOString();
}

export type AuditQuestion = {
  search?: string;
  actorId?: string;
  actorType?: (typeof PROGRAM_KINDS)[number]["value"];
  action?: string;
  entityId?: string;
  from?: string;
  to?: string;
};

/** What the API is asked for. A range that ends before it begins is asked for from its end on, which is empty. */
export function toQuestion({ q, actor, action, entity, from, to }: AuditFilter): AuditQuestion {
  const kind = PROGRAM_KINDS.find(({ value }) => value === actor)?.value;
  const isBackwards = from !== undefined && to !== undefined && to < from;
  return {
    ...(q === undefined ? {} : { search: q }),
    ...(actor === undefined ? {} : kind === undefined ? { actorId: actor } : { actorType: kind }),
    ...(action === undefined ? {} : { action }),
    ...(entity === undefined ? {} : { entityId: entity }),
    ...(from === undefined ? {} : { from: toInstant(from) }),
    ...(to === undefined || isBackwards ? {} : { to: toInstant(to, 1) }),
  };
}

export function isNarrowed(filter: AuditFilter): boolean {
  return Object.keys(filter).length > 0;
}
