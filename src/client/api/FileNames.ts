export { attachedName } from "../../domain/parsing/ContentDisposition.ts"
