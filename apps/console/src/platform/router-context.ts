import type { QueryClient } from "@tanstack/react-query";
import type { Platform } from "./platform.tsx";
import type { AuthState } from "./session/session.ts";

/** What every route is given. */
export type RouterContext = {
  /** The current auth state. */
  readonly auth: AuthState;
  queryClient: QueryClient;
  platform: Platform;
};
