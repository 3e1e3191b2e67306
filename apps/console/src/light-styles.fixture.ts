/** Elements that browsers show in a line by default. */
const INLINE = new Set(
  "a abbr b bdi bdo br cite code data del dfn em i img ins kbd label mark path q s samp small span strong sub sup svg time u var wbr".split(
    " ",
  ),
);
/** Form controls are boxes in a line. */
const INLINE_BLOCK = new Set(["button", "input", "meter", "progress", "select", "textarea"]);
const NEVER_SHOWN = new Set(["head", "link", "meta", "script", "style", "template", "title"]);
/** What a child has of its parent unless it says otherwise. */
const INHERITED = new Set(["visibility", "pointerEvents", "pointer-events"]);

function isHidden(element: Element): boolean {
  return (
    NEVER_SHOWN.has(element.localName) ||
    element.hasAttribute("hidden") ||
    (element.localName === "dialog" && !element.hasAttribute("open")) ||
    (element.localName === "input" && element.getAttribute("type") === "hidden")
  );
}

function displayOf(element: HTMLElement): string {
  const { display } = element.style;
  if (display !== "") {
    return display;
  }
  if (isHidden(element)) {
    return "none";
  }
  if (INLINE.has(element.localName)) {
    return "inline";
  }
  return INLINE_BLOCK.has(element.localName) ? "inline-block" : "block";
}

function inheritedOf(element: HTMLElement, property: string): string {
  for (let at: Element | null = element; at !== null; at = at.parentElement) {
    const value =
      "style" in at ? (at as HTMLElement).style.getPropertyValue(toKebab(property)) : "";
    if (value !== "") {
      return value;
    }
  }
  return property === "visibility" ? "visible" : "auto";
}

function toKebab(property: string): string {
  return property.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** The style of an element from its own attributes and the defaults of browsers. */
function readStyle(element: HTMLElement): CSSStyleDeclaration {
  const read = (property: string) => {
    if (property === "display") {
      return displayOf(element);
    }
    return INHERITED.has(property)
      ? inheritedOf(element, property)
      : element.style.getPropertyValue(toKebab(property));
  };
  return new Proxy(element.style, {
    get(style, property) {
      if (property === "getPropertyValue") {
        return read;
      }
      if (property === "display" || INHERITED.has(String(property))) {
        return read(String(property));
      }
      const value: unknown = Reflect.get(style, property, style);
      return typeof value === "function" ? value.bind(style) : value;
    },
  });
}

/**
 * Replaces `getComputedStyle` of jsdom, which matches each rule of its stylesheet anew at each call and took half the time of the tests
 * of screens. Tests have no stylesheet of ours, so nothing but attributes and defaults is left to compute.
 */
export function installLightStyles(): void {
  const nothing = document.createElement("div");
  globalThis.getComputedStyle = (element, pseudo) =>
    readStyle(pseudo == null && "style" in element ? (element as HTMLElement) : nothing);
}
