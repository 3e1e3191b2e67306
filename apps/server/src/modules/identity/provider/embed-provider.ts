import { isConnectionError, isRetryableError } from "@turnpike/db/database-errors";
import type { KoaContextWithOIDC, Provider } from "oidc-provider";
import type { Logger } from "#platform/logger.ts";

type AnswerContext = Parameters<Parameters<Provider["use"]>[0]>[0];

type Embedding = {
  logger: Pick<Logger, "error" | "warn">;
  /** The subject of a sentence in the log, such as "The OpenID provider". */
  name: string;
  /** Where the console explains that a request is none that the provider understands. */
  invalidAddress: string;
  /** What the log names when tokens are revoked because one was used twice. */
  ofReuse: (ctx: KoaContextWithOIDC, grantId: string) => Record<string, string | undefined>;
  /** Called with each answer before it goes out. */
  onAnswer?: (ctx: AnswerContext) => void;
};

/**
 * Embeds a provider of the library in the product: it logs here, shows no page of its own, and has clients try again while the
 * database is away.
 */
export function embedProvider(
  provider: Provider,
  { logger, name, invalidAddress, ofReuse, onAnswer }: Embedding,
): void {
  // The mount in front of it replaces the proxies' headers with the public address.
  provider.proxy = true;
  // Otherwise the framework would repeat on standard error what the log already has.
  provider.silent = true;
  provider.on("server_error", (ctx, error) => {
    logger.error({ err: error }, `${name} failed`);
    if (ctx.status === 500 && (isConnectionError(error) || isRetryableError(error))) {
      // This answer makes the client retry. Otherwise it would abandon the request.
      ctx.status = 503;
      ctx.set("retry-after", "2");
    }
  });
  provider.on("grant.revoked", (ctx, grantId) => {
    if (ctx.oidc.route === "token") {
      logger.warn(ofReuse(ctx, grantId), "a code or refresh token was used twice: its family ends");
    }
  });
  provider.use(async (ctx, next) => {
    await next();
    if (ctx.status >= 300 && ctx.status < 400) {
      ctx.body = "";
      ctx.remove("content-type");
    } else if (ctx.type === "text/html") {
      // The library's own pages need scripts that the console's policy forbids. None of them is in use.
      ctx.status = 303;
      ctx.set("location", invalidAddress);
      ctx.body = "";
      ctx.remove("content-type");
    }
    onAnswer?.(ctx);
  });
}
