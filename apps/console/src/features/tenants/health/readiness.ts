import { fetchJson } from "#platform/fetch-json.ts";

export const READINESS_STATUSES = ["ready", "degraded", "unready"] as const;
export type ReadinessStatus = (typeof READINESS_STATUSES)[number];

/** The report of `/health/ready` on the instance and each of its components. */
export type Readiness = {
  status: ReadinessStatus;
  parts: readonly { name: string; status: string; detail: string | undefined }[];
};

/** `/health/ready` returned something other than a report, such as a proxy's page. */
export class ReadinessError extends Error {
  override readonly name = "ReadinessError";
}

/**
 * Requests the state of the instance. A degraded or unready instance is an answer regardless of its HTTP status.
 *
 * @throws {ReadinessError} When the answer is not a report.
 */
export async function loadReadiness(signal: AbortSignal): Promise<Readiness> {
  const { status, body } = await fetchJson("/health/ready", signal);
  return parseReadiness(body, status);
}

/** @param httpStatus - Shown in the error when the body is not a report. */
export function parseReadiness(body: unknown, httpStatus: number): Readiness {
  const status = READINESS_STATUSES.find((known) => known === readMember(body, "status"));
  const parts = readMember(body, "parts");
  if (status === undefined || typeof parts !== "object" || parts === null) {
    throw new ReadinessError(`The health check answered with status ${String(httpStatus)}.`);
  }
  return {
    status,
    parts: Object.entries(parts).map(([name, part]: [string, unknown]) => {
      const partStatus = readMember(part, "status");
      const detail = readMember(part, "detail");
      return {
        name,
        status: typeof partStatus === "string" ? partStatus : "unknown",
        detail: typeof detail === "string" && detail !== "" ? detail : undefined,
      };
    }),
  };
}

function readMember(holder: unknown, name: string): unknown {
  return typeof holder === "object" && holder !== null ? Reflect.get(holder, name) : undefined;
}
