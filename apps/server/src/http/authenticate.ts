import type { IncomingMessage } from "node:http";
import type { Actor } from "@turnpike/domain/access/actor";
import { AppError } from "@turnpike/domain/errors/app-error";

/**
 * Finds the actor of a bearer credential, synchronously when it is in memory; `undefined` when there is none, for any reason.
 *
 * @param findAddress - Where the request came from; asked only for credentials that are bound to networks.
 * @throws {AppError} `FORBIDDEN_NETWORK`, at once or later.
 */
export type FindActor = (
  credential: string,
  findAddress: () => string,
) => Actor | undefined | Promise<Actor | undefined>;

const BEARER = /^Bearer +([\x21-\x7e]{1,8192})$/i;

export function unauthenticated(): AppError {
  return new AppError({
    code: "UNAUTHENTICATED",
    publicMessage:
      "The credential is missing, wrong, expired or revoked. Send a valid one in the header Authorization: Bearer, such as a service key.",
    headers: { "www-authenticate": "Bearer" },
  });
}

/**
 * Reads the bearer credential of a request.
 *
 * @returns `undefined` when the header is absent.
 * @throws {AppError} `UNAUTHENTICATED` when the header is there in another form.
 */
export function bearerCredential(req: IncomingMessage): string | undefined {
  const header = req.headers.authorization;
  if (header === undefined) {
    return undefined;
  }
  const credential = BEARER.exec(header)?.[1];
  if (credential === undefined) {
    throw unauthenticated();
  }
  return credential;
}

function known(actor: Actor | undefined): Actor {
  if (actor === undefined) {
    throw unauthenticated();
  }
  return actor;
}

/**
 * Finds the actor of a request, or `undefined` for a request without a credential.
 *
 * @throws {AppError} `UNAUTHENTICATED`, at once or later, when a credential was sent and is not valid: a public route must not
 *   quietly treat a revoked program as a stranger. `FORBIDDEN_NETWORK`.
 */
export function authenticate(
  req: IncomingMessage,
  findActor: FindActor,
  findAddress: () => string,
): Actor | undefined | Promise<Actor> {
  const credential = bearerCredential(req);
  if (credential === undefined) {
    return undefined;
  }
  const actor = findActor(credential, findAddress);
  return actor instanceof Promise ? actor.then(known) : known(actor);
}
