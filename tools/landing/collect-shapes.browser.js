// Run in the page, as a whole: the two functions are declared there.

/** Computes colours, such as `var(--asphalt-ink)`. Runs in the page. @returns By what was given. */
function readTokenColours(names) {
  const probe = document.createElement("span");
  document.body.append(probe);
  const colours = names.map((name) => {
    probe.style.color = "";
    probe.style.color = name;
    return [name, getComputedStyle(probe).color];
  });
  probe.remove();
  return Object.fromEntries(colours);
}

/** Reads what the window shows as boxes, lines, texts and drawings, in the order in which they are painted. Runs in the page. */
function collectShapes() {
  const GEOMETRY =
    "d x y x1 x2 y1 y2 cx cy r rx ry width height points transform text-anchor dominant-baseline".split(
      " ",
    );
  const shapes = [];
  const canvas = document.createElement("canvas").getContext("2d");
  const isSeen = (colour) => !/^rgba\(.*, 0\)$|\/ 0\)$|^transparent$|^none$/.test(colour);
  const isInside = (box) =>
    box.width > 0 &&
    box.height > 0 &&
    box.left < innerWidth &&
    box.top < innerHeight &&
    box.right > 0 &&
    box.bottom > 0;
  const pixels = (length) => Number.parseFloat(length) || 0;

  function collectBox(style, box, opacity) {
    const sides = ["Top", "Right", "Bottom", "Left"];
    const borders = sides.map((side) => ({
      side,
      width: style[`border${side}Style`] === "none" ? 0 : pixels(style[`border${side}Width`]),
      colour: style[`border${side}Color`],
    }));
    const seen = borders.filter(({ width, colour }) => width > 0 && isSeen(colour));
    const isFrame = seen.length === 4 && seen.every(({ colour }) => colour === borders[0]?.colour);
    const fill = isSeen(style.backgroundColor) ? style.backgroundColor : "none";
    const { x, y, width, height } = box;
    const radius = Math.min(pixels(style.borderTopLeftRadius), width / 2, height / 2);
    if (fill !== "none" || isFrame) {
      const stroke = isFrame ? (borders[0]?.colour ?? "none") : "none";
      const strokeWidth = isFrame ? (borders[0]?.width ?? 0) : 0;
      shapes.push({
        ...{ kind: "box", x, y, width, height, radius, fill, stroke, strokeWidth, opacity },
      });
    }
    for (const border of isFrame ? [] : seen) {
      const { side, width: thick, colour } = border;
      const isFlat = side === "Top" || side === "Bottom";
      shapes.push({
        kind: "line",
        x: side === "Right" ? box.right - thick : x,
        y: side === "Bottom" ? box.bottom - thick : y,
        width: isFlat ? width : thick,
        height: isFlat ? thick : height,
        fill: colour,
      });
    }
  }

  function pushText(text, style, place) {
    shapes.push({
      kind: "text",
      x: place.x,
      y: place.y,
      width: place.width,
      text: style.textTransform === "uppercase" ? text.toUpperCase() : text,
      sizePx: pixels(style.fontSize),
      weight: style.fontWeight,
      isMono: /mono/i.test(style.fontFamily),
      fill: style.color,
      opacity: place.opacity,
    });
  }

  function ascentOf(style) {
    if (canvas === null) {
      return pixels(style.fontSize);
    }
    canvas.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    return canvas.measureText("x").fontBoundingBoxAscent;
  }

  /** Where an ancestor ends what it shows of a text. */
  function findClip(element) {
    const clip = { right: innerWidth, bottom: innerHeight };
    for (let at = element; at !== null; at = at.parentElement) {
      if (getComputedStyle(at).overflowX !== "visible") {
        clip.right = Math.min(clip.right, at.getBoundingClientRect().right);
      }
    }
    return clip;
  }

  function collectText(node, parent, opacity) {
    const style = getComputedStyle(parent);
    const clip = findClip(parent);
    const range = document.createRange();
    const lines = [];
    for (const { index, 0: word } of node.data.matchAll(/\S+\s*|\s+/g)) {
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      const [box] = range.getClientRects();
      if (box === undefined || box.width === 0) {
        continue;
      }
      const line = lines.at(-1);
      if (line !== undefined && Math.abs(line.box.top - box.top) < 2) {
        line.text += word;
        line.right = box.right;
      } else {
        lines.push({ text: word, box, right: box.right });
      }
    }
    for (const { text, box, right } of lines) {
      if (!isInside(box) || box.left >= clip.right) {
        continue;
      }
      const shown = text.replace(/\s+/g, " ").trimEnd();
      const share = Math.min(1, (clip.right - box.left) / (right - box.left));
      const isCut = share < 0.99;
      const kept = isCut ? `${shown.slice(0, Math.floor(shown.length * share) - 1)}…` : shown;
      if (kept.trim() !== "") {
        const y = box.top + ascentOf(style);
        pushText(kept, style, {
          ...{ x: box.left, y, width: Math.min(right, clip.right) - box.left, opacity },
        });
      }
    }
  }

  function collectDrawing(svg, box, opacity) {
    const parts = [];
    for (const element of svg.querySelectorAll(
      "path, rect, line, circle, ellipse, polyline, polygon, text",
    )) {
      const style = getComputedStyle(element);
      if (style.display === "none" || style.visibility === "hidden" || style.opacity === "0") {
        continue;
      }
      if (element.closest("defs, clipPath, mask") !== null) {
        continue;
      }
      const attributes = {};
      for (const name of GEOMETRY) {
        const value = element.getAttribute(name);
        if (value !== null) {
          attributes[name] = value;
        }
      }
      let moved = "";
      for (let at = element.parentElement; at !== null; at = at.parentElement) {
        if (at === svg) {
          break;
        }
        moved = `${at.getAttribute("transform") ?? ""} ${moved}`;
      }
      const transform = `${moved} ${attributes["transform"] ?? ""}`.replace(/\s+/g, " ").trim();
      if (transform !== "") {
        attributes["transform"] = transform;
      }
      const stroke = isSeen(style.stroke) ? style.stroke : "none";
      const fill = isSeen(style.fill) ? style.fill : "none";
      if (stroke !== "none") {
        attributes["stroke-width"] = style.strokeWidth.replace("px", "");
        attributes["stroke-linecap"] = style.strokeLinecap;
        attributes["stroke-linejoin"] = style.strokeLinejoin;
        if (style.strokeDasharray !== "none") {
          attributes["stroke-dasharray"] = style.strokeDasharray.replaceAll("px", "");
        }
        if (style.vectorEffect !== "none") {
          attributes["vector-effect"] = style.vectorEffect;
        }
      }
      for (const name of ["opacity", "fill-opacity", "stroke-opacity"]) {
        const value = style.getPropertyValue(name);
        if (value !== "1") {
          attributes[name] = value;
        }
      }
      if (element.tagName === "text") {
        attributes["font-size"] = style.fontSize.replace("px", "");
        attributes["font-weight"] = style.fontWeight;
      }
      const text = element.tagName === "text" ? (element.textContent ?? "") : "";
      if (fill !== "none" || stroke !== "none") {
        parts.push({ name: element.tagName, attributes, fill, stroke, text });
      }
    }
    const { x, y, width, height } = box;
    shapes.push({
      kind: "drawing",
      ...{ x, y, width, height, opacity, parts },
      viewBox: svg.getAttribute("viewBox") ?? `0 0 ${String(width)} ${String(height)}`,
      aspect: svg.getAttribute("preserveAspectRatio") ?? "xMidYMid meet",
      // Icons have 24, the mark of the brand has 32.
      isMark: svg.getAttribute("viewBox") === "0 0 32 32",
    });
  }

  function collectPlaceholder(input, box) {
    const style = getComputedStyle(input);
    const text = input.value === "" ? input.placeholder : input.value;
    if (text === "" || canvas === null) {
      return;
    }
    canvas.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    const {
      width,
      fontBoundingBoxAscent: up,
      fontBoundingBoxDescent: down,
    } = canvas.measureText(text);
    const colour =
      input.value === "" ? getComputedStyle(input, "::placeholder").color : style.color;
    shapes.push({
      kind: "text",
      x: box.x + pixels(style.paddingLeft) + pixels(style.borderLeftWidth),
      y: box.y + box.height / 2 + (up - down) / 2,
      width: Math.min(width, box.width),
      text,
      sizePx: pixels(style.fontSize),
      weight: style.fontWeight,
      isMono: false,
      fill: colour,
      opacity: 1,
    });
  }

  /** The signs of a tenant or a person, which the style sheet draws in the middle. */
  function collectInitials(signs, style, box, opacity) {
    canvas.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    const {
      width,
      fontBoundingBoxAscent: up,
      fontBoundingBoxDescent: down,
    } = canvas.measureText(signs);
    const y = box.y + box.height / 2 + (up - down) / 2;
    pushText(signs, style, { x: box.x + (box.width - width) / 2, y, width, opacity });
  }

  function collectPseudo(element, which, opacity) {
    const style = getComputedStyle(element, which);
    if (style.content === "none" || style.content === "normal" || style.position !== "absolute") {
      return;
    }
    const outer = element.getBoundingClientRect();
    const [width, height] = [pixels(style.width), pixels(style.height)];
    const x = outer.x + pixels(style.left);
    const y = outer.y + pixels(style.top);
    if (width > 0 && height > 0) {
      collectBox(style, new DOMRect(x, y, width, height), opacity);
    }
  }

  function collect(element, above) {
    const style = getComputedStyle(element);
    const opacity = above * Number(style.opacity);
    const isHidden =
      style.display === "none" ||
      opacity === 0 ||
      (style.clipPath !== "none" && style.position === "absolute");
    if (isHidden) {
      return;
    }
    const box = element.getBoundingClientRect();
    const isShown = style.visibility === "visible" && isInside(box);
    if (element instanceof SVGSVGElement) {
      if (isShown) {
        collectDrawing(element, box, opacity);
      }
      return;
    }
    // What is only for screen readers is one pixel large.
    if (box.width <= 1 && box.height <= 1 && style.overflow === "hidden") {
      return;
    }
    if (isShown) {
      collectBox(style, box, opacity);
      collectPseudo(element, "::before", opacity);
      const signs = element.getAttribute("data-initials");
      if (signs !== null) {
        collectInitials(signs, style, box, opacity);
      }
      if (element instanceof HTMLInputElement) {
        collectPlaceholder(element, box);
      }
    }
    for (const child of element.childNodes) {
      if (child instanceof Text && isShown) {
        collectText(child, element, opacity);
      } else if (child instanceof Element) {
        collect(child, opacity);
      }
    }
    if (isShown) {
      collectPseudo(element, "::after", opacity);
    }
  }

  collect(document.body, 1);
  return shapes;
}

globalThis.pictures = { readTokenColours, collectShapes };
