import type PDFDocument from "pdfkit";

export type Pdf = InstanceType<typeof PDFDocument>;

/** What pdfkit has and its types leave out. */
declare global {
  // biome-ignore lint/style/noNamespace: the types of pdfkit are a namespace, and only a namespace adds to one.
  namespace PDFKit {
    interface PDFDocument {
      /** The font that is chosen. */
      readonly _font: { readonly font: { hasGlyphForCodePoint(codePoint: number): boolean } };
    }
    // biome-ignore lint/style/noNamespace: as above.
    namespace Mixins {
      interface PDFAttachmentOptions {
        /** What an embedded file is to the document (PDF/A-3). */
        relationship?: "Alternative" | "Data" | "Source" | "Supplement" | "Unspecified";
      }
    }
  }
}
