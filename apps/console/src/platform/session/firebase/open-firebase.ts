import type { FirebaseSettings } from "../../client-config.ts";
import type { Session } from "../session.ts";
import { createFirebaseClient } from "./create-firebase-client.ts";
import { createFirebaseSession } from "./create-firebase-session.ts";
import { joinSessions } from "./join-sessions.ts";

/** Joins Firebase, with its own client, to the session of the other providers. */
export function openFirebase(input: {
  own: Session;
  settings: FirebaseSettings;
  loginUrl: string;
  page: Window;
  /** Milliseconds that only ever grow. */
  nowMs: () => number;
}): Session {
  const { own, settings, page } = input;
  const firebase = createFirebaseSession({
    client: createFirebaseClient(input),
    flow: settings.flow,
    tab: page.sessionStorage,
    nowMs: input.nowMs,
  });
  return joinSessions({ own, firebase, hasPasswords: settings.methods.includes("password") });
}
