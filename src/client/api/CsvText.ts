export { csvText } from "../../domain/ground/parsing/CsvText.ts"
