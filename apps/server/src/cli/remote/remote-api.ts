import { type Tenant, tenant } from "@turnpike/contract/tenants";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import { isErrorCode } from "@turnpike/domain/errors/error-codes";
import { isId } from "@turnpike/domain/ids/ids";
import { z } from "zod";
import { RemoteError } from "./remote-error.ts";

type Query = Readonly<Record<string, string | number | undefined>>;
type Send = { method: "GET" | "POST"; path: string; query?: Query; body?: object };

/** The API of another installation, as the person who is signed in there. */
export type RemoteApi = {
  /** Without a slash at the end. */
  address: string;
  /** @throws {AppError} with the code of a refusal; {@link RemoteError}. */
  call<Schema extends z.ZodType>(request: Send, schema: Schema): Promise<z.output<Schema>>;
  /** @throws {AppError} `RESOURCE_NOT_FOUND`. */
  getTenant(idOrSlug: string): Promise<Tenant>;
  /** The only tenant of the person. @throws {RemoteError} when there are several, or none. */
  getOnlyTenant(): Promise<Tenant>;
};

const problem = z.object({
  code: z.string(),
  detail: z.string(),
  errors: z.array(z.object({ pointer: z.string(), message: z.string() })).default([]),
});

const TIMEOUT_MS = 60_000;

/** @throws {RemoteError} when no answer comes. */
export async function ask(url: string, init: RequestInit): Promise<Response> {
  try {
    // A redirect could send the credential elsewhere.
    return await fetch(url, {
      ...init,
      redirect: "error",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  } catch (cause) {
    throw new RemoteError(
      `${new URL(url).origin} did not answer. Check the address and try again.`,
      {
        cause,
      },
    );
  }
}

function toFailure(address: string, status: number, body: unknown): Error {
  const read = problem.safeParse(body);
  if (!read.success || !isErrorCode(read.data.code)) {
    return new RemoteError(
      `${address} answered with status ${String(status)} and is no installation of Turnpike.`,
    );
  }
  const { code, detail, errors } = read.data;
  return code === "UNAUTHENTICATED"
    ? new RemoteError(
        `You are no longer signed in at ${address}. Sign in: turnpike login ${address}`,
      )
    : new AppError({ code, publicMessage: detail, errors });
}

export function createRemoteApi({ address, token }: { address: string; token: string }): RemoteApi {
  const api: RemoteApi = {
    address,
    async call({ method, path, query = {}, body }, schema) {
      const url = new URL(address + path);
      for (const [name, value] of Object.entries(query)) {
        if (value !== undefined) {
          url.searchParams.set(name, String(value));
        }
      }
      const response = await ask(url.href, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const answer: unknown = await response.json().catch(() => undefined);
      if (!response.ok) {
        throw toFailure(address, response.status, answer);
      }
      const read = schema.safeParse(answer);
      if (!read.success) {
        throw new RemoteError(`${address} answers in another way than this version understands.`);
      }
      return read.data;
    },
    async getTenant(idOrSlug) {
      if (isId("tenant", idOrSlug)) {
        return await api.call({ method: "GET", path: `/v1/tenants/${idOrSlug}` }, tenant);
      }
      const page = await api.call(
        { method: "GET", path: "/v1/tenants", query: { slug: idOrSlug } },
        z.object({ items: z.array(tenant) }),
      );
      const [found] = page.items;
      if (found === undefined) {
        throw resourceNotFound("tenant");
      }
      return found;
    },
    async getOnlyTenant() {
      const { items } = await api.call(
        { method: "GET", path: "/v1/tenants", query: { limit: 2 } },
        z.object({ items: z.array(tenant) }),
      );
      const [only] = items;
      if (only === undefined || items.length > 1) {
        throw new RemoteError(
          only === undefined
            ? `You belong to no tenant at ${address} yet: create one in its console.`
            : "You belong to several tenants: name one with --tenant.",
        );
      }
      return only;
    },
  };
  return api;
}
