/** The proxies of `/v1/authorize/<dialect>`. Each describes the call it asks about in headers of its own. */
export const FORWARD_AUTH_DIALECTS = ["nginx", "caddy", "traefik", "envoy"] as const;
export type ForwardAuthDialect = (typeof FORWARD_AUTH_DIALECTS)[number];
