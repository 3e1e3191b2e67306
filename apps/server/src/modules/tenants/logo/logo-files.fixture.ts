import { createServer } from "node:http";
import { crc32, deflateSync } from "node:zlib";
import sharp from "sharp";

/** What must never be in a picture that is served. */
export const PAYLOAD = "<script>alert(document.domain)</script>";

const SVG = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"';
const drawing = (inside: string, size = 'width="64" height="64"') =>
  Buffer.from(`<svg ${SVG} ${size}>${inside}</svg>`);
const text = (value: string) => Buffer.from(value);

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(named), 4);
  return Buffer.concat([frame.subarray(0, 4), named, frame.subarray(4)]);
}

/** A PNG that says it has so many pixels, and holds this. */
function pngOf(width: number, height: number, ...chunks: Buffer[]): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits, red, green and blue.
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", header),
    ...chunks,
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function gifOf(width: number, height: number, frames: number): Buffer {
  const screen = Buffer.from("GIF89a\0\0\0\0\x80\0\0\0\0\0\xff\xff\xff", "latin1");
  screen.writeUInt16LE(width, 6);
  screen.writeUInt16LE(height, 8);
  const frame = Buffer.from("\x2c\0\0\0\0\0\0\0\0\0\x02\x02\x44\x01\0", "latin1");
  frame.writeUInt16LE(width, 5);
  frame.writeUInt16LE(height, 7);
  return Buffer.concat([screen, ...Array.from({ length: frames }, () => frame), text(";")]);
}

/** Entities of entities: 10 to the power of nine letters. */
function laughs(): string {
  const levels = Array.from({ length: 9 }, (_, level) => {
    const inner = level === 0 ? "ha" : `&l${String(level - 1)};`;
    return `<!ENTITY l${String(level)} "${inner.repeat(10)}">`;
  });
  return `<!DOCTYPE svg [${levels.join("")}]><svg ${SVG}><text>&l8;</text></svg>`;
}

/** Little to read, and hours of work to draw. */
export function endlessDrawing(): Buffer {
  const spread = '<feMorphology operator="dilate" radius="200"/>'.repeat(1_000);
  const box = 'x="0" y="0" width="1" height="1"';
  return drawing(
    `<filter id="f" ${box}>${spread}</filter><rect width="64" height="64" filter="url(#f)"/>`,
  );
}

/** A square in one colour, in any format. */
const square = (side = 48, background = "#1e6fd9") =>
  sharp({ create: { width: side, height: side, channels: 3, background } });

/** What is sent, and whether a picture may come out of it. A picture that does holds nothing of the payload. */
export type LogoCase = { name: string; bytes: Buffer; isDrawn: boolean };

