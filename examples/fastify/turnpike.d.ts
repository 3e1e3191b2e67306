import type { Caller } from "@turnpike/sdk";
import type { FastifyRouteConfig } from "@turnpike/sdk/fastify";

declare module "fastify" {
  interface FastifyRequest {
    turnpike: Caller | null;
  }
  interface FastifyContextConfig {
    turnpike?: FastifyRouteConfig["turnpike"];
  }
}
