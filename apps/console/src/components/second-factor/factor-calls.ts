import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from "@simplewebauthn/browser";

/** The codes come with the first factor; null when the person has some. */
export type WithCodes = { recoveryCodes: readonly string[] | null };
export type BegunTotp = WithCodes & { secret: string; uri: string };
export type BegunPasskey = WithCodes & { options: PublicKeyCredentialCreationOptionsJSON };
export type AskedPasskey = { options: PublicKeyCredentialRequestOptionsJSON };

/** Sends one step to the server that has the factors. */
export type Ask = (step: string, body: object) => Promise<unknown>;

/** How a factor is set up: within a sign-in, or on the page of the account. */
export type SetUpCalls = {
  beginTotp(): Promise<BegunTotp>;
  confirmTotp(code: string): Promise<void>;
  beginPasskey(): Promise<BegunPasskey>;
  confirmPasskey(input: { name: string; answer: object }): Promise<void>;
};
