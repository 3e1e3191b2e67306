import { PICTURE_BYTES_MAX } from "@turnpike/domain/files/picture-type";

/** A picture that was chosen, ready to be shown: pages may show pictures that are written into them. */
export type ChosenPicture = { file: File; url: string };

/** @throws {Error} With a sentence for people, for a file that is too long or cannot be read. */
export async function readPicture(file: File): Promise<ChosenPicture> {
  if (file.size > PICTURE_BYTES_MAX) {
    throw new Error("The picture is larger than 5 MB: choose a smaller one.");
  }
  const { promise, resolve, reject } = Promise.withResolvers<ChosenPicture>();
  const reader = new FileReader();
  reader.onload = () => resolve({ file, url: String(reader.result) });
  reader.onerror = () => reject(new Error("The file cannot be read. Choose it again."));
  reader.readAsDataURL(file);
  return await promise;
}
