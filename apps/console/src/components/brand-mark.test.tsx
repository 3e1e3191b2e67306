// @vitest-environment jsdom
import { cleanup, render } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import { PlatformProvider } from "#platform/platform.tsx";
import { makeTestPlatform } from "#platform/render-with-platform.tsx";
import { BrandMark } from "./brand-mark.tsx";

afterEach(cleanup);

const MARK = "data:image/svg+xml;base64,PHN2Zy8+";

function show(mark: string | undefined) {
  const platform = makeTestPlatform();
  const config = { ...platform.config, brand: { ...platform.config.brand, mark } };
  return render(
    <PlatformProvider value={{ ...platform, config }}>
      <BrandMark className="size-7" />
    </PlatformProvider>,
  ).container;
}

describe("BrandMark", () => {
  it("is the operator's own picture, which says nothing beside the name", () => {
    const image = show(MARK).querySelector("img");
    expect(image?.getAttribute("src")).toBe(MARK);
    expect(image?.getAttribute("alt")).toBe("");
  });

  it("is the product's own without one", () => {
    const container = show(undefined);
    expect(container.querySelector("img")).toBe(null);
    expect(container.querySelector("svg")?.getAttribute("aria-hidden")).toBe("true");
  });
});