/** Files that were made to do harm. `outside` is an address that must never be asked. */
export async function makeHostileFiles(outside: string): Promise<LogoCase[]> {
  const png = await square().png().toBuffer();
  const jpeg = await square().jpeg().toBuffer();
  const webp = await square().webp().toBuffer();
  const gif = gifOf(1, 1, 1);
  const avif = await square().avif({ effort: 0 }).toBuffer();
  const refused = (name: string, bytes: Buffer): LogoCase => ({ name, bytes, isDrawn: false });
  const drawn = (name: string, bytes: Buffer): LogoCase => ({ name, bytes, isDrawn: true });
  const svg = (name: string, inside: string): LogoCase => refused(`SVG: ${name}`, drawing(inside));
  const row = Buffer.alloc(1 + 3 * 48);
  return [
    // No picture at all, in spite of its name or header.
    refused("nothing", Buffer.alloc(0)),
    refused("HTML", text(`<!doctype html>${PAYLOAD}`)),
    refused("HTML with an SVG in it", text(`<html><svg ${SVG}></svg>${PAYLOAD}</html>`)),
    refused("a program in JavaScript", text("alert(1)")),
    refused("PDF", text("%PDF-1.7\n1 0 obj\n")),
    refused("an executable", Buffer.from("\x7fELF\x02\x01\x01", "latin1")),
    refused("ZIP", Buffer.from("PK\x03\x04\x14\0", "latin1")),
    refused("PostScript", text("%!PS-Adobe-3.0 EPSF-3.0\n(/etc/passwd) run\n")),
    refused("TIFF", await square().tiff().toBuffer()),
    refused("BMP", Buffer.from("BM\x46\0\0\0\0\0\0\0\x36\0\0\0", "latin1")),
    refused("ICO", Buffer.from("\0\0\x01\0\x01\0\x10\x10", "latin1")),
    refused("a script for ImageMagick", text(`push graphic-context\nfill 'url(${outside})'\n`)),
    refused("a video", Buffer.from("\0\0\0\x18ftypisom\0\0\0\0isommp42", "latin1")),
    // Polyglots: pictures that are something else as well. Only their pixels are left.
    drawn("PNG with HTML behind it", Buffer.concat([png, text(PAYLOAD)])),
    drawn("PNG with a ZIP behind it", Buffer.concat([png, text(`PK\x03\x04${PAYLOAD}`)])),
    drawn(
      "PNG with a program in a comment",
      Buffer.concat([
        png.subarray(0, 33),
        chunk("tEXt", text(`Comment\0${PAYLOAD}`)),
        png.subarray(33),
      ]),
    ),
    drawn("JPEG with HTML behind it", Buffer.concat([jpeg, text(PAYLOAD)])),
    drawn(
      "JPEG with a program in a comment",
      Buffer.concat([
        jpeg.subarray(0, 2),
        Buffer.from([0xff, 0xfe, 0, PAYLOAD.length + 2]),
        text(PAYLOAD),
        jpeg.subarray(2),
      ]),
    ),
    drawn(
      "JPEG with a place and a program in its metadata",
      await square()
        .withExif({ IFD0: { Copyright: PAYLOAD }, IFD3: { GPSLatitude: "52/1 31/1 0/1" } })
        .jpeg()
        .toBuffer(),
    ),
    drawn("WebP with HTML behind it", Buffer.concat([webp, text(PAYLOAD)])),
    drawn("GIF that is JavaScript", Buffer.concat([gif, text(`/*${PAYLOAD}*/=1`)])),
    drawn("GIF with a thousand frames, of which one is drawn", gifOf(1, 1, 1_000)),
    drawn("AVIF with HTML behind it", Buffer.concat([avif, text(PAYLOAD)])),
    drawn(
      "PNG with a damaged colour profile",
      Buffer.concat([
        png.subarray(0, 33),
        chunk("iCCP", Buffer.concat([text("p\0\0"), deflateSync(text(PAYLOAD))])),
        png.subarray(33),
      ]),
    ),
    // Cut off, or broken inside.
    refused("PNG cut off after its header", png.subarray(0, 40)),
    refused("JPEG cut off in the middle", jpeg.subarray(0, Math.floor(jpeg.length / 2))),
    refused("WebP cut off", webp.subarray(0, 24)),
    refused("AVIF cut off", avif.subarray(0, avif.length - 20)),
    refused("only the signature of PNG", png.subarray(0, 8)),
    refused(
      "PNG with a wrong checksum",
      Buffer.concat([png.subarray(0, 29), text("abcd"), png.subarray(33)]),
    ),
    refused("PNG header before HTML", Buffer.concat([png.subarray(0, 8), text(PAYLOAD)])),
    // Bombs: little to send, a lot to decode.
    refused("PNG of 900 million pixels", pngOf(30_000, 30_000, chunk("IDAT", deflateSync(row)))),
    refused("PNG of two billion by two billion pixels", pngOf(2 ** 31 - 1, 2 ** 31 - 1)),
    refused("GIF of four billion pixels", gifOf(65_535, 65_535, 1)),
    refused(
      "PNG that inflates to more than its pixels",
      pngOf(5_001, 5_001, chunk("IDAT", deflateSync(Buffer.alloc(1_000_000)))),
    ),
    refused("SVG: entities of entities", text(laughs())),
    refused("SVG: larger than 512 KB", drawing(" ".repeat(600_000))),
    // Drawings that ask for something outside, or bring a program.
    refused(
      "SVG: an entity from a file",
      text(
        `<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]><svg ${SVG}><text>&x;</text></svg>`,
      ),
    ),
    svg("a picture from a file", '<image href="file:///etc/hostname" width="9" height="9"/>'),
    svg("a picture from an address", `<image href="${outside}/a.png" width="9" height="9"/>`),
    svg("a shape from an address", `<use xlink:href="${outside}/b.svg#x"/>`),
    svg("a fill from an address", `<rect width="9" height="9" style="fill:url(${outside}/c#x)"/>`),
    svg("a style sheet from an address", `<style>@import "${outside}/d.css";</style>`),
    svg("a picture inside of it", '<image href="data:image/png;base64,AAAA"/>'),
    svg("a script", PAYLOAD),
    svg("a handler", '<rect width="9" height="9" onload="alert(1)"/>'),
    svg(
      "a page inside of it",
      `<foreignObject><body xmlns="http://www.w3.org/1999/xhtml"/></foreignObject>`,
    ),
    svg(
      "a text from a file",
      '<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="file:///etc/passwd"/>',
    ),
    svg("a link that runs", '<a href="javascript:alert(1)"><rect width="9" height="9"/></a>'),
    refused("SVG in another encoding", Buffer.from(`\ufeff<svg ${SVG}/>`, "utf16le")),
    refused(
      "SVG with a style sheet in front",
      text(`<?xml-stylesheet href="${outside}/e.css"?><svg ${SVG}/>`),
    ),
    refused("SVG without an end", text(`<svg ${SVG} width="9" height="9"><g>`)),
  ];
}

