/** Hands an address to the browser as a file to keep; its answer is an attachment, so the page stays. */
export function saveAddress(url: string): void {
  const link = document.createElement("a");
  link.href = url;
  link.download = "";
  link.click();
}
