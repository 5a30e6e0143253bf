/** The texts that the console shows or saves: a line that strangers wrote, rows as CSV, the name of an attached file. */
export { attachedName } from "../../domain/ground/parsing/ContentDisposition.ts"
export { csvText } from "../../domain/ground/parsing/CsvText.ts"
export { visibleLine } from "../../domain/ground/parsing/VisibleText.ts"
