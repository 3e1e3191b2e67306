/** An answer that is no success, in the shape that the error rule reads. */
export class AnsweredError extends Error {
  readonly status: number;
  readonly data: { body: unknown };
  readonly retryAfterSeconds: number | undefined;

  constructor(response: Response, body: unknown) {
    super(response.statusText);
    this.status = response.status;
    this.data = { body };
    const seconds = Number(response.headers.get("retry-after") ?? "");
    this.retryAfterSeconds = seconds > 0 ? seconds : undefined;
  }
}
