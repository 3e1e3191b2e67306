declare const brand: unique symbol;
/** The id of a role that a tenant made itself. It is used like the name of a built-in role. */
export type CustomRoleId = `rol_${string}`;

type Branded<Name extends string> = string & { readonly [brand]: Name };

export type TenantId = Branded<"TenantId">;
export type UserId = Branded<"UserId">;
export type KeyId = Branded<"KeyId">;
export type ServiceKeyId = Branded<"ServiceKeyId">;
export type LeaseId = Branded<"LeaseId">;
export type LockId = Branded<"LockId">;
export type GroupId = Branded<"GroupId">;
export type ProcessId = Branded<"ProcessId">;

/** Prefixes of the ids we mint. What follows is a UUIDv7 as 32 lower-case hex digits, so ids sort by creation. */
export const ID_PREFIXES = {
  tenant: "ten",
  user: "usr",
  account: "acc",
  signIn: "sin",
  key: "key",
  serviceKey: "svc",
  group: "grp",
  lease: "lse",
  lock: "lck",
  process: "prc",
  node: "nod",
  audit: "aud",
  notification: "ntf",
  mail: "mail",
  file: "file",
  export: "exp",
  invitation: "ivt",
  role: "rol",
  webhook: "whk",
  message: "msg",
  alert: "alt",
  alertEvent: "alh",
  insight: "ins",
  proposal: "prp",
  personToken: "ptk",
  passkey: "pky",
  acting: "act",
  agentGrant: "agr",
  invoice: "inv",
  creditNote: "crn",
  creditGrant: "cgr",
  payment: "pay",
  attempt: "att",
  refund: "rfd",
  statement: "bst",
  statementLine: "bsl",
  migration: "mig",
  scimToken: "sct",
  scimUser: "scu",
  scimGroup: "scg",
  request: "req",
} as const;

export type IdKind = keyof typeof ID_PREFIXES;

type IdOf = {
  tenant: TenantId;
  user: UserId;
  account: string;
  signIn: string;
  key: KeyId;
  serviceKey: ServiceKeyId;
  group: GroupId;
  lease: LeaseId;
  lock: LockId;
  process: ProcessId;
  node: string;
  audit: string;
  notification: string;
  mail: string;
  file: string;
  export: string;
  invitation: string;
  role: CustomRoleId;
  webhook: string;
  message: string;
  alert: string;
  alertEvent: string;
  insight: string;
  proposal: string;
  personToken: string;
  passkey: string;
  acting: string;
  agentGrant: string;
  invoice: string;
  creditNote: string;
  creditGrant: string;
  payment: string;
  attempt: string;
  refund: string;
  statement: string;
  statementLine: string;
  migration: string;
  scimToken: string;
  scimUser: string;
  scimGroup: string;
  request: string;
};

/** Mints ids; the server's implementation draws UUIDv7, tests use a seeded one. */
export type NewId = <Kind extends IdKind>(kind: Kind) => IdOf[Kind];

/**
 * Puts the prefix of `kind` before a UUID.
 *
 * @param uuid - A UUID in either form, with or without dashes.
 */
export function toId<Kind extends IdKind>(kind: Kind, uuid: string): IdOf[Kind] {
  return joinId(kind, uuid.replaceAll("-", "").toLowerCase());
}

/**
 * The same for digits that are already normalized: every call has an id, so it skips the work.
 *
 * @param digits - The 32 digits of a UUID, lower case, without dashes.
 */
export function joinId<Kind extends IdKind>(kind: Kind, digits: string): IdOf[Kind] {
  return `${ID_PREFIXES[kind]}_${digits}` as IdOf[Kind];
}

const BODY = /^[0-9a-f]{32}$/;

/** True when `value` has the shape of an id of `kind`; says nothing about its existence. */
export function isId<Kind extends IdKind>(kind: Kind, value: string): value is IdOf[Kind] & string {
  const prefix = `${ID_PREFIXES[kind]}_`;
  return value.startsWith(prefix) && BODY.test(value.slice(prefix.length));
}

/** Plans and meters are named by people: lower-case letters, digits and dashes, 1 to 64, starting with a letter. */
export const SLUG_PATTERN = /^[a-z][a-z0-9-]{0,63}$/;

/**
 * Reads when an id was minted, from the first 48 bits of its UUIDv7 (RFC 9562, section 5.7).
 *
 * @returns Epoch milliseconds.
 */
export function mintedAtMs(id: GroupId): number {
  return Number.parseInt(id.slice(ID_PREFIXES.group.length + 1).slice(0, 12), 16);
}
