export { csvText } from "../../domain/parsing/CsvText.ts"
