/** What a document says of itself. */
export interface DocumentInfo {
  readonly title: string
  readonly author: string | undefined
  /** An RFC 3339 instant in UTC. */
  readonly createdAt: string
  readonly producer: string
  /** 32 hex digits, which tell this file from others. */
  readonly id: string
}

const xmlText = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

/** What a document says of itself as XMP (ISO 16684-1), which readers prefer to the information dictionary. */
export const metadataOf = ({ author, createdAt, producer, title }: Omit<DocumentInfo, "id">): string =>
  "<?xpacket begin=\"\u00ef\u00bb\u00bf\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>\n" +
  "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"><rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">" +
  "<rdf:Description rdf:about=\"\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\" xmlns:xmp=\"http://ns.adobe.com/xap/1.0/\"" +
  " xmlns:pdf=\"http://ns.adobe.com/pdf/1.3/\"><dc:format>application/pdf</dc:format>" +
  `<dc:title><rdf:Alt><rdf:li xml:lang="x-default">${xmlText(title)}</rdf:li></rdf:Alt></dc:title>` +
  (author === undefined ? "" : `<dc:creator><rdf:Seq><rdf:li>${xmlText(author)}</rdf:li></rdf:Seq></dc:creator>`) +
  `<xmp:CreateDate>${createdAt}</xmp:CreateDate><pdf:Producer>${xmlText(producer)}</pdf:Producer></rdf:Description>` +
  "</rdf:RDF></x:xmpmeta>\n<?xpacket end=\"r\"?>"
