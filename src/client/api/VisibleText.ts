export { visibleLine } from "../../domain/parsing/VisibleText.ts"
