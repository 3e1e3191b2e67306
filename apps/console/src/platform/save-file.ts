import { AnsweredError } from "./answered-error.ts";
import { rethrowReadable } from "./error-message.ts";
import { type GetIdToken, sendSignedIn } from "./send-signed-in.ts";

export type DownloadInput = {
  getIdToken: GetIdToken;
  /** Absolute. */
  url: string;
  fileName: string;
};

/**
 * Downloads a file as the person who is signed in: a link would go without their token.
 *
 * @throws {RequestError} With a message for people, when the answer is no success or none arrives.
 */
export async function downloadFile({ getIdToken, url, fileName }: DownloadInput): Promise<void> {
  try {
    const response = await sendSignedIn(getIdToken, (idToken) =>
      fetch(url, {
        headers: idToken === undefined ? {} : { authorization: `Bearer ${idToken}` },
      }),
    );
    if (!response.ok) {
      throw new AnsweredError(response, await response.json().catch(() => undefined));
    }
    saveBlob(await response.blob(), fileName);
  } catch (cause) {
    rethrowReadable(cause);
  }
}

/** Saves an answer of the API as a file, as it is. */
export function saveJson(value: object, fileName: string): void {
  const text = `${JSON.stringify(value, undefined, 2)}\n`;
  saveBlob(new Blob([text], { type: "application/json" }), fileName);
}

function saveBlob(blob: Blob, fileName: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(link.href);
}
