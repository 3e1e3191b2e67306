import type { VerifyKeyResponse } from "@turnpike/contract/keys";
import { effectiveScopes } from "@turnpike/domain/access/custom-scopes";
import { asciiJson } from "#platform/ascii-json.ts";
import type { Subject } from "../decide/call-to-decide.ts";
import type { Admission } from "../decide/decide-call.ts";
import type { Denial } from "../decide/denial.ts";
import type { LimitView } from "../decide/limits/limit-view.ts";
import type { LockedAdmission } from "./lock-units.ts";

/** Instants cached as text, by the low bits of their milliseconds: the ends of periods and windows recur. */
const INSTANTS_KEPT = 1_024;
const instantsMs = new Float64Array(INSTANTS_KEPT).fill(Number.NaN);
const instants: string[] = [];

/** The JSON of an instant, RFC 3339 in UTC. */
function instantText(epochMs: number): string {
  const wholeMs = Math.trunc(epochMs);
  const index = wholeMs % INSTANTS_KEPT;
  if (instantsMs[index] !== wholeMs) {
    instantsMs[index] = wholeMs;
    instants[index] = `"${new Date(wholeMs).toISOString()}"`;
  }
  return instants[index] ?? "";
}

/** Names of plans and limits as JSON: a handful, plus the limits that keys have of their own. */
const NAMES_KEPT = 1_024;
const names = new Map<string, string>();

function nameText(name: string): string {
  let text = names.get(name);
  if (text === undefined) {
    if (names.size >= NAMES_KEPT) {
      names.clear();
    }
    text = asciiJson(name);
    names.set(name, text);
  }
  return text;
}

function limitsText(limits: readonly LimitView[]): string {
  let text = "";
  for (const limit of limits) {
    // Kind and scope are our own words; names are chosen by people.
    const head = `${text === "" ? "" : ","}{"name":${nameText(limit.name)},"kind":"${limit.kind}","scope":"${limit.scope}"`;
    const window =
      limit.kind === "rate_limit" ? `,"windowSeconds":${String(limit.windowSeconds)}` : "";
    const reset = limit.resetAtMs === undefined ? "" : `,"resetAt":${instantText(limit.resetAtMs)}`;
    text += `${head},"limit":${String(limit.limit)},"remaining":${String(limit.remaining)}${window}${reset}}`;
  }
  return `[${text}]`;
}

function subjectText({ key, tenant }: Subject): string {
  const scopes = effectiveScopes(key.scopes, tenant.terms.scopes);
  const scopesText = scopes.length === 0 ? "[]" : asciiJson(scopes);
  const expiresAt =
    key.expiresAtMs === Number.POSITIVE_INFINITY ? "null" : instantText(key.expiresAtMs);
  const ids = `"keyId":"${key.keyId}","keyName":${key.nameText},"tenantId":"${tenant.tenantId}"`;
  const plan = `"planId":${nameText(tenant.planId)},"planVersion":${String(tenant.planVersion)}`;
  return `${ids},${plan},"environment":"${key.environment}","scopes":${scopesText},"metadata":${key.metadataText},"expiresAt":${expiresAt}`;
}

/**
 * The JSON of a `VerifyKeyResponse` that lets a call pass, in ASCII like all texts here. Written piece by piece: for an answer of this shape that takes a
 * third of the time of building an object and turning it into text.
 */
export function admissionText(admission: Admission, requestId: string): string {
  return `{"valid":true,"code":"VALID","requestId":"${requestId}",${subjectText(admission)},"limits":${limitsText(admission.limits)}}`;
}

/** The JSON of a `VerifyKeyResponse` that lets a call pass whose cost a lock holds. */
export function lockedText(admission: LockedAdmission, requestId: string): string {
  return `${admissionText(admission, requestId).slice(0, -1)},"lock":${asciiJson(admission.lock)}}`;
}

/** The JSON of a `VerifyKeyResponse` that refuses a call. */
export function denialText(
  denial: Denial,
  more: {
    requestId: string;
    offer: NonNullable<VerifyKeyResponse["offer"]> | null;
    paymentUrl: string | undefined;
  },
): string {
  const { code, detail, subject, limits, missingScopes, retryAfterMs } = denial;
  const members = [
    `"valid":false,"code":"${code}","detail":${asciiJson(detail)},"requestId":"${more.requestId}"`,
  ];
  if (subject !== undefined) {
    members.push(subjectText(subject));
  }
  if (limits.length > 0) {
    members.push(`"limits":${limitsText(limits)}`);
  }
  if (missingScopes.length > 0) {
    members.push(`"missingScopes":${asciiJson(missingScopes)}`);
  }
  if (retryAfterMs !== undefined) {
    members.push(`"retryAfterSeconds":${String(Math.max(1, Math.ceil(retryAfterMs / 1000)))}`);
  }
  if (more.paymentUrl !== undefined) {
    members.push(`"paymentUrl":${asciiJson(more.paymentUrl)}`);
  }
  members.push(`"offer":${asciiJson(more.offer)}`);
  return `{${members.join(",")}}`;
}
