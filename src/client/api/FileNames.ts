export { attachedName } from "../../domain/ground/parsing/ContentDisposition.ts"
