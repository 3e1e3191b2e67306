import type { Pdf } from "./pdfkit-types.ts";

/** Name of the invoice inside a Factur-X document, which readers look for. */
export const FACTUR_X_FILE = "factur-x.xml";

const NAMESPACE = "urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#";

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** Characters that XML 1.0 cannot hold are left out. */
function escapeXml(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "")
    .replaceAll(/[&<>]/g, (sign) => ESCAPES[sign] ?? sign);
}

const PROPERTIES = [
  ["DocumentFileName", "The name of the embedded XML document", FACTUR_X_FILE],
  ["DocumentType", "The type of the hybrid document in capital letters", "INVOICE"],
  ["Version", "The version of the standard applying to the embedded XML document", "1.0"],
  ["ConformanceLevel", "The conformance level of the embedded XML document", "EN 16931"],
] as const;

function writeProperty(name: string, description: string): string {
  return `<rdf:li rdf:parseType="Resource">
    <pdfaProperty:name>${name}</pdfaProperty:name>
    <pdfaProperty:valueType>Text</pdfaProperty:valueType>
    <pdfaProperty:category>external</pdfaProperty:category>
    <pdfaProperty:description>${description}</pdfaProperty:description>
  </rdf:li>`;
}

/** What PDF/A asks for before a document may have properties of another standard. */
const EXTENSION_SCHEMA = `<rdf:Description rdf:about="" xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/" xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#" xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#">
  <pdfaExtension:schemas><rdf:Bag><rdf:li rdf:parseType="Resource">
    <pdfaSchema:schema>Factur-X PDFA Extension Schema</pdfaSchema:schema>
    <pdfaSchema:namespaceURI>${NAMESPACE}</pdfaSchema:namespaceURI>
    <pdfaSchema:prefix>fx</pdfaSchema:prefix>
    <pdfaSchema:property><rdf:Seq>${PROPERTIES.map(([name, text]) => writeProperty(name, text)).join("\n")}</rdf:Seq></pdfaSchema:property>
  </rdf:li></rdf:Bag></pdfaExtension:schemas>
</rdf:Description>`;

const FACTUR_X = `<rdf:Description rdf:about="" xmlns:fx="${NAMESPACE}">
  ${PROPERTIES.map(([name, , value]) => `<fx:${name}>${value}</fx:${name}>`).join("\n  ")}
</rdf:Description>`;

/** Names the author in the metadata: pdfkit writes a title as it is, and a name may have what XML reads as its own. */
export function addAuthor(pdf: Pdf, author: string): void {
  pdf.appendXML(`<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/">
  <dc:creator><rdf:Seq><rdf:li>${escapeXml(author)}</rdf:li></rdf:Seq></dc:creator>
</rdf:Description>`);
}

/** Makes a document of PDF/A-3 a Factur-X invoice of the profile EN 16931: the same invoice as Cross Industry Invoice is inside. */
export function embedInvoice(pdf: Pdf, { xml, issuedAt }: { xml: string; issuedAt: Date }): void {
  pdf.file(Buffer.from(xml), {
    name: FACTUR_X_FILE,
    type: "text/xml",
    description: "The invoice by EN 16931",
    relationship: "Alternative",
    creationDate: issuedAt,
    modifiedDate: issuedAt,
  });
  pdf.appendXML(EXTENSION_SCHEMA);
  pdf.appendXML(FACTUR_X);
}
