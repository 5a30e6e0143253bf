import { createRequire } from "node:module"

const require = createRequire(import.meta.url)
const { Ajv2020 } = require("ajv/dist/2020.js")
const addFormats = require("ajv-formats").default

/**
 * A function that checks a value against a schema of an OpenAPI document and answers what is wrong, in one text, or
 * nothing. References lead into the document.
 */
export const validator = (document) => {
  const ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: true })
  addFormats(ajv)
  ajv.addFormat("int32", true)
  ajv.addFormat("int64", true)
  ajv.addFormat("binary", true)
  ajv.addSchema({ $id: "document:", components: document.components })
  const known = new Map()
  return (schema, value) => {
    const key = JSON.stringify(schema)
    const check = known.get(key) ??
      ajv.compile(JSON.parse(key.replaceAll("\"#/components/", "\"document:#/components/")))
    known.set(key, check)
    return check(value) ? undefined : ajv.errorsText(check.errors)
  }
}
