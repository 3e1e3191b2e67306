import { auditEntry } from "@turnpike/contract/audit";
import { invitation } from "@turnpike/contract/invitations";
import { key, serviceKey } from "@turnpike/contract/keys";
import { mail } from "@turnpike/contract/outbox";
import { tenantRole } from "@turnpike/contract/roles";
import { member, tenant } from "@turnpike/contract/tenants";
import type { Role, RoleName, Scope } from "@turnpike/domain/access/scopes";
import { ACME } from "./open-tenants.fixture.tsx";

const AT = "2026-11-20T10:00:00.000Z";

/** A member as the API returns it. */
export function makeMember(userId: string, name: string, role: Role) {
  const email = `${name.toLowerCase()}@example.com`;
  return member.parse({ userId, role, name, email, createdAt: AT });
}

/** A role as the API lists it. */
export function makeRole(role: RoleName, name: string, scopes: readonly Scope[], members = 0) {
  return tenantRole.parse({
    ...{ role, name, scopes, members },
    ...{ description: "", isCustom: role.startsWith("rol_"), invitations: 0 },
  });
}

/** An invitation that can still be accepted. */
export function makeInvitation(email: string, role: Role) {
  return invitation.parse({
    invitationId: "ivt_0199f3b0c1d27a4e8f60112233445566",
    tenantId: ACME,
    email,
    role,
    createdAt: AT,
    createdBy: "user:usr_1",
    expiresAt: "2126-11-27T10:00:00.000Z",
  });
}

/** A key of Acme, by its creator. */
export function makeKey(name: string, createdBy: string, state: "active" | "revoked" = "active") {
  return key.parse({
    keyId: `key_${name.length.toString(16).padStart(32, "0")}`,
    tenantId: ACME,
    name,
    environment: "live",
    start: "tp_live_ab",
    lastFour: "x7Qz",
    scopes: [],
    metadata: {},
    allowedNetworks: [],
    rateLimits: [],
    quotas: [],
    concurrency: null,
    state,
    expiresAt: null,
    revokedAt: state === "revoked" ? AT : null,
    rolledToKeyId: null,
    createdBy,
    createdAt: AT,
    updatedAt: AT,
  });
}

/** A tenant as operators see it. */
export function makeTenant(more: object = {}) {
  return tenant.parse({
    tenantId: ACME,
    name: "Acme",
    slug: "acme",
    externalId: null,
    planId: "free",
    planVersion: 1,
    periodAnchor: "2026-11-01T00:00:00.000Z",
    suspendedAt: null,
    logoId: null,
    createdAt: AT,
    role: null,
    ...more,
  });
}

/** An entry of the audit trail. */
export function makeEntry(auditId: string, action: string, more: object) {
  return auditEntry.parse({
    auditId,
    occurredAt: AT,
    actorType: "user",
    actorId: "usr_1",
    action,
    entityType: "thing",
    entityId: "thing_1",
    requestId: "req_1",
    details: {},
    ...more,
  });
}

export function makeServiceKey(name: string, revokedAt: string | null = null) {
  return serviceKey.parse({
    serviceKeyId: `svc_${name.length.toString(16).padStart(32, "0")}`,
    name,
    start: "tp_svc_ab",
    scopes: ["keys:verify"],
    createdAt: AT,
    revokedAt,
  });
}

export function makeMail(mailId: string, more: object = {}) {
  return mail.parse({
    mailId,
    kind: "invitation",
    to: "bob@example.com",
    subject: "You are invited to Acme",
    text: "Accept here:\nhttps://console.example.com/register#invitation=abc",
    attachments: [],
    state: "queued",
    attempts: 0,
    lastError: null,
    explanation: null,
    createdAt: AT,
    sentAt: null,
    ...more,
  });
}

export function pageOf(...items: object[]) {
  return { items, nextCursor: null };
}
