import { parseServerHtml } from "#platform/trusted-html.ts";

const HELD_STYLE = "data-style";
const DARK = "(prefers-color-scheme:dark)";
const STYLE_SHEET = /<style>([\s\S]*?)<\/style>/;

/**
 * Shows a mail in an empty frame, as mail programs would: with its own styles, which the policy of the console's pages lets no
 * HTML bring along, so they are set one by one. The frame takes that policy over: nothing in it runs or is fetched. Its links lead
 * nowhere, because to open one would use it up.
 *
 * @param html - As the server writes mails: every quotation mark in a text is escaped.
 */
export function fillMailFrame(
  frame: Document,
  { html, scheme }: { html: string; scheme: "light" | "dark" },
): void {
  // As a mail program would decide, not as this browser does.
  const styles = STYLE_SHEET.exec(html)?.[1]?.replace(DARK, scheme === "dark" ? "all" : "not all");
  const held = html.replace(STYLE_SHEET, "").replaceAll(' style="', ` ${HELD_STYLE}="`);
  const body = frame.adoptNode(parseServerHtml(held).body);
  for (const link of body.querySelectorAll("a")) {
    link.removeAttribute("href");
  }
  frame.body.replaceWith(body);
  for (const element of [body, ...body.querySelectorAll<HTMLElement>(`[${HELD_STYLE}]`)]) {
    element.style.cssText = element.getAttribute(HELD_STYLE) ?? "";
    element.removeAttribute(HELD_STYLE);
  }
  frame.documentElement.lang = "en";
  frame.documentElement.style.colorScheme = scheme;
  const sheet = frame.defaultView && new frame.defaultView.CSSStyleSheet();
  if (sheet !== null) {
    sheet.replaceSync(styles ?? "");
    frame.adoptedStyleSheets = [sheet];
  }
}
