/** The `schema` member of every manifest. */
export const manifestSchema = "countersign/export-manifest/v1"

/** The `schema` member of every snapshot. */
export const snapshotSchema = "countersign/report-snapshot/v1"

/** The text that a seal signs. Its first line names its purpose (domain separation). */
export const sealText = (digest: string): string => `countersign/report-snapshot/v1\n${digest}`
