import { fetchJson } from "#platform/fetch-json.ts";

export const READINESS_STATUSES = ["ready", "degraded", "unready"] as const;
export type ReadinessStatus = (typeof READINESS_STATUSES)[number];

/** What `/health/ready` says about the instance and each of its parts. */
export type Readiness = {
  status: ReadinessStatus;
  parts: readonly { name: string; status: string; detail: string | undefined }[];
};

/** `/health/ready` answered something that is not a report, such as a proxy's page. */
export class ReadinessError extends Error {
  override readonly name = "ReadinessError";
}

/**
 * Asks the instance how it is. A degraded or unready instance is an answer, whatever its HTTP status.
 *
 * @throws {ReadinessError} When the answer is no report.
 */
export async function loadReadiness(signal: AbortSignal): Promise<Readiness> {
  const { status, body } = await fetchJson("/health/ready", signal);
  return parseReadiness(body, status);
}

/** @param httpStatus - Names the answer in the error when the body is no report. */
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
