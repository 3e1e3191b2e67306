import { initializeApp } from "@firebase/app";
import {
  type Auth,
  browserLocalPersistence,
  browserPopupRedirectResolver,
  connectAuthEmulator,
  createUserWithEmailAndPassword,
  GoogleAuthProvider,
  getRedirectResult,
  indexedDBLocalPersistence,
  initializeAuth,
  onIdTokenChanged,
  reload,
  sendEmailVerification,
  sendPasswordResetEmail,
  signInWithEmailAndPassword,
  signInWithPopup,
  signInWithRedirect,
  signOut,
  type User,
  updateProfile,
} from "@firebase/auth";
import type { FirebaseSettings } from "../../client-config.ts";
import type { FirebaseClient } from "./firebase-client.ts";
import { toSignedOut } from "./firebase-failure.ts";
import { loadGoogleScript } from "./load-google-script.ts";

function open({ apiKey, authDomain, projectId, appId, emulator }: FirebaseSettings): Auth {
  const app = initializeApp({
    apiKey,
    authDomain,
    projectId,
    ...(appId === undefined ? {} : { appId }),
  });
  const auth = initializeAuth(app, {
    // The first that the browser offers; both are shared by all tabs and last beyond the visit.
    persistence: [indexedDBLocalPersistence, browserLocalPersistence],
  });
  if (emulator !== undefined) {
    // The sign-in page says so itself, in place of a bar over every page.
    connectAuthEmulator(auth, emulator, { disableWarnings: true });
  }
  return auth;
}

function createGoogle(): GoogleAuthProvider {
  const google = new GoogleAuthProvider();
  // Otherwise a browser with one account of Google signs in with it without a question.
  google.setCustomParameters({ prompt: "select_account" });
  return google;
}

/**
 * Makes Firebase's own client for a project.
 *
 * @param input.loginUrl - Where links in mails lead to in the end.
 */
export function createFirebaseClient(input: {
  settings: FirebaseSettings;
  loginUrl: string;
  page: Window;
}): FirebaseClient {
  const auth = open(input.settings);
  const afterMail = { url: input.loginUrl };

  function getUser(): User {
    if (auth.currentUser === null) {
      throw toSignedOut();
    }
    return auth.currentUser;
  }

  return {
    onIdTokenChanged: (listener) => void onIdTokenChanged(auth, listener),
    signIn: async ({ email, password }) => {
      await signInWithEmailAndPassword(auth, email, password);
    },
    register: async ({ email, password, name }) => {
      const { user } = await createUserWithEmailAndPassword(auth, email, password);
      // The account is there: what fails from here on can be made up for later, and must not look like a refusal.
      await Promise.allSettled([
        sendEmailVerification(user, afterMail),
        name === undefined ? undefined : updateProfile(user, { displayName: name }),
      ]);
      if (name !== undefined) {
        // The token of before does not have the name.
        await user.getIdToken(true).catch(() => undefined);
      }
    },
    openGoogle: async () => {
      await loadGoogleScript(input.page);
      await signInWithPopup(auth, createGoogle(), browserPopupRedirectResolver);
    },
    goToGoogle: async () => {
      await signInWithRedirect(auth, createGoogle(), browserPopupRedirectResolver);
    },
    completeRedirect: async () => {
      await loadGoogleScript(input.page);
      await getRedirectResult(auth, browserPopupRedirectResolver);
    },
    sendResetMail: (email) => sendPasswordResetEmail(auth, email, afterMail),
    sendVerificationMail: () => sendEmailVerification(getUser(), afterMail),
    reload: async () => {
      const user = getUser();
      await reload(user);
      await user.getIdToken(true);
    },
    signOut: () => signOut(auth),
  };
}
