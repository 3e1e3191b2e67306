// @vitest-environment jsdom
import { afterEach, describe, expect, it, vi } from "vitest";
import { createLateSession } from "../create-late-session.ts";
import { makeFakeSession, makeUser } from "../fake-session.ts";
import { toSignInProblem } from "../to-sign-in-problem.ts";
import { createFirebaseSession } from "./create-firebase-session.ts";
import type { FirebaseClient, FirebasePerson } from "./firebase-client.ts";
import { FirebaseFailure } from "./firebase-failure.ts";
import { joinSessions } from "./join-sessions.ts";

afterEach(() => sessionStorage.clear());

const ADA = { uid: "ada", email: "ada@example.com", emailVerified: false, displayName: null };

const fail = (code: string) =>
  new FirebaseFailure(`auth/${code}`, `Firebase: Error (auth/${code}).`);

/** A session whose client does what the test says. The client itself is tried in `e2e/firebase.soak.spec.ts`. */
function makeSession(
  overrides: Partial<FirebaseClient> = {},
  flow: "popup" | "redirect" = "popup",
) {
  const calls: string[] = [];
  let tell: (person: FirebasePerson | null) => void = () => undefined;
  let elapsedMs = 0;
  let tokens = 0;
  const note = (name: string) => () => {
    calls.push(name);
    return Promise.resolve();
  };
  const client: FirebaseClient = {
    onIdTokenChanged: (listener) => {
      tell = listener;
    },
    signIn: note("signIn"),
    register: note("register"),
    openGoogle: note("openGoogle"),
    goToGoogle: note("goToGoogle"),
    completeRedirect: note("completeRedirect"),
    sendResetMail: note("sendResetMail"),
    sendVerificationMail: note("sendVerificationMail"),
    reload: note("reload"),
    signOut: note("signOut"),
    ...overrides,
  };
  const session = createFirebaseSession({
    client,
    flow,
    tab: sessionStorage,
    nowMs: () => elapsedMs,
  });
  const states: unknown[] = [];
  session.subscribe(() => states.push(session.getState().user?.email ?? null));
  return {
    session,
    calls,
    states,
    tell: (person: FirebasePerson | null) => tell(person),
    wait: (ms: number) => {
      elapsedMs += ms;
    },
    makePerson: (said: Partial<FirebasePerson> = {}): FirebasePerson => ({
      ...ADA,
      getIdToken: (isForced) => {
        tokens += isForced === true || tokens === 0 ? 1 : 0;
        return Promise.resolve(`token-${String(tokens)}`);
      },
      ...said,
    }),
  };
}

