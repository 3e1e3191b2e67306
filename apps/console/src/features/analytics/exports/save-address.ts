/** Lets the browser download an address; the response is an attachment, so the page stays. */
export function saveAddress(url: string): void {
  const link = document.createElement("a");
  link.href = url;
  link.download = "";
  link.click();
}
