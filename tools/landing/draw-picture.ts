import type { Part, Shape } from "./shape.ts";

/** What a window shows in one theme, and what the colours of the page are in it: by how they are written, as computed. */
export type ShownTheme = { shapes: readonly Shape[]; tokens: Readonly<Record<string, string>> };

type Themes = { light: ShownTheme; dark: ShownTheme };

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", '"': "&quot;" };

function escapeXml(text: string): string {
  return text.replace(/[&<"]/g, (character) => ESCAPES[character] ?? "");
}

/** Two digits behind the point are less than any eye sees. */
function round(value: number): string {
  return String(Math.round(value * 100) / 100);
}

function toAttributes(attributes: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(attributes)
    .map(([name, value]) => (value === undefined ? "" : ` ${name}="${escapeXml(value)}"`))
    .join("");
}

function unless(value: number, usual: number): string | undefined {
  return value === usual ? undefined : round(value);
}

/**
 * Writes what a window shows as an SVG whose colours are the design tokens of the page that uses it, so that it is in that page's
 * theme and in its operator's accent.
 *
 * @throws {Error} When the window shows other things in the two themes, or a colour that no token has.
 */
export function drawPicture(
  themes: Themes,
  { width, height }: { width: number; height: number },
): string {
  const { light, dark } = themes;
  const names = new Map(
    Object.keys(light.tokens)
      .reverse()
      .map((name) => [`${light.tokens[name] ?? ""} ${dark.tokens[name] ?? ""}`, name]),
  );
  const unknown = new Set<string>();

  function toColour(inLight: string, inDark: string): string {
    if (inLight === "none") {
      return "none";
    }
    const name = names.get(`${inLight} ${inDark}`);
    // The mark has colours of its own, the same in both themes.
    if (name === undefined && inLight === inDark) {
      return inLight;
    }
    if (name === undefined) {
      unknown.add(`${inLight} ${inDark}`);
    }
    return name ?? "";
  }

  function drawPart(part: Part, other: Part): string {
    const attributes = toAttributes({
      ...part.attributes,
      fill: toColour(part.fill, other.fill),
      stroke: part.stroke === "none" ? undefined : toColour(part.stroke, other.stroke),
    });
    return `<${part.name}${attributes}${part.text === "" ? "/>" : `>${escapeXml(part.text)}</${part.name}>`}`;
  }

  function draw(shape: Shape, other: Shape): string {
    const { x, y, width: wide } = shape;
    switch (shape.kind) {
      case "box": {
        const twin = other.kind === "box" ? other : shape;
        // Strokes stand on the edge, borders inside it.
        const inset = shape.strokeWidth / 2;
        return `<rect${toAttributes({
          x: round(x + inset),
          y: round(y + inset),
          width: round(Math.max(0, wide - shape.strokeWidth)),
          height: round(Math.max(0, shape.height - shape.strokeWidth)),
          rx: unless(Math.max(0, shape.radius - inset), 0),
          fill: toColour(shape.fill, twin.fill),
          stroke: shape.stroke === "none" ? undefined : toColour(shape.stroke, twin.stroke),
          "stroke-width": shape.stroke === "none" ? undefined : unless(shape.strokeWidth, 1),
          opacity: unless(shape.opacity, 1),
        })}/>`;
      }
      case "line":
        return `<rect${toAttributes({
          x: round(x),
          y: round(y),
          width: round(wide),
          height: round(shape.height),
          fill: toColour(shape.fill, other.kind === "line" ? other.fill : shape.fill),
        })}/>`;
      case "text":
        return `<text${toAttributes({
          x: round(x),
          y: round(y),
          textLength: round(wide),
          "font-size": unless(shape.sizePx, 14),
          "font-weight": shape.weight === "400" ? undefined : shape.weight,
          "font-family": shape.isMono ? "JetBrains Mono Variable, monospace" : undefined,
          fill: toColour(shape.fill, other.kind === "text" ? other.fill : shape.fill),
          opacity: unless(shape.opacity, 1),
        })}>${escapeXml(shape.text)}</text>`;
      case "drawing": {
        const parts = other.kind === "drawing" ? other.parts : shape.parts;
        return `<svg${toAttributes({
          x: round(x),
          y: round(y),
          width: round(wide),
          height: round(shape.height),
          viewBox: shape.viewBox,
          preserveAspectRatio: shape.aspect === "xMidYMid meet" ? undefined : shape.aspect,
          opacity: shape.isMark ? "var(--own-mark, 1)" : unless(shape.opacity, 1),
        })}>${shape.parts.map((part, at) => drawPart(part, parts[at] ?? part)).join("")}</svg>`;
      }
    }
  }

  if (light.shapes.map(({ kind }) => kind).join() !== dark.shapes.map(({ kind }) => kind).join()) {
    throw new Error("The two themes show other things.");
  }
  const drawn = light.shapes.map((shape, at) => draw(shape, dark.shapes[at] ?? shape));
  if (unknown.size > 0) {
    throw new Error(`No token has these colours:\n${[...unknown].join("\n")}`);
  }
  return `<svg xmlns="http://www.w3.org/2000/svg"><symbol id="picture" viewBox="0 0 ${String(width)} ${String(height)}" font-size="14">\n${drawn.join("\n")}\n</symbol></svg>\n`;
}