describe("the session of Firebase", () => {
  it("is loading until its client knows, and then says who is signed in once, however many tokens come", () => {
    const { session, states, tell, makePerson } = makeSession();
    session.start();
    expect(session.getState()).toMatchObject({ isLoading: true, user: undefined });
    const person = makePerson();
    tell(person);
    tell(person);
    expect(states).toEqual(["ada@example.com"]);
    expect(session.getState()).toMatchObject({
      isLoading: false,
      user: { subject: "ada", providerId: "firebase", emailVerified: false, name: undefined },
    });
    // The client changes its person in place.
    person.emailVerified = true;
    tell(person);
    expect(session.getState().user?.emailVerified).toBe(true);
    tell(null);
    expect(session.getState()).toMatchObject({ user: undefined, ended: "by_person" });
    expect(states).toHaveLength(3);
  });

  it("shows a new account when it is complete", async () => {
    const registration = Promise.withResolvers<void>();
    const { session, states, tell, makePerson } = makeSession({
      register: () => registration.promise,
    });
    session.start();
    const registered = session.register({ email: ADA.email, password: "p", name: "Ada" });
    tell(makePerson());
    tell(makePerson({ displayName: "Ada" }));
    expect(states).toEqual([]);
    registration.resolve();
    expect(await registered).toBe("signed_in");
    expect(session.getState().user?.name).toBe("Ada");
    expect(states).toHaveLength(1);
  });

  it("renews a refused token unless it is as new as can be, and says in words why there is none", async () => {
    const { session, tell, wait, makePerson } = makeSession();
    session.start();
    expect(await session.getIdToken()).toBeUndefined();
    tell(makePerson());
    expect(await session.getIdToken()).toBe("token-1");
    expect(await session.getIdToken("token-1")).toBe("token-1");
    wait(10_000);
    expect(await session.getIdToken("another")).toBe("token-1");
    expect(await session.getIdToken("token-1")).toBe("token-2");

    tell(makePerson({ getIdToken: () => Promise.reject(fail("network-request-failed")) }));
    await expect(session.getIdToken()).rejects.toThrow(/cannot be reached/);
    // Firebase signs out by itself before it refuses.
    const ended = makePerson({
      getIdToken: () => {
        tell(null);
        return Promise.reject(fail("user-disabled"));
      },
    });
    tell(ended);
    await expect(session.getIdToken()).rejects.toThrow("You are signed out.");
    expect(session.getState()).toMatchObject({ user: undefined, ended: "by_provider" });
  });

  it("leaves the page for Google where no window opens, and for no other reason", async () => {
    const blocked = makeSession({ openGoogle: () => Promise.reject(fail("popup-blocked")) });
    await blocked.session.firebase.continueWithGoogle();
    expect(blocked.calls).toEqual(["goToGoogle"]);

    const closed = makeSession({ openGoogle: () => Promise.reject(fail("popup-closed-by-user")) });
    const error: unknown = await closed.session.firebase.continueWithGoogle().catch((e) => e);
    expect(toSignInProblem(error).cause).toBe("popup_closed");
    expect(closed.calls).toEqual([]);

    const configured = makeSession({}, "redirect");
    await configured.session.firebase.continueWithGoogle();
    expect(configured.calls).toEqual(["goToGoogle"]);
  });

  it("ends what led to Google before it says who is signed in, and keeps why it failed for one reading", async () => {
    const leaving = makeSession({}, "redirect");
    await leaving.session.firebase.continueWithGoogle();

    const answer = Promise.withResolvers<void>();
    const back = makeSession({ completeRedirect: () => answer.promise });
    back.session.start();
    back.tell(null);
    expect(back.session.getState().isLoading).toBe(true);
    answer.reject(fail("account-exists-with-different-credential"));
    await vi.waitFor(() => {
      back.tell(null);
      expect(back.session.getState().isLoading).toBe(false);
    });
    const failure = back.session.firebase.takeFailure();
    expect(toSignInProblem(failure).cause).toBe("other_credential");
    expect(back.session.firebase.takeFailure()).toBeUndefined();

    const later = makeSession();
    later.session.start();
    expect(later.calls).toEqual([]);
  });
});

describe("two sessions as one", () => {
  function makeJoined(hasPasswords = false) {
    const own = makeFakeSession();
    const made = makeSession();
    const session = joinSessions({ own, firebase: made.session, hasPasswords });
    session.start();
    return { ...made, own, session };
  }

  it("is loading until both know, and is the person of the one that has one", async () => {
    const { own, session, tell, makePerson } = makeJoined();
    own.change({});
    expect(session.getState().isLoading).toBe(true);
    tell(null);
    expect(session.getState()).toMatchObject({ isLoading: false, user: undefined });
    tell(makePerson());
    expect(session.getState().user?.providerId).toBe("firebase");
    expect(await session.getIdToken()).toBe("token-1");
    tell(null);
    own.change({ user: makeUser("grace") });
    expect(await session.getIdToken()).toBe("token-of-grace");
  });

  it("has one person: a sign-in with one ends the session with the other", () => {
    const { own, session, tell, makePerson } = makeJoined();
    own.change({ user: makeUser("grace") });
    tell(makePerson());
    expect(own.getState().user).toBeUndefined();
    expect(session.getState().user?.subject).toBe("ada");
  });

  it("sends the form to Firebase where passwords are Firebase’s", async () => {
    const { session, calls } = makeJoined(true);
    await session.signIn({ email: ADA.email, password: "p" });
    expect(calls).toEqual(["signIn"]);
    await expect(makeJoined().session.signIn({ email: "", password: "" })).rejects.toThrow(
      "The test does not sign in",
    );
  });
});

describe("a session whose code comes later", () => {
  it("is loading until then, and tries again when asked after its code did not come", async () => {
    const real = makeFakeSession();
    const load = vi
      .fn<() => Promise<typeof real>>()
      .mockRejectedValueOnce(new TypeError("Failed to fetch"))
      .mockResolvedValue(real);
    const session = createLateSession(load);
    const notified = vi.fn();
    session.subscribe(notified);
    session.start();
    expect(session.getState()).toMatchObject({ isLoading: true, trouble: undefined });
    await vi.waitFor(() => expect(session.getState().trouble).toMatch(/cannot be loaded/));
    session.retry();
    await vi.waitFor(() => expect(session.getState().isLoading).toBe(false));
    real.change({ user: makeUser("ada") });
    expect(session.getState().user?.subject).toBe("ada");
    expect(await session.getIdToken()).toBe("token-of-ada");
    expect(load).toHaveBeenCalledTimes(2);
    expect(notified).toHaveBeenCalled();
  });
});
