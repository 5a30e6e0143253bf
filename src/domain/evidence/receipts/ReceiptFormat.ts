/** The `schema` member of a receipt. */
export const receiptSchema = "countersign/receipt/v1"
