/** An answer of this deployment outside of the API's contract. */
export type JsonAnswer = {
  status: number;
  /** Undefined when the body was no JSON. */
  body: unknown;
};

/** Gets one of the deployment's own small documents, such as its health. Throws only when no answer arrives. */
export async function fetchJson(path: `/${string}`, signal: AbortSignal): Promise<JsonAnswer> {
  const response = await fetch(path, { signal });
  const body: unknown = await response.json().catch(() => undefined);
  return { status: response.status, body };
}
