import type { FindMailLogo } from "#modules/notifications/index.ts";
import type { LogoDrawer } from "#modules/tenants/index.ts";
import type { Logger } from "#platform/logger.ts";

/**
 * The mark of the brand as mails can show it: a PNG, also of an SVG or a WebP. It is drawn when it is first asked for.
 *
 * @param input.mark - A `data:` address in base64.
 * @returns A function that gives undefined without a mark, and for one that cannot be drawn.
 */
export function createBrandLogo(input: {
  mark: string | undefined;
  drawer: LogoDrawer;
  logger: Pick<Logger, "warn">;
}): FindMailLogo {
  const { mark, drawer, logger } = input;
  let drawing: Promise<Uint8Array | undefined> | undefined;

  async function draw(address: string): Promise<Uint8Array | undefined> {
    const bytes = Buffer.from(address.slice(address.indexOf(",") + 1), "base64");
    try {
      const drawn = await drawer.draw({ bytes, fit: "contain" });
      if (drawn.ok) {
        return drawn.pictures["256.png"];
      }
      logger.warn({ reason: drawn.reason }, "brand.mark cannot be drawn: mails show a letter");
    } catch (error) {
      // Too many drawings at once: the next mail tries again.
      drawing = undefined;
      logger.warn({ err: error }, "brand.mark was not drawn: a mail shows a letter");
    }
    return undefined;
  }

  return () => {
    if (mark === undefined) {
      return Promise.resolve(undefined);
    }
    drawing ??= draw(mark);
    return drawing;
  };
}
