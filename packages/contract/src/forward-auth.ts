/** How proxies describe the call that they ask about, each in headers of its own: `/v1/authorize/<dialect>`. */
export const FORWARD_AUTH_DIALECTS = ["nginx", "caddy", "traefik", "envoy"] as const;
export type ForwardAuthDialect = (typeof FORWARD_AUTH_DIALECTS)[number];
