import { AnsweredError } from "./answered-error.ts";
import type { OwnTenant } from "./current-tenant.ts";
import { rethrowReadable } from "./error-message.ts";
import { type GetIdToken, sendSignedIn } from "./send-signed-in.ts";

export type UploadLogoInput = {
  getIdToken: GetIdToken;
  /** Origin of the API, without `/v1`. */
  apiUrl: string;
  tenantId: OwnTenant["tenantId"];
  picture: Blob;
  /** The whole picture with room around it, or a square out of its middle. */
  fit: "contain" | "cover";
};

/**
 * Makes a picture the logo of a tenant. The server draws it anew, so that nothing but its pixels is kept.
 *
 * @throws {RequestError} With a message for people, when the answer is no success or none arrives.
 */
export async function uploadLogo(input: UploadLogoInput): Promise<void> {
  const { getIdToken, apiUrl, tenantId, picture, fit } = input;
  try {
    const answer = await sendSignedIn(getIdToken, (idToken) =>
      fetch(`${apiUrl}/v1/tenants/${tenantId}/logo?fit=${fit}`, {
        method: "PUT",
        headers: {
          "content-type": "application/octet-stream",
          ...(idToken === undefined ? {} : { authorization: `Bearer ${idToken}` }),
        },
        body: picture,
      }),
    );
    if (!answer.ok) {
      throw new AnsweredError(answer, await answer.json().catch(() => undefined));
    }
  } catch (cause) {
    rethrowReadable(cause);
  }
}