/** Pictures that people really have. */
export async function makeHonestFiles(): Promise<LogoCase[]> {
  const cases = {
    PNG: square().png(),
    JPEG: square().jpeg(),
    "JPEG of a printer": square().toColourspace("cmyk").jpeg(),
    WebP: square().webp(),
    AVIF: square().avif({ effort: 0 }),
    "a grey PNG": square().greyscale().png(),
    "a wide one": square(300).extend({ right: 300, background: "#fff" }).png(),
    "one pixel": square(1).png(),
  };
  const raster = await Promise.all(
    Object.entries(cases).map(async ([name, picture]) => ({
      name,
      bytes: await picture.toBuffer(),
      isDrawn: true,
    })),
  );
  const fill = '<rect width="100%" height="100%" fill="#1e6fd9"/>';
  const drawings: Record<string, string> = {
    "an SVG icon": 'viewBox="0 0 24 24"',
    "a huge SVG": 'viewBox="0 0 90000 90000" width="90000" height="90000"',
    "a tiny SVG": 'viewBox="0 0 1 1" width="1" height="1"',
  };
  const vector = Object.entries(drawings).map(([name, size]) => ({
    name,
    bytes: drawing(fill, size),
    isDrawn: true,
  }));
  const program = `<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
<svg ${SVG} width="48" height="48"><defs><linearGradient id="g"><stop stop-color="#1e6fd9"/></linearGradient></defs>
<g style="fill:url(#g)"><rect id="r" width="48" height="48"/></g><use href='#r'/></svg>`;
  return [
    ...raster,
    ...vector,
    { name: "a GIF", bytes: gifOf(1, 1, 1), isDrawn: true },
    { name: "an SVG of a drawing program", bytes: text(program), isDrawn: true },
  ];
}

/** A site that counts who asks it. */
export async function openWatchedSite(): Promise<{ url: string; hits(): number; close(): void }> {
  let hits = 0;
  const server = createServer((_req, res) => {
    hits += 1;
    res.end();
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await promise;
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${String(port)}`,
    hits: () => hits,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
