/** The detail error keywords of RFC 7644, section 3.12, that are used here. */
export type ScimType =
  | "invalidFilter"
  | "invalidPath"
  | "invalidSyntax"
  | "invalidValue"
  | "mutability"
  | "noTarget"
  | "tooMany"
  | "uniqueness";

/** A refusal in the form that directories expect. The message is for the person who runs the directory. */
export class ScimError extends Error {
  override readonly name = "ScimError";
  readonly status: number;
  readonly scimType: ScimType | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    message: string,
    options: { scimType?: ScimType; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(message);
    this.status = status;
    this.scimType = options.scimType;
    this.headers = options.headers ?? {};
  }
}

export function invalidValue(message: string): ScimError {
  return new ScimError(400, message, { scimType: "invalidValue" });
}

export function noSuchResource(id: string): ScimError {
  return new ScimError(404, `There is no resource ${id}.`);
}
