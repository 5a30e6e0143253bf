export { visibleLine } from "../../domain/ground/parsing/VisibleText.ts"
